// How many requests a customer and an app may send, and how many wrong ones an address may send.

import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { OWN_PAGE } from '../../test/support/console.ts'
import { startTestService, type TestPair, type TestService } from '../../test/support/service.ts'
import { rotateApp } from './apps.ts'
import { newPair } from './pair.ts'

const BURST = 20
const FAILURES = 10

let service: TestService
beforeAll(async () => {
  service = await startTestService({
    RATE_LIMIT: '1',
    RATE_BURST: String(BURST),
    FAILURE_LIMIT: String(FAILURES),
    TRUST_PROXY: 'loopback',
  })
})
afterAll(() => service.close())
// Refills every bucket.
beforeEach(() => service.clock.advance(600_000))

const from = (ip: string) => ({ 'x-forwarded-for': ip })

/** The number of concurrent calls that are let in. */
async function allowed(times: number, send: (n: number) => Promise<{ status: number }>): Promise<number> {
  const answers = await Promise.all(Array.from({ length: times }, (_, n) => send(n)))
  return answers.filter(answer => answer.status !== 429).length
}

/** All calls shared one bucket; a few tokens may have been added while the requests were under way. */
function expectOneBucket(count: number): void {
  expect(count).toBeGreaterThanOrEqual(BURST)
  expect(count).toBeLessThan(2 * BURST)
}

it('all pairs of a customer share its limit', async () => {
  const customer = await service.newCustomer()
  const pairs: TestPair[] = [customer]
  for (let n = 0; n < 4; n++) pairs.push((await service.call('GET', `/customer/${customer.cuid}/auth`)).body)
  const read = (n: number) =>
    service.call('GET', `/customer/${customer.cuid}`, { as: pairs[n % pairs.length]! })
  for (let n = 0; n < pairs.length; n++) await read(n)
  service.clock.advance(60_000)
  expectOneBucket(await allowed(3 * BURST, read))
  const other = await service.newCustomer()
  expect((await service.call('GET', `/customer/${other.cuid}`, { as: other })).status).toBe(200)
})

it('all super pairs of an app share its limit, and its customers have limits of their own', async () => {
  const customer = await service.newCustomer()
  const second = await rotateApp(service.db, 'default', 86_400, service.clock)
  const list = (n: number) => service.call('GET', '/customer', { app: n % 2 === 0 ? service.app : second })
  for (let n = 0; n < 2; n++) await list(n)
  service.clock.advance(60_000)
  expectOneBucket(await allowed(3 * BURST, list))
  expect((await service.call('GET', `/customer/${customer.cuid}`, { as: customer })).status).toBe(200)
})

it('unknown keys are limited by address, and cost no query beyond the limit', async () => {
  const guess = () => service.call('GET', '/customer', { app: newPair('app'), headers: from('203.0.113.1') })
  const queries = vi.spyOn(service.door, 'row')
  const answers = await Promise.all(Array.from({ length: 100 }, guess))
  const asked = queries.mock.calls.filter(([text]) => String(text).includes('from credential')).length
  queries.mockRestore()
  // One query looks for the pair, the other finds out what happened to it.
  expect(asked).toBe(2 * FAILURES)
  expect(answers.filter(answer => answer.status === 401)).toHaveLength(FAILURES)
  const refused = answers.find(answer => answer.status === 429)!
  expect(refused.body.code).toBe('too_many_requests')
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
})

it.each([
  ['the port of the client', (n: number) => `203.0.113.11:${1024 + n}`],
  [
    'its IPv6 spelling',
    (n: number) => (n % 2 === 0 ? '::ffff:203.0.113.12' : `[::ffff:203.0.113.12]:${n + 1}`),
  ],
  ['a hop that is no address', (n: number) => `203.0.113.13, nonsense${n}`],
])('a limit by address is the same whatever a proxy writes: %s', async (_, hop) => {
  const guess = (n: number) =>
    service.call('GET', '/customer', { app: newPair('app'), headers: from(hop(n)) })
  expect(await allowed(3 * FAILURES, guess)).toBe(FAILURES)
})

