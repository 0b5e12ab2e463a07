// Measurements of a node: plain numbers that its parts keep anyway, read when scraped.

import type { Clock } from '../../kernel/time/clock.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { DeliveryNode } from './node.ts'
import type { RunningNode } from './running.ts'

type Read = (name: string, help: string, of: (running: RunningNode) => number) => void

/** Read as nothing while the node is not running. */
export function measureNode(metrics: Metrics, node: Pick<DeliveryNode, 'running'>, clock: Clock): void {
  const read: Read = (name, help, of) =>
    metrics.reading(name, help, () => {
      const running = node.running()
      return running ? of(running) : 0
    })
  measurePromises(read)
  measureBooks(read, clock)
}

function measurePromises(read: Read): void {
  read('marquee_delivery_running', '1 while this process delivers ads.', () => 1)
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
    '1 while the counts of an emptied or new server at CAPS_URL are being rebuilt.',
    ({ refill }) => (refill.capsWaitFor() === null ? 0 : 1),
  )
}

function measureBooks(read: Read, clock: Clock): void {
  const sum = (of: (account: Account) => number) => (running: RunningNode) => {
    const nowMs = clock.nowMs()
    let total = 0
    for (const cid of running.catalog.orders.keys()) {
      const account = running.ledger.account(cid, running.ledger.today(cid, nowMs).key)
      if (account) total += of(account)
    }
    return total
  }

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
  read('marquee_ledger_ads', 'Ads in memory, of all days and states.', ({ ledger }) => ledger.size())
  read('marquee_catalog_age_seconds', 'Time since the catalog was last known to be fresh.', ({ catalog }) =>
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
    'Reservation records written.',
    ({ journal }) => journal.status().writtenRecords,
  )
  read(
    'marquee_journal_dropped_records_total',
    'Records lost because the disk failed.',
    ({ journal }) => journal.status().droppedRecords,
  )
  read(
    'marquee_journal_pending_bytes',
    'Bytes waiting to be written to the journal.',
    ({ journal }) => journal.status().pendingBytes,
  )
}

function countOf<T>(items: Iterable<T>, is: (item: T) => boolean): number {
  let count = 0
  for (const item of items) if (is(item)) count++
  return count
}

type Account = NonNullable<ReturnType<RunningNode['ledger']['account']>>
