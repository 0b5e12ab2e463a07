// The endpoints of an app by a session of the console: staff may call them, but neither a customer nor staff as one.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { visit, visitAs, visitAsStaff } from '../../test/support/console.ts'
import { startTestService, type TestPair, type TestService } from '../../test/support/service.ts'
import { newWebhook, type TestWebhook } from '../../test/support/webhooks.ts'
import { createApp } from '../access/apps.ts'
import type { EndpointSpec } from '../http/endpoint.ts'
import * as webhooks from '../webhooks/contract.ts'

let service: TestService
let otherApp: TestPair
let webhook: TestWebhook
let did: number
beforeAll(async () => {
  service = await startTestService()
  otherApp = (await createApp(service.db, { name: 'other' }, service.clock)).pair
  // Nobody listens there.
  webhook = await newWebhook(service, { url: 'http://127.0.0.1:9/', events: ['campaign.ended'] })
  did = (await service.call('POST', `${webhook.path}/test`)).body.did
})
afterAll(() => service.close())

const endpoints = (Object.values(webhooks) as unknown[]).filter(
  (value): value is EndpointSpec => typeof value === 'object' && value !== null && 'method' in value,
)
const urlOf = ({ path }: EndpointSpec) =>
  path.replace(':wid', String(webhook.wid)).replace(':did', String(did))
const callOf = (endpoint: EndpointSpec) =>
  [endpoint.method, urlOf(endpoint), endpoint.body ? { body: endpoint.examples?.body ?? {} } : {}] as const

async function state(): Promise<string> {
  const rows = await service.db.rows<{ row: string }>('select w::text as row from webhook w order by wid')
  return JSON.stringify(rows)
}

describe('the webhooks of an app', () => {
  it('there are ten calls, each looked at here', () => {
    expect(endpoints.map(({ id }) => id).sort()).toEqual([
      'createWebhook',
      'deleteWebhook',
      'editWebhook',
      'listWebhookDeliveries',
      'listWebhooks',
      'readWebhook',
      'readWebhookDelivery',
      'retryWebhookDelivery',
      'rotateWebhookSecret',
      'testWebhook',
    ])
  })

  it.each(endpoints.map(endpoint => [endpoint.id, endpoint] as const))(
    '%s is refused to the session of a customer, and to staff that opened one',
    async (_, endpoint) => {
      const before = await state()
      const { cuid, email } = await service.newCustomer()
      const customer = await visitAs(service, email)
      const staff = await visitAsStaff(service)
      await staff.call('POST', '/console/api/session/customer', { body: { cuid } })
      for (const visitor of [customer, staff]) {
        const { status, body, text } = await visitor.call(...callOf(endpoint))
        expect([status, body.code]).toEqual([401, 'credentials_wrong_level'])
        expect(text).not.toContain('127.0.0.1:9')
      }
      expect(await state()).toBe(before)
    },
  )

  it.each(endpoints.map(endpoint => [endpoint.id, endpoint] as const))(
    '%s is refused without a session, and where it writes to a page of another origin',
    async (_, endpoint) => {
      const before = await state()
      const [method, url, options] = callOf(endpoint)
      expect((await visit(service).call(method, url, options)).body.code).toBe('credentials_missing')
      if (method === 'GET') return
      const staff = await visitAsStaff(service)
      const foreign: Record<string, string>[] = [{ 'x-marquee-csrf': '' }, { 'sec-fetch-site': 'cross-site' }]
      for (const headers of foreign) {
        const { status, body } = await staff.call(method, url, { ...options, headers })
        expect([status, body.code]).toEqual([403, 'session_refused'])
      }
      expect(await state()).toBe(before)
    },
  )

  it('staff of another app see none of them', async () => {
    const before = await state()
    const stranger = await visitAsStaff(service, otherApp)
    expect((await stranger.call('GET', '/webhook')).body).toEqual([])
    for (const endpoint of endpoints.filter(({ path }) => path.includes(':wid'))) {
      expect((await stranger.call(...callOf(endpoint))).status, endpoint.id).toBe(404)
    }
    expect(await state()).toBe(before)
  })

  it('staff make, read, edit, try out, give a new secret to and delete them', async () => {
    const staff = await visitAsStaff(service)
    const body = { url: 'http://127.0.0.1:9/staff' }
    const created = await staff.call('POST', '/webhook', { body })
    expect([created.status, created.body.secret]).toEqual([201, expect.stringMatching(/^whsec_/)])
    const path = `/webhook/${created.body.wid}`
    expect((await staff.call('PUT', path, { body: { description: 'x' } })).body.description).toBe('x')
    expect((await staff.call('GET', path)).body.description).toBe('x')
    const test = await staff.call('POST', `${path}/test`)
    expect(test.status).toBe(201)
    expect((await staff.call('GET', `${path}/delivery`)).body[0].did).toBe(test.body.did)
    expect((await staff.call('GET', `${path}/delivery/${test.body.did}`)).status).toBe(200)
    expect((await staff.call('POST', `${path}/delivery/${test.body.did}/retry`)).status).toBe(200)
    const rotated = await staff.call('POST', `${path}/secret`)
    expect(rotated.body.secret).not.toBe(created.body.secret)
    expect((await staff.call('DELETE', path)).body).toMatchObject({ deleted: true })
    expect((await staff.call('GET', path)).status).toBe(404)
  })
})