it('one IPv6 network is not thousands of addresses: four times the limit for a /56, sixteen times for a /48', async () => {
  const guess = (address: (n: number) => string) => (n: number) =>
    service.call('GET', '/customer', { app: newPair('app'), headers: from(address(n)) })
  const inOne56 = (n: number) => `2001:db8:5:${(n % 256).toString(16)}::${n}`
  expect(await allowed(8 * FAILURES, guess(inOne56))).toBe(4 * FAILURES)
  service.clock.advance(600_000)
  const inOne48 = (n: number) => `2001:db8:6:${((n * 256) % 65_536).toString(16)}::${n}`
  expect(await allowed(24 * FAILURES, guess(inOne48))).toBe(16 * FAILURES)
  expect((await guess(() => '2001:db8:7::1')(0)).status).toBe(401)
})

it('wrong tokens with a known key are limited by address and cost no query, and its owner is let in', async () => {
  const customer = await service.newCustomer()
  const read = (token: string, ip: string) =>
    service.call('GET', `/customer/${customer.cuid}`, { as: { ...customer, token }, headers: from(ip) })
  const owner = '203.0.113.21'
  expect((await read(customer.token, owner)).status).toBe(200)
  const wrong = newPair('customer').token
  const queries = vi.spyOn(service.door, 'row')
  const statuses = await Promise.all(Array.from({ length: 100 }, () => read(wrong, '203.0.113.22')))
  // The cache entry has expired by now; many concurrent calls look it up once.
  service.clock.advance(6_000)
  const later = await Promise.all(Array.from({ length: 50 }, () => read(wrong, '203.0.113.22')))
  const asked = queries.mock.calls.filter(([text]) => String(text).includes('from credential')).length
  queries.mockRestore()
  expect(statuses.filter(({ status }) => status === 401)).toHaveLength(FAILURES)
  expect([...statuses, ...later].every(({ status }) => status === 401 || status === 429)).toBe(true)
  expect(asked).toBe(1)
  // The owner is let in from another address, and even from the same one.
  expect((await read(customer.token, owner)).status).toBe(200)
  expect((await read(customer.token, '203.0.113.22')).status).toBe(200)
})

it('a pair in use is not shut out by strangers at its address, nor are other addresses', async () => {
  const [customer, later] = [await service.newCustomer(), await service.newCustomer()]
  const read = (who: typeof customer, ip: string) =>
    service.call('GET', `/customer/${who.cuid}`, { as: who, headers: from(ip) })
  expect((await read(customer, '203.0.113.2')).status).toBe(200)
  const guess = () => service.call('GET', '/customer', { app: newPair('app'), headers: from('203.0.113.2') })
  expect(await allowed(30, guess)).toBe(FAILURES)
  service.clock.advance(6_000)
  expect((await read(customer, '203.0.113.2')).status).toBe(200)
  expect((await read(later, '203.0.113.3')).status).toBe(200)
})

it('right credentials use up nothing: more pairs than allowed failures get in from one address', async () => {
  const statuses: number[] = []
  for (let n = 0; n < FAILURES + 5; n++) {
    service.clock.advance(1_000)
    const customer = await service.newCustomer()
    const url = `/customer/${customer.cuid}`
    statuses.push((await service.call('GET', url, { as: customer, headers: from('203.0.113.4') })).status)
  }
  expect(new Set(statuses)).toEqual(new Set([200]))
})

it('unknown sessions are limited by address too, and cost no query beyond the limit', async () => {
  const token = (n: number) => `mqse_${String(n).padStart(43, '0')}`
  const queries = vi.spyOn(service.door, 'row')
  const statuses: number[] = []
  for (let n = 0; n < 2 * FAILURES; n++) {
    const headers = { ...from('203.0.113.5'), cookie: `mqsession=${token(n)}` }
    statuses.push((await service.call('GET', '/console/api/session', { as: null, headers })).status)
  }
  const asked = queries.mock.calls.filter(([text]) => String(text).includes('console_session')).length
  queries.mockRestore()
  expect(asked).toBe(FAILURES)
  expect(statuses).toEqual([...Array(FAILURES).fill(200), ...Array(FAILURES).fill(429)])
})

