// A day of several nodes on one set of budgets, with a virtual clock. Traffic is uneven and shifts. Notices come late,
// twice, elsewhere or never. Nodes freeze, die and come back with or without their journal, answers of the database get
// lost, and clocks are wrong by seconds. The database is the model, which checks itself.

import { createCaps } from '../../src/budget/caps/caps.ts'
import type { AdFacts } from '../../src/budget/ledger/ad.ts'
import { createLedger } from '../../src/budget/ledger/ledger.ts'
import type { Ledger } from '../../src/budget/ledger/ledger-interface.ts'
import type { LiveCampaign } from '../../src/budget/live.ts'
import type { NodeRef, ShareStore } from '../../src/budget/shares/share.ts'
import { createRefill, type Refill } from '../../src/deliver/process/refill.ts'
import { createCalendar, type Day } from '../../src/kernel/time/day.ts'
import { isOpenAt } from '../../src/kernel/time/hours.ts'
import type { Random } from './random.ts'
import { createShareModel } from './share-model.ts'

export interface Trial {
  live: LiveCampaign
  /** Decides its part of the requests. */
  weight: number
  winShare: number
  /** The money its requests at working nodes would have earned if all had been sold. */
  deliverableMicros: number
  spentMicros: number
  /** Spent until the end of each hour. */
  untilHour: number[]
}

export interface NodeDay {
  day: Day
  nodes: number
  trials: Trial[]
  /** Requests per hour, in total. */
  curve: number[]
  random: Random
}

interface Working {
  ref: NodeRef
  ledger: Ledger
  refill: Refill
}

interface Place {
  offsetMs: number
  weight: number
  working: Working | null
  /** Frozen, or dead, until this second. */
  awayUntilS: number
  /** The content that the journal would have. */
  journal: { nodeId: number; snapshot: ReturnType<Ledger['snapshot']> } | null
}

interface Notice {
  kind: 'bill' | 'loss'
  trial: Trial
  facts: AdFacts
  nodeId: number
  paidMicros: number
  tries: number
}

const TTL_MS = 60_000
const MAX_TTL_MS = 300_000
const SILENT = { info() {}, warn() {}, error() {} }

