// Three processes deliver, on one real PostgreSQL. Ads are requested from one and reported to another while processes
// are killed, frozen for longer than they are valid, cut off and black-holed, a host vanishes without closing anything,
// and the database is killed. A daily or total budget of 200 impressions never sells 201, the six-second flights of 10
// never 11, and one of 40 clicks never 41. A cap of 2 never shows 3, what was acknowledged is counted once, and the
// figures equal the events. SEED replays.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { VALID_MS } from '../../src/budget/shares/share.ts'
import { foldAll } from '../../src/count/fold/fold.ts'
import { type Database, openDatabase } from '../../src/platform/database.ts'
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { until } from '../support/banners.ts'
import { figuresMustBeTheEvents } from '../support/counting.ts'
import { freePort } from '../support/ports.ts'
import { IS_LONG } from '../support/random.ts'
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { type Caller, createCaller } from './calls.ts'
import { countedKeys } from './figures.ts'
import { type Exchange, type NewOrder, type Order, openExchanges, placeOrders } from './orders.ts'
import { type Random, randomFrom, SEED, takeAny } from './random.ts'
import { settingsFor, startWholeService, ZONE } from './service.ts'
import { bidRequestFor, clickOf, impressionOf, type Report, soldAdOf } from './sold-ad.ts'
import type { Life } from './world.ts'

const NODES = 3
const order = (country: string, country3: string, more: Partial<NewOrder>): NewOrder => ({
  ...{ country, country3, cpmMicros: 2_000_000, freq: 0, pacing: 'asap', isFickle: false },
  dailySpendMicros: 1_000_000_000,
  ...more,
})
const SMALL = order('CA', 'CAN', { dailySpendMicros: 400_000 })
const CAPPED = order('DE', 'DEU', { freq: 2 })
const ROOMY = order('FR', 'FRA', {})
/** As small as SMALL, by its total. */
const TOTAL = order('ES', 'ESP', { totalSpendMicros: 400_000 })
/** And by its month. */
const MONTH = order('NL', 'NLD', { monthlySpendMicros: 400_000 })
/** Its flights follow each other while ads are open. */
const FLOWN = order('IT', 'ITA', { flights: { count: 200, seconds: 6, totalMicros: 20_000 } })
const CLICKS = order('PT', 'PRT', { cpcMicros: 10_000, dailySpendMicros: 400_000 })
/** Freezing and swallowing last longer than a node is valid: the usual test run does both at once, to two nodes. */
const FAULTS = IS_LONG
  ? (['kill', 'freeze', 'cut', 'swallow', 'vanish', 'database', 'freeze and swallow'] as const)
  : (['kill', 'cut', 'vanish', 'database', 'freeze and swallow'] as const)

interface Node {
  proxy: TcpProxy
  life: Life
  pid: () => number
  url: string
  start(): void
}

interface Traffic {
  acknowledged: Set<string>
  attempted: Set<string>
  /** Ads of the capped campaign that were shown, by user. */
  shown: Map<string, Set<string>>
  ads: number
  elsewhere: number
  stop(): Promise<void>
}

