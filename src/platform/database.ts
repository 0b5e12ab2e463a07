// PostgreSQL, and the only way to it: plain SQL with parameters, as server-side prepared statements. The connection is
// always an argument (`Db`), so that nothing can bypass a transaction.

import { createHash } from 'node:crypto'
import { EventEmitter } from 'node:events'
import pg from 'pg'
import { DatabaseClient } from './database-client.ts'
import { backendOf, drop, dropAfter, setsSession } from './session.ts'
import { builtStack, callerOf, type SlowStatements } from './slow-statements.ts'
import { readerOf, Statement } from './statement.ts'
import { currentTraceId } from './trace.ts'
import { copyMessages, PREPARE_BEGIN } from './wire.ts'

type Params = readonly unknown[]

export interface Db {
  /** All rows of a query. */
  rows<Row>(text: string, params?: Params): Promise<Row[]>
  /** The first row, or null. */
  row<Row>(text: string, params?: Params): Promise<Row | null>
  /** How many rows a statement touched. */
  run(text: string, params?: Params): Promise<number>
  /** Says that something was written to a queue: listeners in this process are called once it is committed. */
  announce(queue: Queue, happened?: Happened): void
}

/** `copy … from stdin (format binary)`, and its rows in that format, without what frames them. */
export interface Copy {
  text: string
  rows: Buffer
}

/** What was written to the queue, for its listeners. */
export interface Happened {
  type: string
  cuid: number
  data: object
}

/** The queues whose senders hear `announce`; senders in other processes notice when they poll. */
export type Queue = 'webhooks' | 'mails'

export interface Database extends Db {
  /** Runs `work` in one transaction: committed when it returns, rolled back when it throws. */
  transaction<T>(work: (tx: Db) => Promise<T>, longestStatementMs?: number): Promise<T>
  /**
   * Copies rows into tables and runs a statement after that, all in one transaction and one round trip. A refusal by
   * the database undoes all of it and leaves the connection as it was.
   */
  copy(copies: readonly Copy[], text: string, params?: Params): Promise<void>
  /**
   * The same database until the signal aborts: then nothing more begins or commits, and running statements are
   * cancelled.
   */
  until(signal: AbortSignal): Database
  /** Calls `tell` for each announcement; returns the function that ends this. */
  onAnnounced(queue: Queue, tell: (happened: Happened[]) => void): () => void
  /** The pool itself, for parts that bring their own client (job queue, LISTEN). */
  pool: pg.Pool
  close(): Promise<void>
}

/** One name per text, so that the server parses and plans it once per connection. */
const statementNames = new Map<string, string>()
/** The stack of the first run of each statement, by the statement's name. */
const stacks = new Map<string, string>()

export function statementName(text: string): string {
  let name = statementNames.get(text)
  if (name === undefined) {
    name = createHash('sha1').update(text).digest('base64url')
    statementNames.set(text, name)
    stacks.set(name, builtStack())
  }
  return name
}

/** A slow `commit` is logged with the last statement of its transaction. */
function nameInLog(statement: Statement, last: Statement | null): string {
  const { name, text } = last ?? statement
  const caller = callerOf(text, stacks.get(name))
  return last ? `${caller}, ${statement.text}` : caller
}

/** Every statement that was ever run, for the test of the query plans. */
export function knownStatements(): string[] {
  return [...statementNames.keys()]
}

/**
 * Runs a statement on a connection and settles when it has ended. For the end of a transaction, `last` is its last
 * statement.
 */
type Runner = (statement: Statement, last?: Statement | null) => Promise<void>

/** `isFirst`: whether the next statement is the first of a transaction. */
function dbOver(run: Runner, announce: Db['announce'], isFirst: () => boolean = () => false): Db {
  const query = async <T>(text: string, params: Params, answer: (done: Statement) => T): Promise<T> => {
    const statement = new Statement(statementName(text), text, params, isFirst() ? PREPARE_BEGIN : null)
    try {
      await run(statement)
    } catch (error) {
      // The original trace leads to the socket; captured here, it leads to the caller.
      if (error instanceof Error) Error.captureStackTrace(error)
      throw error
    }
    return answer(statement)
  }
  return {
    rows: <Row>(text: string, params: Params = []) => query(text, params, ({ rows }) => rows as Row[]),
    row: <Row>(text: string, params: Params = []) =>
      query(text, params, ({ rows }) => (rows[0] as Row | undefined) ?? null),
    run: (text: string, params: Params = []) => query(text, params, ({ count }) => count),
    announce,
  }
}

