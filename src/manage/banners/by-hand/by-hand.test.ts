// Banners that wait for a person: the queue of an app, the decisions, and what the customer and delivery see of them.

import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type Advertiser,
  type ImageHost,
  newAdvertiser,
  picture,
  startImageHost,
  until,
} from '../../../../test/support/banners.ts'
import { startTestService, type TestService } from '../../../../test/support/service.ts'
import { newWebhook, type Receiver, startReceiver } from '../../../../test/support/webhooks.ts'
import { createApp, livingAppId, provisionApp } from '../../../identity/apps.ts'
import { addSuperPair, type NewSuperPair } from '../../../identity/super-pairs.ts'
import { sweepReviews } from '../review.ts'

let service: TestService
let host: ImageHost
let receiver: Receiver
let ann: Advertiser

beforeAll(async () => {
  service = await startTestService()
  host = await startImageHost()
  receiver = await startReceiver()
  await newWebhook(service, { url: receiver.url, events: ['banner.approved', 'banner.rejected'] })
  ann = await newAdvertiser(service)
  await byHand(ann, 'manual')
})
afterAll(async () => {
  await service?.close()
  await host?.close()
  await receiver?.close()
})

const byHand = ({ cuid }: { cuid: number }, review: 'automatic' | 'manual' | null) =>
  service.call('PUT', `/customer/${cuid}`, { body: { review } })
const queue = async (): Promise<{ bid: number; round: number }[]> =>
  (await service.call('GET', '/review')).body
const decide = (bid: number, what: 'approve' | 'reject', body: object) =>
  service.call('PUT', `/review/${bid}/${what}`, { body })
const read = async (who: Advertiser, bid: number) => (await who.call('GET', `${who.path}/${bid}`)).body

let files = 0
async function newBanner(who = ann, more: object = {}): Promise<number> {
  const creativeURL = host.serve(`/file-${++files}`, await picture(300, 250))
  return (await who.banner({ creativeURL, ...more })).bid
}
/** Waits until the banner is in the queue, and returns its entry. */
const waiting = (bid: number, round = 1) =>
  until(async () => (await queue()).find(item => item.bid === bid && item.round === round) ?? null)

/** The customer's banners that delivery has. */
async function delivered({ pid }: Advertiser): Promise<number[]> {
  const node = service.delivery.running()!
  await node.refresh()
  const order = [...node.catalog.personas.values()].find(persona => persona.pid === pid)
  return order?.banners.map(({ bid }) => bid) ?? []
}

it('a banner that has passed the checks waits, and is shown to nobody until it is approved', async () => {
  const bid = await newBanner(ann, { name: 'Blue' })
  const item = await waiting(bid)
  expect(item).toMatchObject({
    cuid: ann.cuid,
    cid: ann.cid,
    campaign: 'Summer',
    name: 'Blue',
    clickUrl: 'https://bikes.example/',
    width: 300,
    height: 250,
    type: 'image/png',
    animated: false,
    round: 1,
    since: expect.any(Number),
  })
  const image = await service.call('GET', (item as unknown as { image: string }).image, { app: null })
  expect([image.status, image.headers['content-type']]).toEqual([200, 'image/png'])
  expect(await read(ann, bid)).toMatchObject({ status: 'pending', findings: [{ code: 'review_by_hand' }] })
  const issues = (await ann.call('GET', '/issues')).body
  expect(issues).toContainEqual(
    expect.objectContaining({ code: 'banner_pending', bid, findings: [expect.anything()] }),
  )
  // The sweep does not approve it either.
  await sweepReviews(service.db, service.clock)
  expect(await delivered(ann)).not.toContain(bid)
  const approved = await decide(bid, 'approve', { round: 1 })
  expect([approved.status, approved.body.status, approved.body.findings]).toEqual([200, 'approved', []])
  expect(await delivered(ann)).toContain(bid)
  expect((await queue()).map(item => item.bid)).not.toContain(bid)
  service.clock.advance(3_000)
  const [event] = await receiver.get(1, 'banner.approved')
  expect(event!.body.data).toMatchObject({ bid, cuid: ann.cuid, status: 'approved' })
})

it('a rejection says why in the banner, its issue, the webhook, the mail and the history', async () => {
  const bid = await newBanner()
  await waiting(bid)
  const reason = 'The text is too small.'
  expect((await decide(bid, 'reject', { round: 1 })).body.errors).toMatchObject([{ path: '/reason' }])
  const rejected = await decide(bid, 'reject', { round: 1, reason })
  expect(rejected.body).toMatchObject({
    status: 'rejected',
    findings: [{ code: 'rejected_by_hand', params: { reason } }],
    reasons: [`A person has rejected it: ${reason}`],
  })
  const issues = (await ann.call('GET', '/issues')).body
  expect(issues).toContainEqual(expect.objectContaining({ code: 'banner_rejected', bid }))
  const [event] = await receiver.get(1, 'banner.rejected')
  expect(event!.body.data.reasons[0]).toContain(reason)
  const mails = await service.db.rows<{ facts: { bid: number } }>(
    "select facts from mail where kind = 'bannerRejected'",
  )
  expect(mails.map(({ facts }) => facts.bid)).toContain(bid)
  const history = (await ann.call('GET', `/campaign/${ann.cid}/history`)).body
  const entry = history.find((item: { id: number; action: string }) => item.action === 'reject')
  expect(entry.by).toMatchObject({ kind: 'app' })
})

