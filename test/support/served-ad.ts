// An ad as its links carry it.

import type { ServedAd } from '../../src/count/tracking/ad.ts'

export const SERVED_AD: ServedAd = {
  adId: 'AAECAwQFBgcICQoL',
  servedS: 1_790_000_000,
  cuid: 100_001,
  cid: 100_230,
  fid: 100_231,
  flightPays: false,
  pid: 100_240,
  bid: 100_252,
  sourceId: 12,
  priceMicros: 2500,
  ttlS: 300,
  dayKey: 20260921,
  nodeId: 7,
  user: { hi: 0xdeadbeef, lo: 0x01020304 },
  placeHash: 0xa1b2c3d4e5f6,
  placeName: null,
  networkHash: 0xc0ffee,
  agentHash: 0x0a0b0c,
  country: 'CA',
  locality: 123_456_789_012_345,
  audience: 6287,
  device: 'mobile',
  os: 'iOS',
  test: false,
  foreignDomain: false,
  billsOn: 'notice',
  takesPrice: true,
}
