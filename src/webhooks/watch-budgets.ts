// Reports budgets of the day that are spent. A budget is spent by impressions, so a look reads which campaigns had any
// since the last look; those that changed otherwise are named by the watch over dates. Everything is looked at when
// this begins, when it is a new date anywhere, after a failure, and every ten minutes, so that nothing depends on what
// is remembered. The day is the customer's: each date that it is somewhere is looked at.

import { type CampaignParts, findCampaign, show } from '../campaigns/campaigns.ts'
import { keysAnywhere } from '../kernel/day.ts'
import { fromMicros } from '../kernel/money.ts'
import { calendarIn } from '../kernel/zones.ts'
import type { Database, Db } from '../platform/database.ts'
import { recordEvent, recordMail } from '../platform/outbox.ts'
import {
  noteSpent,
  type SpentRow,
  selectAllSpent,
  selectBilled,
  selectNextNumber,
  selectPaying,
  selectSpent,
} from './watch-queries.ts'

export interface WatchParts extends CampaignParts {
  db: Database
}

export interface BudgetWatch {
  /** The next look includes it. */
  lookAgainAt(cid: number): void
  look(): Promise<void>
}

const PAGE = 100
const ALL_EVERY_MS = 10 * 60_000
/** Several that have spent theirs within minutes are told in one mail. */
const GATHER_MS = 60_000

interface Seen {
  /** The dates that it was somewhere. */
  days: string
  /** Events from this number on have not all been seen. */
  tx: number
  allAtMs: number
}

export function createBudgetWatch(parts: WatchParts): BudgetWatch {
  const { db, clock, calendar } = parts
  let seen: Seen | null = null
  /** Changed, or had spent it but was not to be reported yet, as between two flights. */
  const open = new Set<number>()

  async function look(): Promise<void> {
    const before = seen
    // Until all of it is done, nothing has been seen.
    seen = null
    const nowMs = clock.nowMs()
    const keys = keysAnywhere(nowMs)
    const days = keys.join()
    const last = before?.days === days && isRecent(before.allAtMs, nowMs) ? before : null
    const { tx, cids } = last ? await selectBilled(db, last.tx, new Date(nowMs)) : await selectNextNumber(db)
    const isFollowed = last !== null && last.tx <= tx
    const wanted = isFollowed ? [...new Set([...open, ...cids])] : null
    open.clear()
    for (const day of keys) {
      if (wanted) await lookAt(wanted, day, nowMs)
      else await lookAtAll(day, nowMs)
    }
    seen = { days, tx, allAtMs: isFollowed ? last.allAtMs : nowMs }
  }

  async function lookAt(cids: number[], day: number, nowMs: number): Promise<void> {
    const spent = cids.length === 0 ? [] : await selectSpent(db, day, new Date(nowMs), cids)
    for (const cid of await tellAll(spent, day, nowMs)) open.add(cid)
  }

  async function lookAtAll(day: number, nowMs: number): Promise<void> {
    let after = 0
    for (let found = PAGE; found === PAGE; ) {
      const page = await selectAllSpent(db, day, new Date(nowMs), after, PAGE)
      for (const cid of await tellAll(page, day, nowMs)) open.add(cid)
      after = page.at(-1)?.cid ?? after
      found = page.length
    }
  }

  /** Returns those that were not reported. */
  async function tellAll(spent: SpentRow[], day: number, nowMs: number): Promise<number[]> {
    const waiting: number[] = []
    for (const { cid, cuid, timezone, timezone_before } of spent) {
      const zones = { timezone, before: timezone_before ?? [] }
      if (calendarIn(zones, calendar.zone).dayAt(nowMs).key !== day) continue
      const isRecorded = await db.transaction(tx => tellSpent(tx, cid, cuid, day, parts))
      if (!isRecorded) waiting.push(cid)
    }
    return waiting
  }

  return { lookAgainAt: cid => void open.add(cid), look }
}

/** A clock that was set back makes it not recent. */
function isRecent(atMs: number, nowMs: number): boolean {
  return nowMs >= atMs && nowMs - atMs < ALL_EVERY_MS
}

/** It has spent it when its status says so: once per day, and once for each flight with a total of its own. */
async function tellSpent(
  tx: Db,
  cid: number,
  cuid: number,
  day: number,
  parts: WatchParts,
): Promise<boolean> {
  const { campaign } = await show(tx, await findCampaign(tx, cuid, String(cid)), parts)
  if (campaign.status !== 'spent') return false
  const at = new Date(parts.clock.nowMs())
  const by = campaign.spentBy ?? 'day'
  const paying = await selectPaying(tx, cid, at)
  if (!(await noteSpent(tx, cid, day, paying?.fid ?? 0, by))) return true
  await recordEvent(tx, { at, type: 'campaign.budget_spent', cuid, data: { ...campaign, by } })
  // A balance is told once, for all campaigns.
  if (by === 'balance') return true
  const flight = by === 'total' && paying?.is_spent ? paying : null
  const total = flight ? fromMicros(flight.total_spend_micros) : campaign.totalSpend
  const budget = by === 'total' ? total : campaign.dailySpend
  const facts = { cid, day, budget, by, ...(flight && { fid: flight.fid }) }
  const notBefore = new Date(at.getTime() + GATHER_MS)
  const about = `${cid} ${day}${flight ? ` ${flight.fid}` : ''}`
  await recordMail(tx, { at, cuid, kind: 'budgetSpent', about, facts, notBefore })
  return true
}
