// Sending to a real receiver: signed, repeated with the same id until it is accepted, finally given up; and the log.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import { startTestService, type TestPair, type TestService } from '../../../test/support/service.ts'
import { isSignedWith, newWebhook, type Receiver, startReceiver } from '../../../test/support/webhooks.ts'
import { createApp, revokeApp } from '../../identity/apps.ts'
import { sweepDeliveries } from './deliveries.ts'
import { RETRY_AFTER_MS } from './sender.ts'

let service: TestService
let receiver: Receiver
let app: TestPair
let apps = 0

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())
/** Each test has its own app and receiver. */
beforeEach(async context => {
  receiver = await startReceiver()
  context.onTestFinished(() => receiver.close())
  app = (await createApp(service.db, { name: `app-${++apps}` }, service.clock)).pair
})

const call = (method: string, url: string, body?: unknown) => service.call(method, url, { app, body })
const hook = (fields: object = {}) => newWebhook(service, { url: receiver.url, ...fields }, app)
const isOver = (entry: { state: string }) => entry.state !== 'pending'

describe('a test', () => {
  it('is signed, so that only somebody who has the secret can verify it', async () => {
    const { secret, wid, path, entry } = await hook()
    const { status, body } = await call('POST', `${path}/test`)
    expect([status, body.state, body.type]).toEqual([201, 'pending', 'webhook.test'])
    const [seen] = await receiver.get(1)
    expect(seen!.headers).toMatchObject({
      'webhook-id': body.event,
      'content-type': 'application/json',
      'user-agent': 'Marquee webhooks',
    })
    expect(seen!.body).toEqual({
      type: 'webhook.test',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: { wid },
    })
    const nowS = service.clock.nowMs() / 1000
    expect(Math.abs(Number(seen!.headers['webhook-timestamp']) - nowS)).toBeLessThan(60)
    expect(isSignedWith(secret, seen!)).toBe(true)
    expect(isSignedWith((await hook()).secret, seen!)).toBe(false)
    expect(isSignedWith(secret, { ...seen!, text: `${seen!.text} ` })).toBe(false)
    expect(await entry(isOver)).toMatchObject({
      did: body.did,
      state: 'delivered',
      next: null,
      attempts: [{ at: expect.any(Number), status: 204, error: null }],
    })
  })

  it('is sent whatever events the webhook is for', async () => {
    const { path } = await hook({ events: ['campaign.ended'] })
    await call('POST', `${path}/test`)
    expect((await receiver.get(1))[0]!.body.type).toBe('webhook.test')
  })

  it('of a webhook that is switched off is refused with 409', async () => {
    const { path } = await hook({ enabled: false })
    expect((await call('POST', `${path}/test`)).status).toBe(409)
  })
})

describe('a receiver that fails', () => {
  it('is retried after each pause with the same id and body and a fresh signature, then given up', async () => {
    receiver.answer = 500
    const { path, secret, entry } = await hook()
    await call('POST', `${path}/test`)
    for (const [index, waitMs] of RETRY_AFTER_MS.entries()) {
      const waiting = await entry(item => item.attempts.length === index + 1)
      expect(waiting.state).toBe('pending')
      const { at } = waiting.attempts.at(-1)
      // Counted from the failure, which may be in the next second.
      expect(waiting.next - at).toBeGreaterThanOrEqual(waitMs / 1000)
      expect(waiting.next - at).toBeLessThanOrEqual(waitMs / 1000 + 15)
      service.clock.advance(waitMs)
    }
    const last = await entry(isOver)
    expect(last).toMatchObject({ state: 'failed', next: null })
    expect(last.attempts).toHaveLength(8)
    expect(last.attempts[7]).toMatchObject({ status: 500, error: expect.stringContaining('status 500') })
    expect(receiver.received).toHaveLength(8)
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(1)
    expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1)
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(8)
    expect(receiver.received.every(seen => isSignedWith(secret, seen))).toBe(true)
    service.clock.advance(20 * 3_600_000)
    await new Promise(resolve => setTimeout(resolve, 1_500))
    expect(receiver.received).toHaveLength(8)
  })

  it('and comes back gets what it missed', async () => {
    receiver.answer = 503
    const { path, entry } = await hook()
    await call('POST', `${path}/test`)
    await entry(item => item.attempts.length === 1)
    receiver.answer = 200
    service.clock.advance(RETRY_AFTER_MS[0]!)
    const done = await entry(isOver)
    expect(done.state).toBe('delivered')
    expect(done.attempts.map((attempt: { status: number }) => attempt.status)).toEqual([503, 200])
  })

  it('delays nobody else: others get their events while it hangs', async () => {
    receiver.answer = () => {}
    const { path } = await hook()
    for (let i = 0; i < 40; i++) await call('POST', `${path}/test`)
    await receiver.get(4)
    const quick = await startReceiver()
    try {
      const other = await newWebhook(service, { url: quick.url })
      await service.call('POST', `${other.path}/test`)
      await other.entry(isOver)
      expect(receiver.received.length).toBeLessThan(16)
    } finally {
      await quick.close()
      await call('DELETE', path)
    }
  })

  it('with 410 Gone is in the log only once the webhook is off', async () => {
    let answer = () => {}
    receiver.answer = response => {
      answer = () => void response.writeHead(410).end()
    }
    const { wid, path, entry } = await hook()
    await call('POST', `${path}/test`)
    await receiver.get(1)
    await service.db.transaction(async tx => {
      await tx.row('select 1 from webhook where wid = $1 for no key update', [wid])
      answer()
      // Enough time for the sender to record it, if it did not wait.
      await new Promise(resolve => setTimeout(resolve, 300))
      expect(await entry(() => true)).toMatchObject({ state: 'pending', attempts: [] })
    })
    await entry(({ state }) => state === 'failed')
    expect((await call('GET', path)).body.enabled).toBe(false)
  })

  it('with 410 Gone switches the webhook off, and waiting deliveries are dropped', async () => {
    receiver.answer = 500
    const { path, log } = await hook()
    await call('POST', `${path}/test`)
    await until(async () => ((await log())[0].attempts.length === 1 ? true : null))
    receiver.answer = 410
    await call('POST', `${path}/test`)
    await until(async () => ((await call('GET', path)).body.enabled ? null : true))
    const [waiting, gone] = await log()
    expect(gone).toMatchObject({ state: 'failed', next: null, attempts: [{ status: 410 }] })
    expect(waiting).toMatchObject({ state: 'failed', next: null })
    expect(waiting.attempts.at(-1).error).toContain('410 Gone')
    const { length } = receiver.received
    await service.call('POST', '/customer', { app, body: { company: 'A', email: 'a@gone.example' } })
    expect(await log()).toHaveLength(2)
    expect(receiver.received).toHaveLength(length)
    expect((await call('POST', `${path}/delivery/${waiting.did}/retry`)).status).toBe(409)
    receiver.answer = 200
    await call('PUT', path, { enabled: true })
    await call('POST', `${path}/delivery/${waiting.did}/retry`)
    await until(async () => ((await log())[0].state === 'delivered' ? true : null))
  })
})

