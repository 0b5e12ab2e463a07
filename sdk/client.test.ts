// The client against the real service over a socket: it does what the contracts say.

import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import type { Dimension } from '../src/report/figures/contract.ts'
import { startTestService, type TestService } from '../test/support/service.ts'
import { type Client, createClient, MarqueeError } from './client.ts'
import { endpoints } from './endpoints.ts'

let service: TestService
let baseUrl: string
let app: Client
beforeAll(async () => {
  service = await startTestService()
  baseUrl = await service.listen()
  app = createClient({
    baseUrl,
    credentials: { superkey: service.app.key, supertoken: service.app.token },
  })
})
afterAll(() => service.close())

const DAY_S = 86_400
function dates() {
  const start = Math.floor(service.clock.nowMs() / 1000)
  return { start, end: start + 30 * DAY_S }
}

let made = 0
async function newCustomer() {
  const { cuid, key, token } = await app.createCustomer({
    body: { company: 'Blue Bikes', email: `sdk${++made}@bikes.example` },
  })
  return { cuid, client: createClient({ baseUrl, credentials: { cuid, key, token } }) }
}

describe('the table of methods', () => {
  it('has every endpoint of the service except those for its operation', () => {
    const missing = service.api.endpoints.filter(
      endpoint => endpoint.tag !== 'Operation' && !endpoints.has(endpoint.id),
    )
    expect(missing.map(endpoint => endpoint.id)).toEqual([])
  })

  it('can take a call as one flat object: no name has two meanings', () => {
    for (const endpoint of endpoints.values()) {
      const names = [
        ...[...endpoint.path.matchAll(/:(\w+)/g)].map(match => match[1]!),
        ...(endpoint.cuid ? ['cuid'] : []),
        ...(endpoint.list ? ['limit', 'after'] : []),
        ...(endpoint.dryRun ? ['dryRun'] : []),
        ...(endpoint.dryRun && endpoint.cuid ? ['propose'] : []),
        ...Object.keys(endpoint.query ?? {}),
        'body',
      ]
      expect(new Set(names).size, endpoint.id).toBe(names.length)
    }
  })

  it('is typed by the contracts', () => {
    expectTypeOf(app.createCampaign).parameter(0).toHaveProperty('cuid').toEqualTypeOf<number>()
    expectTypeOf(app.readCampaign).returns.resolves.toHaveProperty('status')
    expectTypeOf(app.listCustomers).toBeCallableWith()
    expectTypeOf(app.each).not.toHaveProperty('readCampaign')
    expectTypeOf(app.readBreakdown).parameter(0).toHaveProperty('dimension').toEqualTypeOf<Dimension>()
    expectTypeOf(app.readCampaign).parameter(0).toHaveProperty('cid').toEqualTypeOf<number>()
    expectTypeOf(app.asCustomer(1).listCampaigns).toBeCallableWith()
  })
})

