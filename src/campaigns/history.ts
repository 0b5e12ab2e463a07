// Who changed what in a campaign and everything in it, as its customer may see it.

import { levelOfKey } from '../access/pair.ts'
import type { Caller } from '../kernel/caller.ts'
import { toSeconds } from '../kernel/clock.ts'
import type { Db } from '../platform/database.ts'
import type { HistoryEntry } from './contract.ts'
import { type HistoryRow, selectHistory } from './queries.ts'

export async function listHistory(
  db: Db,
  caller: Caller,
  cid: number,
  after: number,
  limit: number,
): Promise<HistoryEntry[]> {
  return (await selectHistory(db, cid, after, limit)).map(row => toEntry(row, caller))
}

function toEntry(row: HistoryRow, caller: Caller): HistoryEntry {
  return {
    id: row.audit_id,
    at: toSeconds(row.at),
    noun: row.noun,
    nounId: row.id,
    action: row.action,
    actor: shownActor(row.actor, caller),
    before: row.before,
    after: row.after,
  }
}

/** A customer need not know the keys of its app. */
function shownActor(actor: string, caller: Caller): string {
  return caller.level === 'customer' && levelOfKey(actor) === 'app' ? 'app' : actor
}
