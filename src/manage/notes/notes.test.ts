// Notes, words about a day, through the API: they belong to a customer or to one of its campaigns, are limited, and
// appear in the history.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { newTestCustomer, type TestCustomer } from '../../../test/support/campaigns.ts'
import { invitationIn, mailsTo, visit } from '../../../test/support/console.ts'
import { startTestService, type TestPair, type TestService } from '../../../test/support/service.ts'
import { MAX_NOTES } from './contract.ts'

let service: TestService
let ann: TestCustomer
beforeAll(async () => {
  service = await startTestService()
  ann = await newTestCustomer(service)
})
afterAll(() => service.close())

const PRICES = { day: '2026-11-10', text: 'New prices from today' }
const write = (fields: object = {}, who = ann) => who.call('POST', '/note', { ...PRICES, ...fields })
const textsOf = async (query: string, who = ann) =>
  (await who.call('GET', `/note${query}`)).body.map(({ text }: { text: string }) => text)

it('is written, read, changed and removed', async () => {
  const made = await write()
  expect(made.status, made.text).toBe(201)
  const { nid } = made.body
  expect(made.body).toMatchObject({ cuid: ann.cuid, cid: null, ...PRICES, by: { kind: 'key' } })
  const read = await ann.call('GET', `/note/${nid}`)
  expect(read.body).toEqual(made.body)
  const edited = await ann.call(
    'PUT',
    `/note/${nid}`,
    { text: '  New prices ' },
    { 'if-match': read.headers.etag! },
  )
  expect(edited.body).toMatchObject({ ...PRICES, text: 'New prices' })
  expect(edited.headers.etag).not.toBe(read.headers.etag)
  const late = await ann.call(
    'PUT',
    `/note/${nid}`,
    { day: '2026-11-11' },
    { 'if-match': read.headers.etag! },
  )
  expect(late.status).toBe(412)
  // The answer can be sent back as it was read.
  expect((await ann.call('PUT', `/note/${nid}`, edited.body)).body).toEqual(edited.body)
  expect((await ann.call('DELETE', `/note/${nid}`)).body).toEqual({ nid, deleted: true })
  expect((await ann.call('GET', `/note/${nid}`)).status).toBe(404)
})

it.each([
  [{ day: '2026-02-30' }, '/day', 'not_a_day'],
  [{ day: '10.11.2026' }, '/day', 'not_a_day'],
  [{ day: '1969-12-31' }, '/day', 'not_a_day'],
  [{ text: '   ' }, '/text', 'empty'],
  [{ text: 'x'.repeat(201) }, '/text', 'too_long'],
  [{ cid: 999_999_999 }, '/cid', 'no_such_campaign'],
])('refuses %j', async (fields, path, code) => {
  const refused = await write(fields)
  expect(refused.status).toBe(400)
  expect(refused.body.errors).toMatchObject([{ path, code }])
})

it('a list is for a customer or a campaign, between days, and without notes of deleted campaigns', async () => {
  const bob = await newTestCustomer(service)
  const [one, two] = [await bob.newCampaign(), await bob.newCampaign()]
  await write({ text: 'all', day: '2026-11-01' }, bob)
  await write({ text: 'one', day: '2026-11-02', cid: one.cid }, bob)
  await write({ text: 'two', day: '2026-11-03', cid: two.cid }, bob)
  expect(await textsOf('', bob)).toEqual(['all', 'one', 'two'])
  expect(await textsOf(`?cid=${one.cid}`, bob)).toEqual(['all', 'one'])
  expect(await textsOf('?from=2026-11-02', bob)).toEqual(['one', 'two'])
  expect(await textsOf('?from=2026-11-02&to=2026-11-03', bob)).toEqual(['one'])
  expect((await bob.call('GET', '/note?from=yesterday')).body.errors).toMatchObject([{ path: '?from' }])
  const page = await bob.call('GET', '/note?limit=2')
  expect(page.headers.link).toContain(`after=${page.body[1].nid}`)
  const foreign = await ann.newCampaign()
  expect((await bob.call('GET', `/note?cid=${foreign.cid}`)).status).toBe(404)

  await bob.call('DELETE', `/campaign/${two.cid}`)
  expect(await textsOf('', bob)).toEqual(['all', 'one'])
  await bob.call('POST', `/campaign/${two.cid}/restore`)
  expect(await textsOf('', bob)).toEqual(['all', 'one', 'two'])
})

