// SQL of the rewind check: the marks of processes (the table `witness`), and the record that the database went back.

import type { Database, Db } from './database.ts'

/** A process that was silent for longer than this restarts when it comes back. */
const KEEP = `interval '2 days'`
/** More ids than are assigned between two copies of a database. */
const IDS_AHEAD = 1_000_000
const NODES_AHEAD = 1_000
const NAME = 'went_back'

interface Place {
  place: string | null
  system: string
}

const PLACE = 'database_place() as place, (select system_identifier::text from pg_control_system()) as system'

export async function insertMark(db: Db, process: string): Promise<Place & { mark: number }> {
  await db.run(`delete from witness where seen_at < now() - ${KEEP}`)
  const row = await db.row<Place & { mark: number }>(
    `insert into witness (process, mark, seen_at) values ($1, 1, now()) returning mark, ${PLACE}`,
    [process],
  )
  return row!
}

/**
 * `mark` is null if this database does not know what the process wrote. A lost answer leaves the stored mark higher.
 */
export async function raiseMark(
  db: Db,
  process: string,
  mark: number,
): Promise<Place & { mark: number | null }> {
  const row = await db.row<Place & { mark: number | null }>(
    `with raised as (
       update witness set mark = mark + 1, seen_at = now() where process = $1 and mark >= $2 returning mark
     )
     select (select mark from raised) as mark, ${PLACE}`,
    [process, mark],
  )
  return row!
}

/**
 * The first process that notices leaves a note and moves the sequences ahead. Ids assigned in the lost time are still
 * in links, in memory and in other systems, and must not be assigned again.
 */
export function noteWentBack(db: Database, fault: string): Promise<void> {
  return db.transaction(async tx => {
    const isFirst = await tx.run(
      `insert into deployment (name, value, updated_at) values ('${NAME}', $1, now())
       on conflict (name) do update set value = excluded.value, updated_at = now()
       where deployment.updated_at < now() - interval '1 minute'`,
      [fault],
    )
    if (isFirst === 0) return
    await tx.row(`select setval('ids', nextval('ids') + ${IDS_AHEAD})`)
    const nodes = `pg_get_serial_sequence('node', 'node_id')`
    await tx.row(`select setval(${nodes}, nextval(${nodes}) + ${NODES_AHEAD})`)
  })
}

/** When a rewind was last noticed, and its fault. */
export function selectWentBack(db: Db) {
  return db.row<{ fault: string; at: Date }>(
    `select value as fault, updated_at as at from deployment where name = '${NAME}'`,
  )
}

/**
 * Part of a statement that relies on what was read before: it yields no row, or fails. `first`: the first of its three
 * parameters.
 */
export function mustNotBeRewound(first: number): string {
  return `select -1 where not must_be_witnessed($${first}::uuid, $${first + 1}::bigint, $${first + 2}::text)`
}
