// An ad that its share does not cover is over, unless its node may get its share again.

import { expect, test } from 'vitest'
import type { ServedAd } from '../../count/tracking/ad.ts'
import type { Batcher } from '../../count/tracking/batcher.ts'
import { type CallParts, countImpression } from '../../count/tracking/calls.ts'
import { createAdClaims } from './ad-claims.ts'

const NOW_MS = Date.UTC(2026, 10, 16, 12)
const AD = {
  adId: 'AAAAAAAAAAAAAAAA',
  nodeId: 7,
  cid: 1,
  cuid: 1,
  dayKey: 20_773,
  servedS: NOW_MS / 1000 - 5,
  ttlS: 60,
  priceMicros: 2000,
  billsOn: 'pixel',
  takesPrice: true,
} as unknown as ServedAd

function partsOf(wentBackRecently: boolean): CallParts {
  const uncovered = { hasRoom: () => true, addEvent: async () => 'late' } as unknown as Batcher
  const claims = createAdClaims({
    nodeId: 1,
    ledger: null as never,
    orders: new Map(),
    timeZone: 'UTC',
    nowMs: () => NOW_MS,
    store: { sendNews: async () => undefined },
    capStore: null,
    onError: () => {},
  })
  const rest = { tally: () => {}, dailyMicrosOf: () => null, clock: { nowMs: () => NOW_MS } }
  return {
    batcher: uncovered,
    claims,
    wentBackRecently: () => wentBackRecently,
    ...rest,
  } as unknown as CallParts
}

test.each([
  [false, 'acknowledged'],
  [true, 'unacknowledged'],
])('when the database went back recently (%s), its report is %s', async (wentBackRecently, done) => {
  const facts = { isBot: false, isPrefetch: false, isOther: false }
  expect(await countImpression(partsOf(wentBackRecently), AD, 'pixel', facts, null, null)).toBe(done)
})
