// Shares on a real PostgreSQL: the two conditions hold whatever nodes ask for at once, the statements do what the model
// of the simulated days does, and a node that was replaced gets nothing.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import { insertCampaigns } from '../../../test/support/campaign-rows.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { seededRandom } from '../../../test/support/random.ts'
import { createShareModel } from '../../../test/support/share-model.ts'
import { openTcpProxy } from '../../../test/support/tcp-proxy.ts'
import { type Database, openDatabase, sqlState } from '../../platform/database.ts'
import { migrate } from '../../platform/migrate.ts'
import { endNode, insertNode, resumeNode } from './node-queries.ts'
import type { Ask, NodeRef, ShareStore } from './share.ts'
import { createShareStore } from './shares.ts'

const DAY = 20261115
const DAILY = 1_000_000
const MAX_TTL_MS = 60_000
/** Longer than any test takes. */
const VALID_FOR_MS = 600_000
const CHECK_VIOLATION = '23514'

let database: TestDatabase
let db: Database
let store: ShareStore
let cids: number[]

beforeAll(async () => {
  database = await createTestDatabase()
  await migrate(database.url)
  db = openDatabase({ url: database.url, maxConnections: 8, onError: () => {} })
  store = createShareStore(db, MAX_TTL_MS)
})
afterAll(async () => {
  await db.close()
  await database.drop()
})
beforeEach(async () => {
  await db.run('update node set gone = true')
  cids = await insertCampaigns(db, 4, DAILY)
})

async function join(name: string = crypto.randomUUID()): Promise<NodeRef> {
  const row = (await insertNode(db, name, VALID_FOR_MS, MAX_TTL_MS))!
  return { nodeId: row.node_id, epoch: row.epoch }
}

const ask = (cid: number, targetMicros: number, more: Partial<Ask> = {}): Ask => ({
  cid,
  payer: 0,
  dayKey: DAY,
  targetMicros,
  leastMicros: 1,
  reservedMicros: 0,
  rateMicros: 0,
  meanMicros: 0,
  endedMicros: 0,
  line: null,
  isNew: true,
  ...more,
})

async function sums(cid: number) {
  return db.row<{ granted: number; limit: number; shares: number; billed: number }>(
    `select b.granted_micros as granted, b.limit_micros as limit, sum(s.granted_micros) as shares,
       sum(s.billed_micros) as billed
     from budget b join share s using (day, cid) where b.cid = $1 and b.day = $2 group by 1, 2`,
    [cid, DAY],
  )
}

const bill = (node: NodeRef, cid: number, micros: number) =>
  db.run(
    `update share set billed_micros = billed_micros + $4
     where day = $1 and cid = $2 and node_id = $3 and billed_micros + $4 <= granted_micros`,
    [DAY, cid, node.nodeId, micros],
  )

