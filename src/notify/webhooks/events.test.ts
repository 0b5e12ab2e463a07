// Each event, caused through the API: sent once, complete, to the right app, and only if it really happened.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type Advertiser,
  newAdvertiser,
  picture,
  startImageHost,
  until,
} from '../../../test/support/banners.ts'
import { mailsTo } from '../../../test/support/console.ts'
import { type ListeningService, startListeningService } from '../../../test/support/delivery.ts'
import type { TestPair } from '../../../test/support/service.ts'
import { isSignedWith, newWebhook, type Receiver, startReceiver } from '../../../test/support/webhooks.ts'
import type { Schema } from '../../http/validate.ts'
import { validate } from '../../http/validate.ts'
import { createApp } from '../../identity/apps.ts'
import type { ActorText } from '../../kernel/actor.ts'
import { createCustomer } from '../../manage/customers/customers.ts'
import { accounts } from '../../report/accounts/accounts.ts'
import { SENT } from './contract.ts'

let service: ListeningService
let receiver: Receiver
let secret: string
let ann: Advertiser

beforeAll(async () => {
  service = await startListeningService()
  receiver = await startReceiver()
  secret = (await newWebhook(service, { url: receiver.url })).secret
  ann = await newAdvertiser(service)
  // Its campaign is running, so the watch reports it.
  await receiver.get(1, 'campaign.started')
})
afterAll(async () => {
  await service?.close()
  await receiver?.close()
})
beforeEach(async () => {
  await settled()
  receiver.received.length = 0
})

/** Waits until nothing waits to be sent. */
function settled() {
  return until(async () =>
    (await service.db.row("select 1 from webhook_delivery where state = 'pending'")) ? null : true,
  )
}

const typesSeen = () => receiver.received.map(({ body }) => body.type)
const CAMPAIGN = () => `/campaign/${ann.cid}`

it('every body matches the contract and is signed', async () => {
  await service.newCustomer()
  await ann.call('PUT', `${CAMPAIGN()}/pause`)
  await ann.call('PUT', `${CAMPAIGN()}/resume`)
  for (const seen of await receiver.get(3)) {
    const schema = SENT[seen.body.type as keyof typeof SENT] as Schema
    expect(validate(schema, seen.body), seen.text).toMatchObject({ ok: true })
    expect(isSignedWith(secret, seen)).toBe(true)
  }
})

describe('customer.created', () => {
  it('describes the customer, without credentials', async () => {
    const { key, token, ...customer } = await service.newCustomer()
    const [seen] = await receiver.get(1, 'customer.created')
    const { by, ...data } = seen!.body.data
    expect({ ...data, expires: expect.any(Number) }).toEqual(customer)
    expect(by).toEqual({ kind: 'app', name: null, email: null, as: null })
    expect(seen!.text).not.toContain(key)
    expect(seen!.text).not.toContain(token)
  })

  it('is sent once for a request repeated by its idempotency key', async () => {
    const options = {
      body: { company: 'A', email: 'twice@bikes.example' },
      headers: { 'idempotency-key': 'k' },
    }
    await service.call('POST', '/customer', options)
    await service.call('POST', '/customer', options)
    await settled()
    expect(typesSeen()).toEqual(['customer.created'])
  })

  it('is not sent for a refused request or a transaction that rolls back', async () => {
    const { email } = await service.newCustomer()
    await receiver.get(1)
    expect((await service.call('POST', '/customer', { body: { company: 'A', email } })).status).toBe(409)
    const app = await service.db.row<{ app_id: number }>('select app_id from customer where cuid = $1', [
      ann.cuid,
    ])
    const options = { credentialTtlSeconds: 60, clock: service.clock, accounts, beginMails: async () => {} }
    const undone = service.db.transaction(async tx => {
      const body = { company: 'Nobody', email: 'nobody@bikes.example' }
      const customer = await createCustomer(
        tx,
        { appId: app!.app_id, key: service.app.key as ActorText },
        body,
        options,
      )
      expect(await tx.rows('select 1 from webhook_delivery where body like $1', ['%nobody@%'])).toHaveLength(
        1,
      )
      throw new Error(`undo ${customer.cuid}`)
    })
    await expect(undone).rejects.toThrow('undo')
    expect(await service.db.rows('select 1 from webhook_delivery where body like $1', ['%nobody@%'])).toEqual(
      [],
    )
    await settled()
    expect(typesSeen()).toEqual(['customer.created'])
  })
})

