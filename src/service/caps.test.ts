// Caps for all nodes by CAPS_URL: two deliveries on one database and one Redis, asked in parallel for one user.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../test/support/banners.ts'
import {
  bidRequest,
  type ListeningService,
  newServedCampaign,
  startListeningService,
} from '../../test/support/delivery.ts'
import { startRedis, type TestRedis } from '../../test/support/redis.ts'
import { createLog } from '../platform/log.ts'
import { createService, type Service } from './app.ts'

let redis: TestRedis
let first: ListeningService
let second: Service
let urls: string[]

beforeAll(async () => {
  redis = await startRedis()
  first = await startListeningService({ CAPS_URL: redis.url })
  second = await createService({
    config: { ...first.config, ROLES: ['delivery'] },
    log: createLog('silent'),
    clock: first.clock,
  })
  urls = [first.url, await second.listen()]
  await second.delivery.started
})
afterAll(async () => {
  redis.thaw()
  await second?.stop()
  await first?.close()
  await redis.stop()
})

interface Bid {
  cid: string
  burl: string
}

async function bid(at: number, user: string, country: string): Promise<Bid | null> {
  const body = bidRequest({ user: { id: user }, device: { ...DEVICE, geo: { country } } })
  const answer = await fetch(urls[at % 2]! + first.bidPath, { method: 'POST', body: JSON.stringify(body) })
  if (answer.status !== 200) return null
  return ((await answer.json()) as { seatbid: { bid: Bid[] }[] }).seatbid[0]!.bid[0]!
}

const DEVICE = bidRequest().device as object

async function manyBids(user: string, country: string): Promise<Bid[]> {
  const all = await Promise.all(Array.from({ length: 40 }, (_, at) => bid(at, user, country)))
  return all.filter(one => one !== null)
}

/** A busy machine refuses some; however many are asked for, there are two. */
async function twoBids(user: string): Promise<Bid[]> {
  const won: Bid[] = []
  await soon(async () => {
    won.push(...(await manyBids(user, 'CHE')))
    return won.length >= 2 ? true : null
  })
  expect(won.length).toBe(2)
  return won
}

function soon<T>(look: () => Promise<T | null>): Promise<T> {
  return until(look, 30_000)
}

test('a cap of 2 is shown twice and never three times, by whichever process, whatever becomes of the first two', async () => {
  await newServedCampaign(first, {
    campaign: { frequency: 2, dailySpend: 50 },
    persona: { geo: { geos: ['CH'] } },
  })
  // Each of the two knows it.
  for (const at of [0, 1]) await soon(() => bid(at, `stranger-${at}`, 'CHE'))
  const won = await twoBids('u1')
  expect(await manyBids('u1', 'CHE')).toEqual([])
  for (const [at, { burl }] of won.entries()) {
    const notice = new URL(burl.replace(/\$\{AUCTION_PRICE\}/, '1.5'))
    // Reported to either, and twice.
    for (const turn of [0, 1])
      expect((await fetch(urls[(at + turn) % 2]! + notice.pathname + notice.search)).status).toBeLessThan(300)
  }
  expect(await manyBids('u1', 'CHE')).toEqual([])
  await twoBids('u2')
})

test('while nobody keeps the caps, campaigns with one wait and all others are served', async () => {
  const capped = await newServedCampaign(first, {
    campaign: { frequency: 2, cpm: 5 },
    persona: { geo: { geos: ['AT'] } },
  })
  const free = await newServedCampaign(first, {
    campaign: { cpm: 2 },
    persona: { geo: { geos: ['AT'] } },
  })
  await soon(async () => ((await bid(0, 'x', 'AUT'))?.cid === String(capped.cid) ? true : null))
  redis.freeze()
  const instead = await soon(() => bid(0, 'y', 'AUT'))
  expect(instead.cid).toBe(String(free.cid))
  await capped.customer.call('PUT', `/campaign/${free.cid}/pause`)
  redis.thaw()
  await soon(async () => ((await bid(0, 'z', 'AUT'))?.cid === String(capped.cid) ? true : null))
})
