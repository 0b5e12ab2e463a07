// How often users have seen campaigns today, read from the events if no one has kept count: for a shared store of
// caps that knows nothing yet, and for a campaign that gets a cap in the middle of the day.

import { setImmediate } from 'node:timers/promises'
import type { Caps, UserHash } from '../caps/caps.ts'
import type { CapStore } from '../caps/shared-caps.ts'
import type { ReadonlyCatalog } from '../catalog/live-catalog.ts'
import type { Ledger } from '../ledger/ledger-interface.ts'
import type { Database } from '../platform/database.ts'
import { readCounted, readSeen, rowsOf } from './counted.ts'
import { beginLongRead, LONG_READ_MS } from './queries.ts'

export interface MissingParts {
  db: Database
  ledger: Ledger
  caps: Caps
  /** If caps are kept in a shared store, for all nodes. */
  capStore: Pick<CapStore, 'loadSeen'> | null
}

/** The campaigns that have a cap. */
export function cappedOf(orders: ReadonlyCatalog['orders']): number[] {
  return [...orders.values()].filter(({ campaign }) => campaign.freq > 0).map(({ campaign }) => campaign.cid)
}

/** All impressions of today of campaigns with a cap, for the shared cap store. */
export async function loadSeenToday(
  { db, orders, ledger }: Pick<MissingParts, 'db' | 'ledger'> & { orders: ReadonlyCatalog['orders'] },
  store: Pick<CapStore, 'loadSeen'>,
  nowMs: number,
): Promise<void> {
  for (const [dayKey, cids] of byDay(cappedOf(orders), [nowMs], ledger))
    await loadSeenOf(db, store, dayKey, cids)
}

/** Which of these campaigns have the day at one of these times. */
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
 * Campaigns that got a cap in the middle of the day: their impressions so far are read, then the cap can be kept. To be
 * repeated. One whose users do not fit is not read again: what was counted stays until its day is over.
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
 * In place of what is in memory, so that nothing counts twice. Ads that are open as it begins are left out of what is
 * read: only memory knows how they end meanwhile. One that is gone by then counts as seen. False: they do not fit.
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
    // Bids are answered in between.
    await setImmediate()
  }
  // Nothing can end between here and the last of them.
  for (const ad of open) if (!ledger.isOpen(ad.adId)) seenBy.get(keyOf(ad.user!))!.seen++
  for (const { user, seen } of seenBy.values()) fits = caps.setCounted(dayKey, cid, user, seen) && fits
  return fits
}

const keyOf = ({ hi, lo }: UserHash) => `${hi} ${lo}`
