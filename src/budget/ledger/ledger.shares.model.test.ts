// Ledgers of several nodes on one set of shares against plain sums: random asks, promises, bills at any node, losses,
// crashes and returns. One campaign has consecutive flights, of which every other one has a total. After each step no
// ledger has more than its shares, and what was billed had been promised and fits the budget.

import { describe, test } from 'vitest'
import { IS_LONG, type Random, randomOf, seededRandom } from '../../../test/support/random.ts'
import { createShareModel } from '../../../test/support/share-model.ts'
import { createRefill, type Refill } from '../../deliver/process/refill.ts'
import { createCalendar } from '../../kernel/time/day.ts'
import { createCaps } from '../caps/caps.ts'
import type { LiveCampaign } from '../live.ts'
import { type NodeRef, SLACK_MS, VALID_MS } from '../shares/share.ts'
import type { AdFacts } from './ad.ts'
import { createLedger } from './ledger.ts'
import type { Ledger } from './ledger-interface.ts'

const MAX_TTL_MS = 60_000
const CIDS = [1, 2, 3]
const PRICE = 100
const FLOWN = 3
const BEGIN_MS = Date.parse('2026-11-15T12:00:00Z')
const FLIGHT_S = 20
/** Each follows the one before it. The last one has no end and no total. */
const FLIGHTS = Array.from({ length: 60 }, (_, n) => ({
  fid: 100 + n,
  startS: BEGIN_MS / 1000 + n * FLIGHT_S,
  endS: n === 59 ? 4e9 : BEGIN_MS / 1000 + (n + 1) * FLIGHT_S,
  ...(n % 2 === 0 && { totalSpendMicros: 600 }),
}))
const TOTALS = new Map(FLIGHTS.map(({ fid, totalSpendMicros }) => [fid, totalSpendMicros]))
const PAYERS = [0, ...FLIGHTS.filter(flight => flight.totalSpendMicros).map(({ fid }) => fid)]
const calendar = createCalendar('UTC')

interface Member {
  ref: NodeRef
  ledger: Ledger
  refill: Refill
}

interface Promised {
  nodeId: number
  facts: AdFacts
}

function must(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(what)
}

