// Thousands of generated requests to every route: always a documented answer in our format, never a 5xx, and every log
// line stays one line. The seed is printed; SEED replays it.

import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EndpointSpec } from '../src/http/endpoint.ts'
import { STATUS_OF } from '../src/kernel/errors/problem-code.ts'
import { type ListeningService, startListeningService } from './support/delivery.ts'
import { IS_LONG } from './support/random.ts'
import { buildTenant, type Tenant } from './support/tenant.ts'

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const RUNS_A_ROUTE = Number(process.env.RUNS ?? (IS_LONG ? 300 : 30))

let service: ListeningService
let tenant: Tenant
beforeAll(async () => {
  service = await startListeningService()
  tenant = await buildTenant(service, service.app, { webhook: true })
  console.log(`bad-input: SEED=${SEED}`)
})
afterAll(() => service.close())

const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '\u0000',
    '\ud800',
    '\ufeff',
    '../..',
    '%00',
    'null',
    "' or 1=1 --",
    '<script>',
    '\r\nset-cookie: a=b',
    '__proto__',
    '0x10',
    '1e3',
    ' ',
    '٣',
    'é'.repeat(300),
  ),
)
const oddNumber = fc.oneof(
  fc.double(),
  fc.constantFrom(
    0,
    -0,
    -1,
    1.005,
    1e308,
    -1e308,
    2 ** 31,
    2 ** 53,
    2 ** 63,
    99999999999,
    1e15,
    0.1 + 0.2,
    5e-324,
  ),
)
const oddValue = fc.oneof(
  { depthSize: 'small' },
  oddText,
  oddNumber,
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 3 }),
)

/** A valid body with some of its fields changed, removed or added. */
function bentBody(endpoint: EndpointSpec): fc.Arbitrary<unknown> {
  const example = (endpoint.examples?.body ?? {}) as Record<string, unknown>
  const names = [
    ...Object.keys((endpoint.body as { properties?: object })?.properties ?? {}),
    'extra',
    '__proto__',
    'cid',
  ]
  const bend = fc.tuple(fc.constantFrom(...names), oddValue, fc.boolean())
  const bent = fc.array(bend, { minLength: 1, maxLength: 4 }).map(changes => {
    const body: Record<string, unknown> = { ...example }
    for (const [name, value, drop] of changes) {
      if (drop) delete body[name]
      else Object.defineProperty(body, name, { value, enumerable: true, configurable: true, writable: true })
    }
    return body
  })
  return fc.oneof({ weight: 4, arbitrary: bent }, { weight: 1, arbitrary: oddValue })
}

function requests(endpoint: EndpointSpec) {
  const names = [...endpoint.path.matchAll(/:(\w+)/g)].map(match => match[1]!)
  const ids = tenant.ids as Record<string, string | number>
  const segment = (name: string) =>
    fc.oneof({ weight: 3, arbitrary: fc.constant(String(ids[name] ?? 1)) }, { weight: 1, arbitrary: oddText })
  const query = fc.dictionary(
    fc.oneof(fc.constantFrom('limit', 'after', 'cuid', ...Object.keys(endpoint.query ?? {})), oddText),
    fc.oneof(oddText, oddNumber.map(String)),
    { maxKeys: 3 },
  )
  return fc.record({
    segments: fc.tuple(...names.map(segment)),
    query,
    ownCuid: fc.boolean(),
    body: bentBody(endpoint),
    raw: fc.option(fc.string({ unit: 'binary', maxLength: 200 }), { freq: 8 }),
    contentType: fc.option(
      fc.constantFrom('text/plain', 'application/xml', 'application/json; charset=utf-16', 'x'),
      { freq: 8 },
    ),
    asApp: fc.boolean(),
    ifMatch: fc.option(oddText.map(headerSafe), { freq: 6 }),
  })
}

function headerSafe(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?')
}

const ALLOWED = new Set<number>([200, 201, 302, ...Object.values(STATUS_OF).filter(status => status < 500)])

it('no route answers with a 5xx or in another format, whatever is sent', async () => {
  // What the thin path answers gets bad input in its own tests, through a socket.
  for (const endpoint of service.api.endpoints.filter(item => !item.dataPlane)) {
    await fc.assert(
      fc.asyncProperty(requests(endpoint), async request => {
        let next = 0
        const path = endpoint.path.replaceAll(/:(\w+)/g, () =>
          encodeURIComponent(request.segments[next++]!.toWellFormed()),
        )
        const params = new URLSearchParams()
        for (const [name, value] of Object.entries(request.query))
          params.append(name.toWellFormed(), value.toWellFormed())
        if (endpoint.cuid && request.ownCuid) params.set('cuid', String(tenant.ids.cuid))
        const headers: Record<string, string> = {}
        if (request.contentType) headers['content-type'] = request.contentType
        if (request.ifMatch) headers['if-match'] = request.ifMatch
        const sendsBody = endpoint.method !== 'GET'
        const answer = await service.call(endpoint.method, `${path}?${params}`, {
          ...(request.asApp ? {} : { as: tenant.pair }),
          ...(sendsBody ? { body: request.raw ?? JSON.stringify(request.body) ?? 'undefined' } : {}),
          headers,
        })
        expect(ALLOWED, `${endpoint.id} ${answer.text.slice(0, 300)}`).toContain(answer.status)
        if (answer.status >= 400) {
          expect(answer.body).toMatchObject({
            message: expect.any(String),
            code: expect.any(String),
            requestId: expect.any(String),
          })
          expect(STATUS_OF[answer.body.code as keyof typeof STATUS_OF]).toBe(answer.status)
          expect(answer.text).not.toMatch(/node_modules|select .* from|at .*\.ts:/)
        }
      }),
      { seed: SEED, numRuns: RUNS_A_ROUTE, endOnFailure: true },
    )
  }
  for (const line of service.logLines) {
    expect(line.indexOf('\n')).toBe(line.length - 1)
    expect(JSON.parse(line).msg, line).not.toBe('bug')
  }
})

