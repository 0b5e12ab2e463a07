// The API without surprises: unknown input is refused, a read answer can be sent back, large answers arrive.

import { createHook } from 'node:async_hooks'
import { connect } from 'node:net'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { picture } from '../../test/support/banners.ts'
import { newTestCustomer, type TestCustomer } from '../../test/support/campaigns.ts'
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

const persona = { name: 'Cyclists', geo: { geos: ['CA'] }, device: { mobile: true } }

describe('query parameters', () => {
  it('an unknown one is refused, and the allowed ones are named', async () => {
    const answer = await ann.call('GET', '/campaign?limt=5')
    expect([answer.status, answer.body.errors]).toEqual([
      400,
      [
        {
          path: '?limt',
          message: 'is not a parameter here; allowed: cuid, limit, after, status, q, externalId',
        },
      ],
    ])
    expect((await service.call('GET', '/customer/1/auth?Passcode=1')).status).toBe(400)
    expect((await service.call('GET', '/healthz?x=1')).body.errors[0].message).toContain('allowed: none')
  })

  it('lists are filtered by status and by text, ignoring case and accents', async () => {
    const bob = await newTestCustomer(service)
    const { cid } = await bob.newCampaign({ name: 'Été à Montréal', externalId: 'x-1' })
    await bob.newCampaign({ name: 'Winter', enabled: false })
    const names = async (query: string) =>
      (await bob.call('GET', `/campaign?${query}`)).body.map((item: { name: string }) => item.name)
    expect(await names('q=MONTREAL')).toEqual(['Été à Montréal'])
    expect(await names('status=paused')).toEqual(['Winter'])
    expect(await names('status=paused&q=ete')).toEqual([])
    expect(await names('externalId=x-1&limit=1')).toEqual(['Été à Montréal'])
    expect((await bob.call('GET', '/campaign?status=gone')).status).toBe(400)
    await bob.call('POST', `/campaign/${cid}/persona`, { ...persona, enabled: false })
    await bob.call('POST', `/campaign/${cid}/persona`, { ...persona, name: 'Others' })
    expect((await bob.call('GET', `/campaign/${cid}/persona?enabled=false`)).body).toMatchObject([
      { name: 'Cyclists' },
    ])
  })
})

it('an app keeps its own id and texts with campaigns, personas and banners, and finds them by these', async () => {
  const bob = await newTestCustomer(service)
  const kept = { externalId: '№ 7 \u{1F6B2}/ä', metadata: { tier: 'gold', 'sales person': '\u{1F6B2}' } }
  const { cid } = await bob.newCampaign(kept)
  const { pid } = (await bob.call('POST', `/campaign/${cid}/persona`, { ...persona, ...kept })).body
  const banners = `/campaign/${cid}/persona/${pid}/banner`
  const image = { creativeURL: 'https://host.invalid/a.png', name: 'Élan' }
  const { bid } = (await bob.call('POST', banners, { ...image, ...kept })).body
  await bob.call('POST', banners, { ...image, name: 'Other' })
  await service.db.run("update banner set status = 'rejected' where bid = $1", [bid])
  for (const [list, id] of [
    ['/campaign', cid],
    [`/campaign/${cid}/persona`, pid],
    [banners, bid],
  ] as const) {
    const path = `${list}/${id}`
    expect((await bob.call('GET', path)).body).toMatchObject(kept)
    for (const query of [`externalId=${encodeURIComponent(kept.externalId)}`, 'q=%E2%84%96+7'])
      expect((await bob.call('GET', `${list}?${query}`)).body).toMatchObject([kept])
    expect((await bob.call('GET', `${list}?externalId=7`)).body).toEqual([])
    for (const [wrong, at] of [
      [{ metadata: { a: 1 } }, '/metadata/a'],
      [{ metadata: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, ''])) }, '/metadata'],
      [{ externalId: 'x'.repeat(256) }, '/externalId'],
    ] as const)
      expect((await bob.call('PUT', path, wrong)).body.errors[0].path).toBe(at)
    const edited = await bob.call('PUT', path, { externalId: null, metadata: { only: 'this' } })
    expect(edited.body).toMatchObject({ externalId: null, metadata: { only: 'this' } })
    expect(edited.body.metadata.tier).toBeUndefined()
  }
  const names = async (query: string) =>
    (await bob.call('GET', `${banners}?${query}`)).body.map((item: { name: string }) => item.name)
  expect(await names('status=rejected')).toEqual(['Élan'])
  expect(await names('status=pending&q=elan')).toEqual([])
  expect(await names('enabled=true&q=OTHER')).toEqual(['Other'])
})