describe('granting', () => {
  it('many nodes that ask at once are never granted more than the budget, and never wait for each other forever', async () => {
    const random = seededRandom('shares at once')
    const nodes = await Promise.all(Array.from({ length: 8 }, () => join()))
    const asksOf = () =>
      cids
        .toSorted(() => random.next() - 0.5)
        .map(cid => ask(cid, random.int(DAILY / 2), { leastMicros: 1000 }))
    for (let round = 0; round < 12; round++) {
      await Promise.all(nodes.map(node => store.move(node, asksOf())))
      for (const cid of cids) {
        const { granted, limit, shares } = (await sums(cid))!
        expect(granted).toBe(shares)
        expect(granted).toBeLessThanOrEqual(DAILY)
        expect(limit).toBe(DAILY)
      }
    }
  })

  it('a node that is alone gets what it asks for; of several, each gets a part, at least one impression', async () => {
    const first = await join()
    const [grant] = await store.move(first, [ask(cids[0]!, DAILY - 3000)])
    expect(grant).toMatchObject({ grantedMicros: DAILY - 3000, poolMicros: 3000 })
    const second = await join()
    const [small] = await store.move(second, [ask(cids[0]!, DAILY, { leastMicros: 1000 })])
    expect(small).toMatchObject({ grantedMicros: 1000, poolMicros: 2000 })
    const [none] = await store.move(second, [ask(cids[0]!, DAILY, { leastMicros: 2001 })])
    expect(none).toMatchObject({ grantedMicros: 1000, poolMicros: 2000 })
  })

  it('a node learns what another one lacks and it holds; the other learns once that there is money again', async () => {
    const [cid, dear] = cids as [number, number]
    const [holder, lacking, third] = [await join(), await join(), await join()]
    await store.move(holder, [
      ask(cid, DAILY, { leastMicros: DAILY }),
      ask(dear, DAILY, { leastMicros: DAILY }),
    ])
    await bill(holder, dear, DAILY)
    // Of a budget that is spent, nobody has anything to give back.
    const wants = [cid, dear].map(one => ({ cid: one, dayKey: DAY, leastMicros: 1000 }))
    for (let times = 0; times < 2; times++) await store.want(lacking, wants)
    expect(await store.wanted(holder)).toEqual([{ cid, dayKey: DAY, isBack: false }])
    expect(await store.wanted(third)).toEqual([])
    expect(await store.wanted(lacking)).toEqual([])
    await store.move(holder, [ask(cid, DAILY - 999, { isNew: false })])
    expect(await store.wanted(lacking)).toEqual([])
    await store.move(holder, [ask(cid, 0, { isNew: false })])
    expect(await store.wanted(holder)).toEqual([])
    expect(await store.wanted(lacking)).toEqual([{ cid, dayKey: DAY, isBack: true }])
    expect(await store.wanted(lacking)).toEqual([])
  })

  it('a request whose answer was lost may be repeated', async () => {
    const node = await join()
    for (let i = 0; i < 3; i++)
      expect((await store.move(node, [ask(cids[0]!, 5000)]))[0]).toMatchObject({ grantedMicros: 5000 })
    for (let i = 0; i < 3; i++)
      expect((await store.move(node, [ask(cids[0]!, 2000)]))[0]).toMatchObject({ grantedMicros: 2000 })
  })

  it('a lowered budget grants nothing until enough has come back, and keeps what is billed', async () => {
    const node = await join()
    await store.move(node, [ask(cids[0]!, 500_000)])
    await bill(node, cids[0]!, 200_000)
    await db.run('update campaign set daily_spend_micros = 100000 where cid = $1', [cids[0]])
    const [none] = await store.move(node, [ask(cids[0]!, 600_000)])
    expect(none).toMatchObject({ grantedMicros: 500_000, poolMicros: -400_000 })
    const [less] = await store.move(node, [ask(cids[0]!, 0)])
    expect(less).toMatchObject({ grantedMicros: 200_000, billedMicros: 200_000, poolMicros: -100_000 })
    await db.run('update campaign set daily_spend_micros = 300000 where cid = $1', [cids[0]])
    const [more] = await store.move(node, [ask(cids[0]!, 600_000)])
    expect(more).toMatchObject({ grantedMicros: 300_000, poolMicros: 0 })
  })

  it('the tables themselves refuse what no statement may do', async () => {
    const node = await join()
    await store.move(node, [ask(cids[0]!, 5000)])
    const over = db.run('update share set billed_micros = 5001 where cid = $1', [cids[0]])
    expect(sqlState(await over.catch(error => error))).toBe(CHECK_VIOLATION)
    const beyond = db.run('update budget set granted_micros = $2 where cid = $1', [cids[0], DAILY + 1])
    expect(sqlState(await beyond.catch(error => error))).toBe(CHECK_VIOLATION)
  })
})

