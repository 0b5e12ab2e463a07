// Simulated days and weeks of money: one or several nodes on a real PostgreSQL with a virtual clock. Nodes die with or
// without their journal, freeze, are cut off, lose answers and have wrong clocks, while limits change and credits come.
// Each step takes a short time, and the time until the next is skipped. Statements run one at a time, so a seed replays
// the same weeks.

import type { AdFacts } from '../../src/budget/ledger/ad.ts'
import { writeNews } from '../../src/budget/shares/news.ts'
import type { ServedAd } from '../../src/count/tracking/ad.ts'
import { paidMs } from '../../src/count/tracking/calls.ts'
import type { AdEvent } from '../../src/count/tracking/event.ts'
import { isOpenAt } from '../../src/kernel/time/hours.ts'
import { HOUR_MS } from '../../src/kernel/time/units.ts'
import type { MoneyModel } from './money-model.ts'
import { createMoneyNodes, type Place } from './money-nodes.ts'
import type { MoneyWorld, Order } from './money-world.ts'
import { pickBy, type Random } from './random.ts'
import type { VirtualDatabase } from './virtual-database.ts'

export interface MoneyWeeks {
  db: VirtualDatabase
  world: MoneyWorld
  model: MoneyModel
  random: Random
  clock: { nowMs: number }
  nodes: number
  startMs: number
  endMs: number
  stepMs: number
  requestsAStep: number
  /** Limits change every this many steps. */
  changeSteps: number
}

interface Notice {
  kind: 'impression' | 'click' | 'loss'
  order: Order
  ad: ServedAd
  paidMicros: number
  dueMs: number
}

interface Begun {
  notice: Notice
  event: AdEvent
  settle(outcome: 'counted' | 'duplicate' | 'late' | 'unseen' | 'failed'): void
}

const TTL_S = 1_500
/** A loss notice comes after this time. */
const LOSS_MS = 1_000
/** After this time, a campaign that has run dry has asked for money and has its answer. */
const ANSWERED_MS = 500
/** A larger change is a step of the clock, a smaller one a correction (platform/steady-clock.ts). */
const STEP_MS = 60_000
/** A fault hits a node in one of this many steps. */
const STRIKE_STEPS = 60