it('a body of a stranger that is refused is a failure of its address', async () => {
  const signIn = (ip: string, body: string) =>
    service.call('POST', '/console/api/session', { as: null, body, headers: { ...OWN_PAGE, ...from(ip) } })
  const fine = '{"ticket":1}'
  for (let n = 0; n < 2 * FAILURES; n++)
    expect((await signIn('203.0.113.6', fine)).body.code).toBe('invalid_input')
  const bodies = ['{', `["${'x'.repeat(20_000)}"]`, `[${'{},'.repeat(5300)}1]`]
  const statuses = []
  for (let n = 0; n < FAILURES; n++)
    statuses.push((await signIn('203.0.113.6', bodies[n % bodies.length]!)).status)
  expect(new Set(statuses)).toEqual(new Set([400, 413]))
  const next = await signIn('203.0.113.6', fine)
  expect([next.status, next.body.reason]).toEqual([429, 'too_many_failures'])
  expect((await signIn('203.0.113.7', fine)).body.code).toBe('invalid_input')
})

it('a pair that was valid a moment ago has turns of its own among strangers of its address', async () => {
  const { cuid, key, token } = await service.newCustomer()
  await service.call('GET', `/customer/${cuid}`, { as: { key, token } })
  const { port } = new URL(await service.listen())
  const ask = (method: string, headers: string) =>
    `${method} /nothing HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n`
  const sockets = Array.from({ length: 41 }, () => connect(Number(port), '127.0.0.1'))
  const seen = () => service.logLines.filter(line => line.includes('"status":404'))
  const before = seen().length
  for (const socket of sockets) socket.write(ask('GET', 'accept: */*'))
  await expect.poll(() => seen().length).toBe(before + 41)
  for (const [n, socket] of sockets.entries())
    socket.write(
      n < 40
        ? ask('GET', `x-access-key: ${n}`)
        : ask('PUT', `x-access-key: ${key}\r\nx-access-token: ${token}`),
    )
  await expect.poll(() => seen().length).toBe(before + 82)
  for (const socket of sockets) socket.destroy()
  const position = seen()
    .slice(before + 41)
    .findIndex(line => line.includes('"method":"PUT"'))
  expect(position).toBeLessThan(10)
  expect(position).toBeGreaterThanOrEqual(0)
})

it('a new network of a pair is reported once, and stored as a hash, never as an address', async () => {
  const ann = await service.newCustomer()
  const body = { url: 'https://app.example/hook', events: ['customer.key_new_network'] }
  const { wid } = (await service.call('POST', '/webhook', { body })).body
  const use = (ip: string) => service.call('GET', `/customer/${ann.cuid}`, { as: ann, headers: from(ip) })
  const reported = () =>
    service.db.rows<{ body: string }>('select body from webhook_delivery where wid = $1 order by did', [wid])
  // The first network is taken as known and not reported.
  for (const ip of ['198.51.100.7', '198.51.100.200']) await use(ip)
  expect(await reported()).toEqual([])
  await Promise.all(['203.0.113.5', '203.0.113.6', '203.0.113.5'].map(use))
  await use('2001:db8:7::1')
  service.clock.advance(60_000)
  for (const ip of ['203.0.113.77', '198.51.100.9', '2001:db8:7:9::2']) await use(ip)
  const events = (await reported()).map(row => JSON.parse(row.body))
  expect(events.map(({ data }) => [data.cuid, data.key, data.by.kind])).toEqual([
    [ann.cuid, ann.key, 'key'],
    [ann.cuid, ann.key, 'key'],
  ])
  const kept = await service.db.rows<{ text: string }>('select n::text as text from credential_network n')
  expect(kept.filter(({ text }) => text.includes(ann.key))).toHaveLength(3)
  const mails = await service.db.rows<{ text: string }>(
    'select m::text as text from mail m where cuid = $1',
    [ann.cuid],
  )
  expect(mails).toHaveLength(2)
  const all = JSON.stringify([events, kept, mails])
  expect(all).not.toMatch(/198\.51|203\.0|2001:db8/)
  await service.call('DELETE', `/webhook/${wid}`)
})

it('a pair that is used from very many networks is remembered for the first 50', async () => {
  const ann = await service.newCustomer()
  for (let n = 0; n < 55; n++) {
    if (n % 15 === 0) service.clock.advance(600_000)
    await service.call('GET', `/customer/${ann.cuid}`, { as: ann, headers: from(`10.0.${n}.1`) })
  }
  const kept = await service.db.rows('select 1 from credential_network where key = $1', [ann.key])
  expect(kept).toHaveLength(50)
})
