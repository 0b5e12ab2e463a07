// Lists: a JSON array, oldest first, complete by default; with `limit` and `after` it is read in pages, each with a
// `link` to the next. Rows are read in steps. More than a thousand rows, or more than some megabytes, are streamed step
// by step, in memory that does not grow with the list.

import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { containsText } from '../kernel/text.ts'
import { PIECE_CHARACTERS, weightOf } from './pieces.ts'

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

/** A list of more rows is streamed. */
export const WHOLE_ROWS = 1000
/** A list of more characters is streamed too. */
export const WHOLE_CHARACTERS = 4_000_000
/** A call that waits for its turn with more characters than this lets its rows go, and reads them again. */
const KEPT_WAITING = 250_000
/** Rows of up to 50 kB that are read at once: between two steps the event loop serves others. */
export const STEP = 200
/** Rows of up to 1 MB, such as personas with a thousand places. */
export const HEAVY_STEP = 20

/** Waits until it may read many rows; the returned function says that reading has ended. */
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

/** For lists that are so short that nobody has to wait. */
const AT_ONCE: LongRead = async () => () => {}

/**
 * Pages of the items that `keep` accepts: it reads steps until enough is found or nothing is left. After the first step
 * it waits for its turn.
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

/** A reader that already has its turn does not wait for another. */
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

/** The rows of a list, and how they are read. */
export interface ListSource<T> {
  fetchPage: FetchPage<T>
  idOf: (item: T) => number
  longRead: LongRead
  /** Rows per step. */
  step?: number | undefined
}

/** At most `most` rows, step by step. A turn is held while a step is read, but not while a reader takes it. */
async function* stepsOf<T>(source: ListSource<T>, after: number, most: number): AsyncGenerator<T[]> {
  const { fetchPage, idOf, longRead, step = STEP } = source
  let last = after
  for (let left = most; left > 0; ) {
    const wanted = Math.min(left, step)
    const done = await longRead()
    const items = await fetchPage(last, wanted).finally(done)
    if (items.length === 0) return
    yield items
    if (items.length < wanted) return
    left -= wanted
    last = idOf(items.at(-1)!)
  }
}

interface Beginning<T> {
  items: T[]
  /** No rows come after them. */
  isAll: boolean
}

/** The first rows: `most`, or fewer if no more exist or they are heavy. It waits for its turn after the first step. */
async function beginningOf<T>(source: ListSource<T>, after: number, most: number): Promise<Beginning<T>> {
  const { fetchPage, idOf, longRead, step = STEP } = source
  let items = await fetchPage(after, Math.min(most, step))
  if (items.length < step || most <= step) return { items, isAll: items.length < most }
  let weight = weightOf(items)
  if (weight > KEPT_WAITING) {
    items = []
    weight = 0
  }
  const done = await longRead()
  try {
    while (items.length < most && weight < WHOLE_CHARACTERS) {
      const wanted = Math.min(most - items.length, step)
      const next = await fetchPage(items.length > 0 ? idOf(items.at(-1)!) : after, wanted)
      items.push(...next)
      if (next.length < wanted) return { items, isAll: true }
      weight += weightOf(next)
    }
    return { items, isAll: false }
  } finally {
    done()
  }
}

export async function listAnswer<T>(
  query: ListQuery,
  source: ListSource<T>,
  nextUrl: (after: number, limit: number) => string,
): Promise<ListAnswer> {
  const { after = 0, limit } = query
  if (limit !== undefined) return pageAnswer(source, after, limit, nextUrl)
  const first = await beginningOf(source, after, WHOLE_ROWS)
  if (first.isAll) return { body: first.items, headers: {} }
  const rest = stepsOf(source, source.idOf(first.items.at(-1)!), Number.POSITIVE_INFINITY)
  return { body: streamOf(first.items, rest), headers: {} }
}

async function pageAnswer<T>(
  source: ListSource<T>,
  after: number,
  limit: number,
  nextUrl: (after: number, limit: number) => string,
): Promise<ListAnswer> {
  const { idOf } = source
  const linkTo = (last: number) => ({ link: `<${nextUrl(last, limit)}>; rel="next"` })
  const { items, isAll } = await beginningOf(source, after, limit + 1)
  if (items.length > limit) {
    const page = items.slice(0, limit)
    return { body: page, headers: linkTo(idOf(page.at(-1)!)) }
  }
  if (isAll) return { body: items, headers: {} }
  // Too heavy to be kept. The end of the page must be known before it is sent, so the rest is read twice.
  let count = items.length
  let last = idOf(items.at(-1)!)
  const from = last
  for await (const step of stepsOf(source, from, limit + 1 - count)) {
    count += step.length
    const ofPage = count > limit ? step.slice(0, -1) : step
    if (ofPage.length > 0) last = idOf(ofPage.at(-1)!)
  }
  const rest = upTo(stepsOf(source, from, limit - items.length), item => idOf(item) <= last)
  return { body: streamOf(items, rest), headers: count > limit ? linkTo(last) : {} }
}

/** Without rows that were not on the page yet when its end was looked for. */
async function* upTo<T>(steps: AsyncGenerator<T[]>, isOnPage: (item: T) => boolean): AsyncGenerator<T[]> {
  for await (const step of steps) yield step.filter(isOnPage)
}

function streamOf<T>(first: T[], rest: AsyncGenerator<T[]>): Readable {
  return Readable.from(jsonChunks(first, rest), { objectMode: false })
}

/** Makes one piece per turn of the event loop, and reads a step only once the previous one was taken. */
async function* jsonChunks<T>(first: T[], rest: AsyncGenerator<T[]>): AsyncGenerator<string> {
  let opening = '['
  for await (const items of begunWith(first, rest)) {
    let text = ''
    for (const item of items) {
      text += opening + JSON.stringify(item)
      opening = ','
      if (text.length < PIECE_CHARACTERS) continue
      yield text
      text = ''
      // A piece per turn of the event loop.
      await setImmediate()
    }
    if (text !== '') yield text
  }
  yield opening === '[' ? '[]' : ']'
}

/** Nothing is read before what was read is taken; and what is taken is let go. */
async function* begunWith<T>(first: T[], rest: AsyncGenerator<T[]>): AsyncGenerator<T[]> {
  while (first.length > 0) yield first.splice(0, STEP)
  yield* rest
}