describe('a call', () => {
  it('creates, reads, edits, lists and deletes', async () => {
    const { cuid, client } = await newCustomer()
    const { cid } = await client.createCampaign({
      cuid,
      body: { name: 'Spring & <bikes> ä', ...dates(), dailySpend: 20 },
    })
    const { pid } = await client.createPersona({
      cuid,
      cid,
      body: { name: 'All of Canada', geo: { geos: ['CA'] }, device: { mobile: true } },
    })
    const edited = await client.editCampaign({ cuid, cid, body: { dailySpend: 30.5 } })
    expect(edited).toMatchObject({ cid, name: 'Spring & <bikes> ä', dailySpend: 30.5 })
    expect((await client.listPersonas({ cuid, cid })).map(persona => persona.pid)).toEqual([pid])
    expect((await client.pauseCampaign({ cuid, cid })).enabled).toBe(false)
    expect((await client.readSummary({ cuid, id: cid })).imps).toBe(0)
    expect(await client.deleteCampaign({ cuid, cid })).toEqual({ cid, deleted: true })
    await expect(client.readCampaign({ cuid, cid })).rejects.toMatchObject({ status: 404, code: 'not_found' })
  })

  it('encodes the variables of a path', async () => {
    const email = `a/b?c#d%${++made}@bikes.example`
    await expect(app.authCustomerWithoutPasscode({ email })).rejects.toMatchObject({ status: 404 })
    await expect(app.authCustomerWithoutPasscode({ email: '' })).rejects.toThrow('email is missing')
  })

  it('throws a MarqueeError with code, fields and request id when it is refused', async () => {
    const { cuid, client } = await newCustomer()
    const error = await client
      .createCampaign({ cuid, body: { name: '', ...dates(), dailySpend: 1.234 } })
      .catch(failure => failure)
    expect(error).toBeInstanceOf(MarqueeError)
    expect(error).toMatchObject({ status: 400, code: 'invalid_input' })
    expect(error.errors.map((item: { path: string }) => item.path).sort()).toEqual(['/dailySpend', '/name'])
    expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/)
    expect(error.errors).toContainEqual({
      path: '/dailySpend',
      code: 'too_many_decimals',
      params: { max: 2 },
      message: 'must have at most 2 decimals',
    })
  })

  it('names the cause of a refusal, with values that have types', async () => {
    const { cuid, client } = await newCustomer()
    const { cid, start, end } = await client.createCampaign({
      cuid,
      body: { name: 'Spring', ...dates(), dailySpend: 1 },
    })
    const flight = { cuid, cid, body: { name: 'May', start, end } }
    const { fid } = await client.createFlight(flight)
    const error: unknown = await client.createFlight(flight).catch(failure => failure)
    if (!(error instanceof MarqueeError) || !error.is('flights_overlap')) throw error
    const { fid: other, name }: { fid: number; name: string } = error.params
    expect([error.code, error.reason, other, name]).toEqual(['conflict', 'flights_overlap', fid, 'May'])
    const unknown: unknown = await client.readCampaign({ cuid, cid: 1 }).catch(failure => failure)
    expect(unknown).toMatchObject({ code: 'not_found', reason: 'not_found', params: { what: 'campaign' } })
  })

  it('sends no credentials to a public endpoint', async () => {
    const { cuid, client } = await newCustomer()
    let sent: string[] = []
    const watched = createClient({
      baseUrl,
      credentials: { superkey: service.app.key, supertoken: service.app.token },
      fetch: (async (url: string, init: RequestInit) => {
        sent = Object.keys(init.headers as object)
        return fetch(url, init)
      }) as typeof fetch,
    })
    const { siteKey, bidUrl } = service.firstCredentials!
    const { ad, reason } = await watched.requestAd({ body: { source: siteKey, size: '300x250' } })
    expect([ad, typeof reason]).toEqual([null, 'string'])
    expect(sent.sort()).toEqual(['accept', 'content-type'])
    const request = { id: '1', imp: [{ id: '1', banner: { format: [{ w: 300, h: 250 }] } }] }
    expect(await watched.bid({ sourceKey: bidUrl.split('/').at(-1)!, body: request })).toBeNull()
    expect(await client.reportAction({ cuid, body: { click: 'x' } })).toMatchObject({ counted: false })
  })

  it('gets 401 with wrong credentials', async () => {
    const stranger = createClient({ baseUrl, credentials: { superkey: 'a', supertoken: 'b' } })
    await expect(stranger.listCustomers()).rejects.toMatchObject({ status: 401 })
  })

  it('uploads bytes, a blob or a form', async () => {
    const { cuid, client } = await newCustomer()
    const png = Uint8Array.from(
      Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
        'base64',
      ),
    )
    const form = new FormData()
    form.set('file', new Blob([png], { type: 'image/png' }), 'a.png')
    const uploads = [
      await client.uploadCreative({ cuid, body: png }, { contentType: 'image/png' }),
      await client.uploadCreative({ cuid, body: new Blob([png], { type: 'image/png' }) }),
      await client.uploadCreative({ cuid, body: form }),
    ]
    expect(new Set(uploads.map(upload => upload.creativeURL)).size).toBe(1)
    expect(uploads[0]).toMatchObject({ width: 1, height: 1, type: 'image/png' })
  })
})

describe('withMeta', () => {
  it('an edit with the etag of an older version is refused with 412', async () => {
    const { cuid, client } = await newCustomer()
    const { cid } = await client.createCampaign({ cuid, body: { name: 'A', ...dates(), dailySpend: 20 } })
    const first = await client.withMeta.readCampaign({ cuid, cid })
    const second = await client.withMeta.editCampaign(
      { cuid, cid, body: { name: 'B' } },
      { ifMatch: first.etag! },
    )
    expect(second.etag).not.toBe(first.etag)
    const late = client.editCampaign({ cuid, cid, body: { name: 'C' } }, { ifMatch: first.etag! })
    await expect(late).rejects.toMatchObject({ status: 412, code: 'precondition_failed' })
  })

  it('a POST with the same idempotency key is done once', async () => {
    const { cuid, client } = await newCustomer()
    const input = { cuid, body: { name: 'Once', ...dates(), dailySpend: 20 } }
    const first = await client.createCampaign(input, { idempotencyKey: 'k1' })
    const again = await client.createCampaign(input, { idempotencyKey: 'k1' })
    expect(again.cid).toBe(first.cid)
    expect(await client.listCampaigns({ cuid })).toHaveLength(1)
  })

  it('shows where single sign-on leads', async () => {
    const email = `sso${++made}@bikes.example`
    await app.createCustomer({ body: { company: 'A', email } })
    const { status, location } = await app.withMeta.signInCustomer({ email })
    expect(status).toBe(302)
    expect(location).toContain('/console?ticket=')
  })
})

