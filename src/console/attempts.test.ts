// Limits on failed sign-ins and on passcodes by email.

import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { eventually, mailsTo, OWN_PAGE, ticketFor, visit } from '../../test/support/console.ts'
import { startTestService, type TestService } from '../../test/support/service.ts'
import { createApp } from '../identity/apps.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ TRUST_PROXY: 'loopback' })
})
afterAll(() => service.close())
// The limits are per address of the caller, and all tests share one.
beforeEach(() => service.clock.advance(3_600_000))

/** A visitor with its own address. */
const visitorAt = (ip: string) => visit(service, { ...OWN_PAGE, 'x-forwarded-for': ip })
const ask = (ip: string, email: string, app?: string) =>
  visitorAt(ip).call('POST', '/console/api/passcode', { body: { email, app } })

async function statusesOf(times: number, send: () => Promise<{ status: number }>): Promise<number[]> {
  const statuses: number[] = []
  for (let i = 0; i < times; i++) statuses.push((await send()).status)
  return statuses
}

it('failed sign-ins are limited by where they come from; successful ones are not', async () => {
  const at = visitorAt('203.0.113.1')
  const { key: superkey, token: supertoken } = service.app
  const right = { superkey, supertoken }
  expect(new Set(await statusesOf(70, () => visitorAt('203.0.113.1').signIn(right)))).toEqual(new Set([200]))
  const failed = await statusesOf(61, () => at.signIn({ ticket: 'x' }))
  expect([failed[0], failed[59], failed[60]]).toEqual([401, 401, 429])
  const answer = await at.signIn(right)
  expect([answer.status, answer.body.code]).toEqual([429, 'too_many_requests'])
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  expect((await visitorAt('203.0.113.2').signIn(right)).status).toBe(200)
})

it('a forwarded address with another port is no new visitor: sign-ins and passcode requests stay limited', async () => {
  let port = 1024
  const sign = await statusesOf(61, () => visitorAt(`203.0.113.31:${port++}`).signIn({ ticket: 'x' }))
  expect([sign[59], sign[60]]).toEqual([401, 429])
  const asked = await statusesOf(31, () => ask(`[::ffff:203.0.113.32]:${port++}`, `p${port}@a.example`))
  expect([asked[29], asked[30]]).toEqual([200, 429])
  // It is not taken for the proxy's own either: others at that proxy go on.
  expect((await visitorAt(`203.0.113.33:${port}`).signIn({ ticket: 'x' })).status).toBe(401)
  expect((await ask(`203.0.113.34:${port}`, 'other@a.example')).status).toBe(200)
})

it('a burst of sign-ins does not take every connection: reads are answered while they wait', async () => {
  const { email } = await service.newCustomer()
  const lockHolder = new pg.Client({ connectionString: service.config.DATABASE_URL! })
  await lockHolder.connect()
  await lockHolder.query('begin; lock table passcode in access exclusive mode')
  const wrong = { email, passcode: '123456', request: 'mqpr_0000000000000000000000' }
  const tries = Array.from({ length: 3 * service.config.DATABASE_POOL }, (_, n) =>
    visitorAt(`203.0.113.${100 + n}`).signIn(wrong),
  )
  try {
    await eventually(async () => (await waitingForLocks(lockHolder)) > 0)
    expect((await service.call('GET', '/customer')).status).toBe(200)
  } finally {
    await lockHolder.query('rollback')
    await lockHolder.end()
  }
  expect(new Set((await Promise.all(tries)).map(({ status }) => status))).toEqual(new Set([401]))
})

async function waitingForLocks(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  )
  return rows.length
}

it('addresses of one IPv6 network count as one', async () => {
  const last = ['::1', '::2', '::3']
  for (const host of last)
    await statusesOf(20, () => visitorAt(`2001:db8:0:7${host}`).signIn({ ticket: 'x' }))
  expect((await visitorAt('2001:db8:0:7::9').signIn({ ticket: 'x' })).status).toBe(429)
  expect((await visitorAt('2001:db8:0:8::9').signIn({ ticket: 'x' })).status).toBe(401)
})

it('passcode requests for one mailbox are limited by who asks, whether or not it exists', async () => {
  const { email } = await service.newCustomer()
  for (const address of [email, 'unknown@bikes.example'])
    expect(await statusesOf(6, () => ask('203.0.113.3', address))).toEqual([200, 200, 200, 200, 200, 429])
})

