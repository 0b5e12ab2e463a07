// Lists: a JSON array, oldest first, whole by default and then streamed page by page in constant memory;
// `limit` and `after` page through it, with a `link` to the next page.

import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { containsText } from '../kernel/text.ts'
import { PIECE_CHARACTERS } from './pieces.ts'

/** Rows with an id above `after`, ascending, at most `limit`. */
export type FetchPage<T> = (after: number, limit: number) => Promise<T[]>

export interface ListQuery {
  limit?: number
  after?: number
}

export interface ListAnswer {
  body: unknown[] | Readable
  headers: Record<string, string>
}

const PAGE_SIZE = 1000
/** Rows that are read at once: the event loop gets to others between any two steps. */
const STEP = 200

/** Waits until it may read many rows; the function that it returns says that they are read. */
export type LongRead = () => Promise<() => void>

/** The filters that lists of named things have (`listFilters` of schema.ts). */
export interface NamedFilter {
  q?: string
  externalId?: string
}

export function fitsFilter(
  { q, externalId }: NamedFilter,
  item: { name: string | null; externalId: string | null },
  more: (string | null)[] = [],
): boolean {
  if (externalId !== undefined && item.externalId !== externalId) return false
  return q === undefined || containsText([item.name, item.externalId, ...more], q)
}

/** Where so few are there that nobody has to wait. */
const AT_ONCE: LongRead = async () => () => {}

/**
 * Pages of what `keep` keeps: steps are read until enough is found, or nothing is left. Beyond the first one it waits
 * for its turn.
 */
export function only<T>(
  fetchPage: FetchPage<T>,
  idOf: (item: T) => number,
  keep: (item: T) => boolean,
  longRead: LongRead = AT_ONCE,
  step = STEP,
): FetchPage<T> {
  return async (after, limit) => {
    const found: T[] = []
    let last = after
    let done: (() => void) | undefined
    try {
      for (;;) {
        const page = await fetchPage(last, step)
        found.push(...page.filter(keep))
        if (found.length >= limit) return found.slice(0, limit)
        if (page.length < step) return found
        last = idOf(page.at(-1)!)
        done ??= await longRead()
      }
    } finally {
      done?.()
    }
  }
}

/** Who has its turn already need not wait for another one. */
export function reentrant(longRead: LongRead): LongRead {
  let users = 0
  let done = () => {}
  return async () => {
    if (users === 0) done = await longRead()
    users++
    return () => {
      if (--users === 0) done()
    }
  }
}

/** The same pages, read step by step; one that is longer than a step waits for its turn after the first. */
export function inSteps<T>(
  fetchPage: FetchPage<T>,
  idOf: (item: T) => number,
  longRead: LongRead,
): FetchPage<T> {
  return async (after, limit) => {
    const items = await fetchPage(after, Math.min(limit, STEP))
    if (items.length < STEP || limit === STEP) return items
    const done = await longRead()
    try {
      for (let left = limit - STEP; left > 0; ) {
        const wanted = Math.min(left, STEP)
        const step = await fetchPage(idOf(items.at(-1)!), wanted)
        items.push(...step)
        left = step.length < wanted ? 0 : left - wanted
      }
      return items
    } finally {
      done()
    }
  }
}

export async function listAnswer<T>(
  query: ListQuery,
  idOf: (item: T) => number,
  fetchPage: FetchPage<T>,
  nextUrl: (after: number, limit: number) => string,
): Promise<ListAnswer> {
  const after = query.after ?? 0
  if (query.limit !== undefined) {
    const items = await fetchPage(after, query.limit + 1)
    if (items.length <= query.limit) return { body: items, headers: {} }
    const page = items.slice(0, query.limit)
    return { body: page, headers: { link: `<${nextUrl(idOf(page.at(-1)!), query.limit)}>; rel="next"` } }
  }
  const first = await fetchPage(after, PAGE_SIZE)
  if (first.length < PAGE_SIZE) return { body: first, headers: {} }
  return { body: Readable.from(jsonChunks(first, idOf, fetchPage), { objectMode: false }), headers: {} }
}

/** Nothing is read before what was read is taken, and a piece is made per turn of the event loop. */
async function* jsonChunks<T>(
  first: T[],
  idOf: (item: T) => number,
  fetchPage: FetchPage<T>,
): AsyncGenerator<string> {
  let text = '['
  let comma = ''
  for (let page = first; page.length > 0; page = await fetchPage(idOf(page.at(-1)!), PAGE_SIZE)) {
    for (const item of page) {
      text += comma + JSON.stringify(item)
      comma = ','
      if (text.length < PIECE_CHARACTERS) continue
      yield text
      text = ''
      await setImmediate()
    }
    if (page.length < PAGE_SIZE) break
    yield text
    text = ''
  }
  yield `${text}]`
}
