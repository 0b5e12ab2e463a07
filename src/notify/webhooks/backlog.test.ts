// A receiver is down for days, and very much is waiting for it: others do not notice, and it can be switched off.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase } from '../../../test/support/database.ts'
import { rowsRead } from '../../../test/support/rows-read.ts'
import type { Database } from '../../platform/database.ts'
import { claimDue, settle } from './delivery-queries.ts'
import { editWebhook, giveUpRest } from './webhooks.ts'

const DOWN = 901
const FINE = 902
const WAITING = 10_000
const nowMs = Date.UTC(2030, 2, 5, 12)
const clock = { nowMs: () => nowMs }
const parts = { clock, allowPrivate: false }

let db: Database

beforeAll(async () => {
  // One connection, so that its reads can be counted.
  db = await openTestDatabase({ maxConnections: 1 })
  await db.run(`insert into app (app_id, name, created_at) values (1, 'a', now())`)
  await db.run(
    `insert into webhook (wid, app_id, url, events, enabled, secret, created_at, updated_at)
     select i, 1, 'https://hooks.example/', '{}', true, '', now(), now() from generate_series($1::integer, $2::integer) i`,
    [DOWN, FINE],
  )
  await enqueue(DOWN, WAITING, 3_600_000)
  await enqueue(FINE, 6, 1_000)
  await db.run('analyze webhook_delivery')
})
afterAll(() => db.close())

function enqueue(wid: number, count: number, agoMs: number) {
  return db.run(
    `insert into webhook_delivery (wid, event_id, type, body, created_at, next_at)
     select $1, 'msg_' || i, 'banner.approved', '{}', $3, $3::timestamptz from generate_series(1, $2::integer) i`,
    [wid, count, new Date(nowMs - agoMs)],
  )
}

async function waitingOf(wid: number): Promise<number> {
  const row = await db.row<{ count: number }>(
    `select count(*) as count from webhook_delivery where wid = $1 and state = 'pending'`,
    [wid],
  )
  return row!.count
}

it('finding the due deliveries of one webhook does not read those waiting for another', async () => {
  const options = { now: new Date(nowMs), leaseUntil: new Date(nowMs + 60_000), limit: 200, perWebhook: 4 }
  const both = await claimDue(db, options)
  expect(both.map(item => item.wid).sort()).toEqual([DOWN, DOWN, DOWN, DOWN, FINE, FINE, FINE, FINE])
  const before = await rowsRead(db, 'webhook_delivery')
  expect(await claimDue(db, options)).toEqual([])
  for (const { did, claim, wid } of both)
    if (wid === FINE)
      await settle(db, {
        did,
        claim,
        attempt: { at: 0, status: 204, error: null },
        state: 'delivered',
        nextAt: null,
      })
  const others = await claimDue(db, options)
  expect(others.map(item => item.wid)).toEqual([FINE, FINE])
  expect((await rowsRead(db, 'webhook_delivery')) - before).toBeLessThan(100)
})

it('switching a webhook off drops some waiting deliveries at once, and the rest without one long statement', async () => {
  await db.transaction(tx => editWebhook(tx, DOWN, { enabled: false }, null, parts))
  const left = await waitingOf(DOWN)
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThan(WAITING)
  await giveUpRest(db, DOWN, clock)
  expect(await waitingOf(DOWN)).toBe(0)
})

it('deliveries of a webhook that was switched on again are not dropped', async () => {
  await db.transaction(tx => editWebhook(tx, DOWN, { enabled: true }, null, parts))
  await enqueue(DOWN, 10, 1_000)
  await giveUpRest(db, DOWN, clock)
  expect(await waitingOf(DOWN)).toBe(10)
})