test('whatever happens to processes and their connections to the database, no budget and no cap is exceeded', {
  timeout: 300_000,
}, async () => {
  console.log(`nodes: SEED=${SEED}`)
  const random = randomFrom(SEED)
  const dir = await mkdtemp(join(tmpdir(), 'marquee-nodes-'))
  const startPostgres = () => startEmbeddedPostgres({ dataDir: join(dir, 'database'), log: () => {} })
  let postgres = await startPostgres()
  const { url } = postgres
  const nodes: Node[] = []
  const caller = createCaller(24)
  let db: Database | null = null
  try {
    await migrate(url)
    db = openDatabase({ url, maxConnections: 2, onError: () => {} })
    const exchanges = await openExchanges(db)
    const orders = await placeOrders(db, [SMALL, CAPPED, ROOMY, TOTAL, FLOWN, CLICKS, MONTH], 0)
    for (let n = 0; n < NODES; n++) nodes.push(await startNode(url, join(dir, `node-${n}`)))
    await Promise.all(nodes.map(node => node.life.started))
    const traffic = startTraffic({ nodes, orders, exchanges, caller })

    const bag = [...FAULTS]
    while (bag.length > 0) {
      await sleep(1000 + random(1000))
      const fault = takeAny(bag, random)!
      const at = random(NODES)
      const node = nodes[at]!
      console.log(`nodes: ${fault}`)
      if (fault === 'kill') {
        await node.life.kill()
        await sleep(random(2000))
        node.start()
      } else if (fault === 'freeze') await freeze(node)
      else if (fault === 'swallow') await swallow(node)
      else if (fault === 'freeze and swallow')
        await Promise.all([freeze(node), swallow(nodes[(at + 1) % NODES]!)])
      else if (fault === 'cut') node.proxy.cut()
      else if (fault === 'vanish') {
        node.proxy.vanish()
        await node.life.kill()
        // The others continue to sell and count, although the database never learns that the node is gone.
        const before = traffic.acknowledged.size
        await until(async () => (traffic.acknowledged.size > before + 20 ? true : null), 60_000)
        node.proxy.heal()
        node.start()
      } else {
        process.kill(postgres.pid, 'SIGKILL')
        await postgres.exited
        await postgres.stop()
        postgres = await startPostgres()
      }
    }
    // All nodes deliver again, and the small budgets are used up.
    await Promise.all(nodes.map(node => until(() => soldBy(caller, node, orders[2]!, exchanges[0]!), 60_000)))
    for (const small of [orders[0]!, orders[3]!, orders[6]!])
      await until(async () => ((await spentOf(db!, small)) >= 0.97 * 400_000 ? true : null), 120_000)
    await traffic.stop()

    const { ads, elsewhere, acknowledged } = traffic
    console.log(`nodes: ${JSON.stringify({ ads, elsewhere, acknowledged: acknowledged.size })}`)
    const counted = new Set(await countedKeys(db))
    expect(acknowledged.size).toBeGreaterThan(100)
    expect([...acknowledged].filter(key => !counted.has(key))).toEqual([])
    expect([...counted].filter(key => !traffic.attempted.has(key))).toEqual([])
    for (const small of [orders[0]!, orders[3]!, orders[6]!])
      expect(await spentOf(db, small)).toBeLessThanOrEqual(400_000)
    const clicked = await spentOf(db, orders[5]!, 'c')
    console.log(`nodes: clicks ${clicked}`)
    expect(clicked).toBeGreaterThan(0)
    expect(clicked).toBeLessThanOrEqual(400_000)
    expect(await spentOf(db, orders[5]!)).toBe(0)
    const flown = await db.rows<{ micros: number }>(
      `select sum(e.spend_micros)::bigint as micros from event e join leaf using (leaf)
       where e.cid = $1 and kind = 'i' group by leaf.fid`,
      [orders[4]!.cid],
    )
    const sums = flown.map(({ micros }) => micros)
    console.log(`nodes: flights ${sums.join()}`)
    expect(sums.length).toBeGreaterThan(3)
    expect(Math.max(...sums)).toBeLessThanOrEqual(20_000)
    const users = await db.rows<{ imps: number }>(
      `select count(*) as imps from event where cid = $1 and kind = 'i' group by budget_day, user_hi, user_lo`,
      [orders[1]!.cid],
    )
    expect(Math.max(...users.map(user => user.imps))).toBe(2)
    expect(Math.max(...[...traffic.shown.values()].map(ads => ads.size))).toBe(2)
    await figuresMustBeTheEvents(db, ZONE)
    await foldAll(db)
    await figuresMustBeTheEvents(db, ZONE)
    const wrong = await db.rows(
      `select day, cid from budget b join share s using (day, cid) group by day, cid, b.granted_micros
       having sum(s.granted_micros) <> b.granted_micros`,
    )
    expect(wrong).toEqual([])
  } finally {
    for (const node of nodes) {
      // SIGKILL ends even a frozen process.
      await node.life.kill()
      await node.proxy.close()
    }
    caller.cut()
    await db?.close()
    await postgres.stop()
    await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
})

async function startNode(databaseUrl: string, dataDir: string): Promise<Node> {
  const proxy = await openTcpProxy(databaseUrl)
  const port = await freePort()
  const settings: Record<string, string> = { ...settingsFor(port, proxy.url, dataDir), ROLES: 'delivery' }
  const born = () => startWholeService(settings, () => undefined)
  const node: Node = {
    proxy,
    life: born(),
    pid: () => node.life.pid?.() ?? 0,
    url: settings.PUBLIC_URL!,
    start: () => {
      node.life = born()
    },
  }
  return node
}

async function freeze(node: Node): Promise<void> {
  process.kill(node.pid(), 'SIGSTOP')
  await sleep(VALID_MS + 2000)
  process.kill(node.pid(), 'SIGCONT')
}

async function swallow({ proxy }: Node): Promise<void> {
  proxy.swallow()
  await sleep(VALID_MS + 2000)
  proxy.heal()
}

async function soldBy(caller: Caller, node: Node, order: Order, exchange: Exchange): Promise<true | null> {
  const body = bidRequestFor(order, 1000, () => 0)
  const answer = await caller.call(node.url, { method: 'POST', path: exchange.bidPath, body }, null)
  return answer?.status === 200 ? true : null
}

async function spentOf(db: Database, { cid }: Order, kind: 'i' | 'c' = 'i'): Promise<number> {
  const row = await db.row<{ micros: number }>(
    `select coalesce(sum(spend_micros), 0)::bigint as micros from event where cid = $1 and kind = $2`,
    [cid, kind],
  )
  return row!.micros
}

interface Held {
  report: Report
  from: Node
  user: string
}

interface TrafficOptions {
  nodes: Node[]
  orders: Order[]
  exchanges: Exchange[]
  caller: Caller
}

function startTraffic({ nodes, orders, exchanges, caller }: TrafficOptions): Traffic {
  const isSmall = (order: Order) => [0, 3, 6].some(n => order === orders[n])
  const traffic: Omit<Traffic, 'stop'> = {
    ...{ acknowledged: new Set(), attempted: new Set(), shown: new Map() },
    ...{ ads: 0, elsewhere: 0 },
  }
  const held: Held[] = []
  let isStopping = false

  async function ask(random: Random): Promise<void> {
    const node = nodes[random(nodes.length)]!
    const exchange = exchanges[random(exchanges.length)]!
    const body = bidRequestFor(orders[random(orders.length)]!, 40, random)
    const askedMs = Date.now()
    const answer = await caller.call(node.url, { method: 'POST', path: exchange.bidPath, body }, null)
    if (answer?.status !== 200) return
    traffic.ads++
    const report = impressionOf(soldAdOf(answer.text, orders, exchange, askedMs, 0), random)
    held.push({ report, from: node, user: JSON.parse(body).user.id })
  }

  /** As far as anybody can know, an ad that was not reported in time was not shown. */
  function show({ report: { ad }, user }: Held): void {
    if (ad.order !== orders[1] || Date.now() >= ad.reservedUntilMs) return
    traffic.shown.set(user, (traffic.shown.get(user) ?? new Set()).add(ad.adId))
  }

  async function tell(one: Held, random: Random): Promise<void> {
    const { report, from } = one
    const node = nodes[random(nodes.length)]!
    traffic.attempted.add(report.key!)
    if (node !== from) traffic.elsewhere++
    const answer = await caller.call(node.url, report, null)
    // If money or cap counts may have run out, an acknowledged notice may still have been too late.
    const isRoomy = report.ad.order === orders[2] && Date.now() < report.ad.reservedUntilMs
    if (answer?.status === 200 && isRoomy) traffic.acknowledged.add(report.key!)
    if (answer?.status === 200) show(one)
    if (answer?.status === 200 && report.ad.order.cpcMicros && random(2) === 0)
      held.push({ ...one, report: clickOf(report.ad) })
    // Without reports, money of the small budgets would be held until the end of the test.
    if (answer?.status !== report.success && (isSmall(report.ad.order) || random(5) > 0)) held.push(one)
  }

  async function work(random: Random): Promise<void> {
    while (!isStopping) {
      const one = held.length > 100 || random(2) === 0 ? takeAny(held, random) : undefined
      if (one) await tell(one, random)
      else await ask(random)
      await sleep(random(60))
    }
  }

  const working = Promise.all(Array.from({ length: 12 }, (_, n) => work(randomFrom(SEED + 1 + n))))
  return Object.assign(traffic, {
    async stop() {
      isStopping = true
      await working
    },
  })
}
