// Campaigns that run and get nowhere are found, with the reason; other campaigns are not.

import { expect, it } from 'vitest'
import type { LiveCampaign, ServablePersona } from '../../budget/live.ts'
import { NO_CLICK_RATES } from '../../deliver/click-rates/rates.ts'
import type { PlaceOutcome } from '../../deliver/sample/outcome.ts'
import type { KeptRequest, SampledRequest } from '../../deliver/sample/sample.ts'
import { findStalled } from './stalled.ts'

const NOW_S = 1_790_000_000
const DAY_S = 86_400

const BANNER = {
  ...{ bid: 3, pid: 2, width: 300, height: 250, type: 'image/png', animated: false },
  ...{ imagePath: '/creative/x.png', clickUrl: 'https://shop.example/', adomain: 'shop.example' },
}

function catalogOf(changes: Partial<LiveCampaign> = {}, country = 'DE') {
  const campaign: LiveCampaign = {
    ...{ cid: 1, cuid: 9, enabled: true, freq: 0, dailySpendMicros: 10_000_000, cpmMicros: 2_000_000 },
    ...{ category: ['IAB1'], pacing: 'even', hours: null },
    flights: [{ fid: 4, startS: NOW_S - 3 * DAY_S, endS: NOW_S + DAY_S }],
    ...changes,
  }
  const order = { campaign, pids: new Set([2]) }
  const persona: ServablePersona = {
    pid: 2,
    order,
    targeting: {
      geo: { places: [{ country }] },
      cat: [],
      device: { mobile: true, tablet: true, desktop: true },
      gender: null,
      age: null,
    },
    banners: [BANNER],
  }
  return { orders: new Map([[1, order]]), personas: new Map([[2, persona]]) }
}

type Changes = {
  floorMicros?: number
  width?: number
  place?: Partial<PlaceOutcome>
} & Partial<SampledRequest>

function keptOf({ floorMicros = 0, width = 300, place = {}, ...request }: Changes, n: number): KeptRequest {
  const slot = {
    sizes: [{ width, height: 250 }],
    floorMicros,
    secure: true,
    mimes: null,
    blockedAttributes: [],
  }
  return {
    atS: NOW_S - DAY_S + n,
    request: {
      ...{ country: 'DE', region: null, city: null, lat: null, lon: null, categories: [] },
      ...{ device: 'mobile', gender: null, age: null, blockedCategories: [], blockedDomains: [] },
      slots: [slot],
      ...request,
    },
    places: [{ won: null, refused: {}, ...place }],
  }
}

/** The verdict after each kind of request has come the given number of times. */
async function verdict(catalog: ReturnType<typeof catalogOf>, ...kinds: [times: number, changes: Changes][]) {
  const kept = kinds.flatMap(([times, changes]) =>
    Array.from({ length: times }, (_, n) => keptOf(changes, n)),
  )
  const traffic = { sinceMs: 0, requests: kept.length * 18, stride: 16, kept }
  const found = await findStalled(catalog, traffic, NO_CLICK_RATES, NOW_S * 1000)
  return found[0]?.finding.params ? { code: found[0].finding.code, ...found[0].finding.params } : null
}

const OTHER = { won: { pid: 8, cpmMicros: 3_000_000 } }

it('tablets in Iceland: no request of the last day fits', async () => {
  expect(await verdict(catalogOf({}, 'IS'), [100, {}])).toEqual({ code: 'no_request_fits', requests: 1800 })
  expect(await verdict(catalogOf(), [100, { width: 728 }])).toEqual({
    code: 'no_request_fits',
    requests: 1800,
  })
})

it('a price below every floor is reported with the price that reaches half of them', async () => {
  const floors: [number, Changes][] = [
    [60, { country: 'FR' }],
    [3, { floorMicros: 2_500_000 }],
    [3, { floorMicros: 4_000_000 }],
  ]
  expect(await verdict(catalogOf(), ...floors)).toEqual({
    ...{ code: 'below_floors', refused: 108, requests: 108, cpm: 2, needed: 2.5 },
  })
})

it.each([
  ['mostly_blocked', { blockedDomains: ['shop.example'] }],
  ['mostly_capped', { place: { refused: { capped: [2] } } }],
  ['mostly_outbid', { place: OTHER }],
] as const)('%s: one reason refuses nine times in ten', async (code, changes) => {
  const often = { ...changes } as Changes
  expect(await verdict(catalogOf(), [54, often], [6, {}])).toEqual({ code, refused: 972, requests: 1080 })
  expect(await verdict(catalogOf(), [53, often], [7, {}])).toBeNull()
  // Too few requests fit to say so.
  expect(await verdict(catalogOf(), [9, often], [91, { country: 'FR' }])).toBeNull()
})

it('a campaign that its own pace or budget held back even once is not stalled', async () => {
  for (const reason of ['pacing', 'budget_spent'] as const)
    expect(
      await verdict(catalogOf(), [99, { place: OTHER }], [1, { place: { refused: { [reason]: [2] } } }]),
    ).toBeNull()
})

it('a campaign that does not run, or had too few requests while it ran, is not judged', async () => {
  const nobody: [number, Changes] = [100, { country: 'FR' }]
  expect(await verdict(catalogOf(), nobody)).not.toBeNull()
  expect(await verdict(catalogOf({ enabled: false }), nobody)).toBeNull()
  expect(await verdict(catalogOf({ frozen: true }), nobody)).toBeNull()
  expect(await verdict(catalogOf(), [49, { country: 'FR' }])).toBeNull()
  const fresh = [{ fid: 4, startS: NOW_S - DAY_S + 60, endS: NOW_S + DAY_S }]
  expect(await verdict(catalogOf({ flights: fresh }), nobody)).toBeNull()
})
