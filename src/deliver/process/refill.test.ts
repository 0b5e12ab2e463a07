// What a node logs about itself: one line for each change of its state, however many rounds fail in between. How it
// asks: part by part, and at once for a campaign that has run dry.

import { expect, it } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import { createShareModel } from '../../../test/support/share-model.ts'
import { createCaps } from '../../budget/caps/caps.ts'
import { NOTHING_OFFERED } from '../../budget/ledger/asks.ts'
import { createLedger } from '../../budget/ledger/ledger.ts'
import { createNodeShare, isAskDue, targetOf } from '../../budget/shares/node-share.ts'
import { MOST_ASKS, type ShareStore, VALID_MS } from '../../budget/shares/share.ts'
import { createCalendar } from '../../kernel/time/day.ts'
import { createHours, weekOf } from '../../kernel/time/hours.ts'
import { createRefill } from './refill.ts'

it('being cut off, coming back and being replaced are one log line each, and a node that is cut off promises nothing', async () => {
  let nowMs = Date.parse('2026-11-15T12:00:00Z')
  let isAway = false
  const model = createShareModel({ nowMs: () => nowMs, maxTtlMs: 60_000, dailyOf: () => 1_000_000 })
  const store: ShareStore = {
    ...model,
    renew: async node => {
      if (isAway) throw new Error('away')
      return model.renew(node)
    },
  }
  const lines: string[] = []
  const note = (_about: unknown, text?: string) => void lines.push(text!)
  let replaced = 0
  const node = model.join()
  const refill = createRefill({
    ...{ store, node, maxTtlMs: 60_000, nowMs: () => nowMs, steadyMs: () => nowMs },
    log: { info: note, warn: note, error: note } as never,
    onReplaced: () => void replaced++,
  })
  const ledger = createLedger({
    ...{ calendar: createCalendar('UTC'), caps: createCaps({ maxUsers: 10 }), nowMs, maxTtlMs: 60_000 },
    ...{ maxAds: 100, log: { reserved() {}, ended() {}, budget() {} }, node: refill },
  })
  async function rounds(count: number): Promise<string[]> {
    lines.length = 0
    for (let n = 0; n < count; n++) {
      nowMs += 1_000
      await refill.round(ledger).catch(() => undefined)
    }
    return [...lines]
  }
  expect(await rounds(5)).toEqual(['ads are promised', 'this process serves campaigns with a cap'])
  isAway = true
  expect(await rounds(VALID_MS / 1000 - 1)).toEqual([])
  expect(refill.mayPromise()).toBe(true)
  expect(await rounds(20)).toEqual(['the database does not respond: no ads are promised until it does'])
  expect(refill.mayPromise()).toBe(false)
  isAway = false
  expect(await rounds(5)).toEqual([
    'the database responds again: ads are promised',
    'this process serves campaigns with a cap',
  ])
  model.resume(node.nodeId)
  expect(await rounds(5)).toEqual(['another process has taken over this node: no more ads are promised'])
  expect(refill.mayPromise()).toBe(false)
  expect(replaced).toBe(1)
})

it('a node without requests renews itself every second and does little else; the first request changes that', async () => {
  let nowMs = Date.parse('2026-11-15T12:00:00Z')
  const model = createShareModel({ nowMs: () => nowMs, maxTtlMs: 60_000, dailyOf: () => 1_000_000 })
  const calls = { renew: 0, lease: 0, news: 0 }
  const store: ShareStore = {
    ...model,
    renew(node) {
      calls.renew++
      return model.renew(node)
    },
    lease(duty, node, adsMs) {
      calls.lease++
      return model.lease(duty, node, adsMs)
    },
    news(node, read) {
      calls.news++
      return model.news(node, read)
    },
  }
  const refill = createRefill({
    ...{ store, node: model.join(), maxTtlMs: 60_000, nowMs: () => nowMs, steadyMs: () => nowMs },
    log: { info() {}, warn() {}, error() {} } as never,
    onReplaced: () => {},
  })
  const ledger = createLedger({
    ...{ calendar: createCalendar('UTC'), caps: createCaps({ maxUsers: 10 }), nowMs, maxTtlMs: 60_000 },
    ...{ maxAds: 100, log: { reserved() {}, ended() {}, budget() {} }, node: refill },
  })
  async function rounds(count: number, isAsked: boolean) {
    Object.assign(calls, { renew: 0, lease: 0, news: 0 })
    for (let n = 0; n < count; n++) {
      nowMs += 1_000
      await refill.round(ledger)
      expect(refill.hasCapsDuty()).toBe(true)
      if (isAsked) expect(refill.mayCap(1_000)).toBe(true)
    }
    return { ...calls }
  }
  await rounds(1, false)
  expect(await rounds(20, false)).toEqual({ renew: 20, lease: 4, news: 2 })
  refill.mayCap(1_000)
  expect((await rounds(20, true)).lease).toBe(20)
})

