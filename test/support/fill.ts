// Fills any table with made-up rows that fit its columns, so that its query plans are those of a full table. Only for
// throwaway databases: it drops the table's checks and ignores foreign keys.

import type pg from 'pg'

const VALUE: Record<string, string> = {
  int2: 'i',
  int4: 'i',
  int8: 'i',
  numeric: 'i',
  float8: 'i',
  bool: 'false',
  char: "'i'",
  text: "'x' || i",
  bytea: 'i::text::bytea',
  jsonb: "'{}'",
  uuid: 'gen_random_uuid()',
  xid8: 'i::text::xid8',
  date: "date '2020-01-01' + i % 2000",
  // Only a few are in the past, as in a table that is swept regularly.
  timestamptz: "now() + (i - 100) * interval '1 second'",
}

/** Columns that accept only certain texts. */
const OF_COLUMN: Record<string, string> = {
  'attribute.kind': "'words'",
  'attribute.choices': "'[]'",
  'mail.state': "'waiting'",
  'member.removed_at': 'null',
  'mail_choice.report': "'daily'",
  'action_test.reason': 'null',
}

/** The number of rows must fit into a smallint too. */
const ROWS = 20_000

export async function fillTable(pool: pg.Pool, table: string): Promise<void> {
  const { rows: columns } = await pool.query<{ name: string; type: string }>(
    `select column_name as name, udt_name as type from information_schema.columns
     where table_schema = 'public' and table_name = $1 and is_identity = 'NO' and is_generated = 'NEVER'`,
    [table],
  )
  const { rows: checks } = await pool.query<{ conname: string }>(
    "select conname from pg_constraint where conrelid = $1::regclass and contype = 'c'",
    [table],
  )
  const client = await pool.connect()
  try {
    for (const { conname } of checks) await client.query(`alter table ${table} drop constraint ${conname}`)
    await client.query('set session_replication_role = replica')
    await client.query(
      `insert into ${table} (${columns.map(column => column.name).join(', ')})
       select ${columns.map(column => valueFor(table, column)).join(', ')}
       from generate_series(1, ${ROWS}) i on conflict do nothing`,
    )
    await client.query(`analyze ${table}`)
  } finally {
    await client.query('reset session_replication_role')
    client.release()
  }
}

function valueFor(table: string, { name, type }: { name: string; type: string }): string {
  const value = OF_COLUMN[`${table}.${name}`] ?? (type.startsWith('_') ? "'{}'" : VALUE[type])
  if (!value)
    throw new Error(`${table}.${name} is a ${type}: say in test/support/fill.ts what to fill it with`)
  return value
}
