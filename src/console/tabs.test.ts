// Each tab of staff names whom it works as: a customer of their app or the app itself. It never gets more rights than
// that.

import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { visitAs, visitAsStaff } from '../../test/support/console.ts'
import { startTestService, type TestService } from '../../test/support/service.ts'
import { createApp } from '../identity/apps.ts'
import { AS_HEADER } from '../identity/sessions/contract.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const as = (who: number | string) => ({ headers: { [AS_HEADER]: String(who) } })

it('two tabs work as two customers, and a third as the app', async () => {
  const [one, two] = [await service.newCustomer(), await service.newCustomer()]
  const staff = await visitAsStaff(service)
  await staff.call('POST', '/console/api/session/customer', { body: { cuid: one.cuid } })
  await staff.call('POST', '/console/api/session/customer', { body: { cuid: two.cuid } })
  for (const { cuid } of [one, two]) {
    expect((await staff.call('GET', `/campaign?cuid=${cuid}`, as(cuid))).status).toBe(200)
    expect((await staff.call('GET', '/console/api/session', as(cuid))).body.customer.cuid).toBe(cuid)
  }
  expect((await staff.call('GET', '/customer', as('app'))).status).toBe(200)
  expect((await staff.call('GET', '/console/api/session', as('app'))).body.level).toBe('app')
  // A call without the header is for the customer opened last.
  expect((await staff.call('GET', '/console/api/session')).body.customer.cuid).toBe(two.cuid)
})

it('a tab that works as a customer has only the rights of that customer', async () => {
  const [one, two] = [await service.newCustomer(), await service.newCustomer()]
  const staff = await visitAsStaff(service)
  expect((await staff.call('GET', '/customer', as(one.cuid))).status).toBe(401)
  expect((await staff.call('GET', `/campaign?cuid=${two.cuid}`, as(one.cuid))).status).toBe(401)
})

it('the header opens nothing: not the customer of another app, and nothing to a customer', async () => {
  const { pair } = await createApp(service.db, { name: 'other' }, service.clock)
  const body = { company: 'Elsewhere', email: 'else@where.example' }
  const elsewhere = (await service.call('POST', '/customer', { app: pair, body })).body.cuid
  const staff = await visitAsStaff(service)
  expect((await staff.call('GET', `/campaign?cuid=${elsewhere}`, as(elsewhere))).status).toBe(401)
  const [one, two] = [await service.newCustomer(), await service.newCustomer()]
  const visitor = await visitAs(service, one.email)
  expect((await visitor.call('GET', `/campaign?cuid=${two.cuid}`, as(two.cuid))).status).toBe(401)
  expect((await visitor.call('GET', '/customer', as('app'))).status).toBe(401)
})

it('staff set the brand of their app; a customer or staff working as one cannot, and a wrong logo is refused', async () => {
  const { email, cuid } = await service.newCustomer()
  const staff = await visitAsStaff(service)
  const logo = (
    await sharp({ create: { width: 90, height: 30, channels: 3, background: '#0a7d4f' } })
      .png()
      .toBuffer()
  ).toString('base64')
  const body = { title: 'Shop Ads', color: '#0a7d4f', logo }
  const customer = await visitAs(service, email)
  expect((await customer.call('PUT', '/console/api/brand', { body })).status).toBe(401)
  expect((await staff.call('PUT', '/console/api/brand', { body, ...as(cuid) })).status).toBe(401)
  const wrong = await staff.call('PUT', '/console/api/brand', { body: { logo: 'AAAA' } })
  expect([wrong.status, wrong.body.code]).toEqual([400, 'invalid_input'])
  const { status, body: session } = await staff.call('PUT', '/console/api/brand', { body })
  expect([status, session.brand.title, session.brand.color]).toEqual([200, 'Shop Ads', '#0a7d4f'])
  expect((await customer.call('GET', '/console/api/session')).body.brand).toEqual(session.brand)
  const none = await staff.call('PUT', '/console/api/brand', { body: { title: null, logo: null } })
  expect([none.body.brand.title, none.body.brand.logo, none.body.brand.color]).toEqual([
    'Marquee',
    null,
    '#0a7d4f',
  ])
})

it('a customer creates another pair by its session, and the pair works', async () => {
  const { email, cuid } = await service.newCustomer()
  const visitor = await visitAs(service, email)
  const { status, body: pair } = await visitor.call('POST', `/customer/${cuid}/credential`)
  expect(status).toBe(201)
  const own = await service.call('GET', `/customer/${cuid}`, { as: { key: pair.key, token: pair.token } })
  expect(own.status).toBe(200)
  const other = await service.newCustomer()
  expect((await visitor.call('POST', `/customer/${other.cuid}/credential`)).status).toBe(401)
})
