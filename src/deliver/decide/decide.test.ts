// Cases as data: each contains a small catalog, a request and the expected decision. One runner plays them all.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SILENT_REQUEST } from '../../../test/support/ad-request.ts'
import { createCaps } from '../../budget/caps/caps.ts'
import { createLedger } from '../../budget/ledger/ledger.ts'
import type { StoredSites } from '../../kernel/sites.ts'
import { createCalendar } from '../../kernel/time/day.ts'
import { createHours, type HoursOfDays, weekOf } from '../../kernel/time/hours.ts'
import { NO_TERMS, type StoredTerms, termsIn } from '../../manage/sources/terms.ts'
import { createLiveCatalog } from '../catalog/live-catalog.ts'
import type { PersonaRow } from '../catalog/queries.ts'
import { createSiteLists } from '../catalog/site-lists.ts'
import { type BannerRow, clickRatesOf, type UsualRow } from '../click-rates/rates.ts'
import { sinkOf } from '../process/catalog-sink.ts'
import { SLOT_REASONS } from '../reasons.ts'
import { createTargetingIndex } from '../targeting/index-tree.ts'
import type { AdRequest, Slot } from '../targeting/request.ts'
import { decide } from './decide.ts'
import type { Decision, Terms } from './place.ts'
import { applyTerms } from './source-terms.ts'

interface Case {
  name: string
  campaigns?: Record<string, unknown>[]
  personas?: Record<string, unknown>[]
  request?: Partial<AdRequest> & { slots?: Partial<Slot>[] }
  /** How often the same request came before. */
  servedBefore?: number
  /** How many requests of other users came before. */
  servedToOthersBefore?: number
  isFree?: boolean
  /** Whether campaigns that are paid by click may be shown; default: they may. */
  allowsCpc?: boolean
  /** What is known about clicks: the usual rates, and those of banners. */
  usual?: UsualRow[]
  banners?: BannerRow[]
  /** What the source asks of ads, as stored. */
  source?: Partial<StoredTerms>
  /** The result of each random draw, in [0, 1). */
  random?: number
  expect: ({ bid: number } | { bidOneOf: number[] } | { noAd: string })[]
}

interface CaseCampaign {
  hours?: HoursOfDays
  sites?: StoredSites
  customerSites?: StoredSites
}

const NOW_S = 1_790_000_000
const NOW_MS = NOW_S * 1000
const folder = join(import.meta.dirname, 'cases')
const files = readdirSync(folder).filter(name => name.endsWith('.json'))
const cases = files.flatMap(file =>
  (JSON.parse(readFileSync(join(folder, file), 'utf8')) as Case[]).map(item => ({
    ...item,
    title: `${file.replace('.json', '')}: ${item.name}`,
  })),
)

const CAMPAIGN = {
  cid: 1,
  cuid: 9,
  enabled: true,
  freq: 0,
  dailySpendMicros: 100_000_000,
  cpmMicros: 2_000_000,
  category: [],
  hours: null,
  pacing: 'asap',
  flights: [{ fid: 5, startS: NOW_S - 3600, endS: NOW_S + 3600 }],
}
const PERSONA = {
  pid: 11,
  cid: 1,
  geo: { geos: ['CA'] },
  cat: [],
  device: { mobile: true, tablet: true, desktop: true },
  demo: { gender: null, age: null },
  attributes: {},
  rotation: 'even',
  banners: [[101, 300, 250, 'image/png', false, 'a.png', 'https://shop.example.com/']],
}
const SLOT: Slot = {
  id: 's1',
  sizes: [{ width: 300, height: 250 }],
  floorMicros: 0,
  secure: false,
  mimes: null,
  blockedAttributes: [],
}
const REQUEST: AdRequest = {
  ...SILENT_REQUEST,
  slots: [SLOT],
  country: 'CA',
  region: 'ON',
  city: 'toronto',
  lat: 43.65,
  lon: -79.38,
  device: 'mobile',
}

async function run(item: Case): Promise<Decision[]> {
  const random = () => item.random ?? 0
  const index = createTargetingIndex(() => 0)
  const log = { reserved: () => undefined, ended: () => undefined, budget: () => undefined }
  const calendar = createCalendar('UTC')
  const caps = createCaps({ maxUsers: 1000 })
  const ledger = createLedger({ calendar, caps, log, nowMs: NOW_MS, maxTtlMs: 3_600_000, maxAds: 1000 })
  const rates = clickRatesOf(item.usual ?? [], item.banners ?? [])
  const byClick = { pids: new Set<number>(), rates: () => rates }
  const live = createLiveCatalog(sinkOf(index, ledger, () => NOW_MS, byClick))
  const lists = createSiteLists()
  lists.set({ list_id: 1, app_id: 1, key: 'premium', entries: ['news.example'] })
  for (const { hours, sites, customerSites, ...campaign } of (item.campaigns ?? [{}]) as CaseCampaign[]) {
    const open = hours ? createHours(weekOf(hours), calendar) : null
    const rules = lists.rulesOf(1, [sites ?? null, customerSites ?? null])
    const where = rules ? { sites: rules } : {}
    await live.setCampaign({ ...CAMPAIGN, ...campaign, ...where, hours: open } as never)
  }
  for (const persona of item.personas ?? [{}])
    live.setPersona({ ...PERSONA, ...persona } as unknown as PersonaRow)
  const slots = (item.request?.slots ?? [{}]).map(slot => ({ ...SLOT, ...slot }))
  const request: AdRequest = { ...REQUEST, ...item.request, slots }
  const refused = applyTerms(request, termsIn({ ...NO_TERMS, ...item.source }))
  let ads = 0
  const parts = {
    catalog: live,
    index,
    byClick,
    ledger,
    random,
    nextAdId: () => String(++ads).padStart(16, '0'),
  }
  const termsFor = (user: Terms['user']): Terms => ({
    nowMs: NOW_MS,
    user,
    ttlMsOf: () => 60_000,
    hasCapStore: false,
    source: { sourceId: 1, allowsCpc: item.allowsCpc ?? true },
    refused,
    allowance: null,
    isFree: item.isFree ?? false,
    notes: null,
  })
  for (let n = 0; n < (item.servedToOthersBefore ?? 0); n++)
    decide(request, parts, termsFor({ hi: 7, lo: n }))
  const terms = termsFor(request.userKey === null ? null : { hi: 1, lo: 2 })
  for (let n = 0; n < (item.servedBefore ?? 0); n++) decide(request, parts, terms)
  return decide(request, parts, terms) as Decision[]
}

