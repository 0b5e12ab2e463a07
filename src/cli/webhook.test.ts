// `marquee webhook` beside a running service, as an operator runs it.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../../test/support/banners.ts'
import { runMarquee } from '../../test/support/process.ts'
import { startTestService, type TestService } from '../../test/support/service.ts'
import { isSignedWith, newWebhook, type Receiver, startReceiver } from '../../test/support/webhooks.ts'
import { createApp, revokeApp } from '../identity/apps.ts'
import { sendTest } from '../notify/webhooks/deliveries.ts'
import { findListedWebhook } from '../notify/webhooks/webhooks.ts'

let service: TestService
let receiver: Receiver
let env: Record<string, string>
beforeAll(async () => {
  service = await startTestService()
  receiver = await startReceiver()
  await createApp(service.db, { name: 'shop' }, service.clock)
  await createApp(service.db, { name: 'closed' }, service.clock)
  await revokeApp(service.db, 'closed', service.clock)
  const { DATABASE_URL, DATA_DIR } = service.config
  env = { DATABASE_URL: DATABASE_URL!, DATA_DIR, ALLOW_PRIVATE_WEBHOOKS: 'true' }
})
afterAll(async () => {
  await receiver.close()
  await service.close()
})

const run = (...args: string[]) => runMarquee(['webhook', ...args], env)
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).output)

it('an added webhook gets events, signed with the secret that was printed; the log shows them', async () => {
  const added = await json('add', receiver.url, '--events', 'customer.created', '--description', 'Orders')
  expect(added).toMatchObject({
    app: 'default',
    url: receiver.url,
    events: ['customer.created'],
    enabled: true,
    description: 'Orders',
    created: expect.stringMatching(/^20\d\d-\d\d-\d\dT/),
    secret: expect.stringMatching(/^whsec_/),
  })
  receiver.answer = 503
  await service.newCustomer()
  const [received] = await receiver.get(1, 'customer.created')
  expect(isSignedWith(added.secret, received!)).toBe(true)

  const log = await until(async () => {
    const entries = await json('log', String(added.wid))
    return entries[0].attempts.length > 0 ? entries : null
  })
  expect(log).toMatchObject([
    {
      type: 'customer.created',
      state: 'pending',
    },
  ])
  expect(log[0].attempts[0]).toMatchObject({ at: expect.stringMatching(/T/), status: 503 })
  expect(log[0].attempts[0].error).toContain('503')
  const table = (await run('log', String(added.wid))).output
  expect(table).toMatch(/^did +created +type +state +attempts +answer +next\n/)
  expect(table).toMatch(/customer\.created +pending +\d+ +503 +\d{4}-/)
  expect(await json('log', String(added.wid), '--after', String(log[0].did))).toEqual([])
  expect((await run('log', String(added.wid), '--limit', '0')).output).toBe('none\n')
  receiver.answer = 204
})

it('list and show print webhooks of any app, never a secret', async () => {
  const { wid, secret } = await json('add', 'https://shop.example/hooks', '--app', 'shop', '--off')
  const ofShop = await json('list', '--app', 'shop')
  expect(ofShop).toMatchObject([{ wid, app: 'shop', enabled: false, events: [], description: null }])
  const all = (await run('list')).output
  expect(all).toMatch(/^wid +app +url +events +enabled +description +created\n/)
  expect(all).toMatch(/default +http:\S+ +customer\.created +yes +Orders/)
  expect(all).toMatch(/shop +https:\/\/shop\.example\/hooks +all +no +-/)
  const shown = (await run('show', String(wid))).output
  expect(shown).toMatch(/^wid +\d+\napp +shop\nurl +https/)
  expect(await json('show', String(wid))).toEqual(ofShop[0])
  expect((await json('list', '--after', String(wid - 1), '--limit', '1'))[0].wid).toBe(wid)
  expect(`${all}${shown}${JSON.stringify(ofShop)}`).not.toContain(secret.slice(6))
})

it('rotate prints a new secret, which signs in addition to the previous one', async () => {
  const first = await json('add', receiver.url, '--app', 'shop')
  const second = await json('rotate', String(first.wid))
  expect(second).toEqual({
    wid: first.wid,
    secret: expect.stringMatching(/^whsec_/),
    oldSecretUntil: expect.stringMatching(/^20\d\d-/),
  })
  const before = receiver.received.length
  await service.db.transaction(async tx => {
    await sendTest(tx, await findListedWebhook(tx, first.wid), service.clock)
  })
  const received = (await receiver.get(before + 1))[before]!
  expect([isSignedWith(first.secret, received), isSignedWith(second.secret, received)]).toEqual([true, true])
})

it('remove deletes it with its log', async () => {
  const { wid } = await json('add', receiver.url, '--app', 'shop')
  expect(await json('remove', String(wid))).toEqual({ wid, removed: true })
  for (const verb of ['show', 'log', 'rotate', 'remove']) {
    const { code, output } = await run(verb, String(wid))
    expect([code, output]).toEqual([1, `marquee: webhook ${wid} not found\n`])
  }
})

it.each([
  [['add', 'no address'], 2, 'the address must be'],
  [['add', 'https://user:word@shop.example/'], 2, 'the address must not contain a user name'],
  [['add', 'https://shop.example/', '--events', 'campaign.exploded'], 2, '--events must be'],
  [['add', 'https://shop.example/', '--app', 'nobody'], 1, 'an app named "nobody" not found'],
  [['add', 'https://shop.example/', '--app', 'closed'], 1, 'the app "closed" is revoked'],
  [['list', '--app', 'nobody'], 1, 'an app named "nobody" not found'],
  [['list', '--limit', 'x'], 2, '--limit must be a whole number'],
  [['show', 'x'], 2, '"x" is not a webhook id'],
])('%j is refused with exit code %i and a reason', async (args, exitCode, text) => {
  const { code, output } = await run(...args)
  expect(code).toBe(exitCode)
  expect(output).toContain(text)
  expect(output).not.toContain('    at ')
})

it('an address that the deployment does not allow is refused, as in the API', async () => {
  const strict = { ...env, ALLOW_PRIVATE_WEBHOOKS: 'false' }
  const { code, output } = await runMarquee(['webhook', 'add', receiver.url], strict)
  expect([code, output]).toEqual([2, 'marquee: the address must be an https URL\n'])
})

it('an app may have at most ten webhooks', async () => {
  const { pair } = await createApp(service.db, { name: 'full' }, service.clock)
  for (let i = 0; i < 10; i++) await newWebhook(service, { url: receiver.url }, pair)
  const { code, output } = await run('add', receiver.url, '--app', 'full')
  expect([code, output]).toEqual([1, 'marquee: an app may have at most 10 webhooks\n'])
})
