// Measurements of delivery and counting: plain numbers that those parts keep anyway, read when scraped.

import type { DataAnswer, DataRequest, DataRoute } from '../data-plane/data-plane.ts'
import type { Delivery, RunningDelivery } from '../delivery/delivery.ts'
import type { Clock } from '../kernel/clock.ts'
import { calendarOf } from '../kernel/day.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Batcher } from '../tracking/batcher.ts'
import type { Batch, Ingest } from '../tracking/event.ts'

const SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2]
const BATCH_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]
const ROWS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000]
/** One call in this many is timed: reading the clock costs more than counting. A power of two. */
const TIMED = 64

/** Counts the calls of each route, and times some of them. */
export function measured(metrics: Metrics): (route: DataRoute) => DataRoute {
  const calls = new Map<string, () => number>()
  const seriesOf = metrics.histogram({
    name: 'marquee_data_request_seconds',
    help: `Duration of ad requests and tracking calls by route; every ${TIMED}th is timed.`,
    bounds: SECONDS,
    label: 'route',
  })
  metrics.tally('marquee_data_requests_total', 'Ad requests and tracking calls by route.', 'route', () =>
    Array.from(calls, ([route, count]) => [route, count()]),
  )
  return route => {
    const { handle } = route
    const observe = seriesOf(route.prefix)
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

/** Of each batch that is written: how many rows, how long, and whether it was. */
export function measuredIngest(ingest: Ingest, metrics: Metrics): Ingest {
  const seconds = metrics.histogram({
    name: 'marquee_ingest_seconds',
    help: 'Duration of writing a batch of events, by outcome.',
    bounds: BATCH_SECONDS,
    label: 'outcome',
  })
  const [written, failed] = [seconds('written'), seconds('failed')]
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
    'How long the oldest event or action has waited to be written; 0 when none waits.',
    () => batcher.oldestMs() / 1000,
  )
}

/** Read as nothing while delivery is not running. */
export function measureDelivery(
  metrics: Metrics,
  delivery: Pick<Delivery, 'running'>,
  clock: Clock,
  timeZone: string,
): void {
  const read = (name: string, help: string, of: (running: RunningDelivery) => number) =>
    metrics.reading(name, help, () => {
      const running = delivery.running()
      return running ? of(running) : 0
    })
  const calendar = calendarOf(timeZone)
  const sum = (of: (account: Account) => number) => (running: RunningDelivery) => {
    const { key } = calendar.dayAt(clock.nowMs())
    let total = 0
    for (const cid of running.catalog.orders.keys()) {
      const account = running.ledger.account(cid, key)
      if (account) total += of(account)
    }
    return total
  }

  read('marquee_delivery_running', '1 while ads are delivered by this process.', () => 1)
  read('marquee_node_promising', '1 while this node may promise ads: its shares are valid.', ({ refill }) =>
    refill.mayPromise() ? 1 : 0,
  )
  read(
    'marquee_node_valid_seconds',
    'How long this node may promise without the database.',
    ({ refill }) => refill.validMs() / 1000,
  )
  read('marquee_nodes', 'Delivering nodes known to this one.', ({ refill }) => refill.nodes())
  read('marquee_node_serves_caps', '1 while this node serves the campaigns with a cap.', ({ refill }) =>
    refill.hasCapsDuty() ? 1 : 0,
  )
  read(
    'marquee_caps_rebuilding',
    '1 while the server of CAPS_URL, emptied or new, is told what was seen and what is open.',
    ({ refill }) => (refill.capsWaitFor() === null ? 0 : 1),
  )
  read(
    'marquee_shares_granted_micros',
    'What this node may spend today, over all campaigns.',
    sum(account => account.grantedMicros),
  )
  read(
    'marquee_shares_billed_micros',
    'What this node has billed today.',
    sum(account => account.spentMicros),
  )
  read(
    'marquee_ledger_reserved_micros',
    'Money of today’s shares that open ads hold.',
    sum(account => account.reservedMicros),
  )
  read(
    'marquee_ledger_open_ads',
    'Ads of today that hold money.',
    sum(account => account.openAds),
  )
  read('marquee_ledger_ads', 'Ads in memory, of every day and state.', ({ ledger }) => ledger.size())
  read('marquee_catalog_age_seconds', 'How long ago the catalog was last known to be fresh.', ({ catalog }) =>
    Math.max(0, (clock.nowMs() - catalog.freshAtMs()) / 1000),
  )
  read('marquee_catalog_campaigns', 'Campaigns in memory.', ({ catalog }) => catalog.orders.size)
  read(
    'marquee_catalog_capped_campaigns',
    'Campaigns in memory that are on and have a frequency cap.',
    ({ catalog }) =>
      countOf(catalog.orders.values(), ({ campaign }) => campaign.enabled && campaign.freq > 0),
  )
  read(
    'marquee_catalog_personas',
    'Personas in memory that may be served.',
    ({ catalog }) => catalog.personas.size,
  )
  read(
    'marquee_journal_written_records_total',
    'Records of reservations that were written.',
    ({ journal }) => journal.status().writtenRecords,
  )
  read(
    'marquee_journal_dropped_records_total',
    'Records lost because the disk failed.',
    ({ journal }) => journal.status().droppedRecords,
  )
  read(
    'marquee_journal_pending_bytes',
    'Bytes that wait to be written to the journal.',
    ({ journal }) => journal.status().pendingBytes,
  )
}

function countOf<T>(items: Iterable<T>, is: (item: T) => boolean): number {
  let count = 0
  for (const item of items) if (is(item)) count++
  return count
}

type Account = NonNullable<ReturnType<RunningDelivery['ledger']['account']>>
