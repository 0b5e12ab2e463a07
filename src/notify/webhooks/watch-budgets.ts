// Reports spent daily budgets. Impressions spend a budget, so a look reads which campaigns had any since the last look;
// the watch over dates names those that changed otherwise. All campaigns are looked at when the watch begins, when a
// date begins anywhere, after a failure, and every ten minutes, so that nothing depends on memory. The day is the
// customer's, so each date that it currently is anywhere is looked at. A budget may be spent in the last seconds of
// a day, or between two looks of a sandbox, so each customer's day before is looked at, too, as it was at its end.

import { recordEvent, recordMail } from '../../changes/outbox.ts'
import { fromMicros } from '../../kernel/money.ts'
import { keysAnywhere } from '../../kernel/time/day.ts'
import { DAY_MS } from '../../kernel/time/units.ts'
import { calendarIn } from '../../kernel/time/zones.ts'
import { type CampaignParts, findCampaign, show } from '../../manage/campaigns/campaigns.ts'
import type { Database, Db } from '../../platform/database.ts'
import {
  noteSpent,
  type SpentRow,
  selectAllSpent,
  selectBilled,
  selectLastPaid,
  selectNextNumber,
  selectPaying,
  selectSpent,
  selectSpentBefore,
} from './watch-queries.ts'

export interface WatchParts extends CampaignParts {
  db: Database
}

export interface BudgetWatch {
  /** Includes the campaign in the next look. */
  lookAgainAt(cid: number): void
  look(): Promise<void>
}

const PAGE = 100
const ALL_EVERY_MS = 10 * 60_000
/** Campaigns that spent their budgets within this time share one email. */
const GATHER_MS = 60_000

interface Seen {
  /** The dates that it was anywhere. */
  days: string
  /** Not all events from this number on have been seen. */
  tx: number
  allAtMs: number
}

export function createBudgetWatch(parts: WatchParts): BudgetWatch {
  const { db, clock, calendar } = parts
  let seen: Seen | null = null
  /** Campaigns that changed, or had spent their budget but could not be reported yet, as between two flights. */
  const open = new Set<number>()

  async function look(): Promise<void> {
    const before = seen
    // Until the look is complete, nothing counts as seen.
    seen = null
    const nowMs = clock.nowMs()
    const keys = keysAnywhere(nowMs)
    const days = keys.join()
    const last = before?.days === days && isRecent(before.allAtMs, nowMs) ? before : null
    const { tx, cids } = last ? await selectBilled(db, last.tx, new Date(nowMs)) : await selectNextNumber(db)
    const isFollowed = last !== null && last.tx <= tx
    const wanted = isFollowed ? [...new Set([...open, ...cids])] : null
    open.clear()
    for (const day of new Set([...keysAnywhere(nowMs - DAY_MS), ...keys]))
      await lookBefore(wanted, day, nowMs)
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

  /** At customers for whom `day` is yesterday. An edit since then hides what the budget was, so nothing is said. */
  async function lookBefore(cids: number[] | null, day: number, nowMs: number): Promise<void> {
    if (cids?.length === 0) return
    const since = new Date(nowMs - 2 * DAY_MS)
    for (const { cid, cuid, updated_at, ...zones } of await selectSpentBefore(db, day, since, cids)) {
      const own = calendarIn({ timezone: zones.timezone, before: zones.timezone_before ?? [] }, calendar.zone)
      const lastMs = own.dayAt(nowMs).startMs - 1
      if (own.dayAt(lastMs).key !== day || updated_at.getTime() > lastMs) continue
      await db.transaction(async tx => {
        const paidMs = (await selectLastPaid(tx, cid, day))?.getTime() ?? lastMs
        const then = { nowMs: () => Math.min(paidMs, lastMs) }
        await tellSpent(tx, cid, cuid, day, { ...parts, clock: then })
      })
    }
  }

  /** Returns the campaigns that were not reported. */
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

/** False if the clock was set back. */
function isRecent(atMs: number, nowMs: number): boolean {
  return nowMs >= atMs && nowMs - atMs < ALL_EVERY_MS
}

/**
 * Reports a campaign if its status says that its budget is spent: once per day, and once for each flight with its own
 * total.
 */
async function tellSpent(
  tx: Db,
  cid: number,
  cuid: number,
  day: number,
  parts: WatchParts,
): Promise<boolean> {
  const { campaign } = await show(tx, parts, await findCampaign(tx, { cuid }, { cid }))
  if (campaign.status !== 'spent') return false
  const at = new Date(parts.clock.nowMs())
  const by = campaign.spentBy ?? 'day'
  const paying = await selectPaying(tx, cid, at)
  if (!(await noteSpent(tx, cid, day, paying?.fid ?? 0, by))) return true
  await recordEvent(tx, { at, type: 'campaign.budget_spent', cuid, data: { ...campaign, by } })
  // A spent balance is reported once for all campaigns.
  if (by === 'balance') return true
  const flight = by === 'total' && paying?.is_spent ? paying : null
  const total = flight ? fromMicros(flight.total_spend_micros) : campaign.totalSpend
  const budget = { day: campaign.dailySpend, month: campaign.monthlySpend, total }[by]
  const facts = { cid, day, budget, by, ...(flight && { fid: flight.fid }) }
  const notBefore = new Date(at.getTime() + GATHER_MS)
  const about = `${cid} ${day}${flight ? ` ${flight.fid}` : ''}`
  const kind = by === 'day' ? 'daySpent' : 'budgetSpent'
  await recordMail(tx, { at, cuid, kind, about, facts, notBefore })
  return true
}
