// Bodies and answers over the wire: encodings, compression, bodies that are too large, and where the root leads.

import { createHook } from 'node:async_hooks'
import { connect } from 'node:net'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { picture } from '../../test/support/banners.ts'
import { newTestCustomer, type TestCustomer } from '../../test/support/campaigns.ts'
import { OWN_PAGE } from '../../test/support/console.ts'
import { startTestService, type TestService } from '../../test/support/service.ts'

let service: TestService
let ann: TestCustomer
let url: string
beforeAll(async () => {
  service = await startTestService()
  url = await service.listen()
  ann = await newTestCustomer(service)
})
afterAll(() => service.close())

const headers = () => ({ 'x-access-key': ann.key, 'x-access-token': ann.token })

it('a body in another encoding is refused, not stored with other letters', async () => {
  const send = (bytes: Buffer, headers: Record<string, string>) =>
    service.call('POST', '/customer', { body: bytes, headers })
  const text = JSON.stringify({ company: 'Zoë', email: 'zoe@letters.example' })
  const latin = await send(Buffer.from(text, 'latin1'), { 'content-type': 'application/json' })
  expect([latin.status, latin.body.message]).toEqual([400, 'the body is not valid UTF-8'])
  for (const [charset, bytes] of [
    ['iso-8859-1', Buffer.from(text, 'latin1')],
    ['utf-16le', Buffer.from(text, 'utf16le')],
    ['utf-16', Buffer.from(text)],
  ] as const) {
    const other = await send(bytes, { 'content-type': `application/json; charset=${charset}` })
    expect([other.status, other.body.reason]).toEqual([415, 'charset'])
  }
  const marked = Buffer.from(`\uFEFF${JSON.stringify({ company: 'Marked', email: 'bom@letters.example' })}`)
  expect((await send(marked, { 'content-type': 'application/json' })).body.company).toBe('Marked')
  const packed = await send(gzipSync(text), {
    'content-type': 'application/json',
    'content-encoding': 'gzip',
  })
  expect([packed.status, packed.body.message]).toEqual([415, expect.stringContaining('content-encoding')])
  const plain = { 'content-type': 'application/json', 'content-encoding': 'identity' }
  expect((await send(Buffer.from(text), plain)).body.company).toBe('Zoë')
})

it('large answers are compressed as the caller accepts, small ones are not', async () => {
  const raw = (path: string, encoding: string) =>
    service.api.fastify.inject({ url: path, headers: { ...headers(), 'accept-encoding': encoding } })
  const plain = await raw('/reference/iab', 'identity')
  expect(plain.headers).toMatchObject({ vary: 'accept-encoding' })
  for (const [accepted, encoding, open] of [
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
  ] as const) {
    const answer = await raw('/reference/iab', accepted)
    expect(answer.headers['content-encoding']).toBe(encoding)
    expect(Number(answer.headers['content-length'])).toBe(answer.rawPayload.length)
    expect(answer.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2)
    expect(open(answer.rawPayload).toString()).toBe(plain.body)
  }
  expect((await raw('/healthz', 'br')).headers['content-encoding']).toBeUndefined()
})

it('an answer that depends on `accept` says so, compressed or not, whole or streamed', async () => {
  const own = await newTestCustomer(service)
  const now = Math.floor(Date.now() / 1000)
  const { cid } = await own.newCampaign()
  const period = `start=${now - 30 * 86_400}&end=${now}`
  for (const path of [
    `/stats/${own.cuid}/timeseries?interval=hour&${period}`,
    `/stats/${cid}/events?${period}`,
  ]) {
    for (const accept of ['application/json', 'text/csv']) {
      for (const encoding of ['gzip', 'identity']) {
        const { statusCode, headers } = await service.api.fastify.inject({
          url: `${path}&cuid=${own.cuid}`,
          headers: {
            ...{ 'x-access-key': own.key, 'x-access-token': own.token },
            ...{ accept, 'accept-encoding': encoding },
          },
        })
        const seen = [path, accept, statusCode, headers.vary]
        expect(seen).toEqual([path, accept, 200, 'accept, accept-encoding'])
      }
    }
  }
})

it('the OpenAPI document is compressed once, however often it is requested', async () => {
  const counts = { ZLIB: 0, BROTLI: 0 }
  const hook = createHook({
    init: (_id, type) => {
      if (type in counts) counts[type as keyof typeof counts]++
    },
  }).enable()
  const ask = (encoding: string) =>
    service.api.fastify.inject({ url: '/openapi.json', headers: { 'accept-encoding': encoding } })
  const answers = []
  for (const encoding of ['br', 'gzip', 'br', 'gzip', 'br']) answers.push(await ask(encoding))
  hook.disable()
  expect(counts.ZLIB + counts.BROTLI).toBe(2)
  const opened = answers.map(({ headers: { 'content-encoding': encoding }, rawPayload }) =>
    (encoding === 'br' ? brotliDecompressSync : gunzipSync)(rawPayload).toString(),
  )
  expect(new Set(opened).size).toBe(1)
})