describe('etags', () => {
  it('a malformed one is called malformed, and one that has no effect is refused', async () => {
    const { cid } = await ann.newCampaign()
    const put = (etag: string) => ann.call('PUT', `/campaign/${cid}`, { name: 'n' }, { 'if-match': etag })
    for (const etag of [`${cid}-1`, '"', 'x, "a"']) {
      const answer = await put(etag)
      expect([etag, answer.status, answer.body.code]).toEqual([etag, 400, 'invalid_etag'])
    }
    expect((await put(`W/"${cid}-1"`)).status).toBe(200)
    expect((await put(`"${cid}-1"`)).body.code).toBe('precondition_failed')
    const body = { name: 'n', start: 1, end: 2, dailySpend: 1 }
    const created = await ann.call('POST', '/campaign', body, { 'if-match': '"1-1"' })
    expect([created.status, created.body.code]).toEqual([400, 'if_match_not_honoured'])
  })

  it('if-none-match gives 304 as long as nothing shown has changed', async () => {
    const { cid } = await ann.newCampaign()
    const path = `/campaign/${cid}`
    const { headers } = await ann.call('GET', path)
    const again = () => ann.call('GET', path, undefined, { 'if-none-match': headers.etag! })
    expect(await again()).toMatchObject({ status: 304, text: '', headers: { etag: headers.etag } })
    await ann.call('POST', `${path}/persona`, persona)
    // Its version is the same, but it lacks something else now.
    expect(await again()).toMatchObject({ status: 200, body: { missing: ['no_banner'] } })
  })
})

describe('what GET answers can be PUT back', () => {
  it('for a campaign, flight, persona and banner, and changes nothing', async () => {
    const { cid, start, end } = await ann.newCampaign({ frequency: 3, metadata: { b: '1', a: '2' } })
    const { fid } = await ann.newFlight(cid, { start, end: end - 1 })
    const { pid } = (await ann.call('POST', `/campaign/${cid}/persona`, persona)).body
    const banner = { creativeURL: 'https://host.invalid/a.png', width: 300, height: 250 }
    const { bid } = (await ann.call('POST', `/campaign/${cid}/persona/${pid}/banner`, banner)).body
    await service.db.run("update banner set status = 'approved' where bid = $1", [bid])
    for (const path of [
      `/campaign/${cid}`,
      `/campaign/${cid}/flight/${fid}`,
      `/campaign/${cid}/persona/${pid}`,
      `/campaign/${cid}/persona/${pid}/banner/${bid}`,
    ]) {
      const read = await ann.call('GET', path)
      const back = await ann.call('PUT', path, read.body)
      expect([path, back.status, back.body]).toEqual([path, 200, read.body])
      expect(back.headers.etag).toBe(read.headers.etag)
      const wrong = await ann.call('PUT', path, { ...read.body, created: 1 })
      expect([wrong.status, wrong.body.errors[0].path]).toEqual([400, '/created'])
    }
  })

  it('for a customer, the choice of its mails and a webhook, and changes nothing', async () => {
    const app = service.call
    const own = (method: string, path: string, options = {}) => app(method, path, { as: ann, ...options })
    const { wid } = (await app('POST', '/webhook', { body: { url: 'https://app.example/a', events: [] } }))
      .body
    for (const [call, path] of [
      [app, `/customer/${ann.cuid}`],
      [own, `/customer/${ann.cuid}`],
      [own, `/customer/${ann.cuid}/mails`],
      [app, `/webhook/${wid}`],
    ] as const) {
      const read = await call('GET', path)
      const back = await call('PUT', path, { body: read.body })
      expect([path, back.status, back.body]).toEqual([path, 200, read.body])
      expect(back.headers.etag).toBe(read.headers.etag)
      const wrong = await call('PUT', path, {
        body: { ...read.body, [path.includes('webhook') ? 'wid' : 'cuid']: 1 },
      })
      expect([path, wrong.status, wrong.body.errors[0].message]).toEqual([
        path,
        400,
        expect.stringContaining('read-only'),
      ])
    }
  })

  it('with one of the two names of the cap changed', async () => {
    const { cid } = await ann.newCampaign({ frequency: 3 })
    const read = (await ann.call('GET', `/campaign/${cid}`)).body
    expect(read).toMatchObject({ freq: 3, frequency: 3 })
    expect((await ann.call('PUT', `/campaign/${cid}`, { ...read, frequency: 5 })).body.freq).toBe(5)
    const now = (await ann.call('GET', `/campaign/${cid}`)).body
    expect((await ann.call('PUT', `/campaign/${cid}`, { ...now, freq: 7 })).body.frequency).toBe(7)
  })
})

