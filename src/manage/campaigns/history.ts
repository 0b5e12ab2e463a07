// Who changed what in a campaign and everything in it, as its customer may see it.

import type { By } from '../../identity/contract.ts'
import { whoActed } from '../../identity/who.ts'
import { actorOf } from '../../kernel/actor.ts'
import type { Caller } from '../../kernel/caller.ts'
import { toSeconds } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import type { HistoryEntry } from './contract.ts'
import { type HistoryRow, selectHistory } from './queries.ts'

export async function listHistory(
  db: Db,
  caller: Caller,
  { cuid, cid }: { cuid: number; cid: number },
  after: number,
  limit: number,
): Promise<HistoryEntry[]> {
  const rows = await selectHistory(db, cid, after, limit)
  const who = await whoActed(
    db,
    cuid,
    rows.map(({ actor }) => actor),
  )
  return rows.map(row => toEntry(row, caller, who.get(row.actor)!))
}

function toEntry(row: HistoryRow, caller: Caller, by: By): HistoryEntry {
  return {
    id: row.audit_id,
    at: toSeconds(row.at),
    noun: row.noun,
    nounId: row.id,
    action: row.action,
    actor: shownActor(row.actor, caller),
    by,
    before: row.before,
    after: row.after,
    ...(leavesOutPlaces(row) && { unchanged: ['geo' as const] }),
  }
}

/** See `withoutUnchanged` in changes/changes.ts. */
function leavesOutPlaces({ noun, before, after }: HistoryRow): boolean {
  return noun === 'persona' && before !== null && after !== null && !('geo' in after)
}

/** Customers do not see the keys of their app. */
function shownActor(actor: string, caller: Caller): string {
  const { kind, isSession } = actorOf(actor)
  return caller.level === 'customer' && kind === 'app' && !isSession ? 'app' : actor
}
