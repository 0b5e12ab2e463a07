// Webhooks as an app manages them, through the API.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TestPair } from '../../../test/support/service.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { newWebhook } from '../../../test/support/webhooks.ts'
import { createApp } from '../../identity/apps.ts'

let service: TestService
let app: TestPair
let apps = 0
const URL_OF_APP = 'https://app.example/hooks'

beforeAll(async () => {
  service = await startTestService({ ALLOW_PRIVATE_WEBHOOKS: 'false' })
})
afterAll(() => service.close())
/** Each test has its own app. */
beforeEach(async () => {
  app = (await createApp(service.db, { name: `app-${++apps}` }, service.clock)).pair
})

const call = (method: string, url: string, body?: unknown, headers: Record<string, string> = {}) =>
  service.call(method, url, { app, body, headers })

describe('a webhook', () => {
  it('is created for all events, enabled, with a secret of 32 random bytes', async () => {
    const { status, body } = await call('POST', '/webhook', { url: URL_OF_APP })
    expect(status).toBe(201)
    expect(body).toEqual({
      wid: expect.any(Number),
      url: URL_OF_APP,
      events: [],
      enabled: true,
      description: null,
      cuids: null,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      created: expect.any(Number),
      updated: expect.any(Number),
    })
    expect(Buffer.from(body.secret.slice(6), 'base64')).toHaveLength(32)
  })

  it('never shows its secret again', async () => {
    const { wid, secret } = await newWebhook(service, { url: URL_OF_APP }, app)
    for (const url of ['/webhook', `/webhook/${wid}`]) {
      const { text } = await call('GET', url)
      expect(text).not.toContain(secret.slice(6))
      expect(text).not.toContain('secret')
    }
    expect((await call('PUT', `/webhook/${wid}`, { description: 'x' })).text).not.toContain('secret')
    expect(service.logLines.join('')).not.toContain(secret.slice(6))
  })

  it('is read, listed page by page, edited field by field and deleted', async () => {
    const first = await newWebhook(service, { url: URL_OF_APP, description: 'one' }, app)
    const second = await newWebhook(service, { url: URL_OF_APP, events: ['campaign.ended'] }, app)
    expect((await call('GET', first.path)).body).toMatchObject({ wid: first.wid, description: 'one' })
    const page = await call('GET', '/webhook?limit=1')
    expect(page.body.map((item: { wid: number }) => item.wid)).toEqual([first.wid])
    expect(page.headers.link).toContain(`after=${first.wid}`)
    expect((await call('GET', '/webhook')).body).toHaveLength(2)

    const edit = { events: ['banner.approved', 'banner.approved'], url: 'https://app.example/other' }
    expect((await call('PUT', second.path, edit)).body).toMatchObject({
      url: edit.url,
      events: ['banner.approved'],
      enabled: true,
    })
    expect((await call('PUT', first.path, { description: null, events: null })).body).toMatchObject({
      description: null,
      events: [],
      url: URL_OF_APP,
    })
    expect((await call('DELETE', first.path)).body).toEqual({ wid: first.wid, deleted: true })
    expect((await call('GET', first.path)).status).toBe(404)
    expect((await call('GET', '/webhook')).body).toHaveLength(1)
  })

  it('is not overwritten by somebody who has read an older version', async () => {
    const { path } = await newWebhook(service, { url: URL_OF_APP }, app)
    const { etag } = (await call('GET', path)).headers
    const edited = await call('PUT', path, { description: 'a' }, { 'if-match': etag! })
    expect(edited.status).toBe(200)
    expect(edited.headers.etag).not.toBe(etag)
    expect((await call('PUT', path, { description: 'b' }, { 'if-match': etag! })).status).toBe(412)
    expect((await call('DELETE', path, undefined, { 'if-match': etag! })).status).toBe(412)
  })

  it.each([
    [{}, '/url'],
    [{ url: 'nothing' }, '/url'],
    [{ url: 'ftp://app.example/' }, '/url'],
    [{ url: URL_OF_APP, events: ['campaign.exploded'] }, '/events/0'],
    [{ url: URL_OF_APP, events: ['webhook.test'] }, '/events/0'],
    [{ url: URL_OF_APP, enabled: 1 }, '/enabled'],
    [{ url: URL_OF_APP, secret: 'whsec_AAAA' }, '/secret'],
    [{ url: URL_OF_APP, description: 'x'.repeat(256) }, '/description'],
  ])('with %j is refused at %s', async (body, path) => {
    const answer = await call('POST', '/webhook', body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].path).toBe(path)
  })

  it.each([
    'http://app.example/hooks',
    'https://user:word@app.example/hooks',
    'https://127.0.0.1/',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://10.0.0.1/',
    'https://169.254.169.254/latest',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
  ])('at %s is refused unless the deployment allows it', async url => {
    const answer = await call('POST', '/webhook', { url })
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].path).toBe('/url')
    const { path } = await newWebhook(service, { url: URL_OF_APP }, app)
    expect((await call('PUT', path, { url })).status).toBe(400)
  })

  it('can exist at most ten times per app, however many are created at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 14 }, () => call('POST', '/webhook', { url: URL_OF_APP })),
    )
    expect(answers.filter(answer => answer.status === 201)).toHaveLength(10)
    expect(answers.filter(answer => answer.status === 409)).toHaveLength(4)
    await call('DELETE', `/webhook/${(await call('GET', '/webhook')).body[0].wid}`)
    expect((await call('POST', '/webhook', { url: URL_OF_APP })).status).toBe(201)
  })

  it('with the same idempotency key is created once, and its secret is shown again', async () => {
    const headers = { 'idempotency-key': 'one' }
    const first = await call('POST', '/webhook', { url: URL_OF_APP }, headers)
    const again = await call('POST', '/webhook', { url: URL_OF_APP }, headers)
    expect(again.body).toEqual(first.body)
    expect((await call('GET', '/webhook')).body).toHaveLength(1)
  })
})

