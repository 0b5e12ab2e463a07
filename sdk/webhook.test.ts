// The receiver's side, tested with the published example and with what the real service sends.

import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { startTestService, type TestService } from '../test/support/service.ts'
import { type Receiver, startReceiver } from '../test/support/webhooks.ts'
import { createClient } from './client.ts'
import { verifyWebhook, type WebhookEvent, WebhookRefused } from './webhook.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const BODY = '{"test": 2432232314}'
const TIME_S = 1_614_265_330
const HEADERS = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': String(TIME_S),
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}
const THEN = { nowMs: TIME_S * 1000 }

describe('verifyWebhook', () => {
  it('accepts the published example of the scheme, with any kind of headers', async () => {
    const event = { test: 2_432_232_314, id: HEADERS['webhook-id'] }
    expect(await verifyWebhook(HEADERS, BODY, SECRET, THEN)).toEqual(event)
    expect(await verifyWebhook(new Headers(HEADERS), BODY, SECRET, THEN)).toEqual(event)
    expect(await verifyWebhook(HEADERS, BODY, SECRET.slice(6), THEN)).toEqual(event)
  })

  it('accepts one right signature among several', async () => {
    const right = HEADERS['webhook-signature']
    for (const signatures of [`v1,AAAA ${right}`, `${right} v1,AAAA`, `v2,x v1,!!! v1a,z ${right}`]) {
      const headers = { ...HEADERS, 'webhook-signature': signatures }
      await expect(verifyWebhook(headers, BODY, SECRET, THEN)).resolves.toBeDefined()
    }
  })

  const right = HEADERS['webhook-signature']
  it.each([
    ['another body', HEADERS, `${BODY} `, THEN],
    ['another id', { ...HEADERS, 'webhook-id': 'msg_other' }, BODY, THEN],
    ['another time', { ...HEADERS, 'webhook-timestamp': String(TIME_S + 1) }, BODY, THEN],
    ['a time that is no number', { ...HEADERS, 'webhook-timestamp': 'now' }, BODY, THEN],
    ['an old recording', HEADERS, BODY, { nowMs: (TIME_S + 301) * 1000 }],
    ['one from the future', HEADERS, BODY, { nowMs: (TIME_S - 301) * 1000 }],
    ['no signature', { ...HEADERS, 'webhook-signature': '' }, BODY, THEN],
    ['none of version 1', { ...HEADERS, 'webhook-signature': right.replace('v1', 'v2') }, BODY, THEN],
    ['a signature cut short', { ...HEADERS, 'webhook-signature': right.slice(0, -8) }, BODY, THEN],
    ['no headers', {}, BODY, THEN],
    ['headers given twice', { ...HEADERS, 'webhook-id': ['a', 'b'] }, BODY, THEN],
  ])('refuses %s', async (_, headers, body, options) => {
    await expect(verifyWebhook(headers, body, SECRET, options)).rejects.toBeInstanceOf(WebhookRefused)
  })

  it('refuses a body signed with another secret', async () => {
    const key = Buffer.alloc(32, 7)
    const mac = createHmac('sha256', key)
      .update(`${HEADERS['webhook-id']}.${TIME_S}.${BODY}`)
      .digest('base64')
    const headers = { ...HEADERS, 'webhook-signature': `v1,${mac}` }
    await expect(verifyWebhook(headers, BODY, SECRET, THEN)).rejects.toThrow('no signature')
    const own = `whsec_${key.toString('base64')}`
    await expect(verifyWebhook(headers, BODY, own, THEN)).resolves.toBeDefined()
  })

  it('says so if the secret is not one', async () => {
    for (const secret of ['', 'whsec_', 'whsec_%%%']) {
      await expect(verifyWebhook(HEADERS, BODY, secret, THEN)).rejects.toBeInstanceOf(TypeError)
    }
  })

  it('agrees with the code in the documentation', async () => {
    const text = await readFile(join(import.meta.dirname, '../docs/webhooks.md'), 'utf8')
    const [imports, ...lines] = /```js\n([^`]*(?:`[^`]+`[^`]*)*?)```/.exec(text)![1]!.split('\n')
    const code = `${imports}\nexport default (request, body, secret, response, Date) => {${lines.join('\n')}\nreturn 'taken'}`
    const { default: receive } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
    const refused = { writeHead: (status: number) => ({ end: () => `refused ${status}` }) }
    const at = (seconds: number) => ({ now: () => seconds * 1000 })
    const request = { headers: HEADERS }
    expect(receive(request, BODY, SECRET, refused, at(TIME_S))).toBe('taken')
    expect(receive(request, `${BODY} `, SECRET, refused, at(TIME_S))).toBe('refused 400')
    expect(receive(request, BODY, SECRET, refused, at(TIME_S + 301))).toBe('refused 400')
  })

  it('is typed: the event type determines the type of its data', () => {
    const event = {} as WebhookEvent
    if (event.type === 'campaign.started') expectTypeOf(event.data.dailySpend).toEqualTypeOf<number>()
    if (event.type === 'banner.rejected') expectTypeOf(event.data.reasons).toEqualTypeOf<string[]>()
    if (event.type === 'customer.created') expectTypeOf(event.data.company).toEqualTypeOf<string>()
  })
})

describe('what the service sends', () => {
  let service: TestService
  let receiver: Receiver
  beforeAll(async () => {
    service = await startTestService()
    receiver = await startReceiver()
  })
  afterAll(async () => {
    await service?.close()
    await receiver?.close()
  })

  it('is managed by the client and verified by the helper', async () => {
    const baseUrl = await service.listen()
    const credentials = { superkey: service.app.key, supertoken: service.app.token }
    const app = createClient({ baseUrl, credentials })
    const { wid, secret } = await app.createWebhook({ body: { url: receiver.url } })
    const { cuid } = await app.createCustomer({ body: { company: 'Blue Bikes', email: 'sdk@hooks.example' } })
    const [seen] = await receiver.get(1)
    const event = await verifyWebhook(seen!.headers, seen!.text, secret)
    expect(event).toMatchObject({ type: 'customer.created', data: { cuid, company: 'Blue Bikes' } })
    const [entry] = await app.listWebhookDeliveries({ wid })
    expect(event.id).toBe(entry!.event)
    expect(await app.deleteWebhook({ wid })).toEqual({ wid, deleted: true })
  })
})
