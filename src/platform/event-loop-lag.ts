// The lag of the event loop, as metrics: how late a timer fires. The default measurement of prom-client wakes the
// process a hundred times per second and counts the pause between two wakes as lag; this one does neither.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Gauge, type Registry } from 'prom-client'

const PAUSE_MS = 100
/** How often prom-client's own measurement wakes, because it cannot be switched off. */
export const SELDOM_MS = 3_600_000
const NS = 1e9

const QUANTILES = [50, 90, 99]

/** Replaces the measurement in the registry. */
export function measureEventLoopLag(registry: Registry): void {
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
