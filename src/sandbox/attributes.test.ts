// Visitors of a sandbox who carry attributes of the app: those of the mix, and otherwise those that personas want.

import { afterAll, beforeEach, expect, it } from 'vitest'
import { until } from '../../test/support/banners.ts'
import { type ListeningService, newServedCampaign } from '../../test/support/delivery.ts'
import { startTestSandbox } from '../../test/support/sandbox.ts'

const START_S = Date.parse('2026-10-01T00:00:00Z') / 1000
const DAY_S = 86_400
const CANADIANS = { countries: { CA: 1 }, sizes: { '300x250': 1 } }
const SECTIONS = ['sport', 'news', 'travel'].map(value => ({ value }))

const { service } = await startTestSandbox('2026-10-01')
afterAll(() => service.close())

beforeEach(async () => {
  expect((await service.call('POST', '/sandbox/reset')).status).toBe(200)
})

async function declare(): Promise<void> {
  for (const [key, body] of [
    ['section', { kind: 'choice', choices: SECTIONS }],
    ['tags', { kind: 'words' }],
    ['price', { kind: 'number' }],
  ] as const)
    expect((await service.call('PUT', `/attribute/${key}`, { body })).status).toBe(201)
}

const newCampaign = (attributes: object) =>
  newServedCampaign(service as unknown as ListeningService, {
    campaign: { start: START_S, end: START_S + 30 * DAY_S, dailySpend: 50, cpm: 1 },
    persona: { attributes },
  })

async function visit(mix: object, requests = 400) {
  const { body: clock } = await service.call('GET', '/sandbox/clock')
  const body = { to: clock.now + 3600, requests, seed: 'attributes', mix: { ...CANADIANS, ...mix } }
  expect((await service.call('POST', '/sandbox/traffic', { body })).status).toBeLessThan(300)
  return until(async () => {
    const { body: now } = await service.call('GET', '/sandbox/traffic')
    return now.done ? now : null
  })
}

it('a mix that says what the app has not declared is refused, each key and value by name', async () => {
  const faultsOf = async (attributes: unknown) => {
    const body = { perHour: 1, mix: { attributes } }
    const { body: answer } = await service.call('POST', '/sandbox/traffic', { body })
    return answer.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
  }
  expect(await faultsOf({ section: { sport: 1 } })).toEqual(['/mix/attributes/section attribute_unknown'])
  await declare()
  const wrong = {
    section: { sport: 1, weather: 1 },
    tags: { 'ann@bikes.example': 1, cycling: 1 },
    price: { cheap: 1, '19.9': 1 },
    colour: { red: 1 },
  }
  expect(await faultsOf(wrong)).toEqual([
    '/mix/attributes/section/weather attribute_value_unknown',
    '/mix/attributes/tags/ann@bikes.example looks_personal',
    '/mix/attributes/price/cheap wrong_type',
    '/mix/attributes/colour attribute_unknown',
  ])
  expect(await faultsOf({ section: { sport: 0 } })).toEqual(['/mix/attributes/section empty'])
  expect(await faultsOf({ section: {} })).toEqual(['/mix/attributes/section empty'])
  expect(await faultsOf({ section: { sport: 'much' } })).toEqual(['/mix/attributes/section/sport wrong_type'])
  expect(await faultsOf({ tags: { ' ': 1 } })).toEqual(['/mix/attributes/tags/  empty'])
  expect(await faultsOf({ section: 'sport' })).toEqual(['/mix/attributes/section wrong_type'])
})

it('without a mix of attributes half of the visitors fit all that a persona wants, on exchanges and sites', async () => {
  await declare()
  const { customer, cid } = await newCampaign({
    section: { any: ['sport', 'news'], none: ['news'] },
    tags: { any: ['summer'], all: ['cycling', 'road'], none: ['alcohol'] },
    price: { min: 10, max: 50 },
  })
  const { requests, served, refused } = await visit({})
  expect(requests).toBe(400)
  expect(served / requests).toBeGreaterThan(0.4)
  expect(served / requests).toBeLessThan(0.6)
  expect(Object.keys(refused)).toEqual(['no_match'])
  const { breakdown } = (await customer.call('GET', `/stats/${cid}/breakdown/domain`)).body
  const domains = breakdown.map(({ name }: { name: string }) => name)
  expect(domains).toEqual(expect.arrayContaining(['site.sandbox.example', 'sports.example']))
})

it('visitors carry the values of the mix by their shares, and of other keys what fits', async () => {
  await declare()
  await newCampaign({ section: { any: ['sport'] }, price: { min: 19 } })
  const shareOf = async (attributes: object) => {
    const { served, requests } = await visit({ attributes })
    return served / requests
  }
  const dear = { '19.9': 1 }
  expect(await shareOf({ section: { Sport: 1 }, price: dear })).toBe(1)
  expect(await shareOf({ section: { news: 1, sport: 0 }, price: dear })).toBe(0)
  expect(await shareOf({ section: { sport: 1 }, price: { '18.99': 1 } })).toBe(0)
  const some = await shareOf({ section: { sport: 0.4, news: 0.6 }, price: dear })
  expect(some).toBeGreaterThan(0.3)
  expect(some).toBeLessThan(0.5)
  const half = await shareOf({ section: { sport: 1 } })
  expect(half).toBeGreaterThan(0.4)
  expect(half).toBeLessThan(0.6)
})

it('the same calls give the same figures, and a key that is declared changes none of a campaign without it', async () => {
  const figures = async (attributes: object, isDeclared = true) => {
    await service.call('POST', '/sandbox/reset')
    if (isDeclared) await declare()
    await newCampaign(attributes)
    return visit({ ctr: 0.1, cvr: 0.5 }, 200)
  }
  const wanted = { section: { any: ['sport'] } }
  expect(await figures(wanted)).toEqual(await figures(wanted))
  expect(await figures({})).toEqual(await figures({}, false))
})
