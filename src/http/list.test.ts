// Long lists are read in steps, and a customer reads one at a time, so one customer's rows take nothing from others.

import { expect, it } from 'vitest'
import type { Caller } from '../kernel/caller.ts'
import { createMetrics } from '../platform/metrics.ts'
import { createFairPools } from './fair-pools.ts'
import { type FetchPage, HEAVY_STEP, listAnswer, only, reentrant } from './list.ts'

interface Item {
  id: number
  text: string
}
const idOf = ({ id }: Item) => id
const next = (after: number, limit: number) => `/next?after=${after}&limit=${limit}`
const pools = () => createFairPools({ atOnce: 3, metrics: createMetrics() })
const customer = (cuid: number) => ({ level: 'customer', cuid, appId: 1 }) as Caller

/** A table of `count` rows that records how many rows are asked for. */
function table(count: number, text = '') {
  const asked: number[] = []
  const fetchPage: FetchPage<Item> = async (after, limit) => {
    asked.push(limit)
    await new Promise(setImmediate)
    const length = Math.max(0, Math.min(limit, count - after))
    return Array.from({ length }, (_, n) => ({ id: after + n + 1, text }))
  }
  return { asked, fetchPage }
}

/** A list call of a customer. */
function list(fetchPage: FetchPage<Item>, fairPools = pools(), cuid = 1, limit?: number, step?: number) {
  const { signal } = new AbortController()
  const longRead = () =>
    fairPools.longRead({ caller: customer(cuid), cuid, signal, isAnswering: () => false })
  return listAnswer(limit === undefined ? {} : { limit }, { fetchPage, idOf, longRead, step }, next)
}

const idsOf = (count: number) => Array.from({ length: count }, (_, n) => n + 1)

it.each([0, 1, 199, 200, 201, 400, 999])('a complete list of %i is an array, in steps', async count => {
  const { asked, fetchPage } = table(count)
  const { body } = await list(fetchPage)
  expect((body as Item[]).map(idOf)).toEqual(idsOf(count))
  expect(Math.max(...asked)).toBe(200)
})

it.each([1000, 1001, 1200, 2000, 2345])('a complete list of %i is a stream, in steps', async count => {
  const { asked, fetchPage } = table(count)
  const { body } = await list(fetchPage)
  let text = ''
  for await (const chunk of body as AsyncIterable<string>) text += chunk
  expect(JSON.parse(text).map(idOf)).toEqual(idsOf(count))
  expect(Math.max(...asked)).toBe(200)
})

it.each([1, 199, 200, 201, 500, 1000])('a page of %i is whole and links to the next', async limit => {
  const { asked, fetchPage } = table(3000)
  const { body, headers } = await list(fetchPage, pools(), 1, limit)
  expect((body as Item[]).map(idOf)).toEqual(idsOf(limit))
  expect(headers.link).toBe(`<${next(limit, limit)}>; rel="next"`)
  expect(Math.max(...asked)).toBeLessThanOrEqual(200)
})

it('a list that nobody takes is not read any further', async () => {
  const { asked, fetchPage } = table(5000, 'x'.repeat(1000))
  const { body } = await list(fetchPage)
  for await (const _ of body as AsyncIterable<string>) break
  expect(asked).toHaveLength(5)
})

it('one long list of a customer is read at a time, and one of another customer meanwhile', async () => {
  const fairPools = pools()
  const { fetchPage } = table(1000)
  const now = new Map([
    [1, 0],
    [2, 0],
  ])
  const seen = new Set<string>()
  const reader =
    (cuid: number): FetchPage<Item> =>
    async (after, limit) => {
      const by = after === 0 ? 0 : 1
      now.set(cuid, now.get(cuid)! + by)
      seen.add([...now.values()].join())
      const page = await fetchPage(after, limit)
      now.set(cuid, now.get(cuid)! - by)
      return page
    }
  const of = (cuid: number, count: number) =>
    Array.from({ length: count }, () => list(reader(cuid), fairPools, cuid, 900))
  await Promise.all([...of(1, 10), ...of(2, 10)])
  expect(seen).toContain('1,1')
  expect([...seen].filter(both => both.includes('2'))).toEqual([])
})

