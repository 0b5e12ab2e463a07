// Campaigns that share a balance give idle money back. Those with rare requests deliver nevertheless, and keep little
// from the others.

import { describe, expect, test } from 'vitest'
import { campaign, newId } from '../../../test/support/ledger.ts'
import { joinModelNode, MODEL_CALENDAR, MODEL_TTL_MS } from '../../../test/support/model-node.ts'
import { createShareModel } from '../../../test/support/share-model.ts'
import type { Asks } from '../../budget/ledger/asks.ts'
import { NO_OTHERS } from '../../budget/shares/node-share.ts'

const PRICE = 4_000
const DAILY = 5_000 * PRICE
const startMs = Date.parse('2026-11-15T06:00:00Z')
const { key: dayKey } = MODEL_CALENDAR.dayAt(startMs)

const NOTHING_GRANTED = {
  ...{
    billedMicros: 0,
    allBilledMicros: 0,
    shortOf: 'balance' as const,
    lifeMicros: null,
    monthMicros: null,
    flight: null,
    line: null,
  },
  others: NO_OTHERS,
}

/** Hours of a prepaid campaign: each node gets a request every `everyS` seconds. */
async function play(nodes: number, everyS: number, lengthS: number) {
  let nowMs = startMs
  const model = createShareModel({ nowMs: () => nowMs, maxTtlMs: MODEL_TTL_MS, dailyOf: () => DAILY })
  const places = Array.from({ length: nodes }, () => {
    const place = joinModelNode(model, () => nowMs)
    place.ledger.setCampaign(campaign({ dailySpendMicros: DAILY, creditedMicros: 10 * DAILY }), nowMs)
    return { ...place, asked: 0, sold: 0 }
  })
  const wish = () => ({ adId: newId(), cid: 5, priceMicros: PRICE, user: null, ttlMs: 60_000, random: 0 })
  let mostHeld = 0
  for (let second = 1; second <= lengthS; second++) {
    nowMs = startMs + second * 1_000
    for (const place of places) {
      await place.refill.round(place.ledger)
      const share = model.share(place.node.nodeId, 5, dayKey)
      mostHeld = Math.max(mostHeld, (share?.granted ?? 0) - (share?.billed ?? 0))
      if (second % everyS > 0) continue
      place.asked++
      const ad = place.ledger.reserve(wish(), nowMs)
      if (typeof ad === 'string') continue
      place.sold++
      const begun = place.ledger.begin(ad, PRICE, nowMs)
      expect(begun.isBillable && model.charge(place.node.nodeId, { ...ad, ...place.node }, PRICE)).toBe(true)
      place.ledger.commit(ad.adId, PRICE)
    }
  }
  const held = () =>
    places.map(({ node }) => {
      const share = model.share(node.nodeId, 5, dayKey)!
      return share.granted - share.billed
    })
  async function wait(seconds: number): Promise<void> {
    for (let second = 1; second <= seconds; second++) {
      nowMs += 1_000
      for (const { refill, ledger } of places) await refill.round(ledger)
    }
  }
  return { places, mostHeld, held, wait }
}

