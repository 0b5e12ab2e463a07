// Starts the ledger: reads money and cap counts from the journal on disk and from the database, in one transaction, and
// hands them to start.ts. Also reads the counts of campaigns that get a cap in the middle of a day.

import { setImmediate } from 'node:timers/promises'
import type { Caps, UserHash } from '../caps/caps.ts'
import type { CapStore } from '../caps/shared-caps.ts'
import type { ReadonlyCatalog } from '../catalog/live-catalog.ts'
import type { Calendar } from '../kernel/day.ts'
import type { Database, Db } from '../platform/database.ts'
import { selectShares } from '../shares/node-queries.ts'
import { type Ask, MOST_ASKS, type NodeRef, type ShareStore } from '../shares/share.ts'
import type { AdFacts } from './ad.ts'
import { NOTHING_OFFERED } from './asks.ts'
import { readCounted, readSeen, rowsOf, rowsOfAll } from './counted.ts'
import type { Journal } from './journal.ts'
import type { Ledger } from './ledger.ts'
import { AD_ID_BYTES, beginLongRead, LONG_READ_MS, selectBilled, selectDaysAfter } from './queries.ts'

export interface RestoreParts {
  db: Database
  ledger: Ledger
  journal: Journal
  orders: ReadonlyCatalog['orders']
  calendar: Calendar
  maxTtlMs: number
  node: NodeRef
  store: Pick<ShareStore, 'move'>
  /** Caps are kept in a shared store, which already knows the counts. */
  hasCapStore?: boolean
  /** The database may not know what the journal says was billed: then it was not. */
  wentBack?: boolean
}

/** After the campaigns are set, before the first reservation. One transaction sees one state. */
export async function restoreLedger(parts: RestoreParts, nowMs: number): Promise<void> {
  const { db, ledger, journal, orders, calendar, maxTtlMs, node } = parts
  const todayKey = calendar.dayAt(nowMs).key
  const recentKeys = [...new Set([calendar.dayAt(nowMs - maxTtlMs).key, todayKey])]
  const cids = parts.hasCapStore ? [] : cappedOf(orders)
  const journaled = journal.recovered.billed
  // A reservation from before the clock was set back would hold its money for as long as the clock was wrong.
  const open = journal.recovered.open.filter(ad => ad.reservedUntilMs <= nowMs + maxTtlMs)
  await askForAds(parts, open)
  const read = await db.transaction(async tx => {
    await beginLongRead(tx)
    // A future day has spent only if the clock was set back; its budget still pays only once.
    const laterKeys = (await selectDaysAfter(tx, todayKey)).map(row => row.day)
    const dayKeys = [...recentKeys, ...laterKeys.filter(key => calendar.dayOfKey(key) !== null)]
    const shares = await selectShares(tx, node.nodeId, dayKeys)
    const spent = shares.map(row => ({ cid: row.cid, dayKey: row.day, spentMicros: row.billed_micros }))
    const budgets = shares.map(row => ({ cid: row.cid, dayKey: row.day, grantedMicros: row.granted_micros }))
    const doubted = parts.wentBack ? [...open, ...journaled] : open
    const billedInDatabase = await billedOf(tx, doubted, nowMs, maxTtlMs)
    const billed = parts.wentBack ? journaled.filter(ad => billedInDatabase.has(ad.adId)) : journaled
    return {
      spent,
      budgets,
      billed,
      billedInDatabase,
      counted: await readCounted(tx, calendar, dayKeys, cids),
    }
  }, LONG_READ_MS)
  const restored = { open, ...read, counted: rowsOfAll(read.counted) }
  for (const _chunk of ledger.restore(restored, nowMs)) await setImmediate()
  // The journal lives on; what it recovered, half a gigabyte for two million ads, need not.
  Object.assign(journal.recovered, { open: [], billed: [], budgets: [] })
}

function cappedOf(orders: ReadonlyCatalog['orders']): number[] {
  return [...orders.values()].filter(({ campaign }) => campaign.freq > 0).map(({ campaign }) => campaign.cid)
}

/** All impressions of today of campaigns with a cap, for the shared cap store. */
export function loadSeenToday(
  { db, orders, calendar }: Pick<RestoreParts, 'db' | 'orders' | 'calendar'>,
  store: Pick<CapStore, 'loadSeen'>,
  nowMs: number,
): Promise<void> {
  return loadSeenOf({ db, calendar }, store, calendar.dayAt(nowMs).key, cappedOf(orders))
}

