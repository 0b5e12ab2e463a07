// Attributes in bid requests: read at the places of the source, only what apps know, and of the visitor only with
// consent. Each place is a case.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import {
  bidRequest,
  type ListeningService,
  newServedCampaign,
  type ServedCampaign,
  startListeningService,
} from '../../../test/support/delivery.ts'

let service: ListeningService
let served: ServedCampaign
const PLACES = {
  tags: ['keywords', 'site.ext.data.tags', 'app.ext.data.tags', 'content.data.iris.example'],
  plan: ['user.keywords', 'user.ext.data.plan'],
}

beforeAll(async () => {
  service = await startListeningService()
  for (const [key, fromPublic] of [
    ['tags', true],
    ['plan', false],
  ] as const) {
    const made = await service.call('PUT', `/attribute/${key}`, { body: { kind: 'words', fromPublic } })
    expect(made.status, made.text).toBe(201)
  }
  for (const { sourceId } of (await service.call('GET', '/source')).body) {
    const edited = await service.call('PUT', `/source/${sourceId}`, { body: { attributes: PLACES } })
    expect([edited.status, edited.body.attributes]).toEqual([200, PLACES])
  }
  served = await newServedCampaign(service, {
    persona: { attributes: { tags: { any: ['cycling'] } } },
  })
  await service.delivery.running()!.refresh()
})
afterAll(() => service.close())

const bids = async (changes: object) => (await service.bid(bidRequest(changes))).status === 200
const site = (fields: object) => ({ site: { domain: 'news.example', ...fields } })
const want = async (attributes: object) => {
  await served.customer.call('PUT', served.path, { attributes })
  await service.delivery.running()!.refresh()
}

describe('a bid request', () => {
  it.each<[string, object, boolean]>([
    ['has no bid without the attribute', {}, false],
    ['says it in the keywords of its site', site({ keywords: 'news, Cycling' }), true],
    ['says it in an array of keywords', site({ kwarray: ['cycling'] }), true],
    ['says it in the data of its site', site({ ext: { data: { tags: ['tents', 'cycling'] } } }), true],
    [
      'says it in the data of its app',
      { site: undefined, app: { bundle: 'a.b', ext: { data: { tags: 'cycling' } } } },
      true,
    ],
    [
      'says it in the segments of a provider',
      site({ content: { data: [{ name: 'iris.example', segment: [{ id: 'cycling' }] }] } }),
      true,
    ],
    [
      'does not say it in the segments of another provider',
      site({ content: { data: [{ name: 'other.example', segment: [{ id: 'cycling' }] }] } }),
      false,
    ],
    [
      'does not say it at a place that the source has not named',
      site({ ext: { data: { topic: 'cycling' } } }),
      false,
    ],
    [
      'survives anything at these places',
      site({ keywords: 7, kwarray: {}, ext: { data: [1] }, content: 'x' }),
      false,
    ],
  ])('%s', async (_what, changes, isBid) => {
    await want({ tags: { any: ['cycling'] } })
    expect(await bids(changes)).toBe(isBid)
  })

  it('says of its user only what consent allows', async () => {
    await want({ plan: { any: ['gold'] } })
    const user = { id: 'u', keywords: 'gold' }
    expect(await bids({ user })).toBe(true)
    expect(await bids({ user: { id: 'u', ext: { data: { plan: 'gold' } } } })).toBe(true)
    expect(await bids({ user, regs: { gdpr: 1 } })).toBe(false)
    expect(await bids({ user, regs: { coppa: 1 } })).toBe(false)
  })
})

it('a page with the public key says only what is open to it', async () => {
  const page = async (changes: object) => {
    const body = { ...bidRequest(), site: { page: 'http://localhost/', ...changes }, test: 1 }
    const headers = { origin: 'http://localhost:3000' }
    return (await service.send('POST', `/openrtb2/site/${service.siteKey}`, body, headers)).status === 200
  }
  await want({ tags: { any: ['cycling'] } })
  expect(await page({ keywords: 'cycling' })).toBe(true)
  expect(await page({ keywords: 'tents' })).toBe(false)
})

it('the places of a source are checked, and kept in its history', async () => {
  const [{ sourceId }] = (await service.call('GET', '/source')).body
  const put = (attributes: unknown) => service.call('PUT', `/source/${sourceId}`, { body: { attributes } })
  for (const wrong of [{ tags: ['site.page'] }, { Tags: ['keywords'] }, { tags: 'keywords' }, ['keywords']])
    expect((await put(wrong)).status).toBe(400)
  expect((await put(null)).body.attributes).toEqual({})
  const { body: history } = await service.call('GET', '/source/history?limit=1000')
  expect(history.at(-1)).toMatchObject({ before: { attributes: PLACES }, after: { attributes: {} } })
  await want({ tags: { any: ['cycling'] } })
  await until(async () => ((await bids(site({ keywords: 'cycling' }))) ? null : true))
})
