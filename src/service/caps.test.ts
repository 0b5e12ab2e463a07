// Caps for all nodes with CAPS_URL: two deliveries on one database and one Redis, asked in parallel for one user.

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

/** A busy machine refuses some requests; however many are sent, there are two bids. */
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
  return until(look, 90_000)
}

test('a campaign with a cap of 2 is shown twice and never three times, by any process, whatever becomes of the first two', async () => {
  await newServedCampaign(first, {
    campaign: { frequency: 2, dailySpend: 50 },
    persona: { geo: { geos: ['CH'] } },
  })
  // Both processes know the campaign.
  for (const at of [0, 1]) await soon(() => bid(at, `stranger-${at}`, 'CHE'))
  const won = await twoBids('u1')
  expect(await manyBids('u1', 'CHE')).toEqual([])
  for (const [at, { burl }] of won.entries()) {
    const notice = new URL(burl.replace(/\$\{AUCTION_PRICE\}/, '1.5'))
    // Reported to each process, so twice.
    for (const node of [0, 1])
      expect((await fetch(urls[(at + node) % 2]! + notice.pathname + notice.search)).status).toBeLessThan(300)
  }
  expect(await manyBids('u1', 'CHE')).toEqual([])
  await twoBids('u2')
})

test('while the caps server is away, campaigns with a cap wait and all others are served', async () => {
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

test('an emptied caps server soon gets again what was seen and what is open: a cap of 2 never shows 3', async () => {
  await newServedCampaign(first, {
    campaign: { frequency: 2, dailySpend: 50 },
    persona: { geo: { geos: ['NO'] } },
  })
  for (const at of [0, 1]) await soon(() => bid(at, `stranger-${at}`, 'NOR'))
  const takeTwo = async (user: string) => {
    const won: Bid[] = []
    await soon(async () => {
      won.push(...(await manyBids(user, 'NOR')))
      return won.length >= 2 ? true : null
    })
    expect(won).toHaveLength(2)
    return won
  }
  const seen = await takeTwo('n1')
  for (const { burl } of seen) {
    const notice = new URL(burl.replace(/\$\{AUCTION_PRICE\}/, '1.5'))
    expect((await fetch(urls[0]! + notice.pathname + notice.search)).status).toBeLessThan(300)
  }
  // Won but not seen: these keep their counts.
  await takeTwo('n4')
  await redis.empty()
  let others = 0
  await soon(async () => {
    expect(await manyBids('n1', 'NOR')).toEqual([])
    expect(await manyBids('n4', 'NOR')).toEqual([])
    others += (await manyBids('n3', 'NOR')).length
    return others > 0 ? true : null
  })
  expect(await manyBids('n1', 'NOR')).toEqual([])
  expect(await manyBids('n4', 'NOR')).toEqual([])
  expect(first.logLines.join('')).toContain('the server at CAPS_URL was emptied or is new')
})

test('an emptied caps server waits for a node that died with open ads, and says for which and until when', async () => {
  await newServedCampaign(first, { campaign: { frequency: 2 }, persona: { geo: { geos: ['FI'] } } })
  await soon(() => bid(0, 'stranger', 'FIN'))
  const dead = await first.db.row<{ node_id: number }>(
    `insert into node (name, valid_until, ads_until) values ('dead', now() - interval '1 minute', now() + interval '1 hour')
     returning node_id`,
  )
  await redis.empty()
  const says = () => first.delivery.running()!.refill.capsWaitFor()
  await soon(async () => (says()?.includes(`node ${dead!.node_id}, which is gone (until`) ? true : null))
  expect(await manyBids('f1', 'FIN')).toEqual([])
  await first.db.run('update node set ads_until = now(), valid_until = now() where node_id = $1', [
    dead!.node_id,
  ])
  await soon(async () => ((await manyBids('f2', 'FIN')).length > 0 ? true : null))
  // The caps process serves as soon as it may; this one may have to ask once more.
  await soon(async () => (says() === null ? true : null))
})

test('a user without a count left for the best campaigns gets the next one', async () => {
  const cids: string[] = []
  for (const cpm of [5, 4, 3, 2]) {
    const { cid } = await newServedCampaign(first, {
      campaign: { frequency: 1, dailySpend: 50, cpm },
      persona: { geo: { geos: ['SE'] } },
    })
    cids.push(String(cid))
  }
  // A process that knows the last campaign knows all of them.
  for (const at of [0, 1])
    await soon(async () => {
      const user = `s-${at}-${Math.random()}`
      let won: Bid | null = null
      for (const _ of cids) won = (await bid(at, user, 'SWE')) ?? won
      return won?.cid === cids.at(-1) ? true : null
    })
  const won: string[] = []
  for (const at of [0, 1, 0, 1]) won.push((await soon(() => bid(at, 's1', 'SWE'))).cid)
  expect(won).toEqual(cids)
  expect(await manyBids('s1', 'SWE')).toEqual([])
})

test('a bid for a user with counts left asks once, for the best campaign alone, and gives nothing back', async () => {
  const cids: string[] = []
  for (const cpm of [4, 3]) {
    const { cid } = await newServedCampaign(first, {
      campaign: { frequency: 5, dailySpend: 50, cpm },
      persona: { geo: { geos: ['NO'] } },
    })
    cids.push(String(cid))
  }
  await soon(async () => ((await bid(0, `n-${Math.random()}`, 'NOR'))?.cid === cids[0] ? true : null))
  const before = await redis.scriptsRun()
  for (let n = 0; n < 10; n++) expect((await bid(0, `n${n}`, 'NOR'))?.cid).toBe(cids[0])
  expect((await redis.scriptsRun()) - before).toBe(10)
})