describe('a node', () => {
  it('that was replaced is not renewed and gets nothing', async () => {
    const node = await join('same')
    const heir = await resumeNode(db, node.nodeId, 'same', 10_000, MAX_TTL_MS)
    expect(heir?.epoch).toBe(node.epoch + 1)
    expect(await store.renew(node)).toBeNull()
    expect(await store.move(node, [ask(cids[0]!, 5000)])).toEqual([])
    expect(await resumeNode(db, node.nodeId, 'another database', 10_000, MAX_TTL_MS)).toBeNull()
  })

  it('that is dead keeps its shares until its last ad has expired; then they are returned, and it cannot come back', async () => {
    const dead = await join('dead')
    const other = await join()
    await store.move(dead, [ask(cids[0]!, 300_000), ask(cids[1]!, 300_000)])
    await bill(dead, cids[0]!, 1234)
    expect((await store.reclaim()).gone).not.toContain(dead.nodeId)
    await endNode(db, dead, 0)
    expect((await store.reclaim()).gone).toContain(dead.nodeId)
    expect(await sums(cids[0]!)).toMatchObject({ granted: 1234, shares: 1234, billed: 1234 })
    expect(await bill(dead, cids[0]!, 1)).toBe(0)
    expect(await store.renew(dead)).toBeNull()
    expect(await resumeNode(db, dead.nodeId, 'dead', 10_000, MAX_TTL_MS)).toBeNull()
    expect((await store.move(other, [ask(cids[0]!, DAILY)]))[0]).toMatchObject({
      grantedMicros: DAILY - 1234,
    })
  })

  it('that is away still holds the money of its ads, and its rate of requests fades minute by minute', async () => {
    const away = await join()
    const other = await join()
    const reported = { reservedMicros: 700, rateMicros: 100_000, meanMicros: 90_000 }
    await store.move(away, [ask(cids[0]!, 5000, reported)])
    const others = async () => (await store.move(other, [ask(cids[0]!, 5000)]))[0]!.others
    expect(await others()).toEqual({ ...reported, yieldRatio: 0, endedMicros: 0 })
    await db.run(`update node set valid_until = now() - interval '2 min' where node_id = $1`, [away.nodeId])
    const { rateMicros, ...rest } = await others()
    expect(rest).toEqual({ reservedMicros: 700, meanMicros: 90_000, yieldRatio: 0, endedMicros: 0 })
    expect(rateMicros).toBeGreaterThan(45_000)
    expect(rateMicros).toBeLessThanOrEqual(49_000)
    await db.run(`update node set valid_until = now() - interval '60 days' where node_id = $1`, [away.nodeId])
    expect((await others()).rateMicros).toBe(0)
  })

  it('has a duty alone until its lease is over', async () => {
    const first = await join()
    const second = await join()
    const duty = `duty ${first.nodeId}`
    expect(await store.lease(duty, first, 1000)).toBe(true)
    expect(await store.lease(duty, second, 1000)).toBe(false)
    expect(await store.lease(duty, first, 0)).toBe(true)
    await db.run(`update duty set until = now() - interval '1 ms' where name = $1`, [duty])
    expect(await store.lease(duty, second, 1000)).toBe(true)
    expect(await store.lease(duty, first, 1000)).toBe(false)
  })

  it('is told what became of its ads until it confirms', async () => {
    const node = await join()
    await store.sendNews([node.nodeId], [Buffer.from('one')])
    const [news] = await store.news(node, [])
    expect(news!.ads.toString()).toBe('one')
    expect((await store.news(node, [])).map(one => one.newsId)).toEqual([news!.newsId])
    expect(await store.news(node, [news!.newsId])).toEqual([])
  })
})

it('a host that vanishes in the middle of a transaction blocks a budget for seconds only', async () => {
  const proxy = await openTcpProxy(database.url)
  const vanished = openDatabase({ url: proxy.url, maxConnections: 1, statementMs: 1_000, onError: () => {} })
  const node = await join()
  await store.move(node, [ask(cids[0]!, 5000)])
  const lost = vanished.transaction(async tx => {
    await tx.run('update budget set granted_micros = granted_micros where cid = $1', [cids[0]])
    proxy.vanish()
    await tx.run('select 1')
  })
  await expect(lost).rejects.toThrow()
  const grant = await until(
    async () => (await store.move(node, [ask(cids[0]!, 9000)]).catch(() => null))?.[0],
  )
  expect(grant).toMatchObject({ grantedMicros: 9000 })
  await vanished.close()
  await proxy.close()
})

it('over random requests the statements do what the model does', async () => {
  const random = seededRandom('shares against the model')
  const daily = new Map(cids.map(cid => [cid, DAILY]))
  const model = createShareModel({ nowMs: () => 0, maxTtlMs: MAX_TTL_MS, dailyOf: cid => daily.get(cid) })
  const pairs = await Promise.all(
    Array.from({ length: 3 }, async () => ({ real: await join(), modelled: model.join() })),
  )
  for (let step = 0; step < 150; step++) {
    const { real, modelled } = random.pick(pairs)
    const cid = random.pick(cids)
    if (random.int(10) === 0) {
      daily.set(cid, random.int(2 * DAILY))
      await db.run('update campaign set daily_spend_micros = $2 where cid = $1', [cid, daily.get(cid)])
    }
    if (random.int(3) === 0) {
      const micros = random.int(50_000)
      const adId = Buffer.from(String(step).padStart(12, '0')).toString('base64url')
      const ad = { adId, nodeId: modelled.nodeId, cid, dayKey: DAY }
      expect((await bill(real, cid, micros)) === 1).toBe(model.charge(modelled.nodeId, ad, micros))
    }
    const asks = cids
      .filter(() => random.int(2) === 0)
      .map(one =>
        ask(one, random.int(DAILY), {
          leastMicros: random.int(3000),
          reservedMicros: random.int(1000),
          rateMicros: random.int(1000),
          meanMicros: random.int(1000),
          endedMicros: random.int(100_000),
          line: random.int(3) ? null : { fromMs: random.int(1000), spentMicros: random.int(1000) },
        }),
      )
    const got = await store.move(real, asks)
    const wanted = await model.move(modelled, asks)
    expect(got.toSorted((a, b) => a.cid - b.cid)).toEqual(wanted.toSorted((a, b) => a.cid - b.cid))
  }
})
