// Sources managed by an app that may do so: each step of their life, through the API, and its effect on delivery.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { PRIVATE_HOSTS } from '../../../test/support/private-hosts.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { createApp, provisionApp } from '../../identity/apps.ts'
import type { Fetched } from '../../platform/safe-fetch.ts'
import { createSiteFiles } from './site-files.ts'

let service: TestService
let url: string
/** The file that each domain shows. */
const files = new Map<string, Fetched>()
beforeAll(async () => {
  const siteFiles = async (domain: string): Promise<Fetched> =>
    files.get(domain) ?? { ok: false, why: 'unreachable' }
  service = await startTestService({}, undefined, { siteFiles })
  url = await service.listen()
  await service.delivery.started
})
afterAll(() => service.close())

let sites = 0
async function newSite(fields: object = {}) {
  const name = `site-${++sites}`
  const body = { kind: 'site', name, domain: `${name}.example`, ...fields }
  const made = await service.call('POST', '/source', { body })
  expect(made.status, made.text).toBe(201)
  return made.body
}
const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  service.call(method, path, { body, ...(headers ? { headers } : {}) })
const refresh = () => service.delivery.running()!.refresh()
/** Whether delivery knows the source of a request: by a key in the body, or by a bid URL. */
async function isKnown(path: string, body: object): Promise<boolean> {
  await refresh()
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  await answer.arrayBuffer()
  return answer.status !== 404
}
const knows = (source: string) => isKnown('/ad', { source, size: '300x250' })

it('a site is added, read, edited and revoked; secrets are shown once; delivery follows', async () => {
  const made = await newSite({ domain: 'News.Example' })
  expect(made).toMatchObject({ kind: 'site', domain: 'news.example', billsOn: 'pixel', checked: null })
  expect(made.secrets).toEqual({ serverKey: expect.stringMatching(/^mqv\w{24}$/), bidUrl: null })
  const path = `/source/${made.sourceId}`
  const read = await call('GET', path)
  const { secrets, ...rest } = made
  expect(read.body).toEqual(rest)
  expect(read.text).not.toContain(secrets.serverKey)
  expect(await knows(made.key)).toBe(true)
  expect(await knows(secrets.serverKey)).toBe(true)

  const edited = await call(
    'PUT',
    path,
    { ...read.body, domain: 'www.news.example' },
    { 'if-match': read.headers.etag! },
  )
  expect([edited.status, edited.body.domain]).toEqual([200, 'www.news.example'])
  const late = await call('PUT', path, { domain: 'late.example' }, { 'if-match': read.headers.etag! })
  expect([late.status, late.body.code]).toEqual([412, 'precondition_failed'])

  expect((await call('DELETE', path)).body).toEqual({ sourceId: made.sourceId, deleted: true })
  expect(await knows(made.key)).toBe(false)
  expect(await knows(secrets.serverKey)).toBe(false)
  for (const method of ['GET', 'PUT', 'DELETE']) {
    expect((await call(method, path, method === 'PUT' ? { name: 'again' } : undefined)).status).toBe(404)
  }
})

it('the name of a revoked source can be used again, for a new source or by an edit', async () => {
  const [first, other] = [await newSite({ name: 'weekly' }), await newSite()]
  await call('DELETE', `/source/${first.sourceId}`)
  const second = await newSite({ name: 'weekly' })
  expect(second.name).toBe('weekly')
  const taken = await call('PUT', `/source/${other.sourceId}`, { name: 'weekly' })
  expect([taken.status, taken.body.reason]).toEqual([409, 'source_exists'])
  await call('DELETE', `/source/${second.sourceId}`)
  expect((await call('PUT', `/source/${other.sourceId}`, { name: 'weekly' })).body.name).toBe('weekly')
  const { body: history } = await call('GET', '/source/history?limit=1000')
  const revoked = history.filter(({ action }: { action: string }) => action === 'revoke')
  expect(revoked.slice(-2).map(({ before }: { before: { name: string } }) => before.name)).toEqual([
    'weekly',
    'weekly',
  ])
})

