// Attributes of an app from a page to a decision: what is said, what is believed, and what is dropped.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import {
  type ListeningService,
  newServedCampaign,
  type ServedCampaign,
  startListeningService,
} from '../../../test/support/delivery.ts'
import { createAttributesSeen } from '../sample/attributes-seen.ts'

let service: ListeningService
let served: ServedCampaign

beforeAll(async () => {
  service = await startListeningService()
  const choices = [{ value: 'sport' }, { value: 'news' }]
  await declare('section', { kind: 'choice', choices, fromPublic: true })
  await declare('tags', { kind: 'words', fromPublic: true })
  await declare('price', { kind: 'number', fromPublic: true })
  await declare('plan', { kind: 'words' })
  served = await newServedCampaign(service)
})
afterAll(() => service.close())

const PAGE = { origin: 'http://localhost:3000' }
const VISIT = { size: '300x250', geo: { country: 'CA' } }

async function declare(key: string, body: object) {
  const made = await service.call('PUT', `/attribute/${key}`, { body })
  if (made.status > 201) throw new Error(made.text)
}

async function want(attributes: object) {
  const edited = await served.customer.call('PUT', served.path, { attributes })
  expect(edited.status, edited.text).toBe(200)
  await service.delivery.running()!.refresh()
}

const fits = async (attributes: object | undefined, send = service.ad) =>
  (await send({ ...VISIT, attributes }, PAGE)).json.ad !== null

describe('a persona with attributes gets', () => {
  it.each<[string, object, [object | undefined, boolean][]]>([
    [
      'requests that say one of its values',
      { section: { any: ['sport'] } },
      [
        [{ section: 'sport' }, true],
        [{ section: [' SPORT', 'news'] }, true],
        [{ section: 'news' }, false],
        [{ section: 'film' }, false],
        [{ tags: 'sport' }, false],
        [undefined, false],
      ],
    ],
    [
      'requests that say all of its values',
      { tags: { all: ['a', 'b'] } },
      [
        [{ tags: ['a', 'b', 'c'] }, true],
        [{ tags: ['a'] }, false],
        [undefined, false],
      ],
    ],
    [
      'requests that say none of its values, or nothing',
      { tags: { none: ['alcohol'] } },
      [
        [{ tags: ['tea'] }, true],
        [undefined, true],
        [{ tags: ['tea', 'Alcohol'] }, false],
      ],
    ],
    [
      'requests with a number in its range, bounds included',
      { price: { min: 10, max: 50 } },
      [
        [{ price: 10 }, true],
        [{ price: '50' }, true],
        [{ price: 50.01 }, false],
        [{ price: 'cheap' }, false],
        [undefined, false],
      ],
    ],
    [
      'requests that fit each of its attributes',
      { section: { any: ['sport', 'news'] }, tags: { none: ['x'] }, price: { min: 1 } },
      [
        [{ section: 'news', price: 2 }, true],
        [{ section: 'news', price: 2, tags: 'x' }, false],
        [{ section: 'news' }, false],
      ],
    ],
  ])('%s', async (_what, attributes, cases) => {
    await want(attributes)
    for (const [said, isFit] of cases) expect([said, await fits(said)]).toEqual([said, isFit])
  })
})