it('a body with more fields than any of ours is refused before it is parsed', async () => {
  const parse = vi.spyOn(JSON, 'parse')
  const fields = Array.from({ length: 100_000 }, (_, n) => `"${n.toString(36)}":1`)
  for (const [body, message] of [
    [`{${fields}}`, 'an object of the body has more than 1,000 fields'],
    [
      `[${Array.from({ length: 40 }, (_, n) => `{${fields.slice(1000 * n, 1000 * (n + 1))}}`)}]`,
      'the body has more than 30,000 fields',
    ],
  ]) {
    const answer = await service.call('POST', '/customer', { body })
    expect([answer.status, answer.body.code, answer.body.message]).toEqual([
      400,
      'malformed_request',
      message,
    ])
  }
  expect(parse.mock.calls.filter(([text]) => text.includes('"77":1'))).toEqual([])
  parse.mockRestore()
})

const MARK = '"parsed by nobody"'
const nested = (count: number) => `[${MARK},${`${'['.repeat(55)}${']'.repeat(55)},`.repeat(count)}1]`
const objects = (count: number) =>
  `[${MARK},${Array.from({ length: count }, (_, n) => `{"${n.toString(36)}":1}`)}]`

/** How often JSON was parsed that contains the mark. */
async function parsedDuring(work: () => Promise<void>): Promise<number> {
  const parse = vi.spyOn(JSON, 'parse')
  await work()
  const count = parse.mock.calls.filter(([text]) => String(text).includes(MARK)).length
  parse.mockRestore()
  return count
}

it('of a stranger, nothing of more than 16 kB is parsed, at whatever path', async () => {
  const routes = service.routes.map(route => route.split(' ')).filter(([method]) => !/GET|HEAD/.test(method!))
  const paths = [...routes, ['POST', '/nothing'], ['DELETE', '/customer/1/nothing']]
  const body = `{"email":${MARK},"passcode":"${'x'.repeat(16_384)}"}`
  const seen = new Set<number>()
  const parsed = await parsedDuring(async () => {
    for (const [method, path] of paths) {
      const answer = await service.call(method!, path!.replaceAll(/:\w+/g, '1'), {
        as: null,
        body,
        headers: OWN_PAGE,
      })
      expect([path, [401, 404, 413, 415].includes(answer.status)]).toEqual([path, true])
      seen.add(answer.status)
    }
  })
  expect(parsed).toBe(0)
  expect(seen).toContain(413)
  const signIn = await service.call('POST', '/console/api/session', { as: null, body, headers: OWN_PAGE })
  expect([signIn.status, signIn.body.params]).toEqual([413, { maxBytes: 16_384 }])
})

it('a body of very many values or objects is refused before it is parsed', async () => {
  const [bracketed, braced] = [nested(5_800), objects(29_000)]
  const tooMany = async (path: string, body: string) => {
    const answer = await service.call('POST', path, { as: ann, body })
    return [answer.status, answer.body.reason, answer.body.params?.max]
  }
  const parsed = await parsedDuring(async () => {
    const usual = `/reach?cuid=${ann.cuid}`
    expect(await tooMany(usual, bracketed)).toEqual([400, 'too_many_values', 60_000])
    expect(await tooMany(usual, braced)).toEqual([400, 'too_many_objects_in_body', 5_000])
    const bulk = `/bulk?cuid=${ann.cuid}`
    expect(await tooMany(bulk, bracketed)).toEqual([400, 'too_many_values', 150_000])
    expect(await tooMany(bulk, braced)).toEqual([400, 'too_many_objects_in_body', 20_000])
    const { pathname } = new URL(service.firstCredentials!.bidUrl)
    for (const body of [bracketed, braced])
      expect((await fetch(url + pathname, { method: 'POST', body })).status).toBe(400)
  })
  expect(parsed).toBe(0)
})

it('commas and brackets in texts are no values; bulk calls and orders may have more of them', async () => {
  const text = `"${'[{,\\"'.repeat(50_000)}"`
  const said = await service.call('POST', '/customer', { body: `{"company":${text}}` })
  expect([said.status, said.body.code]).toEqual([400, 'invalid_input'])
  for (const path of ['/bulk', '/campaign']) {
    const answer = await service.call('POST', `${path}?cuid=${ann.cuid}`, { as: ann, body: objects(19_000) })
    expect([path, answer.status, answer.body.code]).toEqual([path, 400, 'invalid_input'])
  }
})

