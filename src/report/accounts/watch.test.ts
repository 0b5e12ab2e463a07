// What is reported about balances, to webhooks and mailboxes: each credit, and once per crossing that a balance is low
// or spent.

import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import { mailsTo } from '../../../test/support/console.ts'
import {
  bidRequest,
  type ListeningService,
  newServedCampaign,
  startListeningService,
} from '../../../test/support/delivery.ts'
import { newWebhook, type Receiver, startReceiver } from '../../../test/support/webhooks.ts'
import { type Schema, validate } from '../../http/validate.ts'
import { SENT } from '../../notify/webhooks/contract.ts'
import { createAccountWatch } from './watch.ts'

let service: ListeningService
let receiver: Receiver
let cuid: number
let cid: number
let email: string
let look: () => Promise<void>
const EVENTS = ['customer.credited', 'customer.balance_low', 'customer.balance_spent'] as const

beforeAll(async () => {
  service = await startListeningService({}, undefined)
  receiver = await startReceiver()
  await newWebhook(service, { url: receiver.url, events: [...EVENTS] })
  await newWebhook(service, { url: `${receiver.url}/spent`, events: ['campaign.budget_spent'] })
  look = createAccountWatch({ db: service.db, clock: service.clock, currency: 'USD' })
})
afterAll(async () => {
  await service.close()
  await receiver.close()
})
beforeEach(async () => {
  const served = await newServedCampaign(service, { campaign: { cpm: 2, dailySpend: 50 } })
  cuid = served.customer.cuid
  cid = served.cid
  email = (await service.call('GET', `/customer/${cuid}`)).body.email
})

/** The campaign would win the ads of the next test. */
afterEach(() => service.call('DELETE', `/customer/${cuid}`))

/** Waits until delivery knows the edit: ads sold before that, from grants that were taken back, are not billed. */
async function edit(body: object): Promise<void> {
  await service.call('PUT', `/customer/${cuid}`, { body })
  await service.delivery.running()!.refresh()
}
const credit = (amount: number, reference: string) =>
  service.call('POST', `/customer/${cuid}/credit`, { body: { amount, reference } })

/** The events sent about this customer's balance, once everything was checked and sent. */
async function sent(): Promise<string[]> {
  await look()
  await until(async () => {
    const row = await service.db.row<{ open: number }>(
      `select count(*) as open from webhook_delivery where state = 'pending'`,
    )
    return row!.open === 0 ? true : null
  })
  return receiver.received
    .filter(({ body }) => body.data.cuid === cuid && EVENTS.includes(body.type))
    .map(({ body }) => {
      const checked = validate(SENT[body.type as keyof typeof SENT] as Schema, body)
      expect(checked.ok, JSON.stringify(checked)).toBe(true)
      return body.type
    })
}

/** Sells this many impressions, one at a time. */
async function spend(impressions: number): Promise<void> {
  let sold = 0
  await until(async () => {
    const won = await service.bid(bidRequest({ id: crypto.randomUUID() }))
    if (won.status !== 200 || won.json.seatbid[0].bid[0].cid !== String(cid)) return null
    const url = new URL(won.json.seatbid[0].bid[0].burl.replace(/\$\{AUCTION_PRICE\}/, '2'))
    await service.send('POST', `${url.pathname}${url.search}`)
    return ++sold === impressions ? true : null
  })
}

it('each credit once, low and spent once per crossing', async () => {
  await edit({ prepaid: true, lowBalance: 0.01 })
  // An account that begins at zero has crossed nothing.
  expect(await sent()).toEqual([])
  await credit(0.02, 'first')
  await credit(0.02, 'first')
  expect(await sent()).toEqual(['customer.credited'])
  await spend(4)
  expect(await sent()).toEqual(['customer.credited'])
  await spend(1)
  expect(await sent()).toEqual(['customer.credited', 'customer.balance_low'])
  await spend(5)
  const all = ['customer.credited', 'customer.balance_low', 'customer.balance_spent']
  expect(await sent()).toEqual(all)
  expect(await sent()).toEqual(all)
  await credit(0.02, 'second')
  expect(await sent()).toEqual([...all, 'customer.credited'])
  await spend(10)
  expect((await sent()).sort()).toEqual([...all, ...all].sort())
})

it('a balance that buys no impression is spent, even if it is not 0', async () => {
  await edit({ prepaid: true })
  await credit(0.01, 'odd')
  await spend(4)
  await service.db.run('update campaign set cpm_micros = 3000000 where cuid = $1', [cuid])
  expect(await sent()).toEqual(['customer.credited', 'customer.balance_spent'])
})

it('another `lowBalance` is a crossing of its own; without one, nothing is low', async () => {
  await edit({ prepaid: true })
  await credit(5, 'five')
  expect(await sent()).toEqual(['customer.credited'])
  await edit({ lowBalance: 10 })
  expect(await sent()).toEqual(['customer.credited', 'customer.balance_low'])
  await edit({ lowBalance: 4 })
  expect(await sent()).toEqual(['customer.credited', 'customer.balance_low'])
})

it('the customer gets an email in its language, unless it has switched such emails off', async () => {
  await edit({ prepaid: true, lowBalance: 10, language: 'de' })
  await credit(5.5, 'five')
  await edit({ lowBalance: 11 })
  await sent()
  const mail = await until(async () => {
    const mails = await mailsTo(service, email)
    return mails.length > 0 ? mails[0]! : null
  })
  expect(String(mail)).toContain('Guthaben')
  // The address is longer than a line of the mail.
  expect(String(mail).replaceAll('=\r\n', '')).toMatch(/account\?tab=(3D)?billing/)
  await service.call('PUT', `/customer/${cuid}/mails`, { body: { balance: false } })
  await edit({ lowBalance: 12 })
  await sent()
  const row = await service.db.row<{ mails: number }>('select count(*) as mails from mail where cuid = $1', [
    cuid,
  ])
  expect(row!.mails).toBe(1)
})

it('the campaigns of a spent balance say so, and resume when it is credited', async () => {
  await edit({ prepaid: true })
  await credit(0.01, 'first')
  await spend(5)
  const [campaign] = (await service.call('GET', `/campaign?cuid=${cuid}`)).body
  expect(campaign).toMatchObject({ status: 'spent', spentBy: 'balance' })
  const listed = await service.call('GET', `/campaign?cuid=${cuid}&status=spent`)
  expect(listed.body).toHaveLength(1)
  const issues = (await service.call('GET', `/issues?cuid=${cuid}`)).body
  expect(issues.map((issue: { code: string }) => issue.code)).toContain('balance_spent')
  await until(async () => {
    const event = await service.db.row<{ body: string }>(
      `select body from webhook_delivery where type = 'campaign.budget_spent' and body like '%"cuid":' || $1 || '%'`,
      [cuid],
    )
    return event && JSON.parse(event.body).data.by === 'balance' ? true : null
  })
  await credit(0.01, 'second')
  await spend(5)
})