describe('campaign.paused and campaign.resumed', () => {
  it('have the campaign as the API shows it', async () => {
    const { body } = await ann.call('PUT', `${CAMPAIGN()}/pause`)
    const [paused] = await receiver.get(1, 'campaign.paused')
    const by = { kind: 'key', name: null, email: null, as: null }
    expect(paused!.body.data).toEqual({ ...body, by })
    expect(paused!.body.data).toMatchObject({
      cuid: ann.cuid,
      cid: ann.cid,
      status: 'paused',
      enabled: false,
    })
    await ann.call('PUT', `${CAMPAIGN()}/resume`)
    const [resumed] = await receiver.get(1, 'campaign.resumed')
    expect(resumed!.body.data).toMatchObject({ cid: ann.cid, enabled: true })
  })

  it('are sent once for a call made twice, one after the other or at the same time', async () => {
    await ann.call('PUT', `${CAMPAIGN()}/pause`)
    await ann.call('PUT', `${CAMPAIGN()}/pause`)
    await Promise.all(Array.from({ length: 8 }, () => ann.call('PUT', `${CAMPAIGN()}/resume`)))
    await settled()
    expect(typesSeen().sort()).toEqual(['campaign.paused', 'campaign.resumed'])
  })

  it('are not sent when if-match refuses', async () => {
    const answer = await ann.call('PUT', `${CAMPAIGN()}/pause`, undefined, { 'if-match': '"0-0"' })
    expect(answer.status).toBe(412)
    await settled()
    expect(typesSeen()).toEqual([])
  })
})

describe('banner.approved and banner.rejected', () => {
  it('have the banner with its customer, once per review; an approved one can be served at once', async () => {
    const host = await startImageHost()
    await ann.call('PUT', CAMPAIGN(), { pacing: 'asap' })
    const visit = {
      size: '300x250',
      geo: { country: 'CA' },
      device: 'mobile',
      ip: '99.224.0.1',
      ua: 'Mozilla/5.0',
    }
    const served: Promise<number>[] = []
    receiver.answer = (response, { body }) => {
      if (body.type === 'banner.approved')
        served.push(service.serverAd(visit).then(({ json }) => json.ad?.bid ?? json.reason))
      response.writeHead(204).end()
    }
    try {
      const good = await ann.banner({ creativeURL: host.serve('/good.png', await picture(300, 250)) })
      const bad = await ann.banner({ creativeURL: host.serve('/bad.png', Buffer.from('no image')) })
      await ann.reviewed(good.bid)
      await ann.reviewed(bad.bid)
      const [approved] = await receiver.get(1, 'banner.approved')
      const [rejected] = await receiver.get(1, 'banner.rejected')
      const shown = (await ann.call('GET', `${ann.path}/${good.bid}`)).body
      expect(approved!.body.data).toEqual({ ...shown, cuid: ann.cuid })
      expect(rejected!.body.data).toMatchObject({ bid: bad.bid, status: 'rejected', cuid: ann.cuid })
      expect(rejected!.body.data.reasons).not.toEqual([])
      for (const { body } of [approved!, rejected!]) {
        expect(validate(SENT['banner.approved'].properties.data as Schema, body.data)).toMatchObject({
          ok: true,
        })
      }
      await settled()
      expect(receiver.received).toHaveLength(2)
      expect(await Promise.all(served)).toEqual([good.bid])
    } finally {
      receiver.answer = 204
      await host.close()
    }
  })
})