describe('switched off', () => {
  it('a webhook gets nothing, and waiting deliveries are dropped', async () => {
    receiver.answer = 500
    const { path, log, entry } = await hook()
    await call('POST', `${path}/test`)
    await entry(item => item.attempts.length === 1)
    await call('PUT', path, { enabled: false })
    expect(await entry(isOver)).toMatchObject({ state: 'failed', next: null })
    service.clock.advance(RETRY_AFTER_MS[0]!)
    await service.call('POST', '/customer', { app, body: { company: 'A', email: 'a@off.example' } })
    await new Promise(resolve => setTimeout(resolve, 1_200))
    expect(await log()).toHaveLength(1)
    expect(receiver.received).toHaveLength(1)
  })

  it('a delivery that has just arrived stays delivered', async () => {
    let answer = () => {}
    receiver.answer = response => {
      answer = () => response.writeHead(204).end()
    }
    const { path, entry } = await hook()
    await call('POST', `${path}/test`)
    await receiver.get(1)
    await call('PUT', path, { enabled: false })
    expect((await entry(() => true)).state).toBe('failed')
    answer()
    const done = await entry(item => item.state === 'delivered')
    expect(done.attempts.map((attempt: { status: number }) => attempt.status)).toEqual([null, 204])
  })

  it('a revoked app gets none of the waiting deliveries', async () => {
    receiver.answer = 500
    const { path, wid, entry } = await hook()
    await call('POST', `${path}/test`)
    await entry(item => item.attempts.length === 1)
    await revokeApp(service.db, `app-${apps}`, service.clock)
    service.clock.advance(RETRY_AFTER_MS[0]!)
    await until(() =>
      service.db.row('select 1 from webhook_delivery where wid = $1 and state = $2', [wid, 'failed']),
    )
    expect(receiver.received).toHaveLength(1)
  })

  it('for good by deletion, with its log and its secret', async () => {
    receiver.answer = 500
    const { path, wid, entry } = await hook()
    await call('POST', `${path}/test`)
    await entry(item => item.attempts.length === 1)
    await call('DELETE', path)
    service.clock.advance(RETRY_AFTER_MS[0]!)
    await new Promise(resolve => setTimeout(resolve, 1_200))
    expect(receiver.received).toHaveLength(1)
    expect(await service.db.row('select 1 from webhook_delivery where wid = $1', [wid])).toBeNull()
  })
})

