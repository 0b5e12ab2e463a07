// Lists: a JSON array, oldest first, whole by default and then streamed page by page in constant memory;
// `limit` and `after` page through it, with a `link` to the next page.

import { Readable } from 'node:stream'
import { containsText } from '../kernel/text.ts'

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

/** Pages of what `keep` keeps: pages are read until enough is found, or nothing is left. */
export function only<T>(
  fetchPage: FetchPage<T>,
  idOf: (item: T) => number,
  keep: (item: T) => boolean,
  atOnce = PAGE_SIZE,
): FetchPage<T> {
  return async (after, limit) => {
    const found: T[] = []
    let last = after
    for (;;) {
      const page = await fetchPage(last, atOnce)
      found.push(...page.filter(keep))
      if (found.length >= limit) return found.slice(0, limit)
      if (page.length < atOnce) return found
      last = idOf(page.at(-1)!)
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

async function* jsonChunks<T>(
  first: T[],
  idOf: (item: T) => number,
  fetchPage: FetchPage<T>,
): AsyncGenerator<string> {
  let page = first
  let opening = '['
  while (page.length > 0) {
    yield opening + JSON.stringify(page).slice(1, -1)
    opening = ','
    page = page.length < PAGE_SIZE ? [] : await fetchPage(idOf(page.at(-1)!), PAGE_SIZE)
  }
  yield opening === '[' ? '[]' : ']'
}
