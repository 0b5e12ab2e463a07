// Measurements of calls of the data plane and of counting: plain numbers, read when scraped.

import type { Batcher } from '../count/tracking/batcher.ts'
import type { Batch, Ingest } from '../count/tracking/event.ts'
import type { DataAnswer, DataRequest, DataRoute } from '../http/lane/data-plane.ts'
import type { Metrics } from '../platform/metrics.ts'

const SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2]
const BATCH_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]
const ROWS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000]
/** One call in this many is timed, because reading the clock costs more than counting. Must be a power of two. */
const TIMED = 64

/** Counts the calls of each route and times some of them. */
export function measured(metrics: Metrics): (route: DataRoute) => DataRoute {
  const calls = new Map<string, () => number>()
  const seriesOf = metrics.histogram({
    name: 'marquee_data_request_seconds',
    help: `Duration of ad requests and tracking calls by route; every ${TIMED}th is timed.`,
    bounds: SECONDS,
  })
  metrics.tally('marquee_data_requests_total', 'Ad requests and tracking calls by route.', 'route', () =>
    Array.from(calls, ([route, count]) => [route, count()]),
  )
  return route => {
    const { handle } = route
    const observe = seriesOf({ route: route.prefix })
    let count = 0
    calls.set(route.prefix, () => count)
    const timed = (request: DataRequest): DataAnswer | Promise<DataAnswer> => {
      const startMs = performance.now()
      const end = () => observe((performance.now() - startMs) / 1000)
      const made = handle(request)
      if (made instanceof Promise) made.then(end, end)
      else end()
      return made
    }
    return { ...route, handle: request => ((++count & (TIMED - 1)) === 0 ? timed(request) : handle(request)) }
  }
}

/** Measures each batch: how many rows it has, how long writing takes, and whether it succeeds. */
export function measuredIngest(ingest: Ingest, metrics: Metrics): Ingest {
  const seconds = metrics.histogram({
    name: 'marquee_ingest_seconds',
    help: 'Duration of writing a batch of events, by outcome.',
    bounds: BATCH_SECONDS,
  })
  const [written, failed] = [seconds({ outcome: 'written' }), seconds({ outcome: 'failed' })]
  const rows = metrics.histogram({
    name: 'marquee_ingest_rows',
    help: 'Events and actions in a batch.',
    bounds: ROWS,
  })()
  return async (batch: Batch) => {
    const startMs = performance.now()
    try {
      const result = await ingest(batch)
      written((performance.now() - startMs) / 1000)
      if (batch.events.length + batch.actions.length > 0) rows(batch.events.length + batch.actions.length)
      return result
    } catch (error) {
      failed((performance.now() - startMs) / 1000)
      throw error
    }
  }
}

export function measureCounting(metrics: Metrics, batcher: Batcher): void {
  metrics.reading('marquee_counting_waiting', 'Events and actions waiting to be written.', batcher.queued)
  metrics.reading(
    'marquee_counting_oldest_seconds',
    'How long the oldest event or action has been waiting to be written; 0 if none is waiting.',
    () => batcher.oldestMs() / 1000,
  )
}
