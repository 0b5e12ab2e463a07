// Trouble is logged once: a line when it begins and one when it is over, however often something fails in between.
// Failures of the environment (database, disk, network) are named in words; only an unexpected error is logged with its
// stack.

import { sqlState } from './database.ts'
import type { Log } from './log.ts'

export interface Trouble {
  /** It failed, perhaps again. `more` is logged only with the failure that makes a line. */
  is(error: unknown, more?: object): void
  /** It works. Without this, trouble is over when nothing has failed for a while, unless that says nothing. */
  over(): void
}

export interface TroubleWords {
  /** The message when it begins. */
  text: string
  /** The message when it is over. */
  again: string
  /** More fields for both lines. */
  about?: object
  /** After so long without a failure it is over. Infinite: only `over` says so, as when one attempt takes long. */
  calmMs?: number
}

type Lines = Pick<Log, 'info' | 'warn'>

const CALM_MS = 10_000
/** More kinds of failure at once are not distinguished. */
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
        log.warn({ ...about, ...more, ...tellOf(error) }, text)
      }
      if (timer) timer.refresh()
      else if (Number.isFinite(calmMs)) timer = setTimeout(over, calmMs).unref()
    },
    over,
  }
}

/**
 * A connection that broke while idle: the driver's additions to the error are omitted. A database that ends breaks all
 * of them in a moment, which is one line.
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

/** How an error is logged: the reason in words if the environment is to blame, otherwise the whole error. */
export function tellOf(error: unknown): { reason: string } | { err: unknown } {
  const reason = reasonOf(error)
  return reason === null ? { err: error } : { reason }
}

const STATES: Record<string, string> = {
  25006: 'the database is read-only',
  '40P01': 'the database undid it, because others waited for it in a circle',
  53100: 'the disk of the database is full',
  53200: 'the database is out of memory',
  53300: 'the database has no connection left',
  57014: 'the database took too long',
  '57P01': 'the database ended the connection',
  '57P03': 'the database is starting or stopping',
  55006: 'the database is busy with what was asked for',
  58030: 'the database cannot read or write its disk',
  MQ002: 'the database went back in time',
}

const DISK: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
  EACCES: 'this process may not read or write the file or folder',
  EPERM: 'this process may not read or write the file or folder',
  ENOENT: 'the file or folder is not there',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'something of that name is there already',
  EFBIG: 'the file is as large as this process may make one',
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

/** A file or folder, not the database. */
export function isOurDisk(error: unknown): boolean {
  if (!(error instanceof Error) || isNetwork(error)) return false
  const { code } = error as NodeJS.ErrnoException
  return code !== undefined && code in DISK
}

/** Null: nothing of the kind; a bug, perhaps. */
export function reasonOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const state = sqlState(error)
  if (state !== null && state in STATES) return STATES[state]!
  if (state !== null && /^(08|53|57|58)/.test(state)) return `the database is not available: ${error.message}`
  if (isNetwork(error)) return networkWords(error)
  const { code, path } = error as NodeJS.ErrnoException
  if (code === undefined || !(code in DISK)) return null
  return path ? `${DISK[code]}: ${path}` : DISK[code]!
}

/** Whether the database ended the connection, or nobody is there. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return isNetwork(error) || /^57P0/.test(sqlState(error) ?? '') || isConnectionLost(error.cause)
}

function isNetwork(error: Error): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException
  // The socket of a database on this machine, which is not there while it is down.
  const isGone = code === 'ENOENT' && syscall === 'connect'
  return isGone || NETWORK.includes(code ?? '') || LOST.test(error.message)
}

/** A name with several addresses, none of which answers, fails once for each of them and says nothing itself. */
function networkWords(error: Error): string {
  const each = error instanceof AggregateError ? error.errors.map(one => (one as Error).message) : []
  return error.message || each.join(', ')
}

function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return (error as { code?: string }).code ?? error.message.slice(0, 60)
}
