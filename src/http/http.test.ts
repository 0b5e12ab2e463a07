// What all endpoints have in common: errors, limits, headers, methods, logs.

import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../test/support/service.ts'
import { API_VERSION } from './answer.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startTestService()
  url = await service.listen()
})
afterAll(() => service.close())

describe('errors', () => {
  it.each([
    ['not JSON', '{"company": ', 'application/json', 400, 'malformed_request'],
    ['an empty body', '', 'application/json', 400, 'invalid_input'],
    ['a body that is no object', '[]', 'application/json', 400, 'invalid_input'],
    ['null', 'null', 'application/json', 400, 'invalid_input'],
    ['another content type', 'a=1', 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'],
    ['plain text', '{}', 'text/plain', 415, 'unsupported_media_type'],
    [
      'a body of 1 MiB and 1 byte',
      `"${'x'.repeat(1024 * 1024 - 1)}"`,
      'application/json',
      413,
      'body_too_large',
    ],
    ['a prototype key', '{"__proto__": {"a": 1}}', 'application/json', 400, 'invalid_input'],
    ['UTF-16', '{}', 'application/json; charset=utf-16', 415, 'unsupported_media_type'],
    ['UTF-16 in quotes', '{}', 'application/json;a=b; Charset = "UTF-16LE"', 415, 'unsupported_media_type'],
    ['UTF-8 by name', '{}', 'application/json; charset="UTF-8"', 400, 'invalid_input'],
    ['deep nesting', '['.repeat(200_000), 'application/json', 400, 'malformed_request'],
    [
      'deep valid nesting',
      `{"company":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      'application/json',
      400,
      'malformed_request',
    ],
  ])('%s gets a documented answer in our format', async (_name, body, type, status, code) => {
    const answer = await service.call('POST', '/customer', { body, headers: { 'content-type': type } })
    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect(answer.body).toMatchObject({
      message: expect.any(String),
      requestId: answer.headers['x-request-id'],
    })
  })

  it('a key called __proto__ is named, wherever it is and however it is written', async () => {
    const pathsOf = async (url: string, body: string) => {
      const answer = await service.call('POST', url, { body })
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_input'])
      return answer.body.errors.map((error: { path: string; code: string }) => [error.path, error.code])
    }
    const named = (path: string) => [path, 'key_not_allowed']
    expect(await pathsOf('/customer', '{"company":"A","__proto__":null}')).toEqual([named('/__proto__')])
    expect(await pathsOf('/customer', '{"metadata":{"__proto__":"x","a/b":{"\\u005f_proto__":{}}}}')).toEqual(
      [named('/metadata/__proto__'), named('/metadata/a~1b/__proto__')],
    )
    expect(await pathsOf('/customer', '[{"__pr\\u006fto__":1},2,[{"__proto__":1}]]')).toEqual([
      named('/0/__proto__'),
      named('/2/0/__proto__'),
    ])
    const many = `[${'{"__proto__":1},'.repeat(50)}1]`
    expect(await pathsOf('/customer', many)).toHaveLength(20)
    const fine = await service.call('POST', '/customer', {
      body: '{"company":"__proto__","email":"proto@key.example","name":"\\u005f"}',
    })
    expect([fine.status, fine.body.company, fine.body.name]).toEqual([201, '__proto__', '_'])
  })

  it('a path parameter of any length is 404 on every route that has one', async () => {
    const { superkey, supertoken } = service.firstCredentials!
    const headers = { 'x-access-superkey': superkey, 'x-access-supertoken': supertoken }
    const routes = service.routes
      .map(route => route.split(' '))
      .filter(([, path]) => path!.includes(':') && !path!.startsWith('/console'))
    for (const [method, path] of routes) {
      for (const length of [1001, 8000]) {
        const asked = path!.replaceAll(/:\w+/g, '1'.repeat(length))
        const answer = await service.api.fastify.inject({ method: method as 'GET', url: asked, headers })
        expect([path, length, answer.statusCode]).toEqual([path, length, 404])
      }
      const asked = path!.replaceAll(/:\w+/g, '1'.repeat(101))
      const answer = await service.api.fastify.inject({ method: method as 'GET', url: asked, headers })
      expect([path, answer.statusCode < 500]).toEqual([path, true])
    }
  })

  it('credentials are checked before the body is read', async () => {
    const answer = await service.call('POST', '/customer', { as: null, body: 'x'.repeat(2_000_000) })
    expect(answer.status).toBe(401)
  })

  it.each([
    ['PATCH', '/customer', 405, 'GET, HEAD, POST'],
    ['PATCH', '/customer/1', 405, 'DELETE, GET, HEAD, PUT'],
    ['POST', '/healthz/', 405, 'GET, HEAD'],
    ['GET', '/nothing', 404, undefined],
    ['GET', '/customer//sso', 404, undefined],
    ['GET', '/customer/1/2/3/4', 404, undefined],
    ['GET', '/%ff', 400, undefined],
    ['GET', '/customer/%', 400, undefined],
    ['GET', '/customer/%00', 404, undefined],
    ['GET', '/customer/..%2f..%2fetc', 404, undefined],
  ])('%s %s is answered %i', async (method, path, status, allow) => {
    const answer = await service.call(method, path)
    expect([answer.status, answer.headers.allow]).toEqual([status, allow])
    if (method !== 'HEAD')
      expect(answer.body).toMatchObject({ code: expect.any(String), requestId: expect.any(String) })
  })

  it('a bug reveals nothing, and is logged with the request id on one line', async () => {
    await service.db.run('alter table customer rename to customer_away')
    const answer = await service.call('GET', '/customer')
    await service.db.run('alter table customer_away rename to customer')
    expect([answer.status, answer.body.code]).toEqual([500, 'internal'])
    expect(answer.text).not.toMatch(/relation|customer_away|select/)
    const line = service.logLines.find(text => text.includes('"bug"') && text.includes(answer.body.requestId))
    expect(line).toBeTruthy()
    expect(line!.trimEnd()).not.toContain('\n')
  })

  it('bad HTTP gets an answer in our format too', async () => {
    const answer = await raw(url, 'NONSENSE\r\n\r\n')
    expect(answer).toContain('400 Bad Request')
    expect(answer).toContain('"code":"malformed_request"')
    expect(await raw(url, `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`)).toContain('431')
  })
})

describe('headers', () => {
  it('every answer has a request id, the version and the security headers', async () => {
    for (const path of ['/healthz', '/nothing', '/customer']) {
      const { headers } = await service.call('GET', path)
      expect(headers).toMatchObject({
        'x-request-id': expect.any(String),
        'x-api-version': API_VERSION,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cache-control': 'no-store',
      })
    }
  })

  it('over the wire, HEAD has exactly the headers of GET for an object, a list and an error', async () => {
    const { cuid } = await service.newCustomer()
    for (const path of [`/customer/${cuid}`, '/customer', '/reference/iab', '/nothing', '/campaign']) {
      const [of, without] = [await headersOf('GET', path), await headersOf('HEAD', path)]
      expect(without).toEqual(of)
      expect(of).toMatchObject({ 'content-length': expect.any(String), 'x-frame-options': 'DENY' })
    }
  })

  it('the headers of an answer take precedence over the general ones', async () => {
    const { headers } = await service.call('GET', '/reference/iab')
    expect(headers).toMatchObject({ 'cache-control': 'public, max-age=86400', 'x-frame-options': 'DENY' })
    const page = await service.call('GET', '/docs')
    expect(page.headers['content-security-policy']).not.toContain("default-src 'none'; frame-ancestors")
    expect(page.headers['x-content-type-options']).toBe('nosniff')
  })

  it('an error has the rate limit headers of the call too', async () => {
    const { status, headers } = await service.call('GET', '/customer/nobody@nowhere.example')
    expect([status, headers['ratelimit-limit']]).toEqual([404, expect.stringMatching(/^\d+$/)])
  })

  it('the request id of a caller is used if it is sane', async () => {
    const given = await service.call('GET', '/healthz', { headers: { 'x-request-id': 'trace-12345678' } })
    expect(given.headers['x-request-id']).toBe('trace-12345678')
    const odd = await service.call('GET', '/healthz', { headers: { 'x-request-id': 'a b' } })
    expect(odd.headers['x-request-id']).not.toBe('a b')
  })

  it('HEAD answers like GET without a body', async () => {
    const answer = await service.call('HEAD', '/customer')
    expect([answer.status, answer.text]).toEqual([200, ''])
  })
})

describe('rate limits', () => {
  it('are a token bucket per app, shown in headers; beyond it comes 429 with retry-after', async () => {
    const limited = await startTestService({ RATE_LIMIT: '1', RATE_BURST: '5' })
    // All at once, because a second later there would be room for another call.
    const calls = Array.from({ length: 6 }, () => limited.call('GET', '/customer'))
    const answers = await Promise.all(calls)
    // The refused call is not always the last one, because the first call also records that the pair was used.
    const [refused, ...others] = answers.toSorted((a, b) => b.status - a.status)
    expect(others.map(answer => answer.status)).toEqual([200, 200, 200, 200, 200])
    const left = others.map(answer => answer.headers['ratelimit-remaining'])
    expect(left.toSorted()).toEqual(['0', '1', '2', '3', '4'])
    expect(refused!.headers).toMatchObject({
      'ratelimit-limit': '5',
      'ratelimit-remaining': '0',
      'retry-after': '1',
    })
    expect([refused!.status, refused!.body.code]).toEqual([429, 'too_many_requests'])
    limited.clock.advance(1_000)
    expect((await limited.call('GET', '/customer')).status).toBe(200)
    await limited.close()
  })
})

describe('logs', () => {
  it('name the route, never the URL, an email address or a secret', async () => {
    const customer = await service.newCustomer({ email: 'log.me@a.example' })
    await service.call('GET', `/customer/log.me@a.example/auth?passcode=907315`)
    await service.call('GET', `/customer/${customer.cuid}`, { as: customer })
    const text = service.logLines.join('')
    expect(text).toContain('"/customer/:identifier/auth"')
    expect(text).not.toMatch(/log\.me|907315|mqct_|mqst_/)
    for (const line of service.logLines) expect(() => JSON.parse(line)).not.toThrow()
  })
})

describe('stopping', () => {
  it('finishes the request in flight, then closes', async () => {
    const other = await startTestService()
    const base = await other.listen()
    await other.db.run('create table hold (a int)')
    const lock = await other.db.pool.connect()
    await lock.query('begin')
    await lock.query('lock table customer in access exclusive mode')
    const pending = get(`${base}/customer`, {
      'x-access-superkey': other.app.key,
      'x-access-supertoken': other.app.token,
    })
    await new Promise(resolve => setTimeout(resolve, 200))
    const stopping = other.close()
    await new Promise(resolve => setTimeout(resolve, 200))
    await lock.query('commit')
    lock.release()
    expect(await pending).toBe(200)
    await stopping
  })
})

it('a connection that never sent a request does not delay the stop', async () => {
  const other = await startTestService()
  const { hostname, port } = new URL(await other.listen())
  const silent = connect(Number(port), hostname)
  await new Promise(resolve => silent.once('connect', resolve))
  const ended = new Promise(resolve => silent.once('close', resolve))
  await other.close()
  await ended
})

/** The headers as received, except for those that differ between calls. */
async function headersOf(method: string, path: string): Promise<Record<string, string>> {
  const { key, token } = service.app
  const answer = await fetch(url + path, {
    method,
    headers: { 'x-access-superkey': key, 'x-access-supertoken': token, 'x-request-id': 'same-for-both' },
  })
  await answer.arrayBuffer()
  const headers = Object.fromEntries(answer.headers)
  expect(headers.date).toBeTruthy()
  const varying = ['date', 'connection', 'keep-alive', 'ratelimit-remaining', 'ratelimit-reset']
  for (const name of varying) delete headers[name]
  return headers
}

function get(target: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    httpRequest(target, { headers, agent: false }, answer => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode!))
    })
      .on('error', reject)
      .end()
  })
}

function raw(base: string, text: string): Promise<string> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.on('data', chunk => {
      answer += chunk
    })
    socket.on('end', () => resolve(answer))
    socket.on('error', reject)
  })
}
