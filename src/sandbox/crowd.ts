// A visitor may stand for many people: what one sees is counted once for each of them, as an event of its own, by the
// same ledger and the same ingest. What a budget or a cap does not cover is not counted. Clicks and purchases are the
// visitor's own.

import type { Ledger } from '../budget/ledger/ledger-interface.ts'
import { createIngest } from '../count/ingest/ingest.ts'
import { payerOf } from '../count/ingest/pay.ts'
import type { AdEvent, Batch, BatchResult } from '../count/tracking/event.ts'
import { createPlaces } from '../count/tracking/places.ts'
import type { Clock } from '../kernel/time/clock.ts'
import type { Database } from '../platform/database.ts'

export interface Crowd {
  /** How many people each visitor stands for. */
  size: number
  /** New impressions and views of visitors, which are on disk. */
  seen(events: readonly AdEvent[]): void
  /**
   * Counts them for the other people. `hurry` asks for money that is short. Views, which decide nothing, are written
   * while the clock moves on.
   */
  write(hurry: () => Promise<void>): Promise<void>
  /** Resolves when everything is on disk. */
  settled(): Promise<void>
}

export interface CrowdParts {
  db: Database
  clock: Clock
  timeZone: string
  /** The node that serves the visitors; null: it has not started. */
  node(): { ledger: Ledger; nodeId: number } | null
  onWritten(batch: Batch, result: BatchResult): void
}

const EVENTS_A_BATCH = 5_000

export function createCrowd({ db, clock, timeZone, node, onWritten }: CrowdParts, size: number): Crowd {
  const ingest = createIngest({
    db,
    timeZone,
    nowMs: () => clock.nowMs(),
    // The visitors have written their names.
    places: createPlaces({ maxPlaces: 1 }),
    ownNodeId: () => node()?.nodeId ?? 0,
  })
  let waiting: AdEvent[] = []
  /** Who else saw an ad, whose view comes a moment later, perhaps after the next write. */
  let others = new Map<string, AdEvent[]>()
  let othersBefore = others
  let views: Promise<void> = Promise.resolve()

  /** Those of the others whose impressions are paid for. */
  async function payFor(event: AdEvent, hurry: () => Promise<void>): Promise<AdEvent[]> {
    const paid: AdEvent[] = []
    for (let n = 1; n < size; n++) {
      const other = otherOf(event, n)
      if (event.spendMicros > 0 && !(await isPaid(other, hurry))) break
      paid.push(other)
    }
    return paid
  }

  async function isPaid(event: AdEvent, hurry: () => Promise<void>): Promise<boolean> {
    const { ledger } = node() ?? {}
    const { ad, spendMicros, atMs } = event
    const facts = { ...ad, payer: payerOf(event), reservedUntilMs: (ad.servedS + ad.ttlS) * 1000 }
    if (!ledger || ledger.begin(facts, spendMicros, atMs).isBillable) return ledger !== undefined
    if (ledger.check(ad.cid, spendMicros, ad.user, atMs) !== 'share_wait') return false
    await hurry()
    return ledger.begin(facts, spendMicros, atMs).isBillable
  }

  async function ingestAll(events: AdEvent[]): Promise<void> {
    for (let at = 0; at < events.length; at += EVENTS_A_BATCH) {
      const batch = { events: events.slice(at, at + EVENTS_A_BATCH), actions: [], ignored: [] }
      const result = await ingest(batch)
      onWritten(batch, result)
      const late = new Set(result.late)
      batch.events.forEach(({ kind, ad: { adId }, spendMicros }, n) => {
        if (kind !== 'impression' || spendMicros === 0) return
        if (late.has(n)) node()?.ledger.cancel(adId)
        else node()?.ledger.commit(adId, spendMicros)
      })
    }
  }

  return {
    size,
    seen(events) {
      waiting.push(...events)
    },
    async write(hurry) {
      const events = waiting
      waiting = []
      for (const event of events)
        if (event.kind === 'impression') others.set(event.ad.adId, await payFor(event, hurry))
      await views
      await ingestAll([...others.values()].flat())
      const seen = events
        .filter(({ kind }) => kind === 'view')
        .flatMap(({ kind, atMs, ad: { adId } }) =>
          (others.get(adId) ?? othersBefore.get(adId) ?? []).map(other => ({
            ...{ ...other, kind, atMs, spendMicros: 0 },
          })),
        )
      othersBefore = others
      others = new Map()
      views = ingestAll(seen)
      // Whoever awaits it next gets the error.
      views.catch(() => {})
    },
    settled: () => views,
  }
}

/** Ids of ads are random, so that of the n-th other is as good as any. */
function otherOf(event: AdEvent, n: number): AdEvent {
  const bytes = Buffer.from(event.ad.adId, 'base64url')
  bytes.writeUInt16BE(bytes.readUInt16BE(bytes.length - 2) ^ n, bytes.length - 2)
  const user = { hi: bytes.readUInt32BE(0), lo: n }
  return { ...event, ad: { ...event.ad, adId: bytes.toString('base64url'), user } }
}