export async function playMoneyWeeks(weeks: MoneyWeeks) {
  const { db, world, model, random, clock, startMs, endMs, stepMs } = weeks
  const nodes = createMoneyNodes(db, world, random, clock, weeks.nodes)
  const { places, isCut, isThere } = nodes
  const counts = {
    deaths: 0,
    freezes: 0,
    cuts: 0,
    jumps: 0,
    late: 0,
    unseen: 0,
    elsewhere: 0,
    sold: 0,
    lostAnswers: 0,
  }
  /** Events that reporters were told were counted, and events that really were. */
  const acknowledged = new Map<string, number>()
  const counted = new Set<string>()
  let notices: Notice[] = []
  let adNumber = 0

  async function setTime(ms: number): Promise<void> {
    clock.nowMs = ms
    await db.setClock(ms)
  }

  async function request(place: Place): Promise<void> {
    if (place.working!.refill.validMs() < 2 * ANSWERED_MS && !isCut(place)) await roundAt(place, 0)
    if (!place.working) return
    const { ledger, ref, orders, refill } = place.working
    const order = pickBy(world.orders, one => one.weight, random)
    const live = orders.get(order.cid)!.campaign
    const flightAt = (ms: number) => order.flights.find(one => ms >= one.startMs && ms < one.endMs)
    const flight = flightAt(clock.nowMs)
    if (!flight || !flightAt(clock.nowMs + place.offsetMs)) return
    if (!isOpenAt(live.hours, clock.nowMs) || !isOpenAt(live.hours, clock.nowMs + place.offsetMs)) return
    const paidMicros = order.clickRate
      ? order.priceMicros
      : Math.floor(order.priceMicros * (0.8 + 0.2 * random.next()))
    const isClicked = order.clickRate !== null && random.next() < order.clickRate
    const isWon = random.next() < order.winShare
    const delayMs = Math.ceil(-80_000 * Math.log(1 - random.next()))
    const isInTime = delayMs + 2 * stepMs < TTL_S * 1000
    const isPaid = isWon && isInTime && (isClicked || order.clickRate === null)
    const hasLossNotice = !isWon && random.int(2) > 0
    if (refill.mayPromise() && place.wrongUntilMs === 0) {
      const { key } = ledger.today(order.cid, clock.nowMs)
      // An ad paid by click holds nothing.
      const heldMs = isPaid ? delayMs : hasLossNotice ? LOSS_MS : TTL_S * 1000
      const offer = {
        priceMicros: order.priceMicros,
        paidMicros: isPaid ? paidMicros : 0,
        untilMs: clock.nowMs + (order.clickRate === null ? heldMs : 0),
      }
      model.offer(world.keysOf(order, key, flight.fid), order.payer.cuid, offer, clock.nowMs)
    }
    const facts = await reserve(place, order)
    if (!facts) return
    const servedMs = clock.nowMs + place.offsetMs
    const { fid } = flightAt(servedMs) ?? flight
    const ad = adOf(order, facts.payer || fid, facts, ref.nodeId, servedMs)
    const notice = { kind: 'impression' as const, order, ad, paidMicros, dueMs: clock.nowMs + delayMs }
    if (isWon) notices.push(notice)
    else if (hasLossNotice) notices.push({ ...notice, kind: 'loss', dueMs: clock.nowMs + LOSS_MS })
    const click = { ...notice, kind: 'click' as const, dueMs: notice.dueMs + random.int(60_000) }
    if (isWon && isClicked) notices.push(click)
    // Some outcomes are reported twice.
    if (isWon && random.int(20) === 0)
      notices.push({ ...(isClicked ? click : notice), dueMs: notice.dueMs + random.int(60_000) })
  }

  /** Requests come closer together than real ones, so the database answers before the next request comes. */
  async function reserve(place: Place, order: Order): Promise<AdFacts | null> {
    const { ledger } = place.working!
    const { cid, clickRate } = order
    const price = clickRate
      ? { priceMicros: 0, click: { priceMicros: order.priceMicros, rate: clickRate } }
      : { priceMicros: order.priceMicros }
    const adId = Buffer.from(`${world.orders[0]!.cid}-${adNumber++}`.padStart(12, '0')).toString('base64url')
    const wish = { adId, cid, ...price, user: null, ttlMs: TTL_S * 1000, random: random.next() }
    const now = () => clock.nowMs + place.offsetMs
    let facts = ledger.reserve(wish, now())
    if (facts === 'share_wait') {
      clock.nowMs += ANSWERED_MS
      await nodes.fillShort(place)
      facts = ledger.reserve(wish, now())
    }
    if (facts === 'share_wait' && !isCut(place)) {
      await roundAt(place, ANSWERED_MS)
      facts = ledger.reserve(wish, now())
    }
    if (typeof facts === 'string' || !place.working) return null
    const today = ledger.today(cid, now()).key
    if (today !== facts.dayKey) throw new Error(`${cid}: promised from ${facts.dayKey} on ${today}`)
    return facts
  }

  async function roundAt(place: Place, inMs: number): Promise<void> {
    await setTime(clock.nowMs + inMs)
    await nodes.round(place)
  }

  /** Takes a batch of notices at one node. */
  async function take(place: Place, some: Notice[]): Promise<void> {
    const { ledger, ref, store } = place.working!
    const begun = new Map<string, Begun>()
    for (const notice of some) {
      const { ad, kind } = notice
      const isOwn = ad.nodeId === ref.nodeId
      if (kind === 'loss') {
        const news = writeNews([{ end: 'lost', adId: ad.adId, chargeMicros: 0 }])
        if (isOwn) ledger.release(ad.adId)
        else await store.sendNews([ad.nodeId!], [news])
        continue
      }
      if (!isOwn) counts.elsewhere++
      const one = kind === 'click' ? await beginClick(place, notice) : beginImpression(place, notice)
      if (!place.working) return
      // Of two reports of the same click, the first gets the money.
      if (one && !begun.has(keyOf(notice))) begun.set(keyOf(notice), one)
    }
    if (begun.size > 0) await write(place, [...begun.values()])
  }

  function beginImpression(place: Place, notice: Notice): Begun | null {
    const { ad, paidMicros, order } = notice
    const nowMs = clock.nowMs + place.offsetMs
    const claim = place.working!.claims.claim(ad, order.clickRate ? 0 : paidMicros, nowMs)
    if (!claim.isBillable) return null
    const { chargeMicros: spendMicros, nodeId, freq, lastMs } = claim
    const event = { ad, atMs: paidMs(ad, nowMs, lastMs), spendMicros, nodeId, freq }
    return { notice, event: { kind: 'impression', ...event }, settle: claim.settle }
  }

  /** Works like the claims, but does not wait in real time for money that is on its way. */
  async function beginClick(place: Place, notice: Notice): Promise<Begun | null> {
    const { ledger, ref } = place.working!
    const { ad, order, paidMicros: spendMicros } = notice
    // The impression is not reported yet, and visitors nearly always click only on ads they saw.
    if (!counted.has(`impression ${ad.adId}`) && random.int(20) > 0) {
      if (notice.dueMs > clock.nowMs - TTL_S * 1000) notices.push({ ...notice })
      return null
    }
    const now = () => clock.nowMs + place.offsetMs
    const begin = () =>
      ledger.beginClick(
        { adId: ad.adId, cid: order.cid, payer: ad.flightPays ? ad.fid : 0, priceMicros: spendMicros },
        now(),
      )
    let bill = begin()
    if (bill === 'share_wait') {
      clock.nowMs += ANSWERED_MS
      await nodes.fillShort(place)
      bill = begin()
    }
    if (bill === 'share_wait') {
      await roundAt(place, ANSWERED_MS)
      bill = begin()
    }
    if (typeof bill !== 'string') {
      const { dayKey, lastMs, settle } = bill
      const event = { ad: { ...ad, dayKey }, atMs: Math.min(now(), lastMs), spendMicros, nodeId: ref.nodeId }
      return { notice, event: { kind: 'click', ...event }, settle: outcome => settle(outcome === 'counted') }
    }
    if (bill !== 'held_elsewhere' || ad.nodeId === ref.nodeId) {
      counts.late++
      return null
    }
    const { key: dayKey, endMs } = ledger.today(order.cid, now())
    const event = { ad: { ...ad, dayKey }, atMs: Math.min(now(), endMs - 1), spendMicros, nodeId: ad.nodeId! }
    return { notice, event: { kind: 'click', ...event }, settle: () => undefined }
  }

  /** Notices that are not acknowledged are reported again. */
  async function write(place: Place, begun: Begun[]): Promise<void> {
    const events = begun.map(one => one.event)
    const { known, late, unseen = [] } = await place.working!.ingest({ events, actions: [], ignored: [] })
    const isLost = random.int(100) === 0
    if (isLost) counts.lostAnswers++
    const outcomeOf = (at: number) => {
      if (late.includes(at)) return 'late'
      if (unseen.includes(at)) return 'unseen'
      return known.includes(at) ? 'duplicate' : 'counted'
    }
    begun.forEach(({ notice, event, settle }, at) => {
      const outcome = outcomeOf(at)
      if (outcome === 'counted') count(notice, event)
      if (outcome === 'late' || outcome === 'unseen') counts[outcome]++
      else if (!isLost) acknowledged.set(keyOf(notice), event.spendMicros)
      settle(isLost ? 'failed' : outcome)
      if (isLost) notices.push({ ...notice, dueMs: clock.nowMs + 5_000 })
    })
  }

  function count(notice: Notice, { ad, spendMicros }: AdEvent): void {
    const { order } = notice
    if (counted.has(keyOf(notice))) throw new Error(`${keyOf(notice)} was counted twice`)
    counted.add(keyOf(notice))
    counts.sold++
    if (spendMicros > 0) model.bill(world.keysOf(order, ad.dayKey, ad.fid), order.payer.cuid, spendMicros)
  }

  async function report(): Promise<void> {
    const there = places.filter(place => isThere(place) && !isCut(place))
    if (there.length === 0) return
    const place = random.pick(there)
    // A notice for an ad of another node is left for a later step in one of four cases.
    const isTaken = ({ ad, dueMs }: Notice) =>
      dueMs <= clock.nowMs && (ad.nodeId === place.working!.ref.nodeId || random.int(4) > 0)
    const here = new Set(notices.filter(isTaken))
    notices = notices.filter(notice => !here.has(notice))
    if (here.size > 0) await take(place, [...here])
  }

  function strike(place: Place): void {
    if (place.wrongUntilMs > 0 && clock.nowMs >= place.wrongUntilMs) setRight(place)
    if (!isThere(place) || random.int(STRIKE_STEPS) > 0) return
    const untilMs = clock.nowMs + stepMs * (1 + random.int(4))
    const chance = random.int(10)
    if (chance < 2) {
      counts.deaths++
      nodes.die(place, random.int(10) < 7, random.int(2) * (untilMs - clock.nowMs))
      if (random.int(10) === 0) place.former = null
    } else if (chance < 4) {
      counts.freezes++
      place.awayUntilMs = untilMs
    } else if (chance < 6) {
      counts.cuts++
      place.cutUntilMs = untilMs
    } else {
      counts.jumps++
      place.offsetMs = random.pick([-2 * HOUR_MS, -600_000, -20_000, 20_000, 600_000, 2 * HOUR_MS])
      place.wrongUntilMs = untilMs
    }
  }

  /** Works like the service: a process whose clock is set back by more than a minute opens its books again. */
  function setRight(place: Place): void {
    const offsetMs = random.int(4_001) - 2_000
    const isSetBack = place.offsetMs - offsetMs > STEP_MS
    Object.assign(place, { offsetMs, wrongUntilMs: 0 })
    if (isSetBack && place.working) nodes.die(place, true, 0)
  }

  async function change(): Promise<void> {
    const cids = await world.change()
    for (const { working } of places) for (const cid of cids) working?.unread.add(cid)
  }

  for (let step = 1; startMs + step * stepMs < endMs + 3 * TTL_S * 1000; step++) {
    const ms = startMs + step * stepMs
    await setTime(ms)
    if (ms < endMs && step % weeks.changeSteps === 0) await change()
    for (const place of places) if (!place.working && ms >= place.awayUntilMs) await nodes.start(place)
    if (step % 20 === 1) for (const place of places) place.weight = 0.05 + random.next() ** 2
    for (const place of places)
      if (places.length > 1 && isThere(place) && !isCut(place)) await nodes.renew(place)
    for (const place of places) if (isThere(place)) await nodes.round(place)
    for (let n = 0; n < weeks.requestsAStep && ms < endMs; n++) {
      clock.nowMs += 10
      const there = places.filter(isThere)
      if (there.length > 0) await request(pickBy(there, place => place.weight, random))
    }
    await report()
    for (const place of places) strike(place)
  }
  return { counts, acknowledged }
}

const keyOf = ({ kind, ad }: Notice) => `${kind} ${ad.adId}`

function adOf(order: Order, fid: number, facts: AdFacts, nodeId: number, nowMs: number): ServedAd {
  return {
    ...{ adId: facts.adId, servedS: Math.floor(nowMs / 1000), ttlS: TTL_S, dayKey: facts.dayKey, nodeId },
    flightPays: facts.payer > 0,
    ...{ cuid: order.payer.cuid, cid: order.cid, fid, pid: 1e9 + order.cid, bid: 2e9 + order.cid },
    ...{ sourceId: 1, priceMicros: facts.priceMicros, user: null, placeHash: null, placeName: null },
    ...{
      networkHash: null,
      agentHash: null,
      country: null,
      locality: 0,
      audience: 0,
      device: null,
      os: null,
    },
    ...{ test: false, foreignDomain: false, billsOn: 'notice', takesPrice: true },
    ...(order.clickRate ? { clickMicros: order.priceMicros } : {}),
  }
}