it('a streamed list is compressed along the way', async () => {
  const bob = await newTestCustomer(service)
  await service.db.run(
    `insert into campaign (cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category,
       pacing, created_at, updated_at)
     select $1, 'c' || i, now(), now() + interval '1 day', true, 0, 1000000, 2000000, '{}', 'even', now(), now()
     from generate_series(1, 2500) i`,
    [bob.cuid],
  )
  const answer = await fetch(`${url}/campaign?cuid=${bob.cuid}`, {
    headers: { 'x-access-key': bob.key, 'x-access-token': bob.token },
  })
  expect(answer.headers.get('content-encoding')).toMatch(/^(br|gzip)$/)
  expect(await answer.json()).toHaveLength(2500)
})

it('a client that sends too much before it reads anything still learns why it was refused and how much is allowed', async () => {
  const bytes = Buffer.alloc(12 * 1024 * 1024, 1)
  const head = (more: string) =>
    `POST /creative?cuid=${ann.cuid} HTTP/1.1\r\nhost: a\r\ncontent-type: image/png\r\n` +
    `x-access-key: ${ann.key}\r\nx-access-token: ${ann.token}\r\n${more}\r\n\r\n`
  const chunked = Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from('\r\n0\r\n\r\n'),
  ])
  for (const [more, body] of [
    [`content-length: ${bytes.length}`, bytes],
    ['transfer-encoding: chunked', chunked],
  ] as const) {
    const text = await exchange(head(more), body)
    expect(text).toMatch(/^HTTP\/1\.1 413 /)
    expect(text).toContain('at most 5242880 bytes (5 MiB)')
  }
  const form = new FormData()
  form.set('file', new Blob([bytes], { type: 'image/png' }))
  const answer = await fetch(`${url}/creative?cuid=${ann.cuid}`, {
    method: 'POST',
    headers: headers(),
    body: form,
  })
  expect([answer.status, messageOf(await answer.json())]).toEqual([413, expect.stringContaining('5242880')])
  const json = await fetch(`${url}/campaign?cuid=${ann.cuid}`, {
    method: 'POST',
    headers: { ...headers(), 'content-type': 'application/json' },
    body: Buffer.concat([await picture(10, 10), bytes]),
  })
  expect([json.status, messageOf(await json.json())]).toEqual([413, expect.stringContaining('1 MiB')])
})

it('so does one that sends too much to a page’s ad request or bid request', async () => {
  const bytes = Buffer.alloc(4 * 1024 * 1024, ' ')
  const { siteKey, bidUrl } = service.firstCredentials!
  for (const [path, limit] of [
    ['/ad', 16_384],
    [`/openrtb2/site/${siteKey}`, 16_384],
    [new URL(bidUrl).pathname, 1_048_576],
  ] as const) {
    const words = `at most ${limit} bytes`
    const answer = await fetch(url + path, { method: 'POST', body: bytes })
    expect([path, answer.status, messageOf(await answer.json())]).toEqual([
      path,
      413,
      expect.stringContaining(words),
    ])
    const head = `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${bytes.length}\r\n\r\n`
    const text = await exchange(head, bytes, words)
    expect(text).toMatch(/^HTTP\/1\.1 413 /)
  }
})

const messageOf = (body: unknown) => (body as { message: string }).message

/** Writes everything and only then reads, as simple clients do. */
function exchange(head: string, body: Buffer, end = 'requestId'): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', reject)
    socket.pause()
    socket.write(head)
    socket.write(body, () => {
      let text = ''
      socket.on('data', chunk => {
        text += chunk
        if (!text.includes(end)) return
        socket.destroy()
        resolve(text)
      })
      socket.resume()
    })
  })
}

it('GET / tells a browser what this is and where to go, and a program where the documents are', async () => {
  const browser = await fetch(url, { redirect: 'manual', headers: { accept: 'text/html' } })
  expect([browser.status, browser.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(browser.headers.get('vary')).toBe('accept, accept-encoding')
  const text = await browser.text()
  for (const path of ['/console', '/docs', '/healthz']) expect(text).toContain(`class="card" href="${path}"`)
  for (const accept of ['*/*', 'application/json']) {
    const answer = await fetch(url, { headers: { accept } })
    expect(await answer.json()).toMatchObject({ openapi: 'http://localhost:8080/openapi.json' })
  }
})
