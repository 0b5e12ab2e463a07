// Migrations: plain SQL files, forward only, each in its own transaction, all under one advisory lock, so any number of
// processes may start at once. A database that a newer version has only expanded is accepted; one that it has
// contracted is refused, and so is one whose migrations differ from ours. Nobody waits long behind a migration that
// waits for a lock.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { type Db, sqlState } from './database.ts'
import { DatabaseClient } from './database-client.ts'
import { LOCKS } from './locks.ts'
import { WITHOUT_LIMITS } from './session.ts'

const MIN_SERVER_VERSION = 150_000
/** A statement that waits for a table makes all later ones queue behind it. */
const LOCK_TIMEOUT = '3s'
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'
const PATIENCE_MS = 120_000
/** A start whose connection is dead fails and is retried; a migration itself may take as long as it needs. */
const SHORT_MS = 10_000
/**
 * Since this migration any number of processes deliver. Before it, one process kept all budgets in memory: it must be
 * gone.
 */
const SHARES = '0050-shares.sql'
const FORMER_PATIENCE_MS = 5_000
/**
 * The first line of a file whose statements run one by one: those that cannot run in a transaction, such as `create
 * index concurrently`, and those that would hold one table while they wait for another. Such a file may be run again.
 */
const STATEMENT_BY_STATEMENT = '-- outside of a transaction'
/**
 * A line in a file that takes away something that the previous version reads or writes: that version must not start
 * again.
 */
const CONTRACTS = /^-- contracts\b/m

/** Beside `src/`, both in the sources and in the build. */
const MIGRATIONS = new URL('../../migrations/', import.meta.url)

interface Applied {
  name: string
  checksum: string | null
  /** The previous version can still run after this migration. */
  expands: boolean
}

/** All migrations by name, in order. */
export async function migrationTexts(): Promise<Map<string, string>> {
  const names = (await readdir(MIGRATIONS)).filter(name => name.endsWith('.sql')).sort()
  const texts = new Map<string, string>()
  for (const name of names) texts.set(name, await readFile(new URL(name, MIGRATIONS), 'utf8'))
  return texts
}

/** `only`: just these migrations, so that a backup finds the tables it was taken from; by default all. */
export async function migrate(databaseUrl: string, only?: string[]): Promise<string[]> {
  const texts = await migrationTexts()
  const names = [...texts.keys()]
  return withMigrationLock(databaseUrl, async client => {
    await short(client)(
      `create table if not exists migration (name text primary key, applied_at timestamptz not null default now());
       alter table migration add column if not exists checksum text;
       alter table migration add column if not exists expands boolean not null default false`,
    )
    const { rows } = await short(client)<Applied>('select name, checksum, expands from migration')
    refuseNewer(
      rows.filter(row => !row.expands).map(row => row.name),
      names,
    )
    refuseNewer(only ?? [], names)
    const applied = new Map(rows.filter(row => names.includes(row.name)).map(row => [row.name, row.checksum]))
    await compare(client, applied, texts)
    if (applied.size > 0 && !applied.has(SHARES)) await refuseFormerDelivery(client)
    const missing = (only ?? names).filter(name => !applied.has(name))
    for (const name of missing) await apply(client, name, texts.get(name)!)
    return missing
  })
}

/** On a connection of its own to a fit database, while nobody else migrates it. */
async function withMigrationLock<T>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new DatabaseClient({
    connectionString: databaseUrl,
    application_name: 'marquee migrate',
    connectionTimeoutMillis: SHORT_MS,
  })
  client.on('error', () => {})
  await client.connect()
  try {
    await short(client)(WITHOUT_LIMITS)
    await refuseUnfit(client)
    await takeMigrationLock(client)
    return await work(client)
  } finally {
    // A dead connection does not answer the farewell.
    await Promise.race([client.end(), sleep(1000, undefined, { ref: false })])
  }
}

/** How the tables differ from what this program needs. */
export interface Schema {
  isEmpty: boolean
  /** What `migrate` would apply. */
  missing: string[]
  /** Why this program must not be used on the database; null: it may. */
  refusal: string | null
}