it('a search among many rows waits for its turn after the first step, and has one turn in all', async () => {
  const { asked, fetchPage } = table(5000)
  let slots = 0
  let now = 0
  const longRead = reentrant(async () => {
    expect(++now).toBe(1)
    slots++
    return () => void now--
  })
  const rare = only(fetchPage, idOf, ({ id }) => id % 10 === 0, longRead)
  const { body } = await listAnswer({ limit: 300 }, { fetchPage: rare, idOf, longRead }, next)
  expect((body as Item[]).map(idOf)).toEqual(idsOf(300).map(n => 10 * n))
  expect([Math.max(...asked), now]).toEqual([200, 0])
  // One turn for the rest of the page, and none for the first 200 rows.
  expect(slots).toBe(2)
  const { body: first } = await listAnswer({ limit: 10 }, { fetchPage: rare, idOf, longRead }, next)
  expect([(first as Item[]).length, slots]).toEqual([10, 2])
})

it('a refused turn is not kept', async () => {
  let isFree = false
  const longRead = reentrant(async () => {
    if (!isFree) throw new Error('too many')
    return () => {}
  })
  const { fetchPage } = table(1000)
  const list = () => listAnswer({ limit: 500 }, { fetchPage, idOf, longRead }, next)
  await expect(list()).rejects.toThrow('too many')
  isFree = true
  expect(((await list()).body as Item[]).length).toBe(500)
})

const HEAVY = 'x'.repeat(500_000)

/** What was read of a heavy table, and how often it was while nothing of the answer was taken. */
async function heavyList(count: number, limit?: number) {
  const { asked, fetchPage } = table(count, HEAVY)
  const answer = await list(fetchPage, pools(), 1, limit, HEAVY_STEP)
  const before = asked.length
  const ids: number[] = []
  let [longest, text] = [0, '']
  for await (const chunk of answer.body as AsyncIterable<string>) {
    text += String(chunk)
    longest = Math.max(longest, chunk.length)
    if (ids.length === 0 && text.length > 3 * HEAVY.length) ids.push(asked.length)
  }
  return { ...answer, asked, before, longest, ids: (JSON.parse(text) as Item[]).map(idOf) }
}

it('a short list of heavy rows is a stream too, and little of it is read before any is taken', async () => {
  const { asked, before, longest, ids } = await heavyList(150)
  expect(ids).toEqual(idsOf(150))
  expect(Math.max(...asked)).toBe(HEAVY_STEP)
  // The first step, which waited for its turn and was let go, and what is heavy enough.
  expect(before).toBe(2)
  expect(longest).toBeLessThan(700_000)
})

it.each([
  [150, 100, true],
  [101, 100, true],
  [100, 100, false],
  [60, 100, false],
  [61, 60, true],
])('of %i heavy rows a page of %i is a stream that names the next: %s', async (count, limit, isLinked) => {
  const { headers, ids } = await heavyList(count, limit)
  expect(ids).toEqual(idsOf(Math.min(count, limit)))
  expect(headers.link).toBe(isLinked ? `<${next(limit, limit)}>; rel="next"` : undefined)
})

it('a page ends where its link says, whatever is deleted and added meanwhile', async () => {
  const items = idsOf(120).map(id => ({ id, text: HEAVY }))
  const fetchPage: FetchPage<Item> = async (after, limit) =>
    items.filter(({ id }) => id > after).slice(0, limit)
  const { body, headers } = await list(fetchPage, pools(), 1, 100, HEAVY_STEP)
  expect(headers.link).toContain('after=100&')
  items.splice(50, 10)
  let text = ''
  for await (const chunk of body as AsyncIterable<string>) text += chunk
  expect(JSON.parse(text).map(idOf)).toEqual(idsOf(100).filter(id => id <= 50 || id > 60))
})

it('who waits with heavy rows for its turn has let them go', async () => {
  const { asked, fetchPage } = table(150, HEAVY)
  let begin = () => {}
  const started = new Promise<void>(resolve => {
    begin = resolve
  })
  const longRead = async () => {
    await started
    return () => {}
  }
  const answer = listAnswer({}, { fetchPage, idOf, longRead, step: HEAVY_STEP }, next)
  await new Promise(resolve => setTimeout(resolve, 20))
  expect(asked).toEqual([HEAVY_STEP])
  begin()
  await answer
  // From the beginning again.
  expect(asked).toEqual([HEAVY_STEP, HEAVY_STEP])
})