describe('a webhook', () => {
  it('for some events gets only those', async () => {
    const few = await startReceiver()
    const { path } = await newWebhook(service, { url: few.url, events: ['campaign.resumed'] })
    await ann.call('PUT', `${CAMPAIGN()}/pause`)
    await ann.call('PUT', `${CAMPAIGN()}/resume`)
    await service.newCustomer()
    await few.get(1)
    await settled()
    expect(few.received.map(({ body }) => body.type)).toEqual(['campaign.resumed'])
    const other = receiver.received.find(({ body }) => body.type === 'campaign.resumed')
    expect(few.received[0]!.headers['webhook-id']).toBe(other!.headers['webhook-id'])
    await service.call('DELETE', path)
    await few.close()
  })

  it('of another app gets nothing', async () => {
    const other: TestPair = (await createApp(service.db, { name: 'other' }, service.clock)).pair
    const theirs = await startReceiver()
    const { log } = await newWebhook(service, { url: theirs.url }, other)
    await ann.call('PUT', `${CAMPAIGN()}/pause`)
    await ann.call('PUT', `${CAMPAIGN()}/resume`)
    await service.newCustomer()
    await receiver.get(3)
    expect(theirs.received).toEqual([])
    expect(await log()).toEqual([])
    await service.call('POST', '/customer', { app: other, body: { company: 'B', email: 'b@other.example' } })
    await theirs.get(1)
    await settled()
    expect(receiver.received).toHaveLength(3)
    await theirs.close()
  })
})

