// When a call is repeated, and how many calls run at once.

import type { Route } from './endpoints.ts'

const LONGEST_GROWING_MS = 10_000
/** A longer wait becomes an error, so that the caller decides. */
const LONGEST_RETRY_AFTER_MS = 60_000

/** Safe to repeat: a read, a PUT, a DELETE, an upload, and a POST that the service recognises. */
export function mayRepeat(route: Route, hasKey: boolean): boolean {
  if (route.method === 'POST') return hasKey || !!route.rawBody
  return !route.sideEffects
}

/** Twice as long each time, with jitter; added to the wait that the service asks for. */
export function waitMs(attempt: number, firstWaitMs: number, leastMs = 0): number {
  const growing = Math.min(firstWaitMs * 2 ** attempt, LONGEST_GROWING_MS)
  return leastMs + growing * (0.5 + Math.random() / 2)
}

const REPEATED = [429, 502, 503, 504]

/** The wait that `retry-after` asks for, 0 if none; null: do not repeat. */
export function retryAfterMs({ status, headers }: Response, nowMs = Date.now()): number | null {
  if (!REPEATED.includes(status)) return null
  const header = headers.get('retry-after') ?? ''
  const ms = /^[0-9]{1,9}$/.test(header) ? Number(header) * 1000 : untilMs(header, headers, nowMs)
  return ms > LONGEST_RETRY_AFTER_MS ? null : ms
}

/** Proxies may send a date instead, by the clock that wrote the header `date`. */
function untilMs(header: string, headers: Headers, nowMs: number): number {
  const theirs = Date.parse(headers.get('date') ?? '')
  const ms = Date.parse(header) - (Number.isNaN(theirs) ? nowMs : theirs)
  return Number.isNaN(ms) ? 0 : Math.max(0, ms)
}

export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

export interface Lanes {
  enter(signal: AbortSignal | undefined): Promise<void>
  leave(): void
}

/**
 * At most `most` calls at once; the others wait in order. A call waiting to be repeated keeps its lane, so that all
 * calls slow down.
 */
export function createLanes(most: number): Lanes {
  let free = most
  const waiting: (() => void)[] = []
  return {
    async enter(signal) {
      signal?.throwIfAborted()
      if (free > 0) {
        free--
        return
      }
      await new Promise<void>((resolve, reject) => {
        const go = () => {
          signal?.removeEventListener('abort', stop)
          resolve()
        }
        const stop = () => {
          waiting.splice(waiting.indexOf(go), 1)
          reject(signal?.reason)
        }
        waiting.push(go)
        signal?.addEventListener('abort', stop, { once: true })
      })
    },
    leave() {
      const next = waiting.shift()
      if (next) next()
      else free++
    },
  }
}