describe('decide', () => {
  it.each(cases.map(item => [item.title, item] as const))('%s', async (_, item) => {
    const decisions = await run(item)
    expect(decisions).toHaveLength(item.expect.length)
    decisions.forEach((decision, n) => {
      const wanted = item.expect[n]!
      const got = 'noAd' in decision ? { noAd: decision.noAd } : { bid: decision.banner.bid }
      if ('bidOneOf' in wanted) expect(wanted.bidOneOf).toContain((got as { bid: number }).bid)
      else expect(got).toEqual(wanted)
    })
  })

  it('has at least 60 cases, each with a unique name', () => {
    expect(cases.length).toBeGreaterThanOrEqual(60)
    expect(new Set(cases.map(item => item.title)).size).toBe(cases.length)
  })

  it('every reason that the catalog and the ledger of a case can cause has a case', () => {
    const seen = new Set(
      cases.flatMap(item => item.expect.map(wanted => ('noAd' in wanted ? wanted.noAd : ''))),
    )
    // Reasons that need a broken clock, a full table, a race, a stranger or the grants of the database are tested with
    // the part that gives them.
    const elsewhere = [
      'unknown_campaign',
      'day_closed',
      'cut_off',
      'share_wait',
      'total_spent',
      'month_spent',
      'balance_spent',
      'caps_elsewhere',
      'caps_away',
      'caps_unasked',
      'counts_missing',
      'caps_full',
      'duplicate_ad',
      'ledger_full',
      'too_many_unseen',
      'visitor_share',
      'paused',
      'size',
    ]
    expect(SLOT_REASONS.filter(reason => !seen.has(reason) && !elsewhere.includes(reason))).toEqual([])
  })
})

describe('who wins a tie', () => {
  it('the campaign furthest behind its pace', async () => {
    const index = createTargetingIndex(() => 0)
    const paceLag = new Map([
      [1, 0.1],
      [2, 0.4],
      [3, -0.2],
    ])
    const reserved: number[] = []
    const ledger = {
      check: () => null,
      paceLag: (cid: number) => paceLag.get(cid)!,
      today: () => ({ key: 20260921 }),
      reserve: (wish: { cid: number }) => {
        reserved.push(wish.cid)
        return wish.cid === 2 ? 'pacing' : ({} as never)
      },
    }
    const sink = { ...sinkOf(index, { setCampaign() {}, removeCampaign() {} }, () => NOW_MS) }
    const live = createLiveCatalog(sink)
    for (const cid of [1, 2, 3]) {
      await live.setCampaign({ ...CAMPAIGN, cid } as never)
      live.setPersona({ ...PERSONA, cid, pid: 10 + cid } as unknown as PersonaRow)
    }
    const parts = {
      catalog: live,
      index,
      ledger: ledger as never,
      random: () => 0,
      nextAdId: () => 'a'.repeat(16),
    }
    const terms = {
      nowMs: NOW_MS,
      user: null,
      ttlMsOf: () => 1000,
      isFree: false,
      notes: null,
      hasCapStore: false,
      source: null,
      allowance: null,
    }
    const [decision] = decide(REQUEST, parts, terms)
    expect(decision).toMatchObject({ campaign: { cid: 1 } })
    expect(reserved).toEqual([2, 1])
  })

  it('banners of one campaign are shown evenly, whichever persona they belong to', async () => {
    const counts = new Map<number, number>()
    for (let n = 0; n < 400; n++) {
      const decisions = await run({
        name: '',
        random: ((n * 7919) % 400) / 400,
        personas: [{ banners: [banner(101), banner(102), banner(103)] }, { pid: 12, banners: [banner(104)] }],
        expect: [],
      })
      const { bid } = (decisions[0] as { banner: { bid: number } }).banner
      counts.set(bid, (counts.get(bid) ?? 0) + 1)
    }
    expect([...counts.values()]).toEqual([100, 100, 100, 100])
  })
})

function banner(bid: number) {
  return [bid, 300, 250, 'image/png', false, 'a.png', 'https://shop.example.com/']
}
