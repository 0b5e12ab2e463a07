// How often users have seen campaigns today, read from the events where nobody has counted: for a shared cap store that
// is still empty, and for a campaign that gets a cap in the middle of the day.

import { setImmediate } from 'node:timers/promises'
import type { Caps, UserHash } from '../../budget/caps/caps.ts'
import type { CapStore } from '../../budget/caps/shared-caps.ts'
import type { Ledger } from '../../budget/ledger/ledger-interface.ts'
import type { Database } from '../../platform/database.ts'
import type { ReadonlyCatalog } from '../catalog/live-catalog.ts'
import { readCounted, readSeen, rowsOf } from './counted.ts'
import { beginLongRead, LONG_READ_MS } from './queries.ts'

export interface MissingParts {
  db: Database
  ledger: Ledger
  caps: Caps
  /** The shared store of caps for all nodes, if there is one. */
  capStore: Pick<CapStore, 'loadSeen'> | null
}

/** The campaigns that have a cap. */
export function cappedOf(orders: ReadonlyCatalog['orders']): number[] {
  return [...orders.values()].filter(({ campaign }) => campaign.freq > 0).map(({ campaign }) => campaign.cid)
}

/** Loads all of today's impressions of campaigns with a cap into the shared cap store. */
export async function loadSeenToday(
  { db, orders, ledger }: Pick<MissingParts, 'db' | 'ledger'> & { orders: ReadonlyCatalog['orders'] },
  store: Pick<CapStore, 'loadSeen'>,
  nowMs: number,
): Promise<void> {
  for (const [dayKey, cids] of byDay(cappedOf(orders), [nowMs], ledger))
    await loadSeenOf(db, store, dayKey, cids)
}

/** The days that these campaigns have at these times, each with its campaigns. */
export function byDay(
  cids: readonly number[],
  times: readonly number[],
  ledger: Pick<Ledger, 'today'>,
): Map<number, number[]> {
  const days = new Map<number, number[]>()
  for (const cid of cids) {
    for (const dayKey of new Set(times.map(ms => ledger.today(cid, ms).key))) {
      const known = days.get(dayKey)
      if (known) known.push(cid)
      else days.set(dayKey, [cid])
    }
  }
  return days
}

function loadSeenOf(
  db: Database,
  store: Pick<CapStore, 'loadSeen'>,
  dayKey: number,
  cids: number[],
): Promise<void> {
  return db.transaction(async tx => {
    await beginLongRead(tx)
    for await (const seen of readSeen(tx, dayKey, cids)) await store.loadSeen(seen)
  }, LONG_READ_MS)
}

/**
 * For campaigns that got a cap in the middle of the day: reads their impressions so far; then the cap can be kept. To
 * be called repeatedly. A campaign whose users do not fit is not read again until its day is over.
 */
export function createCountsLoader({ db, ledger, caps, capStore }: MissingParts) {
  const givenUp = new Set<string>()

  return async (nowMs: number): Promise<void> => {
    const missing = ledger.countsMissing(nowMs)
    if (missing.length === 0) givenUp.clear()
    for (const { cid, dayKey } of missing) {
      const key = `${dayKey} ${cid}`
      if (caps.isFull() || givenUp.has(key)) continue
      let fits = true
      if (capStore) await loadSeenOf(db, capStore, dayKey, [cid])
      else fits = await readCounts({ db, ledger, caps }, dayKey, cid)
      if (fits) ledger.loadCounted(cid, dayKey)
      else givenUp.add(key)
    }
  }
}

/**
 * Replaces the counts in memory, so that nothing counts twice. Ads that are open when it begins are not read from the
 * events: only memory knows how they end meanwhile. Those that have ended by then count as seen. False: no room.
 */
async function readCounts(
  { db, ledger, caps }: Omit<MissingParts, 'capStore'>,
  dayKey: number,
  cid: number,
): Promise<boolean> {
  const open = ledger.openAds(cid).filter(ad => ad.dayKey === dayKey && ad.user !== null)
  const without = Buffer.concat(open.map(ad => Buffer.from(ad.adId, 'base64url')))
  const pages = await db.transaction(async tx => {
    await beginLongRead(tx)
    return readCounted(tx, new Map([[dayKey, [cid]]]), without)
  }, LONG_READ_MS)
  const seenBy = new Map(open.map(ad => [keyOf(ad.user!), { user: ad.user!, seen: 0 }]))
  let fits = true
  for (const page of pages) {
    for (const { user, impressions } of rowsOf(page)) {
      const known = seenBy.get(keyOf(user))
      if (known) known.seen = impressions
      else fits = caps.setCounted(dayKey, cid, user, impressions) && fits
    }
    // Bids are answered between the pages.
    await setImmediate()
  }
  // No ad can end from here to the end of the loop.
  for (const ad of open) if (!ledger.isOpen(ad.adId)) seenBy.get(keyOf(ad.user!))!.seen++
  for (const { user, seen } of seenBy.values()) fits = caps.setCounted(dayKey, cid, user, seen) && fits
  return fits
}

const keyOf = ({ hi, lo }: UserHash) => `${hi} ${lo}`
