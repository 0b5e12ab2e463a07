// Hours of campaigns that are paid by click, on one and on four nodes: no budget is exceeded by a micro, what could be
// sold is sold, and nearly every click is paid for. A model that checks itself takes the place of the database.

import { expect, test } from 'vitest'
import { seededRandom } from '../../../test/support/random.ts'
import { createShareModel } from '../../../test/support/share-model.ts'
import { createRefill } from '../../deliver/process/refill.ts'
import { createCalendar } from '../../kernel/time/day.ts'
import { createCaps } from '../caps/caps.ts'
import { createLedger } from './ledger.ts'

const LENGTH_S = 6 * 3600
const REQUESTS_A_SECOND = 3
const CPC_MICROS = 400_000
const MAX_TTL_MS = 300_000
/** A click is repeated for a second while its share may be on its way. */
const PATIENCE_S = 1
const SILENT = { info() {}, warn() {}, error() {} }
const calendar = createCalendar('UTC')
const day = calendar.dayAt(Date.parse('2026-11-15T12:00:00Z'))

/** The budget in clicks; how often its ads are clicked, and expected to be clicked; how often it is requested. */
const KINDS = [
  { clicks: 10, rate: 0.004, expected: 0.004, pacing: 'even', weight: 2 },
  { clicks: 50, rate: 0.01, expected: 0.01, pacing: 'even', weight: 2 },
  { clicks: 50, rate: 0.01, expected: 0.003, pacing: 'even', weight: 2 },
  { clicks: 50, rate: 0.01, expected: 0.03, pacing: 'even', weight: 2 },
  { clicks: 30, rate: 0.01, expected: 0.01, pacing: 'asap', weight: 1 },
  { clicks: 5_000, rate: 0.01, expected: 0.01, pacing: 'asap', weight: 1 },
] as const

const ASKED = KINDS.flatMap(({ weight }, n) => Array<number>(weight).fill(n))

interface Click {
  cid: number
  adId: string
  servedBy: number
  untilS: number
}

async function play(nodes: number) {
  const random = seededRandom(`clicks on ${nodes} nodes`)
  let nowMs = day.startMs
  const micros = KINDS.map(kind => kind.clicks * CPC_MICROS)
  const model = createShareModel({
    nowMs: () => nowMs,
    maxTtlMs: MAX_TTL_MS,
    dailyOf: cid => micros[cid - 1],
  })
  const places = Array.from({ length: nodes }, () => {
    const node = model.join()
    const times = { nowMs: () => nowMs, steadyMs: () => nowMs, maxTtlMs: MAX_TTL_MS }
    const refill = createRefill({ store: model, node, log: SILENT, ...times, onReplaced() {} })
    const ledger = createLedger({
      ...{ calendar, caps: createCaps({ maxUsers: 10 }), nowMs, maxTtlMs: MAX_TTL_MS, maxAds: 1_000_000 },
      log: { reserved() {}, ended() {}, budget() {} },
      node: { ...refill, hurry: () => undefined },
    })
    KINDS.forEach(({ pacing }, n) => {
      const flights = [{ fid: 1, startS: day.startMs / 1000, endS: day.startMs / 1000 + LENGTH_S }]
      const terms = { cpmMicros: 1, cpcMicros: CPC_MICROS, dailySpendMicros: micros[n]!, pacing }
      const rest = { enabled: true, freq: 0, category: [], hours: null, flights }
      ledger.setCampaign({ cid: n + 1, cuid: 1, ...terms, ...rest }, nowMs)
    })
    return { node, refill, ledger }
  })
  const clicks: Click[][] = Array.from({ length: LENGTH_S + 2 }, () => [])
  const results = KINDS.map(() => ({ sold: 0, unbilled: 0, wanted: 0 }))
  let adNumber = 0

  function request(second: number): void {
    const { ledger, node } = random.pick(places)
    const n = random.pick(ASKED)
    const kind = KINDS[n]!
    const adId = Buffer.from(String(adNumber++).padStart(12, '0')).toString('base64url')
    const click = { priceMicros: CPC_MICROS, rate: kind.expected }
    const isClicked = random.next() < kind.rate
    if (isClicked) results[n]!.wanted++
    const wish = { adId, cid: n + 1, priceMicros: 0, click, user: null, ttlMs: 60_000, random: random.next() }
    if (typeof ledger.reserve(wish, nowMs) === 'string' || !isClicked) return
    const meanS = random.int(20) === 0 ? 3_000 : 40
    const atS = second + 1 + Math.ceil(-meanS * Math.log(1 - random.next()))
    clicks[atS]?.push({ cid: n + 1, adId, servedBy: node.nodeId, untilS: atS + PATIENCE_S })
  }

  function take(click: Click, second: number): void {
    const { ledger, node } = random.pick(places)
    const { cid, adId, servedBy } = click
    const result = results[cid - 1]!
    const bill = ledger.beginClick({ adId, cid, priceMicros: CPC_MICROS }, nowMs)
    if (bill === 'share_wait' && second < click.untilS) return void clicks[second + 1]?.push(click)
    const payer = bill === 'held_elsewhere' ? servedBy : node.nodeId
    const isPaid =
      (typeof bill !== 'string' || bill === 'held_elsewhere') &&
      model.charge(node.nodeId, { adId, nodeId: payer, cid, dayKey: day.key }, CPC_MICROS)
    if (typeof bill !== 'string') bill.settle(isPaid)
    if (isPaid) result.sold++
    else result.unbilled++
  }

  for (let second = 0; second < LENGTH_S; second++) {
    nowMs = day.startMs + second * 1000
    for (const { refill, ledger } of places) await refill.round(ledger)
    for (let n = 0; n < REQUESTS_A_SECOND; n++) request(second)
    for (const click of clicks[second]!) take(click, second)
  }
  return results.map((result, n) => ({ ...result, billed: model.billed(n + 1, day.key) }))
}

test.each([1, 4])(
  '%i nodes: no budget is exceeded, what could be sold is sold, and nearly every click is paid for',
  async nodes => {
    const results = await play(nodes)
    const sum = (of: (result: (typeof results)[number], n: number) => number) =>
      results.reduce((total, result, n) => total + of(result, n), 0)
    for (const [n, { sold, billed }] of results.entries()) {
      expect(billed).toBe(sold * CPC_MICROS)
      expect(billed).toBeLessThanOrEqual(KINDS[n]!.clicks * CPC_MICROS)
    }
    const sold = sum(result => result.sold)
    const goal = sum(({ wanted }, n) => Math.min(wanted, KINDS[n]!.clicks))
    const unbilled = sum(result => result.unbilled)
    console.log(`${nodes} nodes: ${sold} clicks of ${goal}, ${unbilled} unbilled`)
    expect(sold / goal).toBeGreaterThan(0.85)
    expect(unbilled / sold).toBeLessThan(0.08)
  },
)
