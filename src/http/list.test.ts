// Long lists are read in steps, and a customer reads one at a time: the rows of one take nothing from the others.

import { expect, it } from 'vitest'
import type { Caller } from '../kernel/caller.ts'
import { createMetrics } from '../platform/metrics.ts'
import { createFairPools } from './fair-pools.ts'
import { type FetchPage, inSteps, listAnswer, only, reentrant } from './list.ts'

interface Item {
  id: number
  text: string
}
const idOf = ({ id }: Item) => id
const next = (after: number, limit: number) => `/next?after=${after}&limit=${limit}`
const pools = () => createFairPools({ atOnce: 3, metrics: createMetrics() })
const customer = (cuid: number) => ({ level: 'customer', cuid, appId: 1 }) as Caller

/** So many rows; notes what is asked for. */
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
function list(fetchPage: FetchPage<Item>, fairPools = pools(), cuid = 1, limit?: number) {
  const { signal } = new AbortController()
  const longRead = () =>
    fairPools.longRead({ caller: customer(cuid), cuid, signal, isAnswering: () => false })
  return listAnswer(limit === undefined ? {} : { limit }, idOf, inSteps(fetchPage, idOf, longRead), next)
}

const idsOf = (count: number) => Array.from({ length: count }, (_, n) => n + 1)

it.each([0, 1, 199, 200, 201, 400, 999])('a complete list of %i is an array, in steps', async count => {
  const { asked, fetchPage } = table(count)
  const { body } = await list(fetchPage)
  expect((body as Item[]).map(idOf)).toEqual(idsOf(count))
  expect(Math.max(...asked)).toBe(200)
})

it.each([1000, 1001, 1200, 2000, 2345])('one of %i is a stream, in steps', async count => {
  const { asked, fetchPage } = table(count)
  const { body } = await list(fetchPage)
  let text = ''
  for await (const chunk of body as AsyncIterable<string>) text += chunk
  expect(JSON.parse(text).map(idOf)).toEqual(idsOf(count))
  expect(Math.max(...asked)).toBe(200)
})

it.each([1, 199, 200, 201, 500, 1000])('a page of %i is whole, and names the next', async limit => {
  const { asked, fetchPage } = table(3000)
  const { body, headers } = await list(fetchPage, pools(), 1, limit)
  expect((body as Item[]).map(idOf)).toEqual(idsOf(limit))
  expect(headers.link).toBe(`<${next(limit, limit)}>; rel="next"`)
  expect(Math.max(...asked)).toBeLessThanOrEqual(200)
})

it('what nobody takes is not read on', async () => {
  const { asked, fetchPage } = table(5000, 'x'.repeat(1000))
  const { body } = await list(fetchPage)
  for await (const _ of body as AsyncIterable<string>) break
  expect(asked).toHaveLength(5)
})

it('of one customer one is read on at a time, and of another meanwhile', async () => {
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

it('what is sought among many waits for its turn after the first step, and has one turn in all', async () => {
  const { asked, fetchPage } = table(5000)
  let slots = 0
  let now = 0
  const longRead = reentrant(async () => {
    expect(++now).toBe(1)
    slots++
    return () => void now--
  })
  const rare = only(fetchPage, idOf, ({ id }) => id % 10 === 0, longRead)
  const { body } = await listAnswer({ limit: 300 }, idOf, inSteps(rare, idOf, longRead), next)
  expect((body as Item[]).map(idOf)).toEqual(idsOf(300).map(n => 10 * n))
  expect([Math.max(...asked), now]).toEqual([200, 0])
  // Within the first 200, and then for the rest.
  expect(slots).toBe(2)
  const { body: first } = await listAnswer({ limit: 10 }, idOf, inSteps(rare, idOf, longRead), next)
  expect([(first as Item[]).length, slots]).toEqual([10, 2])
})

it('a turn that is refused is not held', async () => {
  let isFree = false
  const longRead = reentrant(async () => {
    if (!isFree) throw new Error('too many')
    return () => {}
  })
  const { fetchPage } = table(1000)
  const list = () => listAnswer({ limit: 500 }, idOf, inSteps(fetchPage, idOf, longRead), next)
  await expect(list()).rejects.toThrow('too many')
  isFree = true
  expect(((await list()).body as Item[]).length).toBe(500)
})
