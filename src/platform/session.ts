// What a session of the database is set to, and whether the way to the database keeps it. The settings are statements,
// not parameters of the connection: a pooler refuses or drops those, even where it keeps sessions.

import pg from 'pg'

/**
 * Only our own timer notices a server that vanished silently, or a network that swallows everything: then the
 * connection is dropped.
 */
export function dropAfter(client: pg.ClientBase, ms: number): NodeJS.Timeout {
  return setTimeout(() => drop(client, new Error(`the database did not answer within ${ms} ms`)), ms)
}

/** What it runs fails with this. */
export function drop(client: pg.ClientBase, why: Error): void {
  const { connection } = client as unknown as { connection: pg.Connection }
  connection.stream.destroy(why)
}

/**
 * For the repeated work of a sandbox: its tables are small and its statements come by the thousand, so that to plan one
 * costs more than to run it.
 */
export const PLANNED_ONCE = { plan_cache_mode: 'force_generic_plan' }

const backends = new WeakMap<pg.ClientBase, number>()

/** The process that serves a connection, as the server numbers it; what a pooler tells the driver is its own number. */
export function backendOf(client: pg.ClientBase): number {
  return backends.get(client)!
}

/**
 * What we rely on, whatever an operator has set for the role or the database: how times and numbers are written, and
 * that a transaction sees what others commit. Only a database that is read-only on purpose stays so.
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

/** Of connections that are in nobody's way and may take as long as they need. */
export const WITHOUT_LIMITS = settingsText({
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '0',
})

function settingsText(settings: Record<string, string>): string {
  const all = Object.entries({ ...RELIED_ON, ...settings })
  return all.map(([name, value]) => `set ${name} = '${value}'`).join('; ')
}

const BACKEND = 'select pg_backend_pid() as pid'

/** How the pool does it: before the connection is handed out. */
export function setsUp(settings: Record<string, string>, mostMs: number) {
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
 * Behind a pooler that hands each transaction to another session, statements would fail one by one: better at the
 * start. Two connections that keep their sessions never meet in one, and stay where they are.
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
    // Of the driver, for a connection and for a statement.
    if (/^(timeout expired|Query read timeout)$/.test((error as Error).message))
      throw new Error(`the database did not answer within ${TIMEOUT_MS} ms`, { cause: error })
    throw error
  } finally {
    for (const client of [one, other]) void client.end().catch(() => undefined)
  }
}

function clientOf(url: string): pg.Client {
  const client = new pg.Client({
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
