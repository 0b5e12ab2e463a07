// How often somebody may fail to sign in, and have passcodes mailed.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { OWN_PAGE, visit } from '../../test/support/console.ts'
import { startTestService, type TestService } from '../../test/support/service.ts'
import { createApp } from '../access/apps.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ TRUST_PROXY: 'loopback' })
})
afterAll(() => service.close())
// The limits are by address of the caller, which all tests share.
beforeEach(() => service.clock.advance(3_600_000))

/** A visitor at an address of its own. */
const visitorAt = (ip: string) => visit(service, { ...OWN_PAGE, 'x-forwarded-for': ip })
const ask = (ip: string, email: string, app?: string) =>
  visitorAt(ip).call('POST', '/console/api/passcode', { body: { email, app } })

async function statusesOf(times: number, send: () => Promise<{ status: number }>): Promise<number[]> {
  const statuses: number[] = []
  for (let i = 0; i < times; i++) statuses.push((await send()).status)
  return statuses
}

it('failed sign-ins are limited by where they come from, those that succeed are not', async () => {
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

it('addresses of one IPv6 network count as one', async () => {
  const last = ['::1', '::2', '::3']
  for (const host of last)
    await statusesOf(20, () => visitorAt(`2001:db8:0:7${host}`).signIn({ ticket: 'x' }))
  expect((await visitorAt('2001:db8:0:7::9').signIn({ ticket: 'x' })).status).toBe(429)
  expect((await visitorAt('2001:db8:0:8::9').signIn({ ticket: 'x' })).status).toBe(401)
})

it('passcodes for one address are limited by who asks, whether or not it exists', async () => {
  const { email } = await service.newCustomer()
  for (const address of [email, 'unknown@bikes.example'])
    expect(await statusesOf(6, () => ask('203.0.113.3', address))).toEqual([200, 200, 200, 200, 200, 429])
})

it('a stranger who asks for as many as it gets does not lock the owner out: not here, not by the app', async () => {
  const { email } = await service.newCustomer()
  await statusesOf(6, () => ask('203.0.113.4', email))
  expect((await ask('198.51.100.1', email)).status).toBe(200)
  expect((await service.call('GET', `/customer/${email}/passcode`)).status).toBe(200)
})

it('an app that asks for as many as it gets does not lock its customer out of the console, nor another app', async () => {
  const { pair } = await createApp(service.db, { name: 'second', passcode: true }, service.clock)
  const { email } = await service.newCustomer()
  await service.call('POST', '/customer', { app: pair, body: { company: 'Second', email } })
  const byApp = () => service.call('GET', `/customer/${email}/passcode`)
  expect(await statusesOf(6, byApp)).toEqual([200, 200, 200, 200, 200, 429])
  expect((await service.call('GET', `/customer/${email}/passcode`, { app: pair })).status).toBe(200)
  expect((await ask('203.0.113.5', email)).status).toBe(200)
})

it('however many ask, a mailbox is not flooded: ten an hour by the console', async () => {
  const { email } = await service.newCustomer()
  const statuses: number[] = []
  for (let n = 0; n < 12; n++) statuses.push((await ask(`203.0.113.${100 + n}`, email)).status)
  expect(statuses).toEqual([...Array(10).fill(200), 429, 429])
})