it('the history of its campaign shows who wrote what, and it cannot be undone', async () => {
  const { cid } = await ann.newCampaign()
  const { nid } = (await write({ cid })).body
  await ann.call('PUT', `/note/${nid}`, { text: 'New prices' })
  await ann.call('DELETE', `/note/${nid}`)
  const { body } = await ann.call('GET', `/campaign/${cid}/history`)
  const entries = body.filter(({ noun }: { noun: string }) => noun === 'note')
  expect(entries.map((entry: { action: string }) => entry.action)).toEqual(['create', 'edit', 'remove'])
  expect(entries[1]).toMatchObject({ nounId: nid, before: PRICES, after: { ...PRICES, text: 'New prices' } })
  expect((await ann.call('POST', `/history/${entries[2].id}/undo`)).status).toBe(404)
})

it('an editor writes, a viewer reads; the note names its author', async () => {
  const carl = await newTestCustomer(service)
  const memberWith = async (role: string) => {
    const email = `${role}-${carl.cuid}@notes.example`
    const body = { email, role, name: 'Bob' }
    await service.call('POST', `/customer/${carl.cuid}/member`, { as: carl, body })
    const visitor = visit(service)
    await visitor.signIn({ invitation: invitationIn((await mailsTo(service, email))[0]!) })
    return visitor
  }
  const url = `/note?cuid=${carl.cuid}`
  const editor = await memberWith('editor')
  const made = await editor.call('POST', url, { body: PRICES })
  expect(made.body.by).toMatchObject({ kind: 'person', name: 'Bob' })
  const reader = await memberWith('viewer')
  expect((await reader.call('GET', url)).body).toEqual([made.body])
  expect((await reader.call('POST', url, { body: PRICES })).body.code).toBe('scope_too_low')
  const path = `/note/${made.body.nid}?cuid=${carl.cuid}`
  expect((await reader.call('DELETE', path)).body.code).toBe('scope_too_low')
})

it('a pair of some campaigns reads and writes only their notes', async () => {
  const dora = await newTestCustomer(service)
  const [mine, other] = [await dora.newCampaign(), await dora.newCampaign()]
  const all = (await write({ text: 'all' }, dora)).body
  await write({ text: 'mine', cid: mine.cid }, dora)
  const strange = (await write({ text: 'other', cid: other.cid }, dora)).body
  const body = { scope: 'propose', cids: [mine.cid] }
  const pair: TestPair = (await service.call('POST', `/customer/${dora.cuid}/credential`, { as: dora, body }))
    .body
  const call = (method: string, path: string, body?: object) =>
    service.call(method, `${path}?cuid=${dora.cuid}`, { as: pair, body })
  expect((await call('GET', '/note')).body.map(({ text }: { text: string }) => text)).toEqual(['mine'])
  expect((await call('POST', '/note', { ...PRICES, cid: mine.cid })).status).toBe(201)
  for (const cid of [other.cid, null])
    expect((await call('POST', '/note', { ...PRICES, cid })).body.code).toBe('campaign_not_allowed')
  for (const { nid } of [all, strange]) expect((await call('DELETE', `/note/${nid}`)).status).toBe(404)
})

it('a customer has a limited number of them, however many are written at once', async () => {
  const eve = await newTestCustomer(service)
  await service.db.run(
    `insert into note (cuid, day, text, actor, created_at, updated_at)
     select $1, '2026-11-10', 'n' || n, 'operator', now(), now() from generate_series(1, $2) n`,
    [eve.cuid, MAX_NOTES - 2],
  )
  const answers = await Promise.all(Array.from({ length: 5 }, () => write({}, eve)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409])
  expect(answers.find(({ status }) => status === 409)!.body.reason).toBe('too_many_notes')
  expect(await textsOf('', eve)).toHaveLength(MAX_NOTES)
})

it('a dry run writes nothing; the same key writes one', async () => {
  const fred = await newTestCustomer(service)
  const tried = await fred.call('POST', '/note?dryRun=true', PRICES)
  expect(tried.body).toMatchObject({ dryRun: true, ...PRICES })
  expect(tried.body.nid).toBeUndefined()
  const key = { 'idempotency-key': 'one-note' }
  for (let i = 0; i < 2; i++) expect((await fred.call('POST', '/note', PRICES, key)).status).toBe(201)
  expect(await textsOf('', fred)).toEqual([PRICES.text])
})
