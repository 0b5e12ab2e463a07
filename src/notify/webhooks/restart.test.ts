// A sender that is stopped or killed while sending loses nothing: another one sends the delivery with the same id.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import { createTestDatabase } from '../../../test/support/database.ts'
import { startProcess } from '../../../test/support/process.ts'
import { startTestService, testClock } from '../../../test/support/service.ts'
import { isSignedWith, newWebhook, type Receiver, startReceiver } from '../../../test/support/webhooks.ts'
import { readConfig } from '../../platform/config.ts'
import { openDatabase } from '../../platform/database.ts'
import { createLog } from '../../platform/log.ts'
import { createMetrics } from '../../platform/metrics.ts'
import { createService, type Service } from '../../service/app.ts'
import { LEASE_MS, startSender } from './sender.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function hangingReceiver(): Promise<Receiver> {
  const receiver = await startReceiver()
  closers.push(() => receiver.close())
  receiver.answer = () => {}
  return receiver
}

const stateOf = (service: Service, did: number) =>
  service.db.row<{ state: string }>('select state from webhook_delivery where did = $1', [did])

it('a stop releases unfinished deliveries, and the next start sends them at once', async () => {
  const receiver = await hangingReceiver()
  const first = await startTestService()
  closers.push(() => first.close())
  const { path, secret } = await newWebhook(first, { url: receiver.url })
  const { did, event } = (await first.call('POST', `${path}/test`)).body
  await receiver.get(1)
  await first.stop()
  receiver.answer = 204
  const second = await createService({ ...first, log: createLog('silent') })
  closers.push(() => second.stop())
  const [, again] = await receiver.get(2)
  expect(again!.headers['webhook-id']).toBe(event)
  expect(isSignedWith(secret, again!)).toBe(true)
  await until(async () => ((await stateOf(second, did))?.state === 'delivered' ? true : null))
})

it('another process sends what a killed process was sending, once its claim has expired', async () => {
  const receiver = await hangingReceiver()
  const database = await createTestDatabase()
  closers.push(() => database.drop())
  const dataDir = await mkdtemp(join(tmpdir(), 'marquee-data-'))
  closers.push(() => rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    PORT: '0',
    HOST: '127.0.0.1',
    ALLOW_PRIVATE_WEBHOOKS: 'true',
  }
  // A service that sends nothing itself creates the webhook and its delivery.
  const clock = testClock()
  const silent = { config: readConfig(env), log: createLog('silent'), clock }
  const maker = await createService({ ...silent, config: readConfig({ ...env, ROLES: 'api' }) })
  const { superkey, supertoken } = maker.firstCredentials!
  const call = async (url: string, body?: object) =>
    (
      await maker.api.fastify.inject({
        method: 'POST',
        url,
        headers: { 'x-access-superkey': superkey, 'x-access-supertoken': supertoken },
        ...(body ? { payload: body } : {}),
      })
    ).json()
  const { wid } = await call('/webhook', { url: receiver.url })
  const { did, event } = await call(`/webhook/${wid}/test`)
  await maker.stop()
  expect(receiver.received).toEqual([])

  const killed = await startProcess(env)
  await receiver.get(1)
  killed.child.kill('SIGKILL')
  await killed.exited
  receiver.answer = 204

  const second = await createService(silent)
  closers.push(() => second.stop())
  await new Promise(resolve => setTimeout(resolve, 1_200))
  expect(receiver.received).toHaveLength(1)
  clock.advance(LEASE_MS)
  const [, again] = await receiver.get(2)
  expect(again!.headers['webhook-id']).toBe(event)
  await until(async () => ((await stateOf(second, did))?.state === 'delivered' ? true : null))
})

it('several senders send each delivery once', async () => {
  const receiver = await startReceiver()
  closers.push(() => receiver.close())
  const first = await startTestService()
  closers.push(() => first.close())
  for (let i = 0; i < 3; i++) {
    const db = openDatabase({ url: first.config.DATABASE_URL!, maxConnections: 4, onError: () => {} })
    const parts = { db, clock: first.clock, log: createLog('silent'), metrics: createMetrics() }
    closers.push(() => db.close(), startSender({ ...parts, allowPrivate: true }))
  }
  const { path, log } = await newWebhook(first, { url: receiver.url })
  for (let i = 0; i < 60; i++) await first.call('POST', `${path}/test`)
  await until(async () =>
    (await log()).every((entry: { state: string }) => entry.state === 'delivered') ? true : null,
  )
  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  expect(ids).toHaveLength(60)
  expect(new Set(ids).size).toBe(60)
})
