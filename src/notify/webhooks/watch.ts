// Reports changes caused by time and spending: a campaign starts, ends, or has spent its daily budget. The last seen
// state of a campaign is stored, and updated in the transaction that records the event, so each event is sent once,
// however many processes watch and however long none did. The cost of a look depends on what has changed, not on the
// number of campaigns.

import { recordEvent } from '../../changes/outbox.ts'
import type { EventType } from '../../kernel/event-type.ts'
import { fromSeconds, nowSeconds } from '../../kernel/time/clock.ts'
import { findCampaign, show } from '../../manage/campaigns/campaigns.ts'
import { type Run, spanOf } from '../../manage/campaigns/status.ts'
import type { Db } from '../../platform/database.ts'
import { createBudgetWatch, type WatchParts } from './watch-budgets.ts'
import {
  isAnyDue,
  lockDue,
  type Phase,
  selectOwner,
  updateWatched,
  type WatchedRow,
} from './watch-queries.ts'

const PAGE = 100
/** The return of a removed customer makes no campaign due, so its campaigns are looked at now and then. */
const LOOK_AGAIN_S = 3600

/** Each call looks once. What it remembers between calls only saves work: a new watch looks at everything first. */
export function createWatch(parts: WatchParts): () => Promise<void> {
  const budgets = createBudgetWatch(parts)
  return async () => {
    const now = new Date(parts.clock.nowMs())
    if (await isAnyDue(parts.db, now)) await watchDates(parts, budgets.lookAgainAt)
    await budgets.look()
  }
}

/** Calls `changed` for each campaign it looked at, because a change may have made its budget count as spent. */
async function watchDates(parts: WatchParts, changed: (cid: number) => void): Promise<void> {
  for (let seen = PAGE; seen === PAGE; ) {
    const due = await parts.db.transaction(async tx => {
      const rows = await lockDue(tx, new Date(parts.clock.nowMs()), PAGE)
      for (const row of rows) await look(tx, row, parts)
      return rows
    })
    for (const { cid } of due) changed(cid)
    seen = due.length
  }
}

async function look(tx: Db, { cid, phase }: WatchedRow, parts: WatchParts): Promise<void> {
  const nowS = nowSeconds(parts.clock)
  const owner = await selectOwner(tx, cid)
  if (!owner?.campaign_there || !owner.customer_there) {
    const again = owner?.campaign_there ? fromSeconds(nowS + LOOK_AGAIN_S) : null
    await updateWatched(tx, cid, phase, again)
    return
  }
  const found = await findCampaign(tx, owner, { cid })
  const span = spanOf(found.campaign, found.ownFlights)
  const seen = nextPhase(phase, found.campaign.enabled, span, nowS)
  await updateWatched(tx, cid, seen.phase, seen.dueS === null ? null : fromSeconds(seen.dueS))
  if (seen.recorded) {
    const { campaign } = await show(tx, parts, found)
    await recordEvent(tx, {
      at: new Date(parts.clock.nowMs()),
      type: seen.recorded,
      cuid: owner.cuid,
      data: campaign,
    })
  }
}

export interface Seen {
  phase: Phase
  recorded: EventType | null
  /** When it can next change by itself; null: never. */
  dueS: number | null
}

/**
 * A campaign that is paused at its start starts when it is resumed. A campaign that had ended and got a later end, or
 * that was postponed before it started, is ahead again.
 */
export function nextPhase(was: Phase, enabled: boolean, { startS, endS }: Run, nowS: number): Seen {
  if (nowS >= endS) return { phase: 'over', recorded: was === 'over' ? null : 'campaign.ended', dueS: null }
  if (nowS < startS) return { phase: 'ahead', recorded: null, dueS: startS }
  if (!enabled) return { phase: was === 'begun' ? 'begun' : 'ahead', recorded: null, dueS: endS }
  return { phase: 'begun', recorded: was === 'begun' ? null : 'campaign.started', dueS: endS }
}
