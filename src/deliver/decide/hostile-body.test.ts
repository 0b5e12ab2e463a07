// Bodies that are made to cost more work than their size suggests are refused before they are unpacked or parsed.

import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { bidRequest, type ListeningService, startListeningService } from '../../../test/support/delivery.ts'

let service: ListeningService

beforeAll(async () => {
  service = await startListeningService()
})
afterAll(() => service.close())
afterEach(() => vi.restoreAllMocks())

const BRACKETS = '['.repeat(1024 * 1024)
const GZIP = { 'content-encoding': 'gzip' }

/** How often a text like the hostile ones was given to the parser. */
function watchParser(): () => number {
  const parse = vi.spyOn(JSON, 'parse')
  const marks = ['[[[[', 'unknown-site', '"777":1']
  return () => parse.mock.calls.filter(([text]) => marks.some(mark => text.includes(mark))).length
}

describe('POST /ad', () => {
  it('accepts no compressed body', async () => {
    const parsed = watchParser()
    const answer = await service.send('POST', '/ad', gzipSync(BRACKETS), GZIP)
    expect([answer.status, answer.json.code]).toEqual([415, 'unsupported_media_type'])
    expect(parsed()).toBe(0)
  })

  it('checks the site before it parses anything', async () => {
    const parsed = watchParser()
    const body = `{"source":"unknown-site","size":"300x250","cat":${'['.repeat(5000)}}`
    expect((await service.send('POST', '/ad', body)).status).toBe(404)
    expect((await service.send('POST', '/ad', '['.repeat(16_000))).json.code).toBe('malformed_request')
    expect(parsed()).toBe(0)
  })

  it('refuses deeper nesting than a request can have before it parses it, even from a known site', async () => {
    const parsed = watchParser()
    const body = `{"source":"${service.siteKey}","size":"300x250","cat":${'['.repeat(7000)}${']'.repeat(7000)}}`
    expect((await service.send('POST', '/ad', body)).json.code).toBe('malformed_request')
    expect(parsed()).toBe(0)
  })

  it('answers a short body of brackets like any other invalid one', async () => {
    const body = `{"source":"${service.siteKey}","size":"300x250","cat":${'['.repeat(4000)}${']'.repeat(4000)}}`
    const { status, json } = await service.send('POST', '/ad', body)
    expect([status, json.code, json.errors]).toMatchObject([
      400,
      'invalid_input',
      [{ path: '/cat/0', message: 'must be a string, not an array' }],
    ])
  })

  it.each([
    ['of known length', { 'content-length': '17000' }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])('accepts at most 16 kB, %s', async (_name, headers) => {
    const visit = { source: service.serverKey, size: '300x250', ua: 'x'.repeat(100) }
    const fits = JSON.stringify(visit).padEnd(16_384)
    expect((await service.send('POST', '/ad', fits)).status).toBe(200)
    const answer = await service.send('POST', '/ad', fits.padEnd(17_000), headers)
    expect([answer.status, answer.json.code]).toEqual([413, 'body_too_large'])
  })

  it('reports at most twenty errors', async () => {
    const fields = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`f${n}`, 1]))
    const answer = await service.ad({ size: '300x250', ...fields })
    expect(answer.status).toBe(400)
    expect(answer.json.errors).toHaveLength(20)
  })

  it('refuses more fields than a request can have, before it parses them', async () => {
    const parsed = watchParser()
    const fields = Array.from({ length: 1500 }, (_, n) => `"${n}":1`).join(',')
    const answer = await service.send('POST', '/ad', `{"source":"${service.siteKey}",${fields}}`)
    expect([answer.status, answer.json.message]).toEqual([
      400,
      'an object of the body has more than 1,000 fields',
    ])
    expect(parsed()).toBe(0)
  })
})

describe('POST /openrtb2/bid/:sourceKey', () => {
  it('refuses an unknown key before the body has arrived', async () => {
    const path = '/openrtb2/bid/mqxNobody'
    // So large that only Node's server takes it; none of it is sent.
    const answer = await service.sendHead('POST', path, { ...GZIP, 'content-length': '900000' })
    expect(answer).toMatch(/^HTTP\/1.1 404 /)
  })

  it('refuses deeper nesting or more fields than a bid request can have before it parses them', async () => {
    const parsed = watchParser()
    const fields = Array.from({ length: 60_000 }, (_, n) => `"${n}":1`)
    const bombs = [
      BRACKETS,
      '['.repeat(500_000) + ']'.repeat(500_000),
      '{"id":'.repeat(170_000),
      `{${fields}}`,
      `[${fields.map(field => `{${field}}`)}]`,
    ]
    for (const bomb of bombs)
      expect((await service.send('POST', service.bidPath, gzipSync(bomb), GZIP)).status).toBe(400)
    expect(parsed()).toBe(0)
  })

  it('brackets inside texts do not count as nesting', async () => {
    const request = bidRequest({ site: { domain: 'news.example', name: '[{\\"['.repeat(500) } })
    expect([200, 204]).toContain((await service.bid(request)).status)
  })
})

it.each(['/ad', '/console/api/session'])(
  'a body that never ends is refused and then cut off (%s)',
  async path => {
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(2 ** 20, 32), Buffer.from('\r\n')])
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => {})
    let answer = ''
    socket.on('data', data => (answer += data))
    const closed = new Promise(resolve => socket.once('close', resolve))
    const drained = () => new Promise(resolve => socket.once('drain', resolve))
    const headers =
      'host: a\r\nx-marquee-csrf: 1\r\ncontent-type: application/json\r\ntransfer-encoding: chunked'
    socket.write(`POST ${path} HTTP/1.1\r\n${headers}\r\n\r\n`)
    let sent = 0
    for (; sent < 500 && !socket.destroyed; sent++) {
      if (!socket.write(chunk)) await Promise.race([drained(), closed])
    }
    socket.destroy()
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
    expect(sent).toBeLessThan(500)
  },
)