it('a new image, size or address waits again; a decision about the earlier round is refused', async () => {
  const bid = await newBanner()
  await waiting(bid)
  await decide(bid, 'approve', { round: 1 })
  const creativeURL = host.serve(`/file-${++files}`, await picture(728, 90))
  await ann.call('PUT', `${ann.path}/${bid}`, { creativeURL })
  await waiting(bid, 2)
  expect(await delivered(ann)).not.toContain(bid)
  const late = await decide(bid, 'approve', { round: 1 })
  expect([late.status, late.body.code]).toEqual([409, 'review_settled'])
  expect((await decide(bid, 'approve', { round: 2 })).status).toBe(200)
  await ann.call('PUT', `${ann.path}/${bid}`, { clickUrl: 'https://elsewhere.example/' })
  expect(await waiting(bid, 3)).toMatchObject({ clickUrl: 'https://elsewhere.example/' })
  // A new name does not start another review.
  await ann.call('PUT', `${ann.path}/${bid}`, { name: 'Renamed' })
  expect(await waiting(bid, 3)).toMatchObject({ name: 'Renamed' })
})

it('if several decide at once, one succeeds and the others get 409', async () => {
  const bid = await newBanner()
  await waiting(bid)
  const answers = await Promise.all([
    decide(bid, 'approve', { round: 1 }),
    decide(bid, 'reject', { round: 1, reason: 'No.' }),
    decide(bid, 'approve', { round: 1 }),
    decide(bid, 'reject', { round: 1, reason: 'No, no.' }),
  ])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
  const won = answers.find(({ status }) => status === 200)!
  expect((await read(ann, bid)).status).toBe(won.body.status)
})

it('what a program finds wrong never waits for a person; what is removed leaves the queue, and comes back with it', async () => {
  const { bid } = await ann.banner({ creativeURL: host.serve('/wrong', await picture(31, 32)) })
  expect(await ann.reviewed(bid)).toMatchObject({ status: 'rejected' })
  const other = await newBanner()
  await waiting(other)
  await ann.call('DELETE', `${ann.path}/${other}`)
  expect((await queue()).map(item => item.bid)).not.toContain(other)
  expect((await decide(other, 'approve', { round: 1 })).status).toBe(404)
  await ann.call('POST', `${ann.path}/${other}/restore`)
  expect((await decide(other, 'approve', { round: 1 })).body.status).toBe('approved')
})

it('a customer follows the setting of its app unless it has its own; without a person, a program reviews', async () => {
  const bob = await newAdvertiser(service)
  expect((await service.call('GET', `/customer/${bob.cuid}`)).body.review).toBeNull()
  expect((await bob.reviewed(await newBanner(bob))).status).toBe('approved')
  await provisionApp(service.db, 'default', { review: 'manual' })
  const waits = await newBanner(bob)
  await waiting(waits)
  await byHand(bob, 'automatic')
  expect((await bob.reviewed(await newBanner(bob))).status).toBe('approved')
  await sweepReviews(service.db, service.clock)
  expect((await bob.reviewed(waits)).status).toBe('approved')
  await provisionApp(service.db, 'default', { review: 'automatic' })
  const own = await service.call('PUT', `/customer/${bob.cuid}`, { as: bob, body: { review: null } })
  expect([own.status, own.body.reason]).toEqual([401, 'app_only_field'])
})

it('the queue is paged and limited to the app and the pair; a frozen customer is not decided about', async () => {
  const bids = [await newBanner(), await newBanner(), await newBanner()]
  for (const bid of bids) await waiting(bid)
  const page = await service.call('GET', `/review?limit=2&after=${bids[0]! - 1}`)
  expect(page.body.map((item: { bid: number }) => item.bid)).toEqual(bids.slice(0, 2))
  const { pair } = await createApp(service.db, { name: 'other' }, service.clock)
  expect((await service.call('GET', '/review', { app: pair })).body).toEqual([])
  const foreign = { app: pair, body: { round: 1 } }
  expect((await service.call('PUT', `/review/${bids[0]}/approve`, foreign)).status).toBe(404)
  const bob = await newAdvertiser(service)
  const limits = {
    name: 'bob',
    scope: 'all' as const,
    cuids: [bob.cuid],
    expiresAt: null,
  } satisfies NewSuperPair
  const appId = await livingAppId(service.db, 'default')
  const app = await addSuperPair(service.db, appId, limits, service.clock)
  expect((await service.call('GET', '/review', { app })).body).toEqual([])
  const limited = { app, body: { round: 1 } }
  expect((await service.call('PUT', `/review/${bids[0]}/approve`, limited)).status).toBe(404)
  await service.call('PUT', `/customer/${ann.cuid}/freeze`)
  expect((await decide(bids[0]!, 'approve', { round: 1 })).body.code).toBe('frozen')
  await service.call('PUT', `/customer/${ann.cuid}/unfreeze`)
  const { strip, customers } = (await service.call('GET', '/cockpit?filter=banners')).body
  expect(customers.map(({ cuid }: { cuid: number }) => cuid)).toEqual([ann.cuid])
  expect([strip.banners, customers[0].banners]).toEqual([(await queue()).length, strip.banners])
  expect(strip.bannersSince).toBeGreaterThan(0)
})
