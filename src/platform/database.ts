// PostgreSQL, and the only way to it: plain SQL with parameters, as server-side prepared statements.
// The connection is always an argument (`Db`), so that a transaction cannot be sidestepped.

import { createHash } from 'node:crypto'
import pg from 'pg'

type Params = readonly unknown[]

export interface Db {
  /** All rows of a query. */
  rows<Row>(text: string, params?: Params): Promise<Row[]>
  /** The first row, or null. */
  row<Row>(text: string, params?: Params): Promise<Row | null>
  /** How many rows a statement touched. */
  run(text: string, params?: Params): Promise<number>
}

export interface Database extends Db {
  /** Runs `work` in one transaction: committed when it returns, rolled back when it throws. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>
  /** The pool itself, for parts that bring their own client (job queue, LISTEN). */
  pool: pg.Pool
  close(): Promise<void>
}

const INT8 = 20
const NUMERIC = 1700

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === INT8) return readInt8
    if (oid === NUMERIC) return Number
    return pg.types.getTypeParser(oid, format)
  },
} as pg.CustomTypesConfig

function readInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error(`int8 ${text} does not fit a number`)
  return value
}

/** One name for one text, so that the server parses and plans it once a connection. */
const statementNames = new Map<string, string>()

export function statementName(text: string): string {
  let name = statementNames.get(text)
  if (name === undefined) {
    name = createHash('sha1').update(text).digest('base64url')
    statementNames.set(text, name)
  }
  return name
}

/** Every statement that was ever run, for the test that looks at the query plans. */
export function knownStatements(): string[] {
  return [...statementNames.keys()]
}

interface Queryable {
  query(config: pg.QueryConfig): Promise<pg.QueryResult>
}

function dbOver(client: Queryable): Db {
  const query = (text: string, params: Params) =>
    client.query({ name: statementName(text), text, values: params as unknown[] })
  return {
    rows: async <Row>(text: string, params: Params = []) => (await query(text, params)).rows as Row[],
    row: async <Row>(text: string, params: Params = []) =>
      ((await query(text, params)).rows[0] as Row) ?? null,
    run: async (text: string, params: Params = []) => (await query(text, params)).rowCount ?? 0,
  }
}

export interface DatabaseOptions {
  url: string
  maxConnections: number
  /** What its sessions are called in the database. */
  name?: string
  onError: (error: Error) => void
}

export function openDatabase({ url, maxConnections, name, onError }: DatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    types,
    application_name: name ?? 'marquee',
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    options: '-c timezone=UTC -c statement_timeout=30000 -c idle_in_transaction_session_timeout=60000',
  })
  // An idle connection that breaks must not end the process; the next query takes a new one.
  pool.on('error', onError)
  // Nor one that breaks in the middle of a transaction: its next statement fails, and with it the transaction.
  pool.on('connect', client => client.on('error', () => undefined))
  return {
    ...dbOver(pool),
    pool,
    transaction: work => inTransaction(pool, work),
    close: () => pool.end(),
  }
}

async function inTransaction<T>(pool: pg.Pool, work: (tx: Db) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    const result = await work(dbOver(client))
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(failure => {
      broken = failure
    })
    throw error
  } finally {
    client.release(broken)
  }
}

/** The SQLSTATE of a database error, or null for any other error. */
export function sqlState(error: unknown): string | null {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null
}

export const UNIQUE_VIOLATION = '23505'

/** Whether the database answers. */
export async function isAlive(db: Db): Promise<boolean> {
  try {
    await db.row('select 1')
    return true
  } catch {
    return false
  }
}

/** Holds a lock until the transaction ends, so that of several processes one does the work. */
export async function lockInTransaction(tx: Db, lockKey: number): Promise<void> {
  await tx.run('select pg_advisory_xact_lock($1)', [lockKey])
}
