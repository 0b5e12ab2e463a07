// An app's endpoints called with a console session: staff may call them, but neither a customer nor staff acting as
// one.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  mailsTo,
  passcodeFor,
  type Visitor,
  visit,
  visitAs,
  visitAsStaff,
} from '../../test/support/console.ts'
import { startTestService, type TestPair, type TestService } from '../../test/support/service.ts'
import { newWebhook, type TestWebhook } from '../../test/support/webhooks.ts'
import type { EndpointSpec } from '../http/endpoint.ts'
import { createApp } from '../identity/apps.ts'
import * as webhooks from '../notify/webhooks/contract.ts'

let service: TestService
let otherApp: TestPair
let webhook: TestWebhook
let did: number
beforeAll(async () => {
  service = await startTestService()
  otherApp = (await createApp(service.db, { name: 'other' }, service.clock)).pair
  // Nobody listens at this port.
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
  it('has ten calls, each tested here', () => {
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
    '%s is refused without a session and, if it writes, to a page of another origin',
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

  it('staff create, read, edit, test and delete them, and give them a new secret', async () => {
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

describe('the staff of an app', () => {
  let people = 0
  const newMail = () => `colleague${++people}@shop.example`
  const add = (role: string, by?: Visitor) => {
    const body = { email: newMail(), name: `Person ${people}`, role }
    return by ? by.call('POST', '/staff', { body }) : service.call('POST', '/staff', { body })
  }
  async function signedIn(email: string): Promise<Visitor> {
    const visitor = visit(service)
    await visitor.signIn({ email, ...(await passcodeFor(service, email)) })
    return visitor
  }

  it('are added by the super pair or an admin, get an email without a secret, and sign in at once', async () => {
    const { status, body: ada } = await add('admin')
    expect([status, ada]).toMatchObject([201, { role: 'admin', name: `Person ${people}`, joined: null }])
    const [mail] = await mailsTo(service, ada.email)
    expect(mail).toContain('/console?app')
    const admin = await signedIn(ada.email)
    const { body: sam } = await add('support', admin)
    const sams = await signedIn(sam.email)
    const list = (await admin.call('GET', '/staff')).body
    const shown = (sid: number) => list.find((person: { sid: number }) => person.sid === sid)
    expect([shown(ada.sid), shown(sam.sid)]).toMatchObject([
      { joined: expect.any(Number) },
      { role: 'support' },
    ])
    for (const [method, url, options] of [
      ['GET', '/staff', {}],
      ['GET', '/staff/history', {}],
      ['PUT', `/staff/${sam.sid}`, { body: { role: 'admin' } }],
    ] as const)
      expect((await sams.call(method, url, options)).body.reason).toBe('role_too_low')
    const again = await service.call('POST', '/staff', {
      body: { email: sam.email.toUpperCase(), role: 'admin' },
    })
    expect([again.status, again.body.reason]).toEqual([409, 'staff_exists'])
    const renamed = await admin.call('PUT', `/staff/${sam.sid}`, { body: { name: null, role: 'finance' } })
    expect(renamed.body).toMatchObject({ name: null, role: 'finance', email: sam.email })
    expect((await admin.call('DELETE', `/staff/${sam.sid}`)).body).toEqual({ sid: sam.sid, deleted: true })
    expect((await sams.call('GET', '/customer')).body.code).toBe('session_ended')
    const history = (await admin.call('GET', '/staff/history')).body
    const by = { kind: 'person', name: ada.name, email: ada.email, as: null }
    expect(history.filter((entry: { sid: number }) => entry.sid === sam.sid)).toMatchObject([
      { action: 'add', by, before: null, after: { email: sam.email, role: 'support' } },
      { action: 'edit', by, before: { role: 'support' }, after: { role: 'finance', name: null } },
      { action: 'remove', by, before: { role: 'finance' }, after: null },
    ])
    expect(history.find((entry: { sid: number }) => entry.sid === ada.sid).by).toMatchObject({ kind: 'app' })
  })

  it('the last admin stays: if two leave at once, only one does', async () => {
    await service.db.run("update staff set role = 'support'")
    const both = [await add('admin'), await add('admin')].map(({ body }) => body)
    const left = await Promise.all([
      service.call('DELETE', `/staff/${both[0].sid}`),
      service.call('PUT', `/staff/${both[1].sid}`, { body: { role: 'finance' } }),
    ])
    expect(left.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(left.find(({ status }) => status === 409)!.body.code).toBe('last_admin')
    const { body: list } = await service.call('GET', '/staff')
    expect(list.filter(({ role }: { role: string }) => role === 'admin')).toHaveLength(1)
  })

  it.each([
    [{ role: 'admin' }, '/email', 'required'],
    [{ email: 'x', role: 'admin' }, '/email', 'not_an_email'],
    [{ email: 'a@b.example', role: 'owner' }, '/role', 'not_an_option'],
  ])('%j is refused at its field', async (body, path, code) => {
    const answer = await service.call('POST', '/staff', { body })
    expect([answer.status, answer.body.errors?.[0]]).toMatchObject([400, { path, code }])
  })
})