describe('nothing of another app', () => {
  it('can be seen, changed, tested or sent again', async () => {
    const { path, wid } = await newWebhook(service, { url: URL_OF_APP, description: 'mine' }, app)
    const { did } = (await call('POST', `${path}/test`)).body
    const before = (await call('GET', path)).text
    const calls = [
      ['GET', path],
      ['PUT', path, { enabled: false }],
      ['DELETE', path],
      ['POST', `${path}/secret`],
      ['POST', `${path}/test`],
      ['GET', `${path}/delivery`],
      ['GET', `${path}/delivery/${did}`],
      ['POST', `${path}/delivery/${did}/retry`],
    ] as const
    for (const [method, url, body] of calls) {
      const answer = await service.call(method, url, { body })
      expect([method, url, answer.status]).toEqual([method, url, 404])
    }
    expect((await service.call('GET', '/webhook')).text).not.toContain(String(wid))
    expect((await call('GET', path)).text).toBe(before)
  })

  it('can be reached through a webhook of one’s own', async () => {
    const foreign = await newWebhook(service, { url: URL_OF_APP })
    const { did } = (await service.call('POST', `${foreign.path}/test`)).body
    const mine = await newWebhook(service, { url: URL_OF_APP }, app)
    expect((await call('GET', `${mine.path}/delivery/${did}`)).status).toBe(404)
    expect((await call('POST', `${mine.path}/delivery/${did}/retry`)).status).toBe(404)
  })

  it('is open to a customer pair: webhooks belong to the app', async () => {
    const customer = await service.newCustomer()
    const answer = await service.call('GET', '/webhook', { as: customer })
    expect([answer.status, answer.body.code]).toEqual([401, 'credentials_wrong_level'])
  })
})

it.each(['0', '-1', '0x10', '1e3', ' ', '99999999999999999999'])(
  'the id %j is not that of a webhook: 404',
  async id => {
    expect((await call('GET', `/webhook/${encodeURIComponent(id)}`)).status).toBe(404)
  },
)
