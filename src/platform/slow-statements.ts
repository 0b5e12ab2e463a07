// Statements that take long are logged by name: the file and the function that ran them, never their values. The number
// of lines is bounded, because a slow database makes every statement slow.

import { findSourceMap } from 'node:module'
import type { Log } from './log.ts'

export interface SlowStatement {
  /** The same for every run of the statement. */
  key: string
  /**
   * The name is looked up in source maps, which takes a while, so this is only called for statements that get a line.
   */
  name: () => string
  tookMs: number
  traceId: string | null
}

export interface SlowStatements {
  /** A statement that takes at least this long is slow. */
  fromMs: number
  isSlow(statement: SlowStatement): void
  /** How many slow statements there were. */
  count(): number
}

/** At most this many statements get a line within the window; one line at its end sums up the others. */
const WINDOW_MS = 10_000
const MOST_LINES = 5

/** With `fromMs` 0, no statement is slow. */
export function createSlowStatements(
  log: Pick<Log, 'info'>,
  fromMs: number,
  windowMs = WINDOW_MS,
): SlowStatements {
  const logged = new Set<string>()
  let count = 0
  let unlogged = 0
  let longestMs = 0

  function endWindow(): void {
    if (unlogged > 0) log.info({ statements: unlogged, longestMs }, 'more slow statements')
    logged.clear()
    unlogged = 0
    longestMs = 0
  }

  return {
    fromMs: fromMs > 0 ? fromMs : Number.POSITIVE_INFINITY,
    count: () => count,
    isSlow({ key, name, tookMs, traceId }) {
      count++
      const ms = Math.round(tookMs)
      if (logged.has(key) || logged.size === MOST_LINES) {
        unlogged++
        longestMs = Math.max(longestMs, ms)
        return
      }
      if (logged.size === 0) setTimeout(endWindow, windowMs).unref()
      logged.add(key)
      log.info({ statement: name(), ms, ...(traceId === null ? {} : { traceId }) }, 'slow statement')
    },
  }
}

const SOURCES = '/src/'
const NOT_A_CALLER = /^platform\/(database|slow-statements)$/

/** The stack with places in the build, because reading the source maps takes longer than the rest of a start. */
export function builtStack(): string {
  const { prepareStackTrace } = Error
  Error.prepareStackTrace = (_, frames) => frames.map(frame => `at ${frame}`).join('\n')
  try {
    return new Error().stack ?? ''
  } finally {
    Error.prepareStackTrace = prepareStackTrace
  }
}

/**
 * Who runs a statement, by the stack: `campaigns/queries insertCampaign`; the first words of its text if none of our
 * files is on the stack.
 */
export function callerOf(text: string, stack = ''): string {
  let file: string | null = null
  for (const line of stack.split('\n')) {
    const { called, own } = readFrame(inSources(line))
    if (own === null || NOT_A_CALLER.test(own)) continue
    if (file !== null && own !== file) break
    file = own
    // The other parts of `async Object.list` come from V8.
    const name = called.split(/[ .]/).findLast(part => /^\w+$/.test(part) && part !== 'async')
    // In a bundle, functions of the same name end in a number.
    if (name !== undefined) return `${file} ${name.replace(/[0-9]{1,3}$/, '')}`
  }
  return file ?? text.trim().split(/\s+/).slice(0, 3).join(' ')
}

/** The same frame, with its place in the sources. */
function inSources(frame: string): string {
  const from = frame.indexOf('file:')
  if (from < 0) return frame
  const place = frame.slice(from).replace(/\)$/, '').split(':')
  const [line, column] = place.splice(-2).map(Number)
  const entry = findSourceMap(place.join(':'))?.findEntry(line! - 1, column! - 1)
  return entry && 'originalSource' in entry ? `${frame.slice(0, from)}${entry.originalSource}` : frame
}

/**
 * From `at async Object.list (file:///…/src/manage/campaigns/queries.ts:12:3)`: which function was called, and in which
 * of our files.
 */
function readFrame(line: string): { called: string; own: string | null } {
  const from = line.lastIndexOf(SOURCES)
  const end = line.indexOf('.', from + SOURCES.length)
  if (from < 0 || end < 0) return { called: '', own: null }
  const called = line.slice(0, from).trim().replace('at ', '')
  const bracket = called.indexOf(' (')
  return { called: called.slice(0, Math.max(bracket, 0)), own: line.slice(from + SOURCES.length, end) }
}
