// The demo of a sandbox: what its history has, whether it could be a business, and its drawn banners.

import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, createClient } from '../../../sdk/client.ts'
import { startTestSandbox, type TestSandbox } from '../../../test/support/sandbox.ts'
import { verify } from '../../count/verify/verify.ts'
import { AD_SIZES } from '../../manage/reference/ad-sizes.ts'
import { buildHistory, MIX } from './history.ts'
import { drawBanner } from './images.ts'
import { SHOPS } from './shops.ts'

const START_S = Date.parse('2026-10-01') / 1000
/** The end of the history that people see, whose 60 days take as many times as long. */
const DAYS = 6
const PERIOD = { start: START_S, end: START_S + (DAYS + 1) * 86_400 }

let sandbox: TestSandbox
let app: Client
const parts: number[] = []
const build = () => buildHistory(app, sandbox.base, { days: DAYS, onProgress: part => void parts.push(part) })

beforeAll(async () => {
  sandbox = await startTestSandbox('2026-10-01')
  const { key: superkey, token: supertoken } = sandbox.service.app
  app = createClient({ baseUrl: sandbox.base, credentials: { superkey, supertoken } })
  expect(await build()).toBe(true)
}, 600_000)
afterAll(() => sandbox.service.close())

async function campaigns() {
  const all = []
  for (const { cuid, company } of await app.listCustomers())
    for (const campaign of await app.listCampaigns({ cuid })) all.push({ ...campaign, cuid, company })
  return all
}

async function campaignNamed(wanted: string) {
  return (await campaigns()).find(({ name }) => name === wanted)!
}

async function bannersOf({ cuid, cid }: { cuid: number; cid: number }) {
  const personas = await app.listPersonas({ cuid, cid })
  return (await Promise.all(personas.map(({ pid }) => app.listBanners({ cuid, cid, pid })))).flat()
}

/** Everything that was counted, by campaign. */
async function figures() {
  return (await app.readReport({ by: 'campaign', ...PERIOD })).rows
}

it('is built once: not beside data that is there', async () => {
  expect(parts.at(-1)).toBe(1)
  expect(parts).toEqual(parts.toSorted((a, b) => a - b))
  expect(await build()).toBe(false)
})

describe('a business that is believable', () => {
  it('has budgets, prices, click rates, conversion rates and returns as real ones', async () => {
    const budgets = (await campaigns()).map(({ dailySpend }) => dailySpend)
    expect(Math.min(...budgets)).toBeGreaterThanOrEqual(15)
    expect(Math.max(...budgets)).toBeLessThanOrEqual(80)
    const rows = (await figures()).filter(({ imps }) => imps > 0)
    expect(rows.length).toBeGreaterThan(12)
    const sum = (of: 'imps' | 'clicks' | 'actions' | 'spend' | 'value') =>
      rows.reduce((total, row) => total + row[of]!, 0)
    for (const { cid, imps, clicks, spend } of rows) {
      const cpm = (1000 * spend) / imps
      expect(cpm, `price of ${cid}`).toBeGreaterThanOrEqual(3)
      expect(cpm, `price of ${cid}`).toBeLessThanOrEqual(8)
      if (imps < 5_000) continue
      expect(clicks / imps, `click rate of ${cid}`).toBeGreaterThan(0.001)
      expect(clicks / imps, `click rate of ${cid}`).toBeLessThan(0.006)
    }
    const conversions = sum('actions') / sum('clicks')
    expect(conversions).toBeGreaterThan(0.01)
    expect(conversions).toBeLessThan(0.03)
    const order = sum('value') / sum('actions')
    expect(order).toBeGreaterThan(60)
    expect(order).toBeLessThan(250)
    // A single campaign has few orders in a few days.
    const returned = sum('value') / sum('spend')
    expect(returned).toBeGreaterThan(1.5)
    expect(returned).toBeLessThan(6)
  })

  it('has no campaign whose return a reader would not believe: each earns between 1.5 and 6 times what it costs', async () => {
    // A few days have too few orders for a return, so it is what clicks lead to, and the orders are as many as that.
    const { from, to } = MIX.value
    const perClick = (MIX.cvr * (from + to)) / 2
    const all = await campaigns()
    const rows = (await figures()).filter(({ imps }) => imps > 5_000)
    expect(rows.length).toBeGreaterThan(10)
    for (const { cid, clicks, spend, actions, value } of rows) {
      const { name } = all.find(one => one.cid === cid)!
      expect((clicks * perClick) / spend, name).toBeGreaterThan(1.5)
      expect((clicks * perClick) / spend, name).toBeLessThan(6)
      expect(Math.abs(actions - clicks * MIX.cvr), `orders of ${name}`).toBeLessThan(2)
      expect(value! / Math.max(1, actions), `an order of ${name}`).toBeLessThanOrEqual(to)
      if (actions > 0) expect(value! / actions, `an order of ${name}`).toBeGreaterThanOrEqual(from)
    }
  })

  it('spends most of its budgets, none is exceeded, and everything that was counted agrees', async () => {
    const all = await campaigns()
    for (const { cid, spend, imps } of await figures()) {
      const { dailySpend, status } = all.find(one => one.cid === cid)!
      // Its budget may have been lower before.
      expect(spend, `spend of ${cid}`).toBeLessThanOrEqual(dailySpend * (DAYS + 1))
      if (imps > 5_000 && status === 'running') expect(spend).toBeGreaterThan(dailySpend * DAYS * 0.5)
    }
    const { config, db } = sandbox.service
    for (const { check, differences } of await verify(db, {
      timeZone: config.TIMEZONE,
      clickWindowS: config.CLICK_WINDOW,
    }))
      expect(differences, check).toEqual([])
  })

  it('has one ad that is clicked clearly more often than the others of its campaign', async () => {
    const { cuid, cid } = await campaignNamed('City bikes')
    const rates: Record<string, { imps: number; clicks: number }> = {}
    for (const { bid, name } of await bannersOf({ cuid, cid })) {
      const { imps, clicks } = await app.readSummary({ cuid, id: bid })
      const claim = name.split(',')[0]!
      const { imps: before, clicks: clicksBefore } = rates[claim] ?? { imps: 0, clicks: 0 }
      rates[claim] = { imps: before + imps, clicks: clicksBefore + clicks }
    }
    const [best, next] = Object.entries(rates).toSorted(
      ([, a], [, b]) => b.clicks / b.imps - a.clicks / a.imps,
    )
    expect(best![0]).toBe('Two weeks on trial')
    expect(best![1].clicks / best![1].imps).toBeGreaterThan((1.5 * next![1].clicks) / next![1].imps)
  })
})

