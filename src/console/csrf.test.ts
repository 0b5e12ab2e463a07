// A page of another origin can make a browser send requests with our cookie, but they do nothing: every route, every
// header.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { visitAs, visitAsStaff } from '../../test/support/console.ts'
import { startTestService, type TestService } from '../../test/support/service.ts'
import { buildTenant, type Tenant } from '../../test/support/tenant.ts'
import type { EndpointSpec } from '../http/endpoint.ts'

let service: TestService
let tenant: Tenant
let cookie: string
let staffCookie: string
beforeAll(async () => {
  service = await startTestService({ PUBLIC_URL: 'https://ads.example/mq' })
  tenant = await buildTenant(service, service.app)
  cookie = (await visitAs(service, tenant.ids.email)).cookie!
  staffCookie = (await visitAsStaff(service)).cookie!
})
afterAll(() => service.close())

function urlOf(endpoint: EndpointSpec): string {
  const ids: Record<string, string | number> = tenant.ids
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(String(ids[name] ?? 'x')))
  return `${path}?cuid=${tenant.ids.cuid}`
}

function call(endpoint: EndpointSpec, headers: Record<string, string>) {
  const body = endpoint.rawBody
    ? Buffer.from('x')
    : endpoint.body
      ? (endpoint.examples?.body ?? {})
      : undefined
  return service.call(endpoint.method, urlOf(endpoint), { as: null, body, headers })
}

const CSRF = { 'x-marquee-csrf': '1' }
const FOREIGN: [string, Record<string, string>][] = [
  ['nothing', {}],
  ['our origin, without our header', { origin: 'https://ads.example', 'sec-fetch-site': 'same-origin' }],
  ['our header alone', CSRF],
  ['our header with another value', { 'x-marquee-csrf': 'true', 'sec-fetch-site': 'same-origin' }],
  ['another site', { ...CSRF, 'sec-fetch-site': 'cross-site', origin: 'https://ads.example' }],
  ['a sister site', { ...CSRF, 'sec-fetch-site': 'same-site', origin: 'https://x.ads.example' }],
  ['another origin', { ...CSRF, origin: 'https://evil.example' }],
  ['the same host by another port', { ...CSRF, origin: 'https://ads.example:8443' }],
  ['the same host without https', { ...CSRF, origin: 'http://ads.example' }],
  ['a name that begins like ours', { ...CSRF, origin: 'https://ads.example.evil.example' }],
  ['no origin', { ...CSRF, origin: 'null' }],
  ['no URL as origin', { ...CSRF, origin: 'ads.example' }],
]

async function state(): Promise<string> {
  const rows = await service.db.rows<{ row: string }>(
    `select c::text as row from customer c union all select c::text from campaign c
     union all select f::text from flight f union all select p::text from persona p
     union all select (b.bid, b.name, b.deleted_at)::text from banner b union all select k::text from credential k
     union all select t::text from sso_ticket t union all select p::text from passcode p order by 1`,
  )
  return rows.map(row => row.row).join('\n')
}

describe.each(FOREIGN)('a call with the cookie and %s', (_, headers) => {
  it('changes nothing, on any route', async () => {
    const before = await state()
    for (const endpoint of service.api.endpoints) {
      if (endpoint.method === 'GET' || endpoint.access === 'public') continue
      for (const session of [cookie, staffCookie]) {
        const answer = await call(endpoint, { ...headers, cookie: session })
        const wanted = session === cookie && endpoint.access === 'app' ? [401, 403] : [403]
        expect(wanted, `${endpoint.id} ${answer.text}`).toContain(answer.status)
      }
    }
    expect(await state()).toBe(before)
  })
})

it('a read that changes something does not accept a cookie, even from our own page', async () => {
  const before = await state()
  const own = { ...CSRF, 'sec-fetch-site': 'same-origin', cookie: staffCookie }
  const reads = service.api.endpoints.filter(endpoint => endpoint.method === 'GET' && endpoint.sideEffects)
  expect(reads.map(endpoint => endpoint.id).sort()).toEqual([
    'authCustomer',
    'authCustomerWithoutPasscode',
    'sendPasscode',
    'signInCustomer',
  ])
  for (const endpoint of reads) {
    expect((await call(endpoint, own)).body.code, endpoint.id).toBe('session_refused')
  }
  expect(await state()).toBe(before)
})

describe('a call from our own page', () => {
  it.each<[string, Record<string, string>]>([
    ['sec-fetch-site', { 'sec-fetch-site': 'same-origin' }],
    ['typed by the user', { 'sec-fetch-site': 'none' }],
    ['the public origin', { origin: 'https://ads.example' }],
    ['the origin it was sent to', { origin: 'http://10.0.0.5:8080', host: '10.0.0.5:8080' }],
  ])('is recognised by %s', async (_, headers) => {
    const answer = await service.call('PUT', `/customer/${tenant.ids.cuid}`, {
      as: null,
      body: { phone: '1' },
      headers: { ...CSRF, ...headers, cookie },
    })
    expect(answer.status).toBe(200)
  })

  it('may read without any mark, as a link does', async () => {
    const answer = await service.call('GET', `/campaign?cuid=${tenant.ids.cuid}`, {
      as: null,
      headers: { cookie, 'sec-fetch-site': 'cross-site' },
    })
    expect(answer.status).toBe(200)
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  })

  it('may repeat a POST by idempotency key, separately for each session', async () => {
    const body = { name: 'A', start: 2_000_000_000, end: 2_000_086_400, dailySpend: 5 }
    const post = (session: string) =>
      service.call('POST', `/campaign?cuid=${tenant.ids.cuid}`, {
        as: null,
        body,
        headers: { ...CSRF, 'sec-fetch-site': 'same-origin', 'idempotency-key': 'k', cookie: session },
      })
    const [first, again, other] = [await post(cookie), await post(cookie), await post(staffCookie)]
    expect(again.body.cid).toBe(first.body.cid)
    expect(other.body.cid).not.toBe(first.body.cid)
  })
})