const DAILY = 1_000_000
const MANY = 2_500

/** A node with many campaigns, on a model whose moves may fail. */
function nodeWithMany(mayMove: (cids: number[]) => boolean) {
  const clock = { nowMs: Date.parse('2026-11-15T12:00:00Z') }
  const calls: string[] = []
  const days: number[] = []
  const lines: string[] = []
  const note = (_about: unknown, text?: string) => void lines.push(text!)
  const model = createShareModel({ nowMs: () => clock.nowMs, maxTtlMs: 60_000, dailyOf: () => DAILY })
  const store: ShareStore = {
    ...model,
    renew: node => {
      calls.push('renew')
      return model.renew(node)
    },
    move: async (node, asks) => {
      calls.push(`move ${asks.length}`)
      for (const ask of asks) if (days.at(-1) !== ask.dayKey) days.push(ask.dayKey)
      if (!mayMove(asks.map(ask => ask.cid))) throw new Error('the database took too long')
      return model.move(node, asks)
    },
  }
  const refill = createRefill({
    ...{ store, node: model.join(), maxTtlMs: 60_000, nowMs: () => clock.nowMs, steadyMs: () => clock.nowMs },
    log: { info: note, warn: note, error: note } as never,
    onReplaced: () => {},
  })
  const ledger = createLedger({
    ...{
      calendar: createCalendar('UTC'),
      caps: createCaps({ maxUsers: 10 }),
      maxTtlMs: 60_000,
      maxAds: 9_999,
    },
    ...{ nowMs: clock.nowMs, log: { reserved() {}, ended() {}, budget() {} }, node: refill },
  })
  for (let cid = 1; cid <= MANY; cid++)
    ledger.setCampaign(
      {
        ...{
          cid,
          cuid: 1,
          enabled: true,
          freq: 0,
          category: [],
          hours: null,
          pacing: 'asap',
          cpmMicros: 1_000_000,
        },
        ...{ flights: [{ fid: 1, startS: 0, endS: 4e9 }], dailySpendMicros: DAILY },
      },
      clock.nowMs,
    )
  const round = async () => {
    clock.nowMs += 1_000
    await refill.round(ledger).catch(() => lines.push('failed'))
  }
  return { clock, calls, days, lines, model, refill, ledger, round }
}

it('what one part was granted is kept when another fails; a budget that cannot be moved holds up few others, and recovery is logged only when everything works again', async () => {
  let stuck: number | null = 1_500
  const { refill, ledger, lines, round } = nodeWithMany(cids => stuck === null || !cids.includes(stuck))
  await round()
  expect(refill.waiting()).toMatchObject({ campaigns: MANY, waiting: MOST_ASKS })
  expect(ledger.account(1, 20261115)!.grantedMicros).toBe(DAILY)
  for (let n = 0; n < 30; n++) await round()
  expect(refill.waiting()!.waiting).toBeLessThanOrEqual(50)
  expect(lines.filter(line => line === 'failed').length).toBeGreaterThan(3)
  expect(lines).not.toContain('budget shares are renewed again')
  stuck = null
  for (let n = 0; n < 3; n++) await round()
  expect(refill.waiting()).toEqual({ campaigns: MANY, waiting: 0, unanswered: 0 })
})