export async function playNodeDay({ day, nodes, trials, curve, random }: NodeDay) {
  const seconds = (day.endMs - day.startMs) / 1000
  const calendar = createCalendar('UTC')
  let nowMs = day.startMs
  const byCid = new Map(trials.map(trial => [trial.live.cid, trial]))
  const model = createShareModel({
    nowMs: () => nowMs,
    maxTtlMs: MAX_TTL_MS,
    dailyOf: cid => byCid.get(cid)?.live.dailySpendMicros,
  })
  const store = shaky(model, random)
  const events = new Map<string, number>()
  const notices: Notice[][] = Array.from({ length: seconds + 800 }, () => [])
  const counts = { freezes: 0, deaths: 0, returns: 0, late: 0, elsewhere: 0 }
  const places: Place[] = Array.from({ length: nodes }, () => ({
    offsetMs: random.int(6_001) - 3_000,
    weight: 1,
    working: null,
    awayUntilS: 0,
    journal: null,
  }))
  let adNumber = 0

  function start(place: Place): void {
    const wallMs = () => nowMs + place.offsetMs
    const { journal } = place
    const former = journal && model.resume(journal.nodeId)
    const ref = former ?? model.join()
    const refill = createRefill({
      store,
      node: ref,
      log: SILENT,
      nowMs: wallMs,
      steadyMs: () => nowMs,
      maxTtlMs: MAX_TTL_MS,
      onReplaced: () => undefined,
    })
    const ledger = createLedger({
      calendar,
      caps: createCaps({ maxUsers: 1000 }),
      log: { reserved() {}, ended() {}, budget() {} },
      nowMs: wallMs(),
      maxTtlMs: MAX_TTL_MS,
      maxAds: 1_000_000,
      // Nothing waits for a timer here: rounds come in every simulated second.
      node: { ...refill, hurry: () => undefined },
    })
    for (const { live } of trials) ledger.setCampaign(live, wallMs())
    if (former && journal) {
      counts.returns++
      const own = [...model.shares(ref.nodeId)]
      const restored = {
        open: journal.snapshot.open,
        billed: journal.snapshot.billed,
        budgets: own.map(row => ({ ...row, grantedMicros: row.granted })),
        spent: own.map(row => ({ ...row, spentMicros: row.billed })),
        billedInDatabase: new Set(events.keys()),
        counted: [],
      }
      Array.from(ledger.restore(restored, wallMs()))
    }
    place.working = { ref, ledger, refill }
    place.journal = null
  }

  function pick<T>(list: T[], weightOf: (item: T) => number): T {
    let at = random.next() * list.reduce((sum, item) => sum + weightOf(item), 0)
    for (const item of list) {
      at -= weightOf(item)
      if (at < 0) return item
    }
    return list[0]!
  }

  const isAt = (place: Place, second: number) => place.working !== null && second >= place.awayUntilS

  function request(place: Place, second: number): void {
    const { ledger, ref } = place.working!
    const trial = pick(trials, one => one.weight)
    const { live } = trial
    const wallMs = nowMs + place.offsetMs
    const [flight] = live.flights
    if (wallMs < flight!.startS * 1000 || wallMs >= flight!.endS * 1000) return
    if (!isOpenAt(live.hours, wallMs)) return
    const priceMicros = Math.ceil(live.cpmMicros / 1000)
    const paidMicros = Math.floor(priceMicros * (0.8 + 0.2 * random.next()))
    const isWon = random.next() < trial.winShare
    const delayS = Math.ceil(-15 * Math.log(1 - random.next()))
    if (isWon && delayS * 1000 + 6_000 < TTL_MS) trial.deliverableMicros += paidMicros
    const adId = Buffer.from(String(adNumber++).padStart(12, '0')).toString('base64url')
    const wish = { adId, cid: live.cid, priceMicros, user: null, ttlMs: TTL_MS, random: random.next() }
    const facts = ledger.reserve(wish, wallMs)
    if (typeof facts === 'string') return
    const bill: Notice = { kind: 'bill', trial, facts, nodeId: ref.nodeId, paidMicros, tries: 0 }
    if (isWon) notices[second + delayS]?.push(bill)
    else if (random.int(2)) notices[second + 1]!.push({ ...bill, kind: 'loss' })
    // Some are reported twice, and some declared lost although they were won.
    const chance = random.next()
    if (isWon && chance < 0.05) notices[second + delayS + random.int(10)]?.push(bill)
    else if (isWon && chance < 0.07) notices[second + 1]!.push({ ...bill, kind: 'loss' })
  }

  function charge(by: number, { trial, facts, nodeId }: Notice, micros: number, second: number): boolean {
    if (!model.charge(by, { ...facts, nodeId }, micros)) return false
    events.set(facts.adId, micros)
    trial.spentMicros += micros
    const hour = Math.floor(second / 3600)
    for (let h = hour; h < trial.untilHour.length; h++) trial.untilHour[h]! += micros
    return true
  }

  /** The notice is taken by the node it reaches. */
  function take(notice: Notice, place: Place, second: number): void {
    const { ledger, ref } = place.working!
    const { facts, nodeId, paidMicros } = notice
    const isOwn = nodeId === ref.nodeId
    if (!isOwn) counts.elsewhere++
    if (notice.kind === 'loss') {
      if (isOwn) ledger.release(facts.adId)
      return
    }
    const wallMs = nowMs + place.offsetMs
    if (!isOwn) {
      if (
        wallMs >= facts.reservedUntilMs ||
        (!events.has(facts.adId) && !charge(ref.nodeId, notice, paidMicros, second))
      )
        counts.late++
      return
    }
    const begun = ledger.begin(facts, paidMicros, wallMs)
    if (!begun.isBillable) return
    if (events.has(facts.adId)) ledger.duplicate(facts.adId)
    else if (charge(ref.nodeId, notice, begun.chargeMicros, second))
      ledger.commit(facts.adId, begun.chargeMicros)
    else {
      ledger.cancel(facts.adId)
      counts.late++
    }
  }

  /** A node freezes about every two hours, and dies about every four hours. */
  function strike(place: Place, second: number): void {
    if (!place.working || second < place.awayUntilS) return
    if (random.int(7_200) === 0) {
      counts.freezes++
      place.awayUntilS = second + 1 + random.int(60)
    } else if (random.int(14_400) === 0) {
      counts.deaths++
      const { ledger, ref } = place.working
      place.journal = random.int(10) < 7 ? { nodeId: ref.nodeId, snapshot: ledger.snapshot() } : null
      place.working = null
      place.awayUntilS = second + 1 + random.int(300)
    }
  }

  let due = 0
  for (let second = 0; second < seconds + 700; second++) {
    nowMs = day.startMs + second * 1000
    for (const place of places) {
      if (nodes > 1) strike(place, second)
      if (!place.working && second >= place.awayUntilS) start(place)
      if (second % 600 === 0) place.weight = random.next() ** 2
    }
    const there = places.filter(place => isAt(place, second))
    // A node that returns from a freeze gets requests before it has heard from the database.
    due += (curve[Math.floor(second / 3600)] ?? 0) / 3600
    for (; due >= 1; due--)
      if (there.length > 0)
        request(
          pick(there, one => one.weight + 0.01),
          second,
        )
    for (const notice of notices[second]!) {
      if (there.length > 0) take(notice, random.pick(there), second)
      else if (notice.tries < 5) notices[second + 2]?.push({ ...notice, tries: notice.tries + 1 })
    }
    notices[second] = []
    // Rounds at half the pace of real ones: slower is harder.
    for (const [i, { working }] of there.entries()) {
      if ((second + i) % 2 === 0) await working!.refill.round(working!.ledger).catch(() => undefined)
    }
  }
  return { counts, billed: (cid: number) => model.billed(cid, day.key) }
}

/** Sometimes a call fails, or it succeeds and its answer is lost. */
function shaky(store: ShareStore, random: Random): ShareStore {
  async function call<T>(work: () => Promise<T>): Promise<T> {
    const chance = random.int(1000)
    if (chance === 0) throw new Error('not reached')
    const done = await work()
    if (chance === 1) throw new Error('answer lost')
    return done
  }
  return {
    ...store,
    renew: node => call(() => store.renew(node)),
    move: (node, asks) => call(() => store.move(node, asks)),
    news: (node, read) => call(() => store.news(node, read)),
    lease: (duty, node, ms) => call(() => store.lease(duty, node, ms)),
  }
}