describe('a new secret', () => {
  it('signs in addition to the old one for 24 hours, then alone', async () => {
    const { secret: old, path } = await hook()
    const { status, body } = await call('POST', `${path}/secret`)
    expect(status).toBe(200)
    expect(body).toEqual({
      wid: expect.any(Number),
      secret: expect.stringMatching(/^whsec_/),
      oldSecretUntil: expect.any(Number),
    })
    expect(body.secret).not.toBe(old)
    expect(Math.abs(body.oldSecretUntil - service.clock.nowMs() / 1000 - 86_400)).toBeLessThan(60)

    await call('POST', `${path}/test`)
    const [both] = await receiver.get(1)
    expect(both!.headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/)
    expect(isSignedWith(old, both!)).toBe(true)
    expect(isSignedWith(body.secret, both!)).toBe(true)

    service.clock.advance(86_400_000 + 1_000)
    await call('POST', `${path}/test`)
    const [, alone] = await receiver.get(2)
    expect(alone!.headers['webhook-signature']).toMatch(/^v1,\S{44}$/)
    expect(isSignedWith(old, alone!)).toBe(false)
    expect(isSignedWith(body.secret, alone!)).toBe(true)
  })

  it('given twice within 24 hours ends the first secret at once', async () => {
    const { secret: first, path } = await hook()
    const second = (await call('POST', `${path}/secret`)).body.secret
    const third = (await call('POST', `${path}/secret`)).body.secret
    await call('POST', `${path}/test`)
    const [seen] = await receiver.get(1)
    expect([first, second, third].map(secret => isSignedWith(secret, seen!))).toEqual([false, true, true])
  })
})

describe('the log', () => {
  it('lists what was sent, oldest first, page by page', async () => {
    const { path, log } = await hook()
    for (let i = 0; i < 3; i++) await call('POST', `${path}/test`)
    await until(async () => ((await log()).every(isOver) ? true : null))
    const entries = await log()
    expect(entries.map((entry: { did: number }) => entry.did)).toEqual(
      entries.map((entry: { did: number }) => entry.did).sort((a: number, b: number) => a - b),
    )
    const page = await call('GET', `${path}/delivery?limit=2`)
    expect(page.body).toEqual(entries.slice(0, 2))
    const next = new URL(/<(.+)>/.exec(page.headers.link!)![1]!)
    expect((await call('GET', next.pathname + next.search)).body).toEqual(entries.slice(2))
    expect((await call('GET', `${path}/delivery/${entries[1].did}`)).body).toEqual(entries[1])
  })

  it('sends an entry again on demand, delivered or not, with the same id', async () => {
    const { path, entry } = await hook()
    await call('POST', `${path}/test`)
    const { did } = await entry(isOver)
    const again = await call('POST', `${path}/delivery/${did}/retry`)
    expect(again.body).toMatchObject({ did, state: 'pending', attempts: [{ status: 204 }] })
    const [first, second] = await receiver.get(2)
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
    expect((await entry(isOver)).attempts).toHaveLength(2)
    receiver.answer = 500
    await call('POST', `${path}/delivery/${did}/retry`)
    expect(await entry(item => item.attempts.length === 3)).toMatchObject({ state: 'pending' })
  })

  it('keeps the latest 40 attempts', async () => {
    const { path, entry } = await hook()
    await call('POST', `${path}/test`)
    const { did } = await entry(isOver)
    const many = Array.from({ length: 60 }, (_, at) => ({ at, status: 500, error: 'x' }))
    await service.db.run('update webhook_delivery set attempts = $2 where did = $1', [
      did,
      JSON.stringify(many),
    ])
    await call('POST', `${path}/delivery/${did}/retry`)
    const { attempts } = await entry(isOver)
    expect(attempts).toHaveLength(40)
    expect(attempts[0].at).toBe(21)
    expect(attempts[39].status).toBe(204)
  })

  it('forgets after 30 days', async () => {
    const { path, log, entry } = await hook()
    await call('POST', `${path}/test`)
    await entry(isOver)
    service.clock.advance(29 * 86_400_000)
    await sweepDeliveries(service.db, service.clock)
    expect(await log()).toHaveLength(1)
    service.clock.advance(2 * 86_400_000)
    await sweepDeliveries(service.db, service.clock)
    expect(await log()).toHaveLength(0)
  })

  it('contains no secret and no signature, nor does the log of the service', async () => {
    const { secret, path, entry } = await hook()
    await call('POST', `${path}/test`)
    await entry(isOver)
    const signature = String(receiver.received[0]!.headers['webhook-signature']).slice(3)
    const texts = [(await call('GET', `${path}/delivery`)).text, ...service.logLines]
    for (const text of texts) {
      expect(text).not.toContain(secret.slice(6))
      expect(text).not.toContain(signature)
    }
  })
})

it('waiting deliveries are sent to the new address when the webhook gets one', async () => {
  receiver.answer = 500
  const { path, entry } = await hook()
  await call('POST', `${path}/test`)
  await entry(item => item.attempts.length === 1)
  const moved = await startReceiver()
  try {
    await call('PUT', path, { url: moved.url })
    service.clock.advance(RETRY_AFTER_MS[0]!)
    await moved.get(1)
    expect(receiver.received).toHaveLength(1)
  } finally {
    await moved.close()
  }
})