it('a clean stop gives everything back, or says how much it could not give back', async () => {
  let mayMove = true
  const { refill, ledger, model, round } = nodeWithMany(cids => mayMove || !cids.includes(1))
  await round()
  mayMove = false
  const left = await refill.leave(ledger, 60_000)
  // Only the part that contains the first campaign could not be returned.
  expect(left.campaigns).toBeGreaterThan(0)
  expect(left.campaigns).toBeLessThanOrEqual(MOST_ASKS)
  expect(left.micros).toBe(left.campaigns * DAILY)
  const held = [...model.shares(refill.node.nodeId)].filter(share => share.granted > 0)
  expect(held.length).toBe(left.campaigns)
})

it('a campaign that has run dry is asked for at once, alone and without a round', async () => {
  const { refill, ledger, calls, clock, model } = nodeWithMany(() => true)
  const other = model.join()
  await model.renew(other)
  Array.from(
    ledger.restore(
      { open: [], billed: [], budgets: [], spent: [], billedInDatabase: new Set(), counted: [] },
      clock.nowMs,
    ),
  )
  refill.start(ledger)
  await refill.sync()
  const wish = { cid: 7, priceMicros: 1000, user: null, ttlMs: 60_000, random: 0 }
  const idOf = (n: number) => Buffer.from(String(n).padStart(12, '0')).toString('base64url')
  let sold = 0
  while (typeof ledger.reserve({ ...wish, adId: idOf(sold) }, clock.nowMs) !== 'string') sold++
  calls.length = 0
  const sell = () => ledger.reserve({ ...wish, adId: idOf(sold) }, clock.nowMs)
  await until(async () => (typeof sell() === 'object' ? true : null))
  expect(calls[0]).toBe('move 1')
  await refill.stop()
})

it('a node that found nothing asks again a few times even without requests: a node that was alone gives back', async () => {
  const { calls, ledger, model, round } = nodeWithMany(() => true)
  const alone = model.join()
  const rounds = async (count: number) => {
    for (let n = 0; n < count; n++) {
      await model.renew(alone)
      await round()
    }
  }
  const aloneHas = (cid: number, micros: number) =>
    model.move(alone, [
      {
        ...{ cid, payer: 0, dayKey: 20261115, targetMicros: micros, leastMicros: micros, reservedMicros: 0 },
        ...{ ...NOTHING_OFFERED, isNew: false },
      },
    ])
  const granted = (cid: number) => ledger.account(cid, 20261115)!.grantedMicros
  await aloneHas(7, DAILY)
  await aloneHas(8, DAILY)
  await rounds(1)
  expect([granted(7), granted(8)]).toEqual([0, 0])
  await aloneHas(7, 4_000)
  await rounds(3)
  expect(granted(7)).toBeGreaterThan(0)
  await rounds(20)
  expect(granted(8)).toBe(0)
  // It does not continue forever.
  calls.length = 0
  await rounds(20)
  expect(new Set(calls)).toEqual(new Set(['renew']))
})

it('the shares of a new day are asked for before it begins, and before the rest of the old one goes back', async () => {
  const { clock, days, refill, round } = nodeWithMany(() => true)
  await round()
  clock.nowMs = Date.parse('2026-11-15T23:59:29Z')
  await round()
  await round()
  expect(refill.waiting()).toMatchObject({ campaigns: MANY, waiting: 0 })
  expect(days).toEqual([20261115, 20261116])
  clock.nowMs = Date.parse('2026-11-17T00:00:00Z')
  await round()
  expect(days).toEqual([20261115, 20261116, 20261117, 20261115, 20261116])
})

it('money that is granted before its day begins is not used before', async () => {
  const { clock, ledger, round } = nodeWithMany(() => true)
  const nextMs = Date.parse('2026-11-16T00:00:00Z')
  clock.nowMs = nextMs - 2_000
  await round()
  await round()
  const cid = 7
  expect(ledger.account(cid, 20261116)!.grantedMicros).toBeGreaterThan(0)
  let ads = 0
  const promise = (nowMs: number) => {
    const adId = Buffer.from(String(ads++).padStart(12, '0')).toString('base64url')
    return ledger.reserve({ adId, cid, priceMicros: 1_000, user: null, ttlMs: 1_000, random: 0 }, nowMs)
  }
  // All of the old day is sold in its last second.
  let last = promise(nextMs - 1)
  for (; typeof last !== 'string'; last = promise(nextMs - 1)) expect(last.dayKey).toBe(20261115)
  expect(promise(nextMs)).toMatchObject({ dayKey: 20261116 })
})

