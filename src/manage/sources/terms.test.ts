// What a source asks of ads: set by the API and on the command line, and kept in delivery.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  bidRequest,
  type ListeningService,
  newServedCampaign,
  type ServedCampaign,
  startListeningService,
} from '../../../test/support/delivery.ts'
import { setTerms } from './sources.ts'

const VISIT = {
  size: '300x250',
  geo: { country: 'CA' },
  device: 'desktop',
  ip: '192.0.2.7',
  ua: 'Mozilla/5.0',
}

let service: ListeningService
let served: ServedCampaign
let site: { sourceId: number; name: string }
let exchange: { sourceId: number }
beforeAll(async () => {
  service = await startListeningService()
  served = await newServedCampaign(service, { campaign: { cpm: 2, category: ['IAB25-3'] } })
  const { body } = await service.call('GET', '/source')
  site = body.find((source: { kind: string }) => source.kind === 'site')
  exchange = body.find((source: { kind: string }) => source.kind === 'exchange')
})
afterAll(() => service.close())

const edit = ({ sourceId }: { sourceId: number }, body: object) =>
  service.call('PUT', `/source/${sourceId}`, { body })

async function ad(): Promise<string> {
  await service.delivery.running()!.refresh()
  const { json } = await service.serverAd(VISIT)
  return 'reason' in json ? json.reason : 'served'
}

async function bid(bidfloor: number): Promise<number> {
  await service.delivery.running()!.refresh()
  const imp = [{ id: '1', bidfloor, banner: { format: [{ w: 300, h: 250 }] } }]
  return (await service.bid(bidRequest({ imp }))).status
}

it('floors and refusals are kept, shown, in the history, and cleared by null', async () => {
  const wanted = {
    floorCpm: 0.8,
    floorCpmBySize: [{ size: '970x250', cpm: 3 }],
    refuses: { categories: ['IAB9-9'], advertisers: ['WWW.Casino.Example'] },
  }
  const edited = await edit(site, wanted)
  expect(edited.status, edited.text).toBe(200)
  const kept = { ...wanted, refuses: { categories: ['IAB9-9'], advertisers: ['casino.example'] } }
  expect(edited.body).toMatchObject(kept)
  expect((await edit(site, { floorCpm: 0.9 })).body).toMatchObject({ ...kept, floorCpm: 0.9 })
  const { body } = await service.call('GET', '/source/history')
  expect(body.at(-1)).toMatchObject({ before: kept, after: { ...kept, floorCpm: 0.9 } })
  const cleared = await edit(site, { floorCpm: null, floorCpmBySize: null, refuses: null })
  const nothing = { floorCpm: null, floorCpmBySize: [], refuses: { categories: [], advertisers: [] } }
  expect(cleared.body).toMatchObject(nothing)
})

it.each([
  [{ floorCpm: 0 }, '/floorCpm', 'too_small'],
  [{ floorCpm: 1.234 }, '/floorCpm', 'too_many_decimals'],
  [{ floorCpmBySize: [{ size: '300', cpm: 1 }] }, '/floorCpmBySize/0/size', 'not_a_size'],
  [{ floorCpmBySize: [{ size: '17x19', cpm: 1 }] }, '/floorCpmBySize/0/size', 'size_not_allowed'],
  [{ refuses: { categories: ['IAB99'] } }, '/refuses/categories/0', 'unknown_category'],
  [{ refuses: { advertisers: ['no domain'] } }, '/refuses/advertisers/0', 'not_a_domain'],
])('%j: 400 that names %s', async (body, path, code) => {
  const answer = await edit(site, body)
  expect(answer.status).toBe(400)
  expect(answer.body.errors[0]).toMatchObject({ path, code })
})

describe('delivery', () => {
  it('shows nothing below the floor of a source, or of the size there', async () => {
    expect(await ad()).toBe('served')
    await edit(site, { floorCpm: 2.01 })
    expect(await ad()).toBe('floor')
    await edit(site, { floorCpmBySize: [{ size: '300x250', cpm: 2 }] })
    expect(await ad()).toBe('served')
    await edit(site, { floorCpmBySize: [{ size: '300x250', cpm: 2.5 }], floorCpm: null })
    expect(await ad()).toBe('floor')
    const visit = { size: '300x250', geo: { country: 'CA' }, device: 'desktop', sourceId: site.sourceId }
    const { body } = await served.customer.call('POST', `${served.path}/explain`, visit)
    const failed = body.stages.filter((stage: { passed: boolean }) => !stage.passed)
    expect(failed.map(({ stage }: { stage: string }) => stage)).toEqual(['floor'])
    await edit(site, { floorCpmBySize: null })
    expect(await ad()).toBe('served')
  })

  it('the floor of a bid request counts besides: the higher one holds', async () => {
    expect(await bid(1.99)).toBe(200)
    expect(await bid(2.01)).toBe(204)
    await edit(exchange, { floorCpm: 1.5 })
    expect(await bid(1.99)).toBe(200)
    expect(await bid(2.01)).toBe(204)
    await edit(exchange, { floorCpm: 2.01 })
    expect(await bid(0)).toBe(204)
    await edit(exchange, { floorCpm: null })
    expect(await bid(0)).toBe(200)
  })

  it('shows no category and no advertiser that the source refuses', async () => {
    await edit(site, { refuses: { categories: ['IAB25'] } })
    expect(await ad()).toBe('category_blocked')
    await edit(site, { refuses: { advertisers: ['example.com'] } })
    expect(await ad()).toBe('advertiser_blocked')
    expect(await bid(0)).toBe(200)
    await setTerms(service.db, site.name, { refuses: null }, service.clock)
    expect(await ad()).toBe('served')
  })

  it('explain refuses a source that there is not', async () => {
    const { body } = await served.customer.call('POST', `${served.path}/explain`, {
      size: '300x250',
      sourceId: 987_654,
    })
    expect(body.errors[0]).toMatchObject({ path: '/sourceId', code: 'unknown_source' })
  })
})