it('a stranger who requests as many passcodes as possible does not lock the owner out, neither here nor through the app', async () => {
  const { email } = await service.newCustomer()
  await statusesOf(6, () => ask('203.0.113.4', email))
  expect((await ask('198.51.100.1', email)).status).toBe(200)
  expect((await service.call('GET', `/customer/${email}/passcode`)).status).toBe(200)
})

it('an app that requests as many passcodes as possible does not lock its customer out of the console, nor another app', async () => {
  const { pair } = await createApp(service.db, { name: 'second', passcode: true }, service.clock)
  const { email } = await service.newCustomer()
  await service.call('POST', '/customer', { app: pair, body: { company: 'Second', email } })
  const byApp = () => service.call('GET', `/customer/${email}/passcode`)
  expect(await statusesOf(6, byApp)).toEqual([200, 200, 200, 200, 200, 429])
  expect((await service.call('GET', `/customer/${email}/passcode`, { app: pair })).status).toBe(200)
  expect((await ask('203.0.113.5', email)).status).toBe(200)
})

it('a mailbox is not flooded from one network: the console sends one code and ten more per hour', async () => {
  const { email } = await service.newCustomer()
  const statuses: number[] = []
  for (let n = 0; n < 13; n++) statuses.push((await ask(`203.0.113.${100 + n}`, email)).status)
  expect(statuses).toEqual([...Array(11).fill(200), 429, 429])
})

it('strangers at several addresses do not lock out an owner at another one: the first code of a network is mailed', async () => {
  const { email } = await service.newCustomer()
  for (const network of ['203.0.113', '198.51.100', '192.0.2'])
    await statusesOf(6, () => ask(`${network}.9`, email))
  expect((await ask('203.0.113.10', email)).status).toBe(429)
  // The first code of each of three networks, and ten more.
  await eventually(async () => (await mailsTo(service, email)).length === 13)
  expect((await ask('100.70.1.1', email)).status).toBe(200)
  await eventually(async () => (await mailsTo(service, email)).length === 14)
  expect((await ask('100.70.1.2', email)).status).toBe(429)
})

it('strangers in any number of networks do not lock out a browser that its owner has signed in with before', async () => {
  const { email } = await service.newCustomer()
  const other = await service.newCustomer()
  const owner = visitorAt('100.70.2.1')
  expect((await owner.signIn({ ticket: await ticketFor(service, email) })).status).toBe(200)
  expect((await owner.call('DELETE', '/console/api/session')).status).toBe(200)
  // Fifty networks, and ten more codes.
  const statuses: number[] = []
  for (let n = 0; n < 63; n++) statuses.push((await ask(`100.80.${n}.1`, email)).status)
  expect(statuses.slice(0, 60)).toEqual(Array(60).fill(200))
  expect(statuses.slice(60)).toEqual([429, 429, 429])
  await eventually(async () => (await mailsTo(service, email)).length === 60)
  const again = (address = email) => owner.call('POST', '/console/api/passcode', { body: { email: address } })
  const asked = await again()
  expect(asked.status).toBe(200)
  const mails = await eventually(async () => {
    const all = await mailsTo(service, email)
    return all.length === 61 && all
  })
  const codes = mails.map(mail => /\b[0-9]{6}\b/.exec(mail.slice(mail.indexOf('\r\n\r\n')))![0])
  const { request } = asked.body
  const signedIn: number[] = []
  for (const passcode of new Set([codes.at(-1)!, codes[0]!]))
    signedIn.push((await owner.signIn({ email, passcode, request })).status)
  expect(signedIn).toContain(200)
  // The browser's own number is bounded too, and its cookie proves nothing for another mailbox.
  expect(await statusesOf(5, () => again())).toEqual([200, 200, 200, 200, 200])
  for (let n = 0; n < 63; n++) await ask(`100.81.${n}.1`, other.email)
  expect((await again(other.email)).status).toBe(429)
})

it('a forged or borrowed mark of a known browser is worthless', async () => {
  const { email } = await service.newCustomer()
  const owner = visitorAt('100.70.3.1')
  await owner.signIn({ ticket: await ticketFor(service, email) })
  await statusesOf(12, () => ask('100.90.1.1', email))
  for (let n = 2; n < 14; n++) await ask(`100.90.1.${n}`, email)
  const last = owner.known!.at(-1)
  for (const known of [
    `${owner.known!.slice(0, -1)}${last === 'A' ? 'B' : 'A'}`,
    'mqknown=',
    'mqknown=~~~',
    'mqknown=1.x.y',
  ]) {
    const stranger = visitorAt('100.90.1.99')
    stranger.known = known
    const answer = await stranger.call('POST', '/console/api/passcode', { body: { email } })
    expect([known, answer.status]).toEqual([known, 429])
  }
})
