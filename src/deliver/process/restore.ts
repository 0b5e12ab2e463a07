// What the ledger starts from: money and cap counts from the journal on disk and from the database. The database is
// read in one transaction, so that all of it belongs to one moment.

import { setImmediate } from 'node:timers/promises'
import type { AdFacts } from '../../budget/ledger/ad.ts'
import { NOTHING_OFFERED } from '../../budget/ledger/asks.ts'
import type { Journal } from '../../budget/ledger/journal.ts'
import type { Ledger } from '../../budget/ledger/ledger-interface.ts'
import { selectShares } from '../../budget/shares/node-queries.ts'
import { type Ask, MOST_ASKS, type NodeRef, type ShareStore } from '../../budget/shares/share.ts'
import { type Calendar, spanAnywhere } from '../../kernel/time/day.ts'
import type { Database, Db } from '../../platform/database.ts'
import type { ReadonlyCatalog } from '../catalog/live-catalog.ts'
import { byDay, cappedOf } from './cap-counts.ts'
import { readCounted, rowsOfAll } from './counted.ts'
import { AD_ID_BYTES, beginLongRead, LONG_READ_MS, selectBilled, selectDaysAfter } from './queries.ts'

export interface RestoreParts {
  db: Database
  ledger: Ledger
  journal: Journal
  orders: ReadonlyCatalog['orders']
  /** The deployment's calendar. */
  calendar: Calendar
  maxTtlMs: number
  node: NodeRef
  store: Pick<ShareStore, 'move'>
  /** Caps are kept in a shared store, which already knows the counts. */
  hasCapStore?: boolean
  /** The database went back in time: what the journal says was billed counts only if the database knows it. */
  wentBack?: boolean
}

/** To be called after the campaigns are set and before the first reservation. */
export async function restoreLedger(parts: RestoreParts, nowMs: number): Promise<void> {
  const { db, ledger, journal, orders, calendar, maxTtlMs, node } = parts
  const times = [nowMs - maxTtlMs, nowMs]
  // Each customer has its own days: a date that is over in one place begins in another.
  const recentKeys = new Set([
    ...times.map(ms => calendar.dayAt(ms).key),
    ...byDay([...orders.keys()], times, ledger).keys(),
  ])
  const cids = parts.hasCapStore ? [] : cappedOf(orders)
  const journaled = journal.recovered.billed
  // A reservation from before the clock was set back would hold its money for as long as the clock was wrong.
  const open = journal.recovered.open.filter(ad => ad.reservedUntilMs <= nowMs + maxTtlMs)
  await askForAds(parts, open, nowMs)
  const read = await db.transaction(async tx => {
    await beginLongRead(tx)
    // A future day has spent only if the clock was set back; its budget still pays only once.
    const laterKeys = (await selectDaysAfter(tx, Math.max(...recentKeys)))
      .map(row => row.day)
      .filter(key => spanAnywhere(key) !== null)
    const shares = await selectShares(tx, node.nodeId, [...recentKeys, ...laterKeys])
    const capped = byDay(cids, times, ledger)
    for (const key of laterKeys) capped.set(key, cids)
    const spent = shares.map(row => ({ ...keyOf(row), spentMicros: row.billed_micros }))
    const budgets = shares.map(row => ({ ...keyOf(row), grantedMicros: row.granted_micros }))
    const doubted = parts.wentBack ? [...open, ...journaled] : open
    const billedInDatabase = await billedOf(tx, doubted, nowMs, maxTtlMs)
    const billed = parts.wentBack ? journaled.filter(ad => billedInDatabase.has(ad.adId)) : journaled
    return {
      spent,
      budgets,
      billed,
      billedInDatabase,
      counted: await readCounted(tx, capped),
    }
  }, LONG_READ_MS)
  const restored = { open, ...read, counted: rowsOfAll(read.counted) }
  for (const _chunk of ledger.restore(restored, nowMs)) await setImmediate()
  // What the journal recovered, half a gigabyte for two million ads, is not needed any more.
  Object.assign(journal.recovered, { open: [], billed: [], budgets: [] })
}

/**
 * Ads from before there were shares, or whose share was returned to its budget, need a share again: it asks for as much
 * as they have reserved. All other ads still have their share.
 */
async function askForAds(
  { db, node, store }: RestoreParts,
  open: readonly AdFacts[],
  nowMs: number,
): Promise<void> {
  const heldMicros = new Map<string, number>()
  for (const { cid, payer, dayKey, priceMicros } of open) {
    const key = `${dayKey} ${cid} ${payer}`
    heldMicros.set(key, (heldMicros.get(key) ?? 0) + priceMicros)
  }
  const days = [...new Set(open.map(ad => ad.dayKey))]
  const shares = new Map<string, { granted_micros: number; billed_micros: number }>()
  for (const row of await selectShares(db, node.nodeId, days))
    shares.set(`${row.day} ${row.cid} ${row.payer}`, row)
  const asks: Ask[] = []
  for (const [key, micros] of heldMicros) {
    const [dayKey, cid, payer] = key.split(' ').map(Number)
    const { granted_micros = 0, billed_micros = 0 } = shares.get(key) ?? {}
    const targetMicros = billed_micros + micros
    const needed = { leastMicros: 0, reservedMicros: micros, ...NOTHING_OFFERED }
    if (targetMicros > granted_micros)
      asks.push({
        cid: cid!,
        payer: payer!,
        dayKey: dayKey!,
        targetMicros,
        ...needed,
        isNew: true,
        atMs: nowMs,
      })
  }
  for (let at = 0; at < asks.length; at += MOST_ASKS) await store.move(node, asks.slice(at, at + MOST_ASKS))
}

function keyOf({ cid, payer, day }: { cid: number; payer: number; day: number }) {
  return { cid, payer, dayKey: day }
}

async function billedOf(tx: Db, open: AdFacts[], nowMs: number, maxTtlMs: number): Promise<Set<string>> {
  if (open.length === 0) return new Set()
  // Loops, because a million ads would be too many arguments for one call.
  let earliestEndMs = nowMs
  const adIds = Buffer.alloc(open.length * AD_ID_BYTES)
  for (const [i, ad] of open.entries()) {
    earliestEndMs = Math.min(earliestEndMs, ad.reservedUntilMs)
    adIds.write(ad.adId, i * AD_ID_BYTES, AD_ID_BYTES, 'base64url')
  }
  const found = await selectBilled(tx, new Date(earliestEndMs - maxTtlMs), adIds)
  return new Set(found.map(row => row.ad_id.toString('base64url')))
}