describe('what there is to see', () => {
  it('most campaigns run; others are scheduled, paused, frozen or over', async () => {
    const all = await campaigns()
    const states = new Set(all.map(({ status }) => status))
    expect([...states].toSorted()).toEqual(['ended', 'frozen', 'paused', 'running', 'scheduled'])
    const running = all.filter(({ status }) => status === 'running').length / all.length
    expect(running).toBeGreaterThan(0.7)
    expect((await app.listCustomers()).map(({ company }) => company)).toEqual(
      SHOPS.map(({ company }) => company),
    )
  })

  it('one campaign is too cheap for its place, and one is meant for a place without visitors', async () => {
    const { issues } = await app.listIssuesOfAll()
    const codeOf = async (name: string) => {
      const { cid } = await campaignNamed(name)
      return issues.filter(issue => issue.cid === cid).map(({ code }) => code)
    }
    expect(await codeOf('Service weeks')).toEqual(['mostly_outbid'])
    expect(await codeOf('Arctic tours')).toEqual(['no_request_fits'])
  })

  it('one banner is rejected with a reason, three wait for a person, and all have pictures', async () => {
    const banners = await bannersOf(await campaignNamed('Reading glasses'))
    expect(
      banners.filter(({ status }) => status === 'rejected').map(({ reasons }) => reasons.length),
    ).toEqual([1])
    expect(await app.listQueue()).toHaveLength(3)
    const others = (await campaigns()).filter(({ name }) => name !== 'Reading glasses')
    for (const campaign of others) {
      const made = await bannersOf(campaign)
      expect(made.length).toBeGreaterThanOrEqual(4)
      expect(made.map(({ status }) => status)).toEqual(made.map(() => 'approved'))
    }
  })

  it('a balance is low but not spent, and a proposal waits', async () => {
    const customers = await app.listCustomers()
    const { cuid } = customers.find(({ company }) => company === 'Daisy Flowers')!
    const { balance } = await app.readAccount({ cuid })
    expect(balance).toBeGreaterThan(0)
    expect(balance).toBeLessThan(20)
    const northern = customers.find(({ company }) => company === 'Northern Coffee')!
    const proposals = await app.listProposals({ cuid: northern.cuid })
    expect(proposals.map(({ status }) => status)).toEqual(['pending'])
  })

  it('two colleagues made the changes, each at its own time, and left notes and saved views', async () => {
    const { cuid } = await campaignNamed('City bikes')
    const entries = []
    for (const { cid } of await app.listCampaigns({ cuid }))
      entries.push(...(await app.readCampaignHistory({ cuid, cid, limit: 1000 })))
    const people = entries.filter(({ by }) => by.kind !== 'service')
    expect(new Set(people.map(({ by }) => by.name))).toEqual(new Set(['Ann Rider', 'Ben Costa']))
    const edits = entries.filter(({ noun, action }) => noun === 'campaign' && action === 'edit')
    expect(edits.length).toBeGreaterThan(1)
    expect(new Set(edits.map(({ at }) => Math.floor(at / 86_400))).size).toBe(edits.length)
    expect((await app.listNotes({ cuid })).length + (await app.listSavedViews({ cuid })).length).toBe(4)
  })
})

describe('a drawn banner', () => {
  it.each(SHOPS.map(({ company, look }, n) => [company, look, n] as const))(
    'of %s has the right size and a small file',
    async (_, look, n) => {
      for (const { width, height, maxBytes } of n === 0 ? AD_SIZES : AD_SIZES.slice(0, 1)) {
        const text = { claim: 'Two weeks on trial', button: 'Try it', variant: n }
        const image = await drawBanner(look, text, width, height)
        expect(await sharp(image).metadata()).toMatchObject({ format: 'png', width, height })
        expect(image.length).toBeLessThan(maxBytes)
      }
    },
  )
})