describe('what strangers send to the public routes', () => {
  const visit = { size: '300x250', page: 'http://localhost/' }

  it.each([
    ['/ip', { ip: '203.0.113.7' }],
    ['/ua', { ua: 'Mozilla/5.0' }],
    ['/user/id', { user: { id: 'somebody' } }],
  ])('%s with the public key of a site: 400 that names it and the key it needs', async (path, more) => {
    const refused = await service.ad({ ...visit, ...more })
    expect([refused.status, refused.json.code]).toEqual([400, 'invalid_input'])
    const message = expect.stringContaining('server key')
    expect(refused.json.errors).toEqual([{ path, code: 'server_key_needed', params: {}, message }])
    expect((await service.serverAd({ ...visit, ...more })).status).toBe(200)
  })

  it('hints that anybody may give are accepted with the public key', async () => {
    const hints = {
      geo: { country: 'CA' },
      device: 'mobile',
      cat: ['IAB1'],
      user: { gender: 'female', age: 30 },
    }
    expect((await service.ad({ ...visit, ...hints })).status).toBe(200)
  })

  it('a page of another domain, or a browser that names none, is still answered', async () => {
    for (const [body, headers] of [
      [{ size: '300x250', page: 'https://elsewhere.example/' }, {}],
      [{ size: '300x250' }, { origin: 'https://elsewhere.example' }],
      [{ size: '300x250' }, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }],
    ] as const)
      expect((await service.ad(body, headers)).status).toBe(200)
    expect((await service.ad({ size: '300x250', page: 'ftp://a' })).json.errors[0].path).toBe('/page')
  })

  it('a server key in a URL, where a page would show it: 400', async () => {
    const answer = await service.send('GET', `/ad.html?source=${service.serverKey}&size=300x250`)
    expect(answer.status).toBe(400)
    expect(answer.text).not.toContain(service.serverKey)
  })

  it('more than 16,384 bytes: 413; gzip: 415; an invalid key: 404, whatever else is wrong', async () => {
    const body = JSON.stringify({ source: service.siteKey, ...visit })
    expect((await service.send('POST', '/ad', body.padEnd(16_384))).status).toBe(200)
    expect((await service.send('POST', '/ad', body.padEnd(16_385))).status).toBe(413)
    const packed = await service.send('POST', '/ad', gzipSync(body), { 'content-encoding': 'gzip' })
    expect(packed.status).toBe(415)
    expect((await service.send('POST', '/ad', { source: 'mqs-none', size: 'x', ip: 7 })).status).toBe(404)
  })

  it('two Host headers: 400, on the fast lane and off it', async () => {
    for (const path of ['/ad', '/campaign', '/t/i/x', '/healthz'])
      expect(await service.sendHead('GET', path, { Host: 'a' })).toMatch(/^HTTP\/1\.1 400 /)
  })

  it('a segment of any length is refused like any other unknown one', async () => {
    for (const length of [100, 101, 1000, 1001, 8000]) {
      const long = '1'.repeat(length)
      for (const [method, path, statuses] of [
        ['GET', `/t/i/${long}`, [400]],
        ['GET', `/t/c/${long}`, [400]],
        ['GET', `/t/x/${long}`, [404]],
        ['POST', `/openrtb2/bid/${long}`, [404]],
        ['GET', `/creative/${long}`, [404]],
        ['GET', `/campaign/${long}`, [401, 404]],
        ['GET', `/docs/${long}`, [404]],
      ] as const) {
        const { status } = await service.send(method, path, method === 'POST' ? {} : undefined)
        expect(statuses, `${method} ${path.slice(0, 30)} of ${length}`).toContain(status)
      }
    }
  })

  it('an action pixel for no customer: a picture and no error; for an impossible customer: 400', async () => {
    for (const query of [
      '',
      'click=x',
      `click=${'A'.repeat(22)}&name=%00&value=1e9&order=1`,
      'cuid=999999999',
    ])
      expect((await service.send('GET', `/t/a.gif?${query}`)).status).toBe(200)
    expect((await service.send('GET', '/t/a.gif?cuid=1e3')).status).toBe(400)
  })
})