describe('what a page says', () => {
  it('counts only if the app opened the key to it; a server with its key is believed', async () => {
    await want({ plan: { any: ['gold'] } })
    expect(await fits({ plan: 'gold' })).toBe(false)
    expect(await fits({ plan: 'gold' }, service.serverAd)).toBe(true)
  })

  it('is changed by a declaration within a second, without a restart', async () => {
    await want({ section: { any: ['sport'] } })
    await declare('section', { fromPublic: false })
    await until(async () => ((await fits({ section: 'sport' })) ? null : true))
    await declare('section', { fromPublic: true })
    await until(async () => ((await fits({ section: 'sport' })) ? true : null))
  })

  it('is dropped, counted and said in the console of the browser if nobody knows it', async () => {
    await want({ section: { any: ['sport'] } })
    const query =
      'size=300x250&country=CA&page=http%3A%2F%2Flocalhost%2F&attr.section=news,sport&attr.colour=red'
    const page = await service.send(
      'GET',
      `/ad.html?source=${service.siteKey}&${query}&attr.tags=ann%40shop.example`,
    )
    expect(page.status).toBe(200)
    expect(page.text).toContain("id='ad'")
    const said = /data-problem="([^"]*)"/.exec(page.text)?.[1]
    expect(said).toContain('attribute colour: no app has declared it')
    expect(said).toContain('attribute tags: a value looks like an e-mail address or a telephone number')
    const metrics = await service.send('GET', '/metrics')
    expect(metrics.text).toMatch(/marquee_attributes_dropped_total\{reason="undeclared"\} [1-9]/)
    expect(metrics.text).toMatch(/marquee_attributes_dropped_total\{reason="personal"\} [1-9]/)
  })

  it('must have the form of attributes', async () => {
    const codes = async (attributes: unknown) =>
      (await service.ad({ ...VISIT, attributes }, PAGE)).json.errors?.map(
        ({ path, code }: { path: string; code: string }) => `${path} ${code}`,
      )
    expect(await codes('sport')).toEqual(['/attributes wrong_type'])
    expect(await codes({ section: { any: ['sport'] } })).toEqual(['/attributes/section wrong_type'])
    expect(await codes({ section: ['sport', null] })).toEqual(['/attributes/section/1 wrong_type'])
    expect(await codes({ tags: Array(51).fill('a') })).toEqual(['/attributes/tags too_many_entries'])
    const keys = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, 'a']))
    expect(await codes(keys)).toEqual(['/attributes too_many_keys'])
  })
})

describe('explanations', () => {
  it('test the attributes of a request, and refuse what a request would lose', async () => {
    await want({ section: { any: ['sport'] } })
    const explain = (attributes: object) =>
      served.customer.call('POST', `${served.path}/explain`, { ...VISIT, attributes })
    const stageOf = async (attributes: object) =>
      (await explain(attributes)).body.stages.find(({ stage }: { stage: string }) => stage === 'attribute')
    expect(await stageOf({ section: 'sport' })).toMatchObject({
      passed: true,
      why: 'attributes: section = sport',
    })
    expect(await stageOf({ section: 'news' })).toMatchObject({ passed: false })
    const lost = await explain({ colour: 'red' })
    expect([lost.status, lost.body.errors[0].code]).toEqual([400, 'attribute_not_read'])
  })

  it('of the funnel count the requests that lack the attributes', async () => {
    await want({ section: { any: ['sport'] } })
    for (let n = 0; n < 40; n++) await fits({ section: n % 2 === 0 ? 'sport' : 'news' })
    await service.delivery.running()!.refresh()
    const funnel = await until(async () => {
      const { body } = await served.customer.call('GET', `${served.path}/funnel`)
      const stage = body.stages.find((one: { stage: string }) => one.stage === 'attribute')
      return stage.refused > 0 ? stage : null
    })
    expect(funnel.passed).toBeGreaterThan(0)
  })
})

describe('a value that requests have', () => {
  it('is no longer warned of, once the process has written what it saw', async () => {
    const tags = { tags: { any: ['tent'] } }
    await want({})
    const warned = await served.customer.call('PUT', served.path, { attributes: tags })
    expect(warned.body.warnings.map(({ code }: { code: string }) => code)).toEqual(['attribute_unseen'])
    const seen = createAttributesSeen(service.clock)
    const [app] = await service.db.rows<{ app_id: number }>('select app_id from app')
    seen.note([{ name: `${app!.app_id}/tags`, words: ['tent'], number: null }])
    await seen.write(service.db)
    await served.customer.call('PUT', served.path, { attributes: null })
    const known = await served.customer.call('PUT', served.path, { attributes: tags })
    expect(known.body.warnings).toEqual([])
  })
})
