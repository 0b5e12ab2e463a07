// Clears the history of objects (`audit`), staff and sources: entries older than the retention, and for an object that
// changed very often, all but its last changes. It works in chunks, so that no statement takes long, however much there
// is.

import type { Db } from '../platform/database.ts'

export const MOST_PER_OBJECT = 1000
const PAGE = 5000

export async function clearHistory(db: Db, before: Date): Promise<void> {
  while ((await clearOldest(db, before)) === PAGE);
  while ((await clearBusyObjects(db)) === PAGE);
  await db.run('delete from app_change where at < $1', [before])
}

/** Entries are numbered in the order of time, so the old ones come first. Returns how many rows were old. */
async function clearOldest(db: Db, before: Date): Promise<number> {
  const old = await db.row<{ last: number | null; count: number }>(
    `select max(audit_id) as last, count(*) as count
     from (select audit_id, at from audit order by audit_id limit ${PAGE}) oldest where at < $1`,
    [before],
  )
  if (old!.last === null) return 0
  await db.run('delete from audit where audit_id <= $1 and at < $2', [old!.last, before])
  return old!.count
}

/** Looks at objects that changed since the last time. Returns how many changes there were. */
async function clearBusyObjects(db: Db): Promise<number> {
  const changes = await db.rows<{ audit_id: number; id: number }>(
    `select audit_id, id from audit where audit_id > (select audit_id from audit_cleared)
     order by audit_id limit ${PAGE}`,
  )
  if (changes.length === 0) return 0
  await db.run(
    `delete from audit a using (
       select changed.id, (
         select audit_id from audit where audit.id = changed.id
         order by audit_id desc offset ${MOST_PER_OBJECT} limit 1
       ) as last from unnest($1::bigint[]) changed(id)
     ) busy where a.id = busy.id and a.audit_id <= busy.last`,
    [[...new Set(changes.map(({ id }) => id))]],
  )
  await db.run('update audit_cleared set audit_id = $1', [changes.at(-1)!.audit_id])
  return changes.length
}
