// Reports changes caused by time and spending: a campaign starts, ends, or has spent its budget of the day. The last
// seen state of a campaign is stored, and changes in the transaction that records the event: however many processes
// watch, and however long none did, each event is sent once.

import { type CampaignParts, findCampaign, show } from '../campaigns/campaigns.ts'
import { type Run, spanOf } from '../campaigns/status.ts'
import { fromSeconds, nowSeconds } from '../kernel/clock.ts'
import type { Calendar } from '../kernel/day.ts'
import type { EventType } from '../kernel/event-type.ts'
import type { Database, Db } from '../platform/database.ts'
import { recordEvent, recordMail } from '../platform/outbox.ts'
import {
  isAnyDue,
  lockDue,
  noteSpent,
  type Phase,
  selectOwner,
  selectSpent,
  updateWatched,
  type WatchedRow,
} from './watch-queries.ts'

export interface WatchParts extends CampaignParts {
  db: Database
  /** Whose days budgets are for. */
  calendar: Calendar
}

const PAGE = 100
/** Several that have spent theirs within minutes are told in one mail. */
const GATHER_MS = 60_000
/** A removed customer that comes back makes no campaign due: they are looked at now and then. */
const LOOK_AGAIN_S = 3600

export async function watchCampaigns(parts: WatchParts): Promise<void> {
  const nowMs = parts.clock.nowMs()
  const due = await isAnyDue(parts.db, parts.calendar.dayAt(nowMs).key, new Date(nowMs))
  if (due.dates) while ((await parts.db.transaction(tx => watchDates(tx, parts))) === PAGE);
  if (due.budgets) await watchBudgets(parts)
}

async function watchDates(tx: Db, parts: WatchParts): Promise<number> {
  const due = await lockDue(tx, new Date(parts.clock.nowMs()), PAGE)
  for (const row of due) await look(tx, row, parts)
  return due.length
}

async function look(tx: Db, { cid, phase }: WatchedRow, parts: WatchParts): Promise<void> {
  const nowS = nowSeconds(parts.clock)
  const owner = await selectOwner(tx, cid)
  if (!owner?.campaign_there || !owner.customer_there) {
    const again = owner?.campaign_there ? fromSeconds(nowS + LOOK_AGAIN_S) : null
    await updateWatched(tx, cid, phase, again)
    return
  }
  const found = await findCampaign(tx, owner.cuid, String(cid))
  const span = spanOf(found.campaign, found.ownFlights)
  const seen = whatBecame(phase, found.campaign.enabled, span, nowS)
  await updateWatched(tx, cid, seen.phase, seen.dueS === null ? null : fromSeconds(seen.dueS))
  if (seen.told) {
    const { campaign } = await show(tx, found, parts)
    await recordEvent(tx, {
      at: new Date(parts.clock.nowMs()),
      type: seen.told,
      cuid: owner.cuid,
      data: campaign,
    })
  }
}

export interface Seen {
  phase: Phase
  told: EventType | null
  /** When it can next become something else by itself; null: never. */
  dueS: number | null
}

/**
 * A campaign that is paused when its time comes starts when it is resumed; one that had ended and was given another
 * end, or that was put off before its first second, is ahead again.
 */
export function whatBecame(was: Phase, enabled: boolean, { startS, endS }: Run, nowS: number): Seen {
  if (nowS >= endS) return { phase: 'over', told: was === 'over' ? null : 'campaign.ended', dueS: null }
  if (nowS < startS) return { phase: 'ahead', told: null, dueS: startS }
  if (!enabled) return { phase: was === 'begun' ? 'begun' : 'ahead', told: null, dueS: endS }
  return { phase: 'begun', told: was === 'begun' ? null : 'campaign.started', dueS: endS }
}

async function watchBudgets(parts: WatchParts): Promise<void> {
  const nowMs = parts.clock.nowMs()
  const day = parts.calendar.dayAt(nowMs).key
  // All of them: one that spent it after its flight had ended is not told, and stays among them all day.
  let page: { cid: number; cuid: number }[] | null = null
  while (page === null || page.length === PAGE) {
    page = await selectSpent(parts.db, day, new Date(nowMs), page?.at(-1)?.cid ?? 0, PAGE)
    for (const { cid, cuid } of page) await parts.db.transaction(tx => tellSpent(tx, cid, cuid, day, parts))
  }
}

/** It has spent it when its status says so, and once per day. */
async function tellSpent(tx: Db, cid: number, cuid: number, day: number, parts: WatchParts): Promise<void> {
  const { campaign } = await show(tx, await findCampaign(tx, cuid, String(cid)), parts)
  if (campaign.status !== 'spent' || !(await noteSpent(tx, cid, day))) return
  const at = new Date(parts.clock.nowMs())
  await recordEvent(tx, { at, type: 'campaign.budget_spent', cuid, data: campaign })
  const facts = { cid, day, budget: campaign.dailySpend }
  const notBefore = new Date(at.getTime() + GATHER_MS)
  await recordMail(tx, { at, cuid, kind: 'budgetSpent', about: `${cid} ${day}`, facts, notBefore })
}