/** Changes nothing, and reads the tables of any version. */
export async function selectSchema(db: Pick<Db, 'rows'>): Promise<Schema> {
  const texts = await migrationTexts()
  const names = [...texts.keys()]
  const [found] = await db.rows<{ is_empty: boolean }>(`select to_regclass('migration') is null as is_empty`)
  if (found!.is_empty) return { isEmpty: true, missing: names, refusal: null }
  const rows = await db.rows<Applied>(
    `select name, to_jsonb(migration) ->> 'checksum' as checksum,
       coalesce((to_jsonb(migration) ->> 'expands')::boolean, false) as expands
     from migration`,
  )
  const applied = new Map(rows.map(row => [row.name, row.checksum]))
  const newer = rows.filter(row => !row.expands && !texts.has(row.name)).map(row => row.name)
  const changed = names.find(name => {
    const checksum = applied.get(name)
    return checksum != null && checksum !== checksumOf(texts.get(name)!)
  })
  const refusal =
    newer.length > 0 ? newerThanThis(newer) : changed !== undefined ? changedSince(changed) : null
  return { isEmpty: applied.size === 0, missing: names.filter(name => !applied.has(name)), refusal }
}

/**
 * Fails unless the database has everything that this program needs. It changes nothing: a database that lacks something
 * while the service runs may be in the middle of a restore.
 */
export async function mustBeMigrated(db: Pick<Db, 'rows'>): Promise<void> {
  const { isEmpty, missing, refusal } = await selectSchema(db)
  if (isEmpty)
    throw new Error('the database has no tables of Marquee: start the service on it, or correct DATABASE_URL')
  if (refusal) throw new Error(refusal)
  if (missing.length > 0)
    throw new Error(
      `the database is from an older version (it lacks ${namesOf(missing)}): run marquee migrate, or start a service of this version`,
    )
}

/**
 * For commands: fails as `mustBeMigrated` does, and waits for a migration that another process is running. Only a
 * command that may set up a service makes the tables, and only in an empty database.
 */
export async function mustBeReady(databaseUrl: string, { mayCreate }: { mayCreate: boolean }): Promise<void> {
  const isNew = await withMigrationLock(databaseUrl, async client => {
    const db: Pick<Db, 'rows'> = {
      rows: async <Row>(text: string) => (await short(client)(text)).rows as Row[],
    }
    if (mayCreate && (await selectSchema(db)).isEmpty) return true
    await mustBeMigrated(db)
    return false
  })
  if (isNew) await migrate(databaseUrl)
}

const NAMES_SHOWN = 3

function namesOf(names: string[]): string {
  const more = names.length - NAMES_SHOWN
  return more > 0 ? `${names.slice(0, NAMES_SHOWN).join(', ')} and ${more} more` : names.join(', ')
}

/** For statements that take no time: an answer that does not come soon never will. */
function short(client: pg.Client) {
  return <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
    client.query<Row>({ text, values, query_timeout: SHORT_MS } as pg.QueryConfig)
}

/** Polls for the lock, because an index that is created concurrently would wait for a waiting statement. */
async function takeMigrationLock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await short(client)<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      LOCKS.migrations,
    ])
    if (rows[0]!.taken) return
    await sleep(50)
  }
}

/** A stopped process takes a moment to end. One that kept running would neither count nor know what others spend. */
async function refuseFormerDelivery(client: pg.Client): Promise<void> {
  const until = performance.now() + FORMER_PATIENCE_MS
  while (performance.now() < until) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      LOCKS.formerDelivery,
    ])
    if (rows[0]!.taken) {
      await client.query('select pg_advisory_unlock($1)', [LOCKS.formerDelivery])
      return
    }
    await sleep(100)
  }
  throw new Error(
    'a process of version 0.1.0 still delivers on this database: stop it, then start this one; nothing was changed',
  )
}

interface Fitness {
  version: number
  version_text: string
  encoding: string
  /** Null if no schema of the search path exists. */
  schema_name: string | null
  search_path: string
  database_name: string
  user_name: string
  may_create: boolean | null
  is_read_only: boolean
  is_new: boolean
}