it('an exchange has a bid URL that is shown once, and settings that only exchanges have', async () => {
  const body = { kind: 'exchange', name: 'big', billsOn: 'pixel', allowsCpc: true }
  const made = (await call('POST', '/source', body)).body
  expect(made).toMatchObject({ key: null, domain: null, billsOn: 'pixel', allowsCpc: true, serverKey: false })
  expect(made.secrets).toEqual({
    serverKey: null,
    bidUrl: expect.stringMatching(/\/openrtb2\/bid\/mqx\w{24}$/),
  })
  const path = `/source/${made.sourceId}`
  expect((await call('PUT', path, { allowsCpc: false, billsOn: 'notice' })).body).toMatchObject({
    allowsCpc: false,
    billsOn: 'notice',
  })
  const refused = async (method: string, at: string, sent: object) => {
    const { status, body } = await call(method, at, sent)
    return [status, body.errors?.[0]?.path, body.errors?.[0]?.code]
  }
  expect(await refused('PUT', path, { domain: 'a.example' })).toEqual([400, '/domain', 'for_sites_only'])
  const key = `${path}/key`
  expect(await refused('POST', key, { which: 'serverKey', overlap: 0 })).toEqual([
    400,
    '/which',
    'for_sites_only',
  ])
  const site = { kind: 'site', name: 'other' }
  expect(await refused('POST', '/source', site)).toEqual([400, '/domain', 'not_a_domain'])
  for (const domain of ['https://a.example', 'a.example/x', 'a b', '127.0.0.1:80', 'xn--a', '1.2.3.999'])
    expect((await refused('POST', '/source', { ...site, domain })).slice(1)).toEqual([
      '/domain',
      'not_a_domain',
    ])
  const billsOn = { ...site, domain: 'a.example', billsOn: 'notice' }
  expect(await refused('POST', '/source', billsOn)).toEqual([400, '/billsOn', 'for_exchanges_only'])
  expect((await call('POST', `${path}/check`)).body.reason).toBe('not_a_site')
})