interface Patience {
  patienceMs: number
  slow: SlowStatements | undefined
  /** Cancels what a backend is running; false if it could not. */
  cancel: (pid: number) => Promise<boolean>
  signal?: AbortSignal | undefined
}

const onClient =
  (client: pg.PoolClient, patience: Patience): Runner =>
  (statement, last = null) =>
    new Promise((resolve, reject) => {
      statement.callback = error => (error ? reject(error) : resolve())
      send(client, statement, patience, currentTraceId(), last)
    })

/** If the connection is dropped meanwhile, the statement may or may not have been executed. */
function send(
  client: pg.PoolClient,
  statement: Statement,
  patience: Patience,
  traceId: string | null,
  last: Statement | null,
): void {
  const { callback } = statement
  const { patienceMs, slow, signal } = patience
  if (signal?.aborted) {
    callback(signal.reason)
    return
  }
  const startedMs = performance.now()
  const timer = dropAfter(client, patienceMs)
  let cancelled: Promise<void> | null = null
  const onAbort = () => {
    cancelled = cancelOn(client, patience)
  }
  signal?.addEventListener('abort', onAbort)
  statement.callback = error => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
    const tookMs = performance.now() - startedMs
    if (slow && tookMs >= slow.fromMs) {
      const key = `${(last ?? statement).name} ${statement.name}`
      slow.isSlow({ key, name: () => nameInLog(statement, last), tookMs, traceId })
    }
    // The connection is reused only after the cancellation has ended: it could hit the next statement.
    if (cancelled) cancelled.then(() => callback(error && signal!.reason))
    else callback(error)
  }
  client.query(statement)
}

async function cancelOn(client: pg.PoolClient, { cancel }: Patience): Promise<void> {
  const isCancelled = await cancel(backendOf(client)).catch(() => false)
  if (!isCancelled) drop(client, new Error('a statement could not be cancelled'))
}

/** Runs each statement on any free connection. One whose statement failed is not used again, unless it `stays`. */
const onPool =
  (pool: pg.Pool, patience: Patience, stays: (error: Error) => boolean = () => false): Runner =>
  statement =>
    new Promise((resolve, reject) => {
      const traceId = currentTraceId()
      pool.connect((failure, client, release) => {
        if (!client) return reject(failure)
        statement.callback = error => {
          release(error && (isOurs(error, patience) || stays(error)) ? undefined : (error ?? undefined))
          if (error) reject(error)
          else resolve()
        }
        send(client, statement, patience, traceId, null)
      })
    })

/**
 * An end that we asked for is no fault of the connection. A connection that had to be dropped is noticed by its pool.
 */
function isOurs(error: Error, { signal }: Patience): boolean {
  return signal?.aborted === true && error === signal.reason
}

/** Of what was to be written: by a constraint, a condition of ours, or because its table is not there. */
function isRefusal(error: Error): boolean {
  return /^(23|42P01|MQ)/.test(sqlState(error) ?? '')
}

export interface DatabaseOptions {
  url: string
  maxConnections: number
  /** The name of its sessions in the database. */
  name?: string
  /** The longest that a statement, or making a connection, may take. */
  statementMs?: number
  /** Further settings of its sessions. */
  settings?: Readonly<Record<string, string>>
  slow?: SlowStatements
  /** The database over which statements are cancelled; without it, their connections are dropped. */
  control?: Db
  onError: (error: Error) => void
}

export const STATEMENT_MS = 30_000
/** How much longer than the server we wait for a statement: its answer still has to arrive. */
export const SLACK_MS = 2_000
export const CONNECT_MS = 10_000
/** After this time without a sign, the operating system checks whether the other side is still there. */
export const KEEP_ALIVE_MS = 5_000