describe('a customer pair', () => {
  it('with a cuid names the customer in every call', async () => {
    const { cuid, client } = await newCustomer()
    const { cid } = await client.createCampaign({ body: { name: 'A', ...dates(), dailySpend: 20 } })
    expect(await client.readCampaign({ cid })).toMatchObject({ cid, cuid })
    expect(await client.listCampaigns()).toHaveLength(1)
    expect(client.urlOf('listCampaigns', {})).toBe(`${baseUrl}/campaign?cuid=${cuid}`)
    const renew = () => app.createCredential({ cuid })
    expect(await createClient({ baseUrl, renew }).listCampaigns()).toHaveLength(1)
  })

  it('without a cuid needs one in the call, before anything is sent', async () => {
    const { cuid, key, token } = await app.createCustomer({
      body: { company: 'Blue Bikes', email: `silent-${Date.now()}@bikes.example` },
    })
    const client = createClient({ baseUrl, credentials: { key, token } })
    expect(await client.listCampaigns({ cuid })).toEqual([])
    await expect(client.listCampaigns({} as { cuid: number })).rejects.toThrow('cuid is missing')
  })

  it('is obtained and renewed by a client that works as the customer', async () => {
    const { cuid } = await newCustomer()
    const client = app.asCustomer(cuid)
    expect(await client.readCustomer({ cuid })).toMatchObject({ cuid })
    const [pair] = (await app.listCredentials({ cuid })).slice(-1)
    for (const { key } of await app.listCredentials({ cuid })) await app.revokeCredential({ cuid, key })
    expect(await client.readCustomer({ cuid })).toMatchObject({ cuid })
    expect((await app.listCredentials({ cuid })).map(item => item.key)).not.toContain(pair!.key)
  })
})

it('clients that work as one customer share a pair: its other pairs stay valid', async () => {
  const { cuid, client } = await newCustomer()
  await Promise.all(Array.from({ length: 15 }, () => app.asCustomer(cuid).listCampaigns()))
  for (let n = 0; n < 5; n++) await app.asCustomer(cuid).listCampaigns()
  expect(await app.listCredentials({ cuid })).toHaveLength(2)
  expect(await client.listCampaigns()).toEqual([])
})

describe('many calls at once', () => {
  it('400 calls of one pair all succeed, although the service takes fewer at once', async () => {
    const busy = await startTestService({ RATE_LIMIT: '100', RATE_BURST: '100' })
    try {
      const credentials = { superkey: busy.app.key, supertoken: busy.app.token }
      const client = createClient({ baseUrl: await busy.listen(), credentials })
      const made = await Promise.all(
        Array.from({ length: 400 }, (_, n) =>
          client.createCustomer({ body: { company: 'A', email: `n${n}@many.example` } }),
        ),
      )
      expect(new Set(made.map(customer => customer.cuid)).size).toBe(400)
      expect(await client.listCustomers()).toHaveLength(400)
    } finally {
      await busy.close()
    }
  })
})

describe('each', () => {
  it('yields every entry of a list once, whatever the page size', async () => {
    const { cuid, client } = await newCustomer()
    const names = ['a', 'b', 'c', 'd', 'e']
    for (const name of names) {
      await client.createCampaign({ cuid, body: { name, ...dates(), dailySpend: 20 } })
    }
    for (const limit of [1, 2, 5, 1000]) {
      const seen: string[] = []
      for await (const campaign of client.each.listCampaigns({ cuid, limit })) seen.push(campaign.name)
      expect(seen).toEqual(names)
    }
  })
})

describe('raw', () => {
  it('returns other formats of an answer', async () => {
    const { cuid, client } = await newCustomer()
    const { cid } = await client.createCampaign({ cuid, body: { name: 'A', ...dates(), dailySpend: 20 } })
    const response = await client.raw.readSummary({ cuid, id: cid }, { accept: 'text/csv' })
    expect(await response.text()).toMatch(/^\W?id,imps/)
    expect(client.urlOf('readSummary', { cuid, id: cid })).toBe(
      `${baseUrl}/stats/${cid}/summary?cuid=${cuid}`,
    )
  })
})