it('a key that is replaced ends at once, or stays valid for as long as was asked; an older key ends', async () => {
  const { sourceId, key, secrets } = await newSite()
  const renew = async (body: object) => {
    const answer = await call('POST', `/source/${sourceId}/key`, body)
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  const sinceS = Math.floor(service.clock.nowMs() / 1000)
  const second = await renew({ overlap: 3600 })
  expect(second.oldUntil).toBeGreaterThanOrEqual(sinceS + 3600)
  expect(second.oldUntil).toBeLessThanOrEqual(service.clock.nowMs() / 1000 + 3600)
  expect(second.secrets).toEqual({ serverKey: null, bidUrl: null })
  expect([await knows(key), await knows(second.key)]).toEqual([true, true])
  expect((await call('GET', `/source/${sourceId}`)).body.oldKeyUntil).toBe(second.oldUntil)
  const server = await renew({ which: 'serverKey', overlap: 7200 })
  expect(server.key).toBe(second.key)
  expect([await knows(secrets.serverKey), await knows(server.secrets.serverKey)]).toEqual([true, true])
  service.clock.advance(3_601_000)
  expect([await knows(key), await knows(second.key)]).toEqual([false, true])
  expect(await knows(secrets.serverKey)).toBe(true)
  const third = await renew({ overlap: 0 })
  expect(third.oldUntil).toBeNull()
  expect([await knows(second.key), await knows(third.key)]).toEqual([false, true])
  const fourth = await renew({ overlap: 60 })
  const fifth = await renew({ overlap: 60 })
  expect(await Promise.all([third, fourth, fifth].map(({ key }) => knows(key)))).toEqual([false, true, true])
  service.clock.advance(3_700_000)
  expect(await knows(secrets.serverKey)).toBe(false)
})

it('a bid URL that is replaced stays valid for as long as was asked', async () => {
  const made = (await call('POST', '/source', { kind: 'exchange', name: 'renewed' })).body
  const answers = (bidUrl: string) => isKnown(new URL(bidUrl).pathname, {})
  const { secrets } = (await call('POST', `/source/${made.sourceId}/key`, { overlap: 60 })).body
  expect([await answers(made.secrets.bidUrl), await answers(secrets.bidUrl)]).toEqual([true, true])
  service.clock.advance(61_000)
  expect([await answers(made.secrets.bidUrl), await answers(secrets.bidUrl)]).toEqual([false, true])
})

it('the domain of a site is checked by a file with its public key; another domain is not checked yet', async () => {
  const { sourceId, key, domain } = await newSite()
  const check = async () => {
    const { body } = await call('POST', `/source/${sourceId}/check`)
    return [body.checked === null ? null : 'checked', body.finding?.code ?? null]
  }
  const shows = (text: string) => files.set(domain, { ok: true, bytes: Buffer.from(text) })
  expect(await check()).toEqual([null, 'domain_unreachable'])
  files.set(domain, { ok: false, why: 'status', status: 404 })
  expect(await check()).toEqual([null, 'domain_status'])
  shows(`not ${key}\n`)
  expect(await check()).toEqual([null, 'domain_key_missing'])
  shows(`# ours\r\n ${key} \r\n`)
  const sinceS = Math.floor(service.clock.nowMs() / 1000)
  expect(await check()).toEqual(['checked', null])
  const path = `/source/${sourceId}`
  const { checked } = (await call('GET', path)).body
  expect(checked).toBeGreaterThanOrEqual(sinceS)
  expect(checked).toBeLessThanOrEqual(service.clock.nowMs() / 1000)
  expect((await call('PUT', path, { name: `${domain} renamed` })).body.checked).not.toBeNull()
  expect((await call('PUT', path, { domain: 'elsewhere.example' })).body.checked).toBeNull()
})

it('a check never reaches a private address, whatever the domain resolves to', async () => {
  const asked: string[] = []
  const lookup = async (name: string) => {
    asked.push(name)
    return [{ address: '127.0.0.1', family: 4 }]
  }
  const fetchFile = createSiteFiles({ allowPrivate: false, lookup })
  for (const domain of ['news.example', ...PRIVATE_HOSTS.filter(host => !host.includes('['))])
    expect(await fetchFile(domain)).toEqual({ ok: false, why: 'unreachable' })
  expect(asked).toContain('news.example')
})

it('the same call twice creates one source; a name is given once, even to two calls at the same time', async () => {
  const body = { kind: 'site', name: 'once', domain: 'once.example' }
  const twice = () => call('POST', '/source', body, { 'idempotency-key': 'once' })
  const [first, second] = [await twice(), await twice()]
  expect(second.body).toEqual(first.body)
  const again = await call('POST', '/source', body)
  expect([again.status, again.body.reason]).toEqual([409, 'source_exists'])
  const others = [await newSite(), await newSite()]
  const rename = others.map(({ sourceId }) => call('PUT', `/source/${sourceId}`, { name: 'wanted' }))
  expect((await Promise.all(rename)).map(({ status }) => status).sort()).toEqual([200, 409])
  const tried = await call('POST', '/source?dryRun=true', { ...body, name: 'tried' })
  expect([tried.status, tried.body.dryRun, tried.body.secrets]).toEqual([200, true, undefined])
  expect((await call('GET', '/source')).text).not.toContain('tried')
})

it('the history says who did what, and shows no key', async () => {
  const { sourceId, key, secrets } = await newSite()
  await call('PUT', `/source/${sourceId}`, { domain: 'moved.example' })
  await call('PUT', `/source/${sourceId}`, { domain: 'moved.example' })
  await call('POST', `/source/${sourceId}/key`, { which: 'serverKey', overlap: 0 })
  await call('DELETE', `/source/${sourceId}`)
  const { body, text } = await call('GET', '/source/history')
  const own = body.filter((entry: { sourceId: number }) => entry.sourceId === sourceId)
  expect(own.map(({ action }: { action: string }) => action)).toEqual(['add', 'edit', 'renew', 'revoke'])
  expect(own[1]).toMatchObject({
    by: { kind: 'app' },
    before: { domain: expect.stringMatching(/^site-/) },
    after: { domain: 'moved.example' },
  })
  expect(own[3].after).toBeNull()
  for (const secret of [key, secrets.serverKey]) expect(text).not.toContain(secret)
})

it('an app reads sources, and changes them only if the operator lets it', async () => {
  const { pair } = await createApp(service.db, { name: 'plain' }, service.clock)
  const { sourceId, name } = await newSite()
  const as = (method: string, path: string, body?: unknown) => service.call(method, path, { app: pair, body })
  expect((await as('GET', `/source/${sourceId}`)).body.name).toBe(name)
  for (const [method, path, body] of [
    ['POST', '/source', { kind: 'exchange', name: 'theirs' }],
    ['PUT', `/source/${sourceId}`, { name: 'theirs' }],
    ['DELETE', `/source/${sourceId}`],
    ['POST', `/source/${sourceId}/key`, { overlap: 0 }],
    ['POST', `/source/${sourceId}/check`],
    ['GET', '/source/history'],
  ] as const) {
    const answer = await as(method, path, body)
    expect([path, answer.status, answer.body.code]).toEqual([path, 401, 'not_provisioned'])
  }
  await provisionApp(service.db, 'plain', { sources: true })
  service.clock.advance(6_000)
  expect((await as('PUT', `/source/${sourceId}`, { name: 'theirs' })).body.name).toBe('theirs')
})