function world(random: Random) {
  let nowMs = BEGIN_MS
  const { key: dayKey } = calendar.dayAt(nowMs)
  const daily = new Map(CIDS.map(cid => [cid, 2_000]))
  const lowered = new Set<number>()
  const model = createShareModel({
    nowMs: () => nowMs,
    maxTtlMs: MAX_TTL_MS,
    dailyOf: cid => daily.get(cid),
    totalOf: payer => TOTALS.get(payer) ?? 0,
  })
  const billed = new Map<string, { cid: number; payer: number; micros: number }>()
  const members: Member[] = []
  let promised: Promised[] = []
  const journals: { nodeId: number; snapshot: ReturnType<Ledger['snapshot']> }[] = []
  let number = 0

  const liveOf = (cid: number): LiveCampaign => ({
    ...{
      cid,
      cuid: 1,
      enabled: true,
      freq: 0,
      category: [],
      hours: null,
      pacing: 'asap',
      cpmMicros: PRICE * 1000,
    },
    flights: cid === FLOWN ? FLIGHTS : [{ fid: 1, startS: 0, endS: 4e9 }],
    dailySpendMicros: daily.get(cid)!,
  })

  function start(ref: NodeRef): Member {
    const refill = createRefill({
      ...{ store: model, node: ref, maxTtlMs: MAX_TTL_MS, onReplaced: () => undefined },
      ...{ log: { info() {}, warn() {}, error() {} }, nowMs: () => nowMs, steadyMs: () => nowMs },
    })
    const ledger = createLedger({
      ...{ calendar, caps: createCaps({ maxUsers: 10 }), nowMs, maxTtlMs: MAX_TTL_MS, maxAds: 10_000 },
      ...{ log: { reserved() {}, ended() {}, budget() {} }, node: { ...refill, hurry: () => undefined } },
    })
    for (const cid of CIDS) ledger.setCampaign(liveOf(cid), nowMs)
    const member = { ref, ledger, refill }
    members.push(member)
    return member
  }

  const round = (member: Member) => member.refill.round(member.ledger).catch(() => undefined)

  const steps = {
    async join() {
      if (members.length < 4) await round(start(model.join()))
    },
    async return() {
      const journal = journals.pop()
      const ref = journal && model.resume(journal.nodeId)
      if (!ref) return
      const own = [...model.shares(ref.nodeId)]
      Array.from(
        start(ref).ledger.restore(
          {
            open: journal.snapshot.open,
            billed: journal.snapshot.billed,
            budgets: own.map(row => ({ ...row, grantedMicros: row.granted })),
            spent: own.map(row => ({ ...row, spentMicros: row.billed })),
            billedInDatabase: new Set(billed.keys()),
            counted: [],
          },
          nowMs,
        ),
      )
    },
    async die() {
      const [dead] = members.splice(random.int(members.length), 1)
      if (dead && random.int(2)) journals.push({ nodeId: dead.ref.nodeId, snapshot: dead.ledger.snapshot() })
    },
    async leave() {
      const [gone] = members.splice(random.int(members.length), 1)
      if (gone) await gone.refill.leave(gone.ledger, 60_000)
    },
    async ask() {
      if (members.length > 0) await round(random.pick(members))
    },
    async reserve() {
      if (members.length === 0) return
      const { ledger, ref } = random.pick(members)
      const adId = Buffer.from(String(number++).padStart(12, '0')).toString('base64url')
      const ttlMs = random.pick([5_000, 30_000, MAX_TTL_MS])
      const wish = { adId, cid: random.pick(CIDS), priceMicros: PRICE, user: null, ttlMs, random: 0 }
      const facts = ledger.reserve(wish, nowMs)
      if (typeof facts !== 'string') promised.push({ nodeId: ref.nodeId, facts })
    },
    /** The notice comes to any node. */
    async bill() {
      if (promised.length === 0 || members.length === 0) return
      const { nodeId, facts } = random.pick(promised)
      const { ref, ledger } = random.pick(members)
      const micros = random.pick([PRICE, PRICE / 2, 0])
      if (nodeId !== ref.nodeId) {
        if (nowMs < facts.reservedUntilMs && !billed.has(facts.adId))
          charge(ref.nodeId, nodeId, facts, micros)
        return
      }
      const begun = ledger.begin(facts, micros, nowMs)
      if (!begun.isBillable) return
      if (billed.has(facts.adId)) ledger.duplicate(facts.adId, billed.get(facts.adId)!.micros)
      else if (charge(ref.nodeId, nodeId, facts, begun.chargeMicros))
        ledger.commit(facts.adId, begun.chargeMicros)
      else ledger.cancel(facts.adId)
    },
    async lose() {
      if (promised.length === 0) return
      const { nodeId, facts } = random.pick(promised)
      members.find(member => member.ref.nodeId === nodeId)?.ledger.release(facts.adId)
    },
    async wait() {
      nowMs += random.pick([250, 1_000, 5_000, VALID_MS, 2 * MAX_TTL_MS + SLACK_MS])
      for (const { ledger } of members) ledger.expire(nowMs)
      promised = promised.filter(({ facts }) => facts.reservedUntilMs > nowMs - 5_000)
    },
    async edit() {
      const cid = random.pick(CIDS)
      const before = daily.get(cid)!
      daily.set(cid, random.pick([500, 2_000, 5_000]))
      if (daily.get(cid)! < before) lowered.add(cid)
      for (const { ledger } of members) ledger.setCampaign(liveOf(cid), nowMs)
    },
  }

  function charge(by: number, nodeId: number, facts: AdFacts, micros: number): boolean {
    if (!model.charge(by, { ...facts, nodeId }, micros)) return false
    billed.set(facts.adId, { cid: facts.cid, payer: facts.payer, micros })
    return true
  }

  function verify(): void {
    const flown = new Map<number, number>()
    for (const { payer, micros } of billed.values()) flown.set(payer, (flown.get(payer) ?? 0) + micros)
    for (const [fid, micros] of flown)
      must(fid === 0 || micros <= TOTALS.get(fid)!, `flight ${fid}: ${micros}`)
    for (const cid of CIDS) {
      const rows = [...billed.values()].filter(one => one.cid === cid)
      const sum = rows.reduce((total, one) => total + one.micros, 0)
      must(model.billed(cid, dayKey) === sum, `${cid}: ${model.billed(cid, dayKey)} billed, ${sum} in rows`)
      must(lowered.has(cid) || sum <= daily.get(cid)!, `${cid}: ${sum} of ${daily.get(cid)}`)
      for (const { ref, ledger, refill } of members) {
        // A node that was silent for longer than its ads last has nothing left, and promises nothing.
        if (!refill.mayPromise()) continue
        for (const payer of cid === FLOWN ? PAYERS : [0]) {
          const account = ledger.account(cid, dayKey, payer)
          const granted = model.share(ref.nodeId, cid, dayKey, payer)?.granted ?? 0
          must(
            !account || account.grantedMicros <= granted,
            `${cid} ${payer}: node ${ref.nodeId} takes ${account?.grantedMicros} for granted, ${granted} is`,
          )
        }
      }
    }
  }

  /** All ads have expired and all other nodes are gone: one node can sell the whole rest, to the last impression. */
  async function sellOut(): Promise<void> {
    for (const cid of CIDS) daily.set(cid, Math.max(daily.get(cid)!, 5_000))
    members.length = 0
    nowMs = Math.max(nowMs, FLIGHTS.at(-1)!.startS * 1000) + 2 * (VALID_MS + MAX_TTL_MS + SLACK_MS)
    await model.reclaim()
    const last = start(model.join())
    for (let n = 0; n < 400; n++) {
      await round(last)
      for (const cid of CIDS) {
        const adId = Buffer.from(String(number++).padStart(12, '0')).toString('base64url')
        const wish = { adId, cid, priceMicros: PRICE, user: null, ttlMs: 5_000, random: 0 }
        const facts = last.ledger.reserve(wish, nowMs)
        if (typeof facts === 'string') continue
        must(last.ledger.begin(facts, PRICE, nowMs).isBillable, 'not begun')
        must(charge(last.ref.nodeId, last.ref.nodeId, facts, PRICE), 'not charged')
        last.ledger.commit(adId, PRICE)
      }
      nowMs += 1_000
    }
    for (const cid of CIDS) {
      const left = daily.get(cid)! - model.billed(cid, dayKey)
      must(left >= 0 && left < PRICE, `${cid}: ${left} is left`)
    }
  }

  return { steps, verify, sellOut }
}

