// What a node says of itself: one line for each change of its state, however many rounds fail in between.

import { expect, it } from 'vitest'
import { createShareModel } from '../../test/support/share-model.ts'
import { createCalendar } from '../kernel/day.ts'
import { createCaps } from './caps.ts'
import { createLedger } from './ledger.ts'
import { createRefill } from './refill.ts'
import { type ShareStore, VALID_MS } from './shares.ts'

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
  expect(await rounds(5)).toEqual(['ads are promised', 'this process serves the campaigns that have a cap'])
  isAway = true
  expect(await rounds(VALID_MS / 1000 - 1)).toEqual([])
  expect(refill.mayPromise()).toBe(true)
  expect(await rounds(20)).toEqual(['the database does not answer: no more ads are promised until it does'])
  expect(refill.mayPromise()).toBe(false)
  isAway = false
  expect(await rounds(5)).toEqual([
    'the database answers again: ads are promised',
    'this process serves the campaigns that have a cap',
  ])
  model.resume(node.nodeId)
  expect(await rounds(5)).toEqual(['another process has taken this one’s place: no more ads are promised'])
  expect(refill.mayPromise()).toBe(false)
  expect(replaced).toBe(1)
})

it('a node that nobody asks renews itself every second and does little else; the first request changes that', async () => {
  let nowMs = Date.parse('2026-11-15T12:00:00Z')
  const model = createShareModel({ nowMs: () => nowMs, maxTtlMs: 60_000, dailyOf: () => 1_000_000 })
  const calls = { renew: 0, hold: 0, news: 0 }
  const store: ShareStore = {
    ...model,
    renew(node) {
      calls.renew++
      return model.renew(node)
    },
    hold(duty, node, adsMs) {
      calls.hold++
      return model.hold(duty, node, adsMs)
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
    Object.assign(calls, { renew: 0, hold: 0, news: 0 })
    for (let n = 0; n < count; n++) {
      nowMs += 1_000
      await refill.round(ledger)
      expect(refill.holdsCaps()).toBe(true)
      if (isAsked) expect(refill.mayCap(1_000)).toBe(true)
    }
    return { ...calls }
  }
  await rounds(1, false)
  expect(await rounds(20, false)).toEqual({ renew: 20, hold: 4, news: 2 })
  refill.mayCap(1_000)
  expect((await rounds(20, true)).hold).toBe(20)
})
