// Following the record of changes: no change is lost, and each is read about once, whatever transactions are open.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openTestDatabase } from '../../../test/support/database.ts'
import type { Database, Db } from '../../platform/database.ts'
import { LONGEST_GAP_MS, startFollowing } from './follow.ts'
import type { ChangedIds } from './reload.ts'

let db: Database
let counting: Db
let rowsRead = 0
let nowMs = 0

beforeAll(async () => {
  db = await openTestDatabase()
  counting = {
    ...db,
    async rows<Row>(text: string, params?: readonly unknown[]) {
      const rows = await db.rows<Row>(text, params)
      rowsRead += rows.length
      return rows
    },
    async row<Row>(text: string, params?: readonly unknown[]) {
      const row = await db.row<Row>(text, params)
      rowsRead += (row as { changes?: unknown[] }).changes?.length ?? 0
      return row
    },
  }
})
beforeEach(() => {
  rowsRead = 0
})
afterAll(() => db.close())

const change = (at: Db, from: number, to = from) =>
  at.run(
    `insert into catalog_change (noun, id) select 'persona', i from generate_series($1::integer, $2::integer) i`,
    [from, to],
  )

async function follow() {
  const follower = await startFollowing(counting, () => nowMs)
  return async () => {
    const seen: number[] = []
    let isLost = false
    await follower.poll(
      async (changed: ChangedIds) => void seen.push(...changed.persona),
      async () => {
        isLost = true
      },
    )
    return isLost ? 'lost' : seen.sort((a, b) => a - b)
  }
}

it('an open transaction does not cause later changes to be read again, and its own change is not lost', async () => {
  const poll = await follow()
  await db.transaction(async slow => {
    await change(slow, 1)
    for (let n = 0; n < 5; n++) await change(db, 1000 + 500 * n, 1499 + 500 * n)
    expect(await poll()).toHaveLength(2500)
    rowsRead = 0
    await change(db, 9)
    expect(await poll()).toEqual([9])
    expect(await poll()).toEqual([])
    expect(rowsRead).toBe(1)
  })
  expect(await poll()).toEqual([1])
  expect(await poll()).toEqual([])
})

it('a change that could not be applied is read again', async () => {
  const follower = await startFollowing(db, () => nowMs)
  await change(db, 5)
  const fails = follower.poll(
    () => Promise.reject(new Error('away')),
    async () => {},
  )
  await expect(fails).rejects.toThrow('away')
  const seen: number[] = []
  await follower.poll(
    async changed => void seen.push(...changed.persona),
    async () => {},
  )
  expect(seen).toEqual([5])
})

it('after a gap longer than rows are kept, everything is read again', async () => {
  const poll = await follow()
  nowMs += LONGEST_GAP_MS + 1
  expect(await poll()).toBe('lost')
  await change(db, 6)
  expect(await poll()).toEqual([6])
})
