// SQL of backups: which tables exist, and how their rows are read and written. It uses COPY, which every PostgreSQL
// has, so no tools are needed.

import type pg from 'pg'

export interface BackupTable {
  name: string
  columns: string[]
  /** For a partition: the table that it belongs to. */
  parent: string | null
  bound: string | null
}

export interface BackupSequence {
  name: string
  value: string
  isCalled: boolean
}

/**
 * Not copied: migrations are run instead, catalog changes and marks of processes matter only to running processes, and
 * triggers count again what customers have while rows come in.
 */
const LEFT_OUT = ['migration', 'catalog_change', 'witness', 'customer_usage', 'customer_usage_change']

export interface BackupTables {
  tables: BackupTable[]
  /** Tables in the same schema that Marquee did not create: a restore could not create them. */
  others: string[]
}

/**
 * The tables in an order in which each comes after those that it refers to. Unlogged tables are not worth keeping.
 * `ours`: the tables that migrations create; partitions belong to their parent.
 */
export async function selectTables(client: pg.Client, ours: ReadonlySet<string>): Promise<BackupTables> {
  const { rows: all } = await client.query<BackupTable & { id: string; refers: string[] }>(
    `select c.oid::text as id, c.relname as name, parent.relname as parent,
       pg_get_expr(c.relpartbound, c.oid) as bound,
       array(select a.attname::text from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
         order by a.attnum) as columns,
       array(select f.confrelid::text from pg_constraint f
         where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as refers
     from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class parent on parent.oid = i.inhparent
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relpersistence = 'p' and c.relname <> all($1)
     order by c.relname`,
    [LEFT_OUT],
  )
  const rows = all.filter(row => ours.has(row.parent ?? row.name))
  const others = all.filter(row => !rows.includes(row)).map(row => row.name)
  const placed = new Set<string>()
  const ordered: BackupTable[] = []
  const known = new Set(rows.map(row => row.id))
  for (let left = rows; left.length > 0; ) {
    const ready = left.filter(row => row.refers.every(id => placed.has(id) || !known.has(id)))
    if (ready.length === 0)
      throw new Error(`tables refer to each other in a circle: ${left.map(row => row.name)}`)
    for (const { id, name, columns, parent, bound } of ready) {
      placed.add(id)
      ordered.push({ name, columns, parent, bound })
    }
    left = left.filter(row => !placed.has(row.id))
  }
  return { tables: ordered, others }
}

/** The sequences of tables that are kept, and Marquee's sequences that belong to no table. */
export async function selectSequences(
  client: pg.Client,
  ours: ReadonlySet<string>,
): Promise<BackupSequence[]> {
  const { rows: all } = await client.query<{ name: string; owner: string | null }>(
    `select c.relname as name, (
       select o.relname from pg_depend d join pg_class o on o.oid = d.refobjid
       where d.objid = c.oid and d.classid = 'pg_class'::regclass and d.deptype in ('a', 'i') limit 1
     ) as owner from pg_class c
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'S' order by c.relname`,
  )
  const rows = all.filter(({ name, owner }) => ours.has(owner ?? name))
  const sequences: BackupSequence[] = []
  for (const { name } of rows) {
    const found = await client.query(`select last_value::text as value, is_called from ${quoted(name)}`)
    sequences.push({ name, value: found.rows[0].value, isCalled: found.rows[0].is_called })
  }
  return sequences
}

export async function selectMigrations(client: pg.Client): Promise<string[] | null> {
  const { rows } = await client.query("select to_regclass('migration') is not null as there")
  if (!rows[0].there) return null
  const applied = await client.query<{ name: string }>('select name from migration order by name')
  return applied.rows.map(row => row.name)
}

/** True for a replica, or a database that is configured as read-only. */
export async function isReadOnly(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("select current_setting('transaction_read_only') = 'on' as yes")
  return rows[0].yes
}

/** Whether anything was ever stored here: the first start creates an app. */
export async function hasData(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('select exists (select from app) as found')
  return rows[0].found
}

export function copyOut({ name, columns }: BackupTable): string {
  return `copy ${quoted(name)} (${columns.map(quoted).join(', ')}) to stdout`
}

export function copyIn({ name, columns }: BackupTable): string {
  return `copy ${quoted(name)} (${columns.map(quoted).join(', ')}) from stdin`
}

/**
 * Triggers that would add up sums again that the backup already contains. The triggers of quotas stay on: see LEFT_OUT.
 */
const ADDING = ['customers_added', 'customers_changed', 'values_added']

/** Switches those triggers until the end of the restoring transaction, which switches them on again. */
export async function switchSums(client: pg.Client, state: 'on' | 'off'): Promise<void> {
  const { rows } = await client.query<{ name: string; of: string }>(
    `select t.tgname as name, c.relname as of from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where c.relnamespace = current_schema()::regnamespace and t.tgname = any($1)`,
    [ADDING],
  )
  const verb = state === 'on' ? 'enable' : 'disable'
  for (const { name, of } of rows)
    await client.query(`alter table ${quoted(of)} ${verb} trigger ${quoted(name)}`)
}

/**
 * Creates partitions that migrations did not create, and empties all tables: the rows that migrations inserted are in
 * the backup too.
 */
export async function makeRoom(client: pg.Client, tables: BackupTable[]): Promise<void> {
  for (const { name, parent, bound } of tables)
    if (parent && bound)
      await client.query(`create table if not exists ${quoted(name)} partition of ${quoted(parent)} ${bound}`)
  await client.query(`truncate ${tables.map(table => quoted(table.name)).join(', ')}`)
}

export async function setSequences(client: pg.Client, sequences: BackupSequence[]): Promise<void> {
  for (const { name, value, isCalled } of sequences)
    await client.query('select setval($1::regclass, $2::bigint, $3)', [quoted(name), value, isCalled])
}

/** Makes the next start number events after the existing ones, whichever cluster this is. */
export async function forgetCluster(client: pg.Client): Promise<void> {
  await client.query("update event_numbering set cluster = 'restored'")
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** The names of scratch schemas begin with this. */
export const SCRATCH = 'marquee_verify_'

/** The schema counts as in use as long as this connection lasts. */
export async function makeScratch(client: pg.Client, schema: string): Promise<void> {
  await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [schema])
  await client.query(`create schema ${schema}`)
}

export async function dropScratch(client: pg.Client, schema: string): Promise<void> {
  await client.query(`drop schema ${schema} cascade`)
}

/** Drops the scratch schemas of commands that were killed. */
export async function dropLeftScratch(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ schema: string }>(
    `with scratch as materialized (select nspname::text as schema from pg_namespace where nspname ~ $1)
     select schema from scratch where pg_try_advisory_lock(hashtextextended(schema, 0))`,
    [`^${SCRATCH}[0-9a-f]{12}$`],
  )
  for (const { schema } of rows) await dropScratch(client, schema)
}