it('amounts with the noise of floats are what they mean, wherever they are sent; a third decimal is refused', async () => {
  const { cid } = await ann.newCampaign({ dailySpend: 0.1 + 0.2, cpm: 2.1399999999999997 })
  const path = `/campaign/${cid}`
  expect((await ann.call('GET', path)).body).toMatchObject({ dailySpend: 0.3, cpm: 2.14 })
  // Floats of this size are further apart than those of small amounts.
  const large = 10_000_000.1 + 0.2
  expect(large).not.toBe(10_000_000.3)
  expect((await ann.call('PUT', path, { dailySpend: large })).body.dailySpend).toBe(10_000_000.3)
  const bulk = (edit: object) =>
    ann.call('POST', '/bulk', { operations: [{ op: 'editCampaign', cid, body: edit }] })
  expect((await bulk({ dailySpend: 1.1 * 3, cpm: 1.1 + 2.2 })).body.results[0]).toMatchObject({
    answer: { dailySpend: 3.3, cpm: 3.3 },
  })
  const { start, end } = (await ann.call('GET', path)).body
  const order = { name: 'n', start, end, dailySpend: 0.7 + 0.1, cpm: 0.7 + 0.1, personas: [persona] }
  expect((await ann.call('POST', '/campaign', order)).body).toMatchObject({ dailySpend: 0.8, cpm: 0.8 })
  for (const wrong of [{ dailySpend: 0.301 }, { cpm: 2.1399 }, { dailySpend: 10_000_000.301 }])
    expect((await ann.call('PUT', path, wrong)).body.errors[0].message).toBe('must have at most 2 decimals')
})

it('a place that our tables do not know is kept, with a warning, a suggestion and an issue', async () => {
  const bob = await newTestCustomer(service)
  const { cid } = await bob.newCampaign()
  const body = { ...persona, geo: { geos: ['CA-ON-Toronto', 'ca-on-Tornto'] } }
  const made = await bob.call('POST', `/campaign/${cid}/persona`, body)
  expect(made.status).toBe(201)
  expect(made.body.geo.geos).toEqual(['CA-ON-Toronto', 'CA-ON-Tornto'])
  expect(made.body.warnings).toEqual([
    { path: '/geo/geos/1', message: expect.stringContaining('Tornto'), suggestion: 'CA-ON-Toronto' },
  ])
  const issues = (await bob.call('GET', '/issues')).body
  expect(issues).toContainEqual(
    expect.objectContaining({
      code: 'place_unknown',
      pid: made.body.pid,
      reasons: [expect.stringContaining('did you mean CA-ON-Toronto?')],
    }),
  )
  const path = `/campaign/${cid}/persona/${made.body.pid}`
  expect((await bob.call('PUT', path, { geo: { geos: ['CA-ON-Toronto'] } })).body.warnings).toEqual([])
})

describe('over the wire', () => {
  const headers = () => ({ 'x-access-key': ann.key, 'x-access-token': ann.token })

  it('a body in another encoding is refused, not stored with other letters', async () => {
    const send = (bytes: Buffer, headers: Record<string, string>) =>
      service.call('POST', '/customer', { body: bytes, headers })
    const text = JSON.stringify({ company: 'Zoë', email: 'zoe@letters.example' })
    const latin = await send(Buffer.from(text, 'latin1'), {
      'content-type': 'application/json; charset=iso-8859-1',
    })
    expect([latin.status, latin.body.message]).toEqual([400, 'the body is not valid UTF-8'])
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

  it('an answer that depends on accept says so, compressed or not, long or streamed', async () => {
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
      [`[${fields.slice(0, 40_000).map(field => `{${field}}`)}]`, 'the body has more than 30,000 fields'],
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

  it('a client that sends too much before it reads anything still learns why, and how much is allowed', async () => {
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

  /** Writes everything, and only then reads: as simple clients do. */
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

  it('GET / leads a browser to the console and a program to the documents', async () => {
    const browser = await fetch(url, { redirect: 'manual', headers: { accept: 'text/html' } })
    expect([browser.status, browser.headers.get('location')]).toEqual([302, 'http://localhost:8080/console'])
    expect(await (await fetch(url)).json()).toMatchObject({ openapi: 'http://localhost:8080/openapi.json' })
  })
})