it('a request does not wait because of earlier asks that no request had caused', () => {
  const share = {
    ...createNodeShare(),
    isNew: false,
    poolMicros: 0,
    refusals: 3,
    askedMs: 0,
    notBeforeMs: 4_000,
  }
  const nothing = { grantedMicros: 0, spentMicros: 0, reservedMicros: 0 }
  const isDue = (isShort: boolean, refusals: number) =>
    isAskDue({ ...share, isShort, refusals }, nothing, 0, share.nodes, 1_000)
  expect([isDue(false, 3), isDue(true, 3)]).toEqual([false, true])
  // After many refusals in spite of requests, it waits.
  expect(isDue(true, 9)).toBe(false)
})

it('a campaign that runs dry again and again asks for no more than its daily budget', () => {
  const share = createNodeShare()
  const money = { grantedMicros: 5_000, spentMicros: 5_000, reservedMicros: 0 }
  for (let times = 1; times <= 100; times++) {
    share.isShort = true
    const { targetMicros } = targetOf(share, money, 1_000, 1_000_000, 4, times * 500)
    expect(targetMicros).toBeLessThanOrEqual(5_000 + 1_000_000)
  }
  expect(share.aheadMicros).toBe(1_000_000)
})

it('a campaign outside its hours gives its share back, and gets it again when they begin', async () => {
  const { clock, ledger, refill, model, round } = nodeWithMany(() => true)
  const calendar = createCalendar('UTC')
  const live = {
    ...{
      cid: 7,
      cuid: 1,
      enabled: true,
      freq: 0,
      category: [],
      cpmMicros: 1_000_000,
      dailySpendMicros: DAILY,
    },
    ...{ flights: [{ fid: 1, startS: 0, endS: 4e9 }], pacing: 'asap' as const },
  }
  const held = () => model.share(refill.node.nodeId, 7, 20261115)?.granted ?? 0
  await round()
  expect(held()).toBe(DAILY)
  // It is noon on a Sunday.
  ledger.setCampaign({ ...live, hours: createHours(weekOf({ sun: [13] }), calendar) }, clock.nowMs)
  await round()
  expect(held()).toBe(0)
  expect(refill.waiting()).toMatchObject({ campaigns: MANY - 1, waiting: 0 })
  const opensMs = Date.parse('2026-11-15T13:00:00Z')
  clock.nowMs = opensMs - 60_000
  for (let n = 0; n < 10; n++) await round()
  expect(held()).toBe(0)
  clock.nowMs = opensMs - 29_000
  await round()
  expect(held()).toBe(DAILY)
  clock.nowMs = opensMs + 3_600_000
  await round()
  expect(held()).toBe(0)
})

it('a campaign whose hours are not today is not asked for', async () => {
  const { clock, ledger, refill, model, round } = nodeWithMany(() => true)
  const hours = createHours(weekOf({ mon: [0] }), createCalendar('UTC'))
  ledger.setCampaign(
    {
      ...{
        cid: 9_999,
        cuid: 1,
        enabled: true,
        freq: 0,
        category: [],
        hours,
        pacing: 'asap',
        cpmMicros: 1_000_000,
      },
      ...{ flights: [{ fid: 1, startS: 0, endS: 4e9 }], dailySpendMicros: DAILY },
    },
    clock.nowMs,
  )
  await round()
  expect([...model.shares(refill.node.nodeId)].some(({ cid }) => cid === 9_999)).toBe(false)
  clock.nowMs = Date.parse('2026-11-15T23:59:54Z')
  await round()
  expect(model.share(refill.node.nodeId, 9_999, 20261116)?.granted).toBe(DAILY)
})