describe('a campaign that shares a balance', () => {
  test.each([
    [1, 25],
    [1, 60],
    [1, 1_200],
    [3, 60],
    [3, 1_200],
  ])('%i nodes: a request every %i s is refused once, not each time', async (nodes, everyS) => {
    const { places, mostHeld } = await play(nodes, everyS, 12 * everyS)
    for (const { asked, sold } of places) {
      expect(asked).toBe(12)
      expect(sold).toBeGreaterThanOrEqual(asked - 2)
    }
    // A hundredth of a day, as at first: a share that rests and wakes does not ask for more each time.
    expect(mostHeld).toBeLessThanOrEqual(DAILY / 100)
  })

  test('a click waits for money that is just being given back, even if nothing else is left', async () => {
    let nowMs = startMs
    const dailyMicros = 1.5 * PRICE
    const model = createShareModel({ nowMs: () => nowMs, maxTtlMs: MODEL_TTL_MS, dailyOf: () => dailyMicros })
    const { ledger, refill } = joinModelNode(model, () => nowMs)
    const terms = { dailySpendMicros: dailyMicros, creditedMicros: 10 * DAILY, cpcMicros: PRICE }
    ledger.setCampaign(campaign(terms), nowMs)
    await refill.round(ledger)
    nowMs += 60_000
    const [back] = [...ledger.asking.due(1, nowMs)]
    expect(back).toMatchObject({ cid: 5, targetMicros: 0 })
    const click = { adId: newId(), cid: 5, priceMicros: PRICE }
    expect(ledger.beginClick(click, nowMs)).toBe('share_wait')
    ledger.asking.unanswered([back!], nowMs)
    nowMs += 3_000
    await refill.round(ledger)
    expect(ledger.beginClick(click, nowMs)).toMatchObject({ dayKey })
  })

  test('a remainder that was given back and the rest pay a click at once; a refusal is not repeated at once', () => {
    let nowMs = startMs
    const model = createShareModel({ nowMs: () => nowMs, maxTtlMs: MODEL_TTL_MS, dailyOf: () => DAILY })
    const { ledger } = joinModelNode(model, () => nowMs)
    const terms = { dailySpendMicros: DAILY, creditedMicros: 10 * DAILY, cpcMicros: PRICE }
    ledger.setCampaign(campaign(terms), nowMs)
    const answer = (asks: Asks, grantedMicros: number, poolMicros: number) => {
      const made = [...asks]
      ledger.asking.granted(
        made.map(({ cid, payer }) => ({ ...NOTHING_GRANTED, cid, payer, dayKey, grantedMicros, poolMicros })),
        1,
        nowMs,
      )
      return made.map(({ targetMicros, leastMicros }) => ({ targetMicros, leastMicros }))
    }
    const click = () => ledger.beginClick({ adId: newId(), cid: 5, priceMicros: PRICE }, nowMs)
    expect(answer(ledger.asking.due(1, nowMs), 0.6 * PRICE, 0.5 * PRICE)).toHaveLength(1)
    nowMs += 2_000
    // Together they pay for it.
    expect(click()).toBe('share_wait')
    // The remainder is given back.
    expect(answer(ledger.asking.due(1, nowMs), 0, 1.1 * PRICE)).toEqual([{ targetMicros: 0, leastMicros: 0 }])
    expect(click()).toBe('share_wait')
    expect(answer(ledger.asking.short(1, nowMs), 0, 1.1 * PRICE)).toMatchObject([{ leastMicros: PRICE }])
    expect(click()).toBe('share_wait')
    expect(answer(ledger.asking.short(1, nowMs), 0, 1.1 * PRICE)).toEqual([])
    nowMs += 2_000
    expect(answer(ledger.asking.due(1, nowMs), PRICE, 0.1 * PRICE)).toMatchObject([{ leastMicros: PRICE }])
    expect(click()).toMatchObject({ dayKey })
  })

  test('money without any more requests is given back', async () => {
    const { held, wait } = await play(2, 60, 600)
    expect(Math.max(...held())).toBeGreaterThan(0)
    await wait(300)
    expect(held()).toEqual([0, 0])
  })
})

test('what lies idle on one node goes back within two seconds of another node’s first refusal', async () => {
  let nowMs = startMs
  const dailyMicros = 250 * PRICE
  const model = createShareModel({ nowMs: () => nowMs, maxTtlMs: MODEL_TTL_MS, dailyOf: () => dailyMicros })
  const [busy, idle] = [0, 1].map(() => {
    const place = joinModelNode(model, () => nowMs)
    place.ledger.setCampaign(campaign({ dailySpendMicros: dailyMicros }), nowMs)
    return place
  }) as [ReturnType<typeof joinModelNode>, ReturnType<typeof joinModelNode>]
  const wish = () => ({ adId: newId(), cid: 5, priceMicros: PRICE, user: null, ttlMs: 60_000, random: 0 })
  let sold = 0
  let refusedMs = Number.POSITIVE_INFINITY
  const heldIdle = () => {
    const share = model.share(idle.node.nodeId, 5, dayKey)!
    return share.granted - share.billed
  }
  for (let second = 1; second <= 200; second++) {
    nowMs = startMs + second * 1_000
    // In either order, and not in step.
    for (const { refill, ledger } of second % 2 === 0 ? [busy, idle] : [idle, busy])
      await refill.round(ledger)
    if (second === 1) expect(heldIdle()).toBeGreaterThan(0)
    for (let request = 0; request < 5; request++) {
      const ad = busy.ledger.reserve(wish(), nowMs)
      if (ad === 'budget_spent') refusedMs = Math.min(refusedMs, nowMs)
      if (typeof ad === 'string') continue
      sold++
      const begun = busy.ledger.begin(ad, PRICE, nowMs)
      expect(begun.isBillable && model.charge(busy.node.nodeId, { ...ad, ...busy.node }, PRICE)).toBe(true)
      busy.ledger.commit(ad.adId, PRICE)
    }
    if (nowMs >= refusedMs + 2_000) expect(heldIdle()).toBe(0)
  }
  expect(refusedMs).toBeLessThan(nowMs)
  expect(sold).toBe(250)
})
