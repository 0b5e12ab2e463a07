// Where ads may be shown: `sites` of campaigns and customers and the lists of an app, through the API and in delivery.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type ListeningService,
  newServedCampaign,
  type ServedCampaign,
  startListeningService,
} from '../../../test/support/delivery.ts'

const VISIT = {
  size: '300x250',
  geo: { country: 'CA' },
  device: 'desktop',
  ip: '192.0.2.7',
  ua: 'Mozilla/5.0',
}

let service: ListeningService
let served: ServedCampaign
beforeAll(async () => {
  service = await startListeningService()
  served = await newServedCampaign(service)
})
afterAll(() => service.close())

const put = (key: string, body: object, headers?: Record<string, string>) =>
  service.call('PUT', `/site-list/${key}`, { body, ...(headers ? { headers } : {}) })
const edit = (sites: unknown) => served.customer.call('PUT', `/campaign/${served.cid}`, { sites })
const editCustomer = (sites: unknown) =>
  service.call('PUT', `/customer/${served.customer.cuid}`, { body: { sites } })

/** What a page on this site gets: `served`, or the reason. */
async function on(site: string): Promise<string> {
  await service.delivery.running()!.refresh()
  const { json } = await service.serverAd({ ...VISIT, page: `https://${site}/` })
  return 'reason' in json ? json.reason : 'served'
}

describe('sites', () => {
  it('are kept in one spelling, each once, and shown again; null means everywhere', async () => {
    const { sourceId } = (await service.call('GET', '/source')).body[0]
    const source = `source:${sourceId}`
    const edited = await edit({
      only: ['WWW.News.Example', 'news.example', 'app:Com.Example.Game', source],
      not: ['bücher.example'],
    })
    expect(edited.status, edited.text).toBe(200)
    expect(edited.body.sites).toEqual({
      only: ['news.example', 'app:com.example.game', source],
      not: ['xn--bcher-kva.example'],
    })
    expect((await served.customer.call('GET', `/campaign/${served.cid}`)).body.sites).toEqual(
      edited.body.sites,
    )
    const copied = await served.customer.call('POST', `/campaign/${served.cid}/copy`, {})
    expect(copied.body.sites).toEqual(edited.body.sites)
    expect((await edit({ only: [], not: [] })).body.sites).toBe(null)
    expect((await edit(null)).body.sites).toBe(null)
  })

  it.each([
    [{ only: ['https://news.example/'] }, '/sites/only/0', 'not_a_site_entry'],
    [{ only: ['news.example', 'a b'] }, '/sites/only/1', 'not_a_site_entry'],
    [{ not: ['app:'] }, '/sites/not/0', 'not_a_site_entry'],
    [{ not: ['source:x'] }, '/sites/not/0', 'not_a_site_entry'],
    [{ not: ['source:999999'] }, '/sites/not/0', 'unknown_source'],
    [{ only: ['list:none-such'] }, '/sites/only/0', 'unknown_site_list'],
    [{ only: ['list:No Key'] }, '/sites/only/0', 'not_a_site_entry'],
    [{ onlyy: [] }, '/sites/onlyy', 'unknown_field'],
  ])('%j: 400 that names %s', async (sites, path, code) => {
    for (const answer of [await edit(sites), await editCustomer(sites)]) {
      expect(answer.status).toBe(400)
      expect(answer.body.errors[0]).toMatchObject({ path, code })
    }
  })

  it('have at most 500 entries on each side', async () => {
    const many = (length: number) => Array.from({ length }, (_, n) => `s${n}.example`)
    expect((await edit({ only: many(500), not: many(500) })).status).toBe(200)
    const refused = await edit({ only: many(501) })
    expect(refused.body.errors[0]).toMatchObject({ path: '/sites/only', code: 'too_many_entries' })
    await edit(null)
  })

  it('of a campaign and of its customer hold together, from the next second on, and the funnel says so', async () => {
    expect(await on('localhost')).toBe('served')
    await edit({ only: ['news.example'] })
    expect(await on('localhost')).toBe('site_not_allowed')
    await edit({ only: ['localhost'] })
    expect(await on('localhost')).toBe('served')
    await editCustomer({ not: ['localhost'] })
    expect(await on('localhost')).toBe('site_not_allowed')
    const visit = { size: '300x250', geo: { country: 'CA' }, device: 'desktop', page: 'https://localhost/' }
    const { body } = await served.customer.call('POST', `${served.path}/explain`, visit)
    const failed = body.stages.filter((stage: { passed: boolean }) => !stage.passed)
    expect(failed.map(({ stage }: { stage: string }) => stage)).toEqual(['sites'])
    const elsewhere = { ...visit, page: 'https://other.example/' }
    const other = await served.customer.call('POST', `${served.path}/explain`, elsewhere)
    expect(other.body.served).toBe(false)
    await editCustomer(null)
    await edit(null)
    expect(await on('localhost')).toBe('served')
    const { body: funnel } = await served.customer.call('GET', `${served.path}/funnel`)
    expect(funnel.stages.map(({ stage }: { stage: string }) => stage)).toContain('sites')
  })

  it('a server of a site that names no page stands for its own domain', async () => {
    const bare = async () => {
      await service.delivery.running()!.refresh()
      const { json } = await service.serverAd(VISIT)
      return 'reason' in json ? json.reason : 'served'
    }
    await edit({ only: ['localhost'] })
    expect(await bare()).toBe('served')
    await edit({ not: ['localhost'] })
    expect(await bare()).toBe('site_not_allowed')
    await edit(null)
  })

  it('the history shows them, and a change of them is taken back', async () => {
    await edit({ only: ['news.example'] })
    const history = await served.customer.call('GET', `/campaign/${served.cid}/history`)
    const last = history.body.at(-1)
    expect([last.before.sites, last.after.sites]).toEqual([null, { only: ['news.example'], not: [] }])
    const undone = await served.customer.call('POST', `/history/${last.id}/undo`, {})
    expect(undone.status, undone.text).toBe(200)
    expect((await served.customer.call('GET', `/campaign/${served.cid}`)).body.sites).toBe(null)
  })
})