describe('alerts', () => {
  const raised = async (count: number) =>
    (await receiver.get(count, 'customer.budget_raised')).map(one => one.body)
  const edit = (body: object) => ann.call('PUT', CAMPAIGN(), body)
  const choose = (body: object, as: TestPair = ann) =>
    service.call('PUT', `/customer/${ann.cuid}/mails`, { as, body })

  it('customer.budget_raised: above the chosen factor, once, however it was raised, with who did it', async () => {
    await edit({ dailySpend: 10, totalSpend: 100 })
    await edit({ dailySpend: 30 })
    await edit({ dailySpend: 90.01 })
    const [first] = await raised(1)
    expect(first.data).toEqual({
      ...{ cuid: ann.cuid, cid: ann.cid, fid: null, field: 'dailySpend', before: 30, after: 90.01 },
      by: { kind: 'key', name: null, email: null, as: null },
    })
    expect(validate(SENT['customer.budget_raised'] as Schema, first)).toMatchObject({ ok: true })
    await choose({ budgetRaised: 1.5 })
    const operations = [
      { op: 'editCampaign', cid: ann.cid, body: { dailySpend: 100 } },
      { op: 'editCampaign', cid: ann.cid, body: { dailySpend: 136 } },
    ]
    // Each raise is below the factor, but both together are above it.
    await service.call('POST', `/bulk?cuid=${ann.cuid}`, { body: { operations } })
    await service.call('PUT', `${CAMPAIGN()}?cuid=${ann.cuid}&dryRun=true`, {
      as: ann,
      body: { dailySpend: 900 },
    })
    const pair = { scope: 'propose', name: 'Nightly' }
    const sync = (await service.call('POST', `/customer/${ann.cuid}/credential`, { as: ann, body: pair }))
      .body
    const asked = await service.call('PUT', `${CAMPAIGN()}?cuid=${ann.cuid}`, {
      as: sync,
      body: { totalSpend: null },
    })
    expect(asked.status).toBe(202)
    expect(await raised(2)).toHaveLength(2)
    await service.call('PUT', `/proposal/${asked.body.proposal.id}/approve?cuid=${ann.cuid}`)
    const [, bulk, approved] = await raised(3)
    expect(bulk.data).toMatchObject({ before: 90.01, after: 136, by: { kind: 'app' } })
    expect(approved.data).toMatchObject({
      field: 'totalSpend',
      before: 100,
      after: null,
      by: { kind: 'app' },
    })
    await choose({ budgetRaised: null })
    await edit({ dailySpend: 10_000 })
    await settled()
    expect(await raised(3)).toHaveLength(3)
    await choose({ budgetRaised: 3 })
    const [created] = await receiver.get(1, 'proposal.created')
    expect(created!.body.data.by).toEqual({ kind: 'key', name: 'Nightly', email: null, as: null })
    const [decided] = await receiver.get(1, 'proposal.approved')
    expect(decided!.body.data).toMatchObject({ status: 'approved', by: { kind: 'app' } })
    expect(validate(SENT['proposal.approved'] as Schema, decided!.body)).toMatchObject({ ok: true })
  })

  it('only somebody who may decide about rights can silence them', async () => {
    const body = { scope: 'spend' }
    const pair = (await service.call('POST', `/customer/${ann.cuid}/credential`, { as: ann, body })).body
    for (const silent of [{ budgetRaised: null }, { access: false }]) {
      const answer = await choose(silent, pair)
      expect([answer.status, answer.body.code]).toEqual([403, 'scope_too_low'])
    }
    const { body: now } = await service.call('GET', `/customer/${ann.cuid}/mails`, { as: pair })
    expect((await choose({ ...now, stopped: true }, pair)).status).toBe(200)
    const odd = await choose({ budgetRaised: 0.5 })
    expect(odd.body.errors).toMatchObject([{ path: '/budgetRaised', code: 'too_small' }])
  })

  it('customer.member_added and customer.key_created say what and by whom, without secrets', async () => {
    const member = { email: 'new@agency.example', name: 'Nia', role: 'editor' }
    await service.call('POST', `/customer/${ann.cuid}/member`, { as: ann, body: member })
    const [added] = await receiver.get(1, 'customer.member_added')
    expect(added!.body.data).toMatchObject({ ...member, cuid: ann.cuid, by: { kind: 'key' } })
    const body = { name: 'Sync', scope: 'read' }
    const pairs = `/customer/${ann.cuid}/credential`
    // Pairs that the app gets for itself, to act as the customer, are not reported.
    await service.call('POST', pairs)
    await service.call('GET', `/customer/${ann.cuid}/auth`)
    const { token, key } = (await service.call('POST', pairs, { as: ann, body })).body
    const [made] = await receiver.get(1, 'customer.key_created')
    expect(made!.body.data).toMatchObject({ ...body, key, cuid: ann.cuid, by: { kind: 'key' } })
    expect(made!.text).not.toContain(token)
    const ofApp = (await service.call('POST', pairs, { body: { ...body, name: 'Agency' } })).body
    const [, named] = await receiver.get(2, 'customer.key_created')
    expect(named!.body.data).toMatchObject({ key: ofApp.key, name: 'Agency', by: { kind: 'app' } })
    const { email } = (await service.call('GET', `/customer/${ann.cuid}`)).body
    await service.call('GET', `/customer/${email}/passcode`)
    // Alerts about the changes above are emailed too, before or after it.
    const mails = (await mailsTo(service, email)).join('\n')
    const [, passcode] = /Your passcode is: (\d{6})/.exec(mails)!
    const signedIn = await service.call('GET', `/customer/${email}/auth?passcode=${passcode}`)
    const [, , byPasscode] = await receiver.get(3, 'customer.key_created')
    const all = { key: signedIn.body.key, name: null, scope: 'all', by: { kind: 'app' } }
    expect(byPasscode!.body.data).toMatchObject(all)
    for (const { body } of [added!, made!, named!, byPasscode!])
      expect(validate(SENT[body.type as keyof typeof SENT] as Schema, body)).toMatchObject({ ok: true })
  })
})
