// Prometheus metrics of one service instance: its own registry, so that two instances in one process do not mix. Names
// are stable and listed in docs/metrics.md; labels have few values, never ids.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { addHistogram, type HistogramShape, type Labels, type Observe } from './histogram.ts'
import { VERSION } from './version.ts'

/** The figures of a connection pool that are measured. */
export interface WatchedPool {
  totalCount: number
  idleCount: number
  waitingCount: number
  options: { max?: number }
}

export interface Metrics {
  registry: Registry
  counter<L extends string>(name: string, help: string, labels?: L[]): Counter<L>
  /** A counter that is kept elsewhere, as plain numbers, and read when scraped. */
  tally<L extends string>(name: string, help: string, label: L, read: () => Iterable<[string, number]>): void
  gauge<L extends string>(name: string, help: string, labels?: L[]): Gauge<L>
  /** A gauge (or, if its name ends in `_total`, a counter) that is read when scraped. */
  reading(name: string, help: string, read: () => number): void
  /** Several gauges, one for each value of a label. */
  readings<L extends string>(
    name: string,
    help: string,
    label: L,
    read: () => Iterable<[string, number]>,
  ): void
  histogram(shape: HistogramShape): (labels?: Labels) => Observe
  /** Watches a pool of database connections under a name. */
  pool(name: string, pool: WatchedPool): void
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: SELDOM_MS })
  measureEventLoopLag(registry)
  const registers = [registry]
  const gauge: Metrics['gauge'] = (name, help, labels = []) =>
    new Gauge({ name, help, labelNames: labels, registers })
  const pools = new Map<string, WatchedPool>()
  addPoolGauges(registers, pools)
  gauge('marquee_build_info', 'Always 1; its label is the version of the program.', ['version']).set(
    { version: VERSION },
    1,
  )
  return {
    registry,
    gauge,
    counter: (name, help, labels = []) => new Counter({ name, help, labelNames: labels, registers }),
    tally(name, help, label, read) {
      new Counter({
        name,
        help,
        labelNames: [label],
        registers,
        collect() {
          this.reset()
          for (const [value, count] of read())
            this.inc({ [label]: value } as Record<typeof label, string>, count)
        },
      })
    },
    reading(name, help, read) {
      if (name.endsWith('_total'))
        new Counter({
          name,
          help,
          registers,
          collect() {
            this.reset()
            this.inc(read())
          },
        })
      else
        new Gauge({
          name,
          help,
          registers,
          collect() {
            this.set(read())
          },
        })
    },
    readings(name, help, label, read) {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers,
        collect() {
          for (const [value, count] of read())
            this.set({ [label]: value } as Record<typeof label, string>, count)
        },
      })
    },
    histogram: shape => addHistogram(registry, shape),
    pool: (name, pool) => void pools.set(name, pool),
  }
}

function addPoolGauges(registers: Registry[], pools: Map<string, WatchedPool>): void {
  const add = (name: string, help: string, read: (pool: WatchedPool) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['pool'],
      registers,
      collect() {
        for (const [pool, watched] of pools) this.set({ pool }, read(watched))
      },
    })
  add('marquee_database_pool_most', 'Connections that a pool may open.', pool => pool.options.max ?? 0)
  add('marquee_database_pool_open', 'Connections that a pool has open.', pool => pool.totalCount)
  add('marquee_database_pool_idle', 'Open connections that are idle.', pool => pool.idleCount)
  add('marquee_database_pool_waiting', 'Callers waiting for a connection.', pool => pool.waitingCount)
}

// The lag of the event loop, as metrics: how late a timer fires. The default measurement of prom-client wakes the
// process a hundred times per second and counts the pause between two wakes as lag; this one does neither.

const PAUSE_MS = 100
/** How often prom-client's own measurement wakes, because it cannot be switched off. */
const SELDOM_MS = 3_600_000
const NS = 1e9

const QUANTILES = [50, 90, 99]

/** Replaces the measurement in the registry. */
function measureEventLoopLag(registry: Registry): void {
  const delays = monitorEventLoopDelay({ resolution: PAUSE_MS })
  delays.enable()
  const lagOf = (ns: number) => Math.max(0, ns / NS - PAUSE_MS / 1000)
  const add = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: `nodejs_eventloop_lag_${name}_seconds`,
      help,
      registers: [registry],
      collect() {
        this.set(delays.count === 0 ? 0 : lagOf(read()))
      },
    })
  for (const name of ['min', 'max', 'mean', 'stddev', ...QUANTILES.map(quantile => `p${quantile}`)])
    registry.removeSingleMetric(`nodejs_eventloop_lag_${name}_seconds`)
  for (const quantile of QUANTILES)
    add(`p${quantile}`, `The ${quantile}th percentile of the event loop's lag since the last scrape.`, () =>
      delays.percentile(quantile),
    )
  add('mean', "The mean of the event loop's lag since the last scrape.", () => delays.mean)
  // Read last, because it resets the measurement for the next scrape.
  add('max', 'The longest lag of the event loop since the last scrape.', () => {
    const { max } = delays
    delays.reset()
    return max
  })
}
