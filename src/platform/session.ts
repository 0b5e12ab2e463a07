// The settings of a database session, and whether the path to the database keeps sessions. The settings are sent as
// statements, not as connection parameters, which a pooler refuses or drops even if it keeps sessions.

import type pg from 'pg'
import { DatabaseClient } from './database-client.ts'

/**
 * Drops the connection unless an answer comes in time. Only our own timer notices a server that vanished silently, or a
 * network that swallows everything.
 */
export function dropAfter(client: pg.ClientBase, ms: number): NodeJS.Timeout {
  return setTimeout(() => drop(client, new Error(`the database did not answer within ${ms} ms`)), ms)
}

/** Drops a connection; the statement it is running fails with `why`. */
export function drop(client: pg.ClientBase, why: Error): void {
  const { connection } = client as unknown as { connection: pg.Connection }
  connection.stream.destroy(why)
}

/**
 * For the repeated work of a sandbox: its tables are small and its statements come by the thousand, so planning one
 * costs more than running it.
 */
export const PLANNED_ONCE = { plan_cache_mode: 'force_generic_plan' }

const backends = new WeakMap<pg.ClientBase, number>()

/**
 * The server process of a connection, by the server's own number; a pooler would give the driver a number of its own.
 */
export function backendOf(client: pg.ClientBase): number {
  return backends.get(client)!
}

/**
 * Settings that we rely on, whatever an operator has set for the role or the database: how times and numbers are
 * written, and that a transaction sees what others commit. Only a database that is read-only on purpose stays
 * read-only.
 */
const RELIED_ON = {
  client_encoding: 'UTF8',
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  default_transaction_isolation: 'read committed',
  lock_timeout: '0',
}

/** For connections that block nobody and may take as long as they need. */
export const WITHOUT_LIMITS = settingsText({
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '0',
})

function settingsText(settings: Record<string, string>): string {
  const all = Object.entries({ ...RELIED_ON, ...settings })
  return all.map(([name, value]) => `set ${name} = '${value}'`).join('; ')
}

const BACKEND = 'select pg_backend_pid() as pid'

/** For the pool, which calls it before it hands out a connection. */
export function setsSession(settings: Record<string, string>, mostMs: number) {
  const text = `${settingsText(settings)}; ${BACKEND}`
  return async (client: pg.ClientBase): Promise<void> => {
    const timer = dropAfter(client, mostMs)
    try {
      const answers = (await client.query(text)) as unknown as pg.QueryResult<{ pid: number }>[]
      backends.set(client, answers.at(-1)!.rows[0]!.pid)
    } finally {
      clearTimeout(timer)
    }
  }
}

const POOLER = `the connection to the database does not keep its session; a pooler in transaction mode seems to be in \
between. Marquee needs prepared statements and session settings: run PgBouncer in session mode, or connect to PostgreSQL directly`
const ROUNDS = 5
const TIMEOUT_MS = 10_000

/**
 * Fails at the start behind a pooler that gives each transaction another session, where statements would fail one by
 * one. It asks two connections repeatedly: if sessions are kept, they never share one and never change.
 */
export async function mustKeepSessions(url: string): Promise<void> {
  const [one, other] = [clientOf(url), clientOf(url)]
  try {
    await one.connect()
    await other.connect()
    const first = await askBackend(one)
    for (let round = 0; round < ROUNDS; round++)
      if ((await askBackend(other)) === first || (await askBackend(one)) !== first) throw new Error(POOLER)
  } catch (error) {
    // The driver's messages for a connection and for a statement.
    if (/^(timeout expired|Query read timeout)$/.test((error as Error).message))
      throw new Error(`the database did not answer within ${TIMEOUT_MS} ms`, { cause: error })
    throw error
  } finally {
    for (const client of [one, other]) void client.end().catch(() => undefined)
  }
}

function clientOf(url: string): pg.Client {
  const client = new DatabaseClient({
    connectionString: url,
    application_name: 'marquee',
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  })
  client.on('error', () => {})
  return client
}

async function askBackend(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>(BACKEND)
  return rows[0]!.pid
}
