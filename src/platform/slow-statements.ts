// Statements that take long are logged by name: the file and the function that ran them, never their values. A slow
// database makes every statement slow, so the lines are bounded.

import type { Log } from './log.ts'

export interface SlowStatement {
  name: string
  tookMs: number
  traceId: string | null
}

export interface SlowStatements {
  /** A statement is slow from this duration on. */
  fromMs: number
  isSlow(statement: SlowStatement): void
  /** How many there have been. */
  count(): number
}

/** At most this many names get a line in this time; the rest is summed up in one line at its end. */
const WINDOW_MS = 10_000
const MOST_NAMES = 5

/** `fromMs` 0: no statement is slow. */
export function createSlowStatements(
  log: Pick<Log, 'info'>,
  fromMs: number,
  windowMs = WINDOW_MS,
): SlowStatements {
  const told = new Set<string>()
  let count = 0
  let untold = 0
  let longestMs = 0

  function endWindow(): void {
    if (untold > 0) log.info({ statements: untold, longestMs }, 'more statements were slow')
    told.clear()
    untold = 0
    longestMs = 0
  }

  return {
    fromMs: fromMs > 0 ? fromMs : Number.POSITIVE_INFINITY,
    count: () => count,
    isSlow({ name, tookMs, traceId }) {
      count++
      const ms = Math.round(tookMs)
      if (told.has(name) || told.size === MOST_NAMES) {
        untold++
        longestMs = Math.max(longestMs, ms)
        return
      }
      if (told.size === 0) setTimeout(endWindow, windowMs).unref()
      told.add(name)
      log.info({ statement: name, ms, ...(traceId === null ? {} : { traceId }) }, 'a statement was slow')
    },
  }
}

const FRAME = /^\s*at (?:async )?(?:(.+?) \()?(?:file:\/\/)?(\/.+?):\d+:\d+\)?$/
const OWN_FILE = /.*\/src\/(.+)\.[jt]s$/
const NOT_A_CALLER = /^platform\/(database|slow-statements)$/

/**
 * `campaigns/queries insertCampaign`: who runs a statement, by the stack. Called once per text; the text's first words
 * are used if nothing of ours is on the stack.
 */
export function callerOf(text: string, stack = new Error().stack ?? ''): string {
  let file: string | null = null
  for (const line of stack.split('\n')) {
    const [, called, path] = FRAME.exec(line) ?? []
    const own = path === undefined ? undefined : OWN_FILE.exec(path)?.[1]
    if (own === undefined || NOT_A_CALLER.test(own)) continue
    if (file !== null && own !== file) break
    file = own
    // The rest of a name such as `Object.list` is V8's.
    const name = called?.split(/[ .]/).findLast(part => /^\w+$/.test(part) && part !== 'anonymous')
    if (name !== undefined) return `${file} ${name}`
  }
  return file ?? text.trim().split(/\s+/).slice(0, 3).join(' ')
}