type StepName = keyof ReturnType<typeof world>['steps']
const CHANCES: [StepName, number][] = [
  ['reserve', 36],
  ['bill', 24],
  ['ask', 22],
  ['lose', 5],
  ['wait', 5],
  ['join', 3],
  ['die', 2],
  ['return', 2],
  ['leave', 1],
  ['edit', 1],
]
const DICE = CHANCES.flatMap(([name, times]) => Array<StepName>(times).fill(name))

describe('ledgers of several nodes against plain sums', () => {
  test('whoever promises, dies or returns, no budget is exceeded, each ad is billed once, and in the end everything can be sold', async () => {
    const { seed } = seededRandom('shares model')
    for (let run = 0; run < Number(process.env.RUNS ?? (IS_LONG ? 400 : 20)); run++) {
      const random = randomOf(seed + run)
      const { steps, verify, sellOut } = world(random)
      const story: string[] = ['join']
      try {
        await steps.join()
        for (let step = 0; step < 300; step++) {
          const name = random.pick(DICE)
          story.push(name)
          await steps[name]()
          verify()
        }
        await sellOut()
      } catch (error) {
        throw new Error(`SEED=${seed} run ${run}, step ${story.length}: … ${story.slice(-8).join(', ')}`, {
          cause: error,
        })
      }
    }
  })
})
