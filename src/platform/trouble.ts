// Trouble is logged once: one line when it begins and one when it is over, however often something fails in between.
// Failures of the environment (database, disk, network) are described in words; only an unexpected error is logged with
// its stack.

import { sqlState } from './database.ts'
import type { Log } from './log.ts'

export interface Trouble {
  /** Something failed, perhaps again. `more` is logged only if this failure makes a line. */
  is(error: unknown, more?: object): void
  /**
   * It works again. Without this call, trouble is over when nothing has failed for `calmMs`, unless that is infinite.
   */
  over(): void
}

export interface TroubleWords {
  /** The message when it begins. */
  text: string
  /** The message when it is over. */
  again: string
  /** More fields for both lines. */
  about?: object
  /** After this long without a failure, trouble is over. Infinite: only `over` ends it, for attempts that take long. */
  calmMs?: number
}

/** A failure of the environment that has words of its own. */
export class OutsideFailure extends Error {}

type Lines = Pick<Log, 'info' | 'warn'>

const CALM_MS = 10_000
/** Further kinds of failure at the same time are not distinguished. */
const MOST_KINDS = 10

export function createTrouble(log: Lines, words: TroubleWords): Trouble {
  const { text, again, about = {}, calmMs = CALM_MS } = words
  const kinds = new Set<string>()
  let failures = 0
  let timer: NodeJS.Timeout | null = null

  function over(): void {
    if (timer) clearTimeout(timer)
    timer = null
    if (failures > 0) log.info({ ...about, failures }, again)
    failures = 0
    kinds.clear()
  }

  return {
    is(error, more = {}) {
      failures++
      const kind = kindOf(error)
      if (!kinds.has(kind) && kinds.size < MOST_KINDS) {
        kinds.add(kind)
        log.warn({ ...about, ...more, ...loggedError(error) }, text)
      }
      if (timer) timer.refresh()
      else if (Number.isFinite(calmMs)) timer = setTimeout(over, calmMs).unref()
    },
    over,
  }
}

/**
 * Logs a connection that broke while idle, without the driver's additions to the error. A database that ends breaks all
 * connections at once, which makes one line.
 */
export function brokenConnection(log: Pick<Log, 'warn'>, about: object = {}): (error: Error) => void {
  let lastMs = Number.NEGATIVE_INFINITY
  return error => {
    const isNews = performance.now() - lastMs > CALM_MS
    lastMs = performance.now()
    if (isNews)
      log.warn({ ...about, reason: reasonOf(error) ?? error.message }, 'a database connection broke')
  }
}

/** How an error is logged: a reason in words if the environment caused it, otherwise the whole error. */
export function loggedError(error: unknown): { reason: string } | { err: unknown } {
  const reason = reasonOf(error)
  return reason === null ? { err: error } : { reason }
}

const STATES: Record<string, string> = {
  25006: 'the database is read-only',
  28000: 'the database refuses our user: see its pg_hba.conf',
  '28P01': 'the database refuses our password: see DATABASE_URL',
  '40P01': 'the database rolled it back because of a deadlock',
  53100: 'the disk of the database is full',
  53200: 'the database is out of memory',
  53300: 'the database has no connection left',
  57014: 'the database took too long',
  '57P01': 'the database ended the connection',
  '57P03': 'the database is starting or stopping',
  55006: 'the database is still using it',
  58030: 'the database cannot read or write its disk',
  MQ002: 'the database went back in time',
}

const DISK: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
  EACCES: 'this process may not read or write the file or folder',
  EPERM: 'this process may not read or write the file or folder',
  ENOENT: 'the file or folder does not exist',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'something with that name already exists',
  EFBIG: 'the file has reached the largest size that this process may write',
  EIO: 'the disk cannot be read or written',
  EMFILE: 'this process has too many files open',
  ENFILE: 'this machine has too many files open',
}

const NETWORK = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]
const LOST =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|the database did not answer within|the database does not answer|it was not done within)/

/** Whether the error is about a file or folder of ours, not about the database. */
export function isOurDisk(error: unknown): boolean {
  if (!(error instanceof Error) || isNetwork(error)) return false
  const { code } = error as NodeJS.ErrnoException
  return code !== undefined && code in DISK
}

/** Null if it is no failure of the environment, so perhaps a bug. */
export function reasonOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  if (error instanceof OutsideFailure) return error.message
  const state = sqlState(error)
  if (state !== null && state in STATES) return STATES[state]!
  if (state !== null && /^(08|53|57|58)/.test(state)) return `the database is not available: ${error.message}`
  if (isNetwork(error)) return networkWords(error)
  const { code, path } = error as NodeJS.ErrnoException
  if (code === undefined || !(code in DISK)) return null
  return path ? `${DISK[code]}: ${path}` : DISK[code]!
}

/** Whether the database ended the connection, or did not answer. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return isNetwork(error) || /^57P0/.test(sqlState(error) ?? '') || isConnectionLost(error.cause)
}

function isNetwork(error: Error): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException
  // The socket of a database on this machine does not exist while the database is down.
  const isGone = code === 'ENOENT' && syscall === 'connect'
  return isGone || NETWORK.includes(code ?? '') || LOST.test(error.message)
}

/** If no address of a name answers, the error contains one error per address and has no message of its own. */
function networkWords(error: Error): string {
  const each = error instanceof AggregateError ? error.errors.map(one => (one as Error).message) : []
  return error.message || each.join(', ')
}

function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return (error as { code?: string }).code ?? error.message.slice(0, 60)
}
