// A limit is lowered below what ads hold: what they do not use is given back, and not promised again.

import { expect, test } from 'vitest'
import { campaign, newId } from '../../../test/support/ledger.ts'
import { joinModelNode, MODEL_TTL_MS } from '../../../test/support/model-node.ts'
import { createShareModel } from '../../../test/support/share-model.ts'

const PRICE = 4_000
const startMs = Date.parse('2026-11-15T06:00:00Z')

test.each([1, 3])('%i nodes: money of ads that expire after a cut is not promised again', async count => {
  let nowMs = startMs
  let dailyMicros = 1_000 * PRICE
  const model = createShareModel({ nowMs: () => nowMs, maxTtlMs: MODEL_TTL_MS, dailyOf: () => dailyMicros })
  const nodes = Array.from({ length: count }, () => joinModelNode(model, () => nowMs))
  const setDaily = (micros: number) => {
    dailyMicros = micros
    for (const { ledger } of nodes) ledger.setCampaign(campaign({ dailySpendMicros: micros }), nowMs)
  }
  const wish = () => ({ adId: newId(), cid: 5, priceMicros: PRICE, user: null, ttlMs: 60_000, random: 0 })
  /** A round and ten requests to each node in every second. Resolves with how many requests were promised an ad. */
  async function ask(seconds: number, isBilled: boolean): Promise<number> {
    let promised = 0
    for (let tenth = 0; tenth < seconds * 10; tenth++) {
      nowMs += 100
      for (const { node, refill, ledger } of nodes) {
        if (tenth % 10 === 0) await refill.round(ledger)
        const ad = ledger.reserve(wish(), nowMs)
        if (typeof ad === 'string') continue
        promised++
        if (!isBilled) continue
        const begun = ledger.begin(ad, PRICE, nowMs)
        expect(begun.isBillable && model.charge(node.nodeId, { ...ad, ...node }, PRICE)).toBe(true)
        ledger.commit(ad.adId, PRICE)
      }
    }
    return promised
  }

  setDaily(dailyMicros)
  const billed = await ask(2, true)
  expect(billed).toBeGreaterThan(10)
  expect(await ask(2, false)).toBeGreaterThan(10)
  setDaily(PRICE)
  await ask(1, false)
  expect(await ask(70, true)).toBe(0)
  // The whole raise can be sold, and no more.
  setDaily((billed + 10) * PRICE)
  expect(await ask(60, true)).toBe(10)
})