describe('a site list', () => {
  it('is created, read, replaced and deleted; sending it again changes nothing', async () => {
    const made = await put('premium', {
      name: 'Premium',
      entries: ['www.news.example', 'app:X', 'news.example'],
    })
    expect(made.status, made.text).toBe(201)
    expect(made.body).toMatchObject({
      key: 'premium',
      name: 'Premium',
      count: 2,
      entries: ['news.example', 'app:x'],
      uses: { customers: 0, campaigns: 0 },
    })
    const again = await put('premium', { entries: ['news.example', 'app:x'] })
    expect([again.status, again.body]).toEqual([200, made.body])
    const late = await put('premium', { entries: [] }, { 'if-match': '"1-1"' })
    expect([late.status, late.body.code]).toEqual([412, 'precondition_failed'])
    const etag = again.headers.etag!
    expect((await put('premium', { entries: ['b.example'] }, { 'if-match': etag })).body.entries).toEqual([
      'b.example',
    ])
    expect((await service.call('GET', '/site-list')).body.map(({ key }: { key: string }) => key)).toContain(
      'premium',
    )
    expect((await service.call('DELETE', '/site-list/premium')).body).toEqual({
      key: 'premium',
      deleted: true,
    })
    for (const method of ['GET', 'DELETE'])
      expect((await service.call(method, '/site-list/premium')).status).toBe(404)
  })

  it.each([
    ['no-dots', { entries: ['list:other'] }, '/entries/0', 'list_in_list'],
    ['no-dots', { entries: ['source:424242'] }, '/entries/0', 'unknown_source'],
    ['no-dots', { entries: ['a', 'b c'] }, '/entries/1', 'not_a_site_entry'],
    ['Large', { entries: [] }, '/listKey', 'wrong_format'],
  ])('%s with %j: 400 that names %s', async (key, body, path, code) => {
    const answer = await put(key, body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0]).toMatchObject({ path, code })
  })

  it('an edit holds for all who name it, and it cannot be deleted while it is named', async () => {
    await put('where', { entries: ['localhost'] })
    await edit({ only: ['list:where'] })
    expect(await on('localhost')).toBe('served')
    await put('where', { entries: ['news.example'] })
    expect(await on('localhost')).toBe('site_not_allowed')
    expect((await service.call('GET', '/site-list/where')).body.uses).toEqual({ customers: 0, campaigns: 1 })
    const refused = await service.call('DELETE', '/site-list/where')
    expect([refused.status, refused.body.reason]).toEqual([409, 'site_list_in_use'])
    await edit({ not: ['list:where'] })
    expect(await on('localhost')).toBe('served')
    await put('where', { entries: ['localhost', 'news.example'] })
    expect(await on('localhost')).toBe('site_not_allowed')
    await editCustomer({ only: ['list:where'] })
    await edit(null)
    expect(await on('localhost')).toBe('served')
    expect((await service.call('DELETE', '/site-list/where')).status).toBe(409)
    await editCustomer(null)
    expect((await service.call('DELETE', '/site-list/where')).status).toBe(200)
  })

  it('that is deleted while a campaign that names it is in the bin shows nothing of it when it is back', async () => {
    const { customer, cid } = await newServedCampaign(service, { campaign: { cpm: 90 } })
    await put('binned', { entries: ['news.example'] })
    await customer.call('PUT', `/campaign/${cid}`, { sites: { not: ['list:binned'] } })
    await customer.call('DELETE', `/campaign/${cid}`)
    expect((await service.call('DELETE', '/site-list/binned')).status).toBe(200)
    await customer.call('POST', `/campaign/${cid}/restore`)
    await service.delivery.running()!.refresh()
    const { json } = await service.serverAd({ ...VISIT, page: 'https://localhost/' })
    expect(json.ad.cid).toBe(served.cid)
    await put('binned', { entries: ['news.example'] })
    await service.delivery.running()!.refresh()
    expect((await service.serverAd({ ...VISIT, page: 'https://localhost/' })).json.ad.cid).toBe(cid)
    await customer.call('DELETE', `/campaign/${cid}`)
  })
})
