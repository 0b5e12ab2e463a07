// SQL of the partitions of events: `event_20261115` is a day in UTC.

import type { Db } from '../../platform/database.ts'

const DROP_WAIT_MS = 500
const EVENT_PARTITION = /^event_[0-9]{8}$/

/** Returns the names of all partitions. */
export async function selectPartitions(db: Db): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'event'::regclass order by c.relname`,
  )
  return rows.map(row => row.name).filter(name => EVENT_PARTITION.test(name))
}

/** Creates the table separately and then attaches it, which does not block writers. `from` and `to` are keys. */
export async function createPartition(tx: Db, name: string, from: string, to: string): Promise<void> {
  mustBePartition(name)
  await tx.run(`create table if not exists ${name} (like event including defaults including constraints)`)
  await tx.run(`alter table event attach partition ${name} for values from ('${from}') to ('${to}')`)
}

/** Fails with SQLSTATE 55P03 if the table is read all the time. */
export async function dropPartition(tx: Db, name: string): Promise<void> {
  mustBePartition(name)
  await tx.run(`set local lock_timeout = ${DROP_WAIT_MS}`)
  await tx.run(`drop table if exists ${name}`)
}

function mustBePartition(name: string): void {
  if (!EVENT_PARTITION.test(name)) throw new Error(`${name} is not a partition of events`)
}