const FITNESS = `select current_setting('server_version_num')::int as version,
  current_setting('server_version') as version_text,
  current_setting('server_encoding') as encoding,
  current_schema() as schema_name, current_setting('search_path') as search_path,
  current_database() as database_name, current_user::text as user_name,
  has_schema_privilege(current_schema(), 'create')
    and (has_database_privilege(current_database(), 'create') or to_regclass('migration') is not null) as may_create,
  pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as is_read_only,
  to_regclass('migration') is null as is_new`

/** Reports what the first statement would fail at, in words that an operator can act on. */
async function refuseUnfit(client: pg.Client): Promise<void> {
  const why = unfitness((await short(client)<Fitness>(FITNESS)).rows[0]!)
  if (why) throw new Error(why)
}

function unfitness(is: Fitness): string | null {
  const { database_name: database, user_name: user } = is
  if (is.version < MIN_SERVER_VERSION)
    return `the database is PostgreSQL ${is.version_text}; Marquee needs 15 or newer`
  if (is.is_new && is.encoding !== 'UTF8')
    return `the database ${database} is encoded in ${is.encoding}; Marquee needs one created with: \
create database … encoding 'UTF8' template template0`
  if (is.is_read_only)
    return `the database ${database} is read-only: a replica, or default_transaction_read_only is on. \
Point DATABASE_URL at the primary, or switch that setting off`
  if (is.schema_name === null)
    return `the search_path of user ${user} is ${is.search_path}, and no such schema exists, or ${user} may not use it: \
create it, or run: alter role ${user} in database ${database} set search_path = public`
  if (!is.may_create)
    return `user ${user} may not create tables in the database ${database}. As its owner, run: \
alter database ${database} owner to ${user}; grant create on schema ${is.schema_name} to ${user}`
  return null
}

/** `needed`: migrations without which a version cannot work with this database. */
function refuseNewer(needed: string[], known: string[]): void {
  const unknown = needed.filter(name => !known.includes(name))
  if (unknown.length > 0) throw new Error(newerThanThis(unknown))
}

function newerThanThis(unknown: string[]): string {
  return (
    `the database is newer than this version of Marquee (it has ${namesOf(unknown)}); ` +
    'run the version that made it, or a later one'
  )
}

/** The applied migrations must equal those here. Versions before checksums stored none; then ours is stored. */
async function compare(
  client: pg.Client,
  applied: Map<string, string | null>,
  texts: Map<string, string>,
): Promise<void> {
  for (const [name, checksum] of applied) {
    const text = texts.get(name)!
    if (checksum === null)
      await client.query('update migration set checksum = $2 where name = $1', [name, checksumOf(text)])
    else if (checksum !== checksumOf(text)) throw new Error(changedSince(name))
  }
}

function changedSince(name: string): string {
  return (
    `migration ${name} is not the one that this database has: its file was changed after it was applied; ` +
    'run the version that made the database, or restore the file'
  )
}

function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** If a table is locked or there is a deadlock, it gives up, lets the others pass, and tries again. */
async function apply(client: pg.Client, name: string, text: string): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await applyOnce(client, name, text)
    } catch (error) {
      const state = sqlState(error)
      const isLocked = state === LOCK_NOT_AVAILABLE || state === DEADLOCK
      if (isLocked && performance.now() < until) {
        await sleep(200 + Math.random() * 800)
        continue
      }
      const advice = isLocked
        ? '; an open transaction locks the table: end it (pg_stat_activity shows it) and start again'
        : ''
      throw new Error(`migration ${name} failed: ${(error as Error).message}${advice}`, { cause: error })
    }
  }
}

async function applyOnce(client: pg.Client, name: string, text: string): Promise<void> {
  const record = () =>
    client.query('insert into migration (name, checksum, expands) values ($1, $2, $3)', [
      name,
      checksumOf(text),
      !CONTRACTS.test(text),
    ])
  if (text.startsWith(STATEMENT_BY_STATEMENT)) {
    for (const statement of text.split(/;\n/)) {
      // What is made concurrently waits without keeping anybody else waiting.
      const patience = statement.includes('concurrently') ? '0' : LOCK_TIMEOUT
      await client.query(`set lock_timeout = '${patience}'`)
      await client.query(statement)
    }
    await record()
    return
  }
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`)
    await client.query(text)
    await record()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}