export function openDatabase(options: DatabaseOptions): Database {
  const { url, maxConnections, name, slow, control, onError, statementMs = STATEMENT_MS } = options
  const patienceMs = statementMs + SLACK_MS
  // If a host vanishes in the middle of a transaction, its locks are held for this long.
  const idleMs = Math.min(60_000, 2 * statementMs)
  const connectMs = Math.min(CONNECT_MS, statementMs)
  const pool = new pg.Pool({
    Client: DatabaseClient,
    connectionString: url,
    max: maxConnections,
    types: { getTypeParser: readerOf } as pg.CustomTypesConfig,
    application_name: name ?? 'marquee',
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    onConnect: setsSession(
      {
        statement_timeout: String(statementMs),
        idle_in_transaction_session_timeout: String(idleMs),
        ...options.settings,
      },
      connectMs,
    ),
  })
  outliveConnections(pool, onError)
  const announced = new EventEmitter()
  const tell = (queue: Queue, happened: Happened[]) => void announced.emit(queue, happened)
  const announce = (queue: Queue, happened?: Happened) => tell(queue, happened ? [happened] : [])
  const cancel = async (pid: number) => (control ? cancelBackend(control, pid) : false)
  function databaseUntil(signal?: AbortSignal): Database {
    return {
      ...dbOver(onPool(pool, { patienceMs, slow, cancel, signal }), announce),
      pool,
      async transaction(work, longestMs = statementMs) {
        const written = new Map<Queue, Happened[]>()
        const write = (queue: Queue, happened?: Happened) => {
          const known = written.get(queue) ?? []
          written.set(queue, happened ? [...known, happened] : known)
        }
        const result = await inTransaction(pool, work, write, {
          patienceMs: longestMs + SLACK_MS,
          slow,
          cancel,
          signal,
        })
        for (const [queue, happened] of written) tell(queue, happened)
        return result
      },
      copy(copies, text, params = []) {
        const ahead = Buffer.concat(copies.map(copy => copyMessages(copy.text, copy.rows)))
        const statement = new Statement(statementName(text), text, params, ahead)
        return onPool(pool, { patienceMs, slow, cancel, signal }, isRefusal)(statement)
      },
      until: databaseUntil,
      onAnnounced(queue, hear) {
        announced.on(queue, hear)
        return () => void announced.off(queue, hear)
      },
      close: () => pool.end(),
    }
  }
  return databaseUntil()
}

async function cancelBackend(control: Db, pid: number): Promise<boolean> {
  const row = await control.row<{ done: boolean }>('select pg_cancel_backend($1) as done', [pid])
  return row!.done
}

/**
 * A connection that breaks must not end the process: the next statement takes a new one, or fails if it was in the
 * middle of a transaction. While the pool is closing, errors are ignored: the database may end before it reads our
 * farewell.
 */
export function outliveConnections(pool: pg.Pool, onIdleBroken: (error: Error) => void): void {
  pool.on('error', error => {
    if (!pool.ending) onIdleBroken(error)
  })
  pool.on('connect', client => client.on('error', () => {}))
}

/** `begin` is sent with the first statement, so it costs no round trip; without a statement, no transaction begins. */
async function inTransaction<T>(
  pool: pg.Pool,
  work: (tx: Db) => Promise<T>,
  announce: Db['announce'],
  patience: Patience,
): Promise<T> {
  const client = await pool.connect()
  const { signal, ...unbounded } = patience
  const run = onClient(client, patience)
  let last: Statement | null = null
  let broken: Error | undefined
  const runLast: Runner = statement => {
    last = statement
    return run(statement)
  }
  const end = async (how: 'commit' | 'rollback') => {
    if (last) await onClient(client, unbounded)(new Statement(how, how, [], null), last)
  }
  try {
    const result = await work(dbOver(runLast, announce, () => last === null))
    signal?.throwIfAborted()
    await end('commit')
    return result
  } catch (error) {
    await end('rollback').catch(failure => {
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
  // Every SQLSTATE contains a digit; EPIPE and EROFS, which are not SQLSTATEs, contain none.
  return typeof code === 'string' && /^(?=.*[0-9])[0-9A-Z]{5}$/.test(code) ? code : null
}

export const UNIQUE_VIOLATION = '23505'
/** The statement took longer than it may. */
export const QUERY_CANCELED = '57014'

/** Whether the database answers. */
export async function isAlive(db: Db): Promise<boolean> {
  try {
    await db.row('select 1')
    return true
  } catch {
    return false
  }
}

/** The time of the database's machine. */
export async function databaseClockMs(db: Db): Promise<number> {
  // The real time even in a sandbox, whose statements see another clock.
  const row = await db.row<{ ms: number }>(
    'select extract(epoch from pg_catalog.clock_timestamp())::float8 * 1000 as ms',
  )
  return row!.ms
}

/** Takes a lock until the transaction ends, so that only one of several processes does the work. */
export async function lockInTransaction(tx: Db, lockKey: number): Promise<void> {
  await tx.run('select pg_advisory_xact_lock($1)', [lockKey])
}