function loadSeenOf(
  { db, calendar }: Pick<RestoreParts, 'db' | 'calendar'>,
  store: Pick<CapStore, 'loadSeen'>,
  dayKey: number,
  cids: number[],
): Promise<void> {
  return db.transaction(async tx => {
    await beginLongRead(tx)
    for await (const seen of readSeen(tx, calendar, dayKey, cids)) await store.loadSeen(seen)
  }, LONG_READ_MS)
}

/**
 * Ads of before there were shares, or whose share has gone back to its budget, need one again: as much as they hold, if
 * it is there. All others have theirs.
 */
async function askForAds({ db, node, store }: RestoreParts, open: readonly AdFacts[]): Promise<void> {
  const heldMicros = new Map<string, number>()
  for (const { cid, dayKey, priceMicros } of open) {
    const key = `${dayKey} ${cid}`
    heldMicros.set(key, (heldMicros.get(key) ?? 0) + priceMicros)
  }
  const days = [...new Set(open.map(ad => ad.dayKey))]
  const shares = new Map<string, { granted_micros: number; billed_micros: number }>()
  for (const row of await selectShares(db, node.nodeId, days)) shares.set(`${row.day} ${row.cid}`, row)
  const asks: Ask[] = []
  for (const [key, micros] of heldMicros) {
    const [dayKey, cid] = key.split(' ').map(Number)
    const { granted_micros = 0, billed_micros = 0 } = shares.get(key) ?? {}
    const targetMicros = billed_micros + micros
    const needed = { leastMicros: 0, reservedMicros: micros, ...NOTHING_OFFERED }
    if (targetMicros > granted_micros)
      asks.push({ cid: cid!, dayKey: dayKey!, targetMicros, ...needed, isNew: true })
  }
  for (let at = 0; at < asks.length; at += MOST_ASKS) await store.move(node, asks.slice(at, at + MOST_ASKS))
}

async function billedOf(tx: Db, open: AdFacts[], nowMs: number, maxTtlMs: number): Promise<Set<string>> {
  if (open.length === 0) return new Set()
  // Loops, because there may be a million of them: too many for the arguments of one call.
  let earliestEndMs = nowMs
  const adIds = Buffer.alloc(open.length * AD_ID_BYTES)
  for (const [i, ad] of open.entries()) {
    earliestEndMs = Math.min(earliestEndMs, ad.reservedUntilMs)
    adIds.write(ad.adId, i * AD_ID_BYTES, AD_ID_BYTES, 'base64url')
  }
  const found = await selectBilled(tx, new Date(earliestEndMs - maxTtlMs), adIds)
  return new Set(found.map(row => row.ad_id.toString('base64url')))
}

export interface MissingParts {
  db: Database
  ledger: Ledger
  caps: Caps
  /** If caps are kept in a shared store, for all nodes. */
  capStore: Pick<CapStore, 'loadSeen'> | null
  calendar: Calendar
}

/**
 * Campaigns that got a cap in the middle of the day: their impressions so far are read, then the cap can be kept. To be
 * repeated. One whose users do not fit is not read again: what was counted stays until its day is over.
 */
export function createCountsLoader({ db, ledger, caps, capStore, calendar }: MissingParts) {
  const givenUp = new Set<string>()

  return async (nowMs: number): Promise<void> => {
    const missing = ledger.countsMissing(nowMs)
    if (missing.length === 0) givenUp.clear()
    for (const { cid, dayKey } of missing) {
      const key = `${dayKey} ${cid}`
      if (caps.isFull() || givenUp.has(key)) continue
      let fits = true
      if (capStore) await loadSeenOf({ db, calendar }, capStore, dayKey, [cid])
      else fits = await readCounts({ db, ledger, caps, calendar }, dayKey, cid)
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
  { db, ledger, caps, calendar }: Omit<MissingParts, 'capStore'>,
  dayKey: number,
  cid: number,
): Promise<boolean> {
  const open = ledger.openAds(cid).filter(ad => ad.dayKey === dayKey && ad.user !== null)
  const without = Buffer.concat(open.map(ad => Buffer.from(ad.adId, 'base64url')))
  const pages = await db.transaction(async tx => {
    await beginLongRead(tx)
    return readCounted(tx, calendar, [dayKey], [cid], without)
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
