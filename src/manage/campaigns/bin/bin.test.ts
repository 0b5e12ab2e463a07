// Deleted objects that can still be restored: in the list of each noun, and all of a customer at once.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { DAY_S, newTestCustomer, type TestCustomer } from '../../../../test/support/campaigns.ts'
import { startTestService, type TestService } from '../../../../test/support/service.ts'
import type { DeletedObject } from './contract.ts'

const WITHIN_S = 30 * DAY_S

let service: TestService
let ann: TestCustomer
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const nowS = () => Math.floor(service.clock.nowMs() / 1000)
const persona = { name: 'Cyclists', geo: { geos: ['CA'] }, device: { mobile: true } }

/** A campaign with a flight, two personas and a banner in each. */
async function newWhole(name: string) {
  const end = nowS() + 90 * DAY_S
  const { cid, start } = await ann.newCampaign({ name, end })
  const { fid } = await ann.newFlight(cid, { start, end: start + DAY_S })
  const made = []
  for (const what of ['Cyclists', 'Walkers']) {
    const path = `/campaign/${cid}/persona`
    const { pid } = (await ann.call('POST', path, { ...persona, name: what })).body
    const image = { name: `For ${what}`, creativeURL: 'https://host.invalid/a.png' }
    const { bid } = (await ann.call('POST', `${path}/${pid}/banner`, image)).body
    made.push({ pid, bid })
  }
  return { cid, fid, personas: made as { pid: number; bid: number }[] }
}

const remove = async (path: string) => expect((await ann.call('DELETE', path)).status).toBe(200)

it('a list of deleted objects has those that can be restored, with when and until when', async () => {
  ann = await newTestCustomer(service)
  const { cid, fid, personas } = await newWhole('Spring')
  const [first, second] = personas
  const path = `/campaign/${cid}`
  const lists = [
    [`${path}/flight`, `${path}/flight/${fid}`, { fid }],
    [
      `${path}/persona/${first!.pid}/banner`,
      `${path}/persona/${first!.pid}/banner/${first!.bid}`,
      { bid: first!.bid },
    ],
    [`${path}/persona`, `${path}/persona/${second!.pid}`, { pid: second!.pid }],
    ['/campaign', path, { cid }],
  ] as const
  for (const [list, one, ids] of lists) {
    expect((await ann.call('GET', `${list}?deleted=true`)).body).toEqual([])
    const before = (await ann.call('GET', one)).body
    expect(before).not.toHaveProperty('deletedAt')
    const sinceS = nowS()
    await remove(one)
    const { updated: _, ...rest } = before
    const [entry, ...others] = (await ann.call('GET', `${list}?deleted=true`)).body
    expect(others).toEqual([])
    expect(entry).toMatchObject({ ...ids, name: rest.name })
    expect(entry.deletedAt).toBeGreaterThanOrEqual(sinceS)
    expect(entry.deletedAt).toBeLessThanOrEqual(nowS())
    expect(entry.restorableUntil).toBe(entry.deletedAt + WITHIN_S)
    const present = (await ann.call('GET', `${list}?deleted=false`)).body
    expect(present.map((item: object) => Object.values(item)[0])).not.toContain(Object.values(ids)[0])
  }
  const found = await ann.call('GET', '/campaign?deleted=true&q=spr&status=paused')
  expect(found.body).toEqual([])
  expect((await ann.call('GET', '/campaign?deleted=true&q=SPR')).body).toHaveLength(1)
})

it('lists of deleted campaigns are paged, and end with the time in which they can be restored', async () => {
  ann = await newTestCustomer(service)
  const cids: number[] = []
  for (let i = 0; i < 3; i++) {
    const { cid } = await ann.newCampaign({ end: nowS() + 90 * DAY_S })
    cids.push(cid)
    await remove(`/campaign/${cid}`)
  }
  const page = await ann.call('GET', '/campaign?deleted=true&limit=2')
  expect(page.body.map((item: { cid: number }) => item.cid)).toEqual(cids.slice(0, 2))
  expect(page.headers.link).toContain('deleted=true')
  const next = await ann.call('GET', `/campaign?deleted=true&limit=2&after=${cids[1]}`)
  expect(next.body.map((item: { cid: number }) => item.cid)).toEqual(cids.slice(2))
  const bin = await ann.call('GET', '/deleted?limit=2')
  expect(bin.body.map(({ nounId }: DeletedObject) => nounId)).toEqual(cids.slice(0, 2))
  const rest = await ann.call('GET', `/deleted?limit=2&after=${bin.body[1].id}`)
  expect(rest.body.map(({ nounId }: DeletedObject) => nounId)).toEqual(cids.slice(2))
  service.clock.advance(WITHIN_S * 1000)
  expect((await ann.call('GET', '/campaign?deleted=true')).body).toEqual([])
  expect((await ann.call('GET', '/deleted')).body).toEqual([])
  expect((await ann.call('POST', `/campaign/${cids[0]}/restore`)).status).toBe(404)
})

it('the bin has each object once, says who deleted it, and not what comes back with another', async () => {
  ann = await newTestCustomer(service)
  const { cid, fid, personas } = await newWhole('Spring')
  const [first, second] = personas
  const other = await newWhole('Autumn')
  const path = `/campaign/${cid}`
  const banner = `${path}/persona/${first!.pid}/banner/${first!.bid}`
  await remove(banner)
  await ann.call('POST', `${banner}/restore`)
  await remove(banner)
  await remove(`${path}/flight/${fid}`)
  await remove(`${path}/persona/${second!.pid}/banner/${second!.bid}`)
  await remove(`${path}/persona/${second!.pid}`)
  await remove(`/campaign/${other.cid}/persona/${other.personas[0]!.pid}`)
  await remove(`/campaign/${other.cid}`)
  const bin: DeletedObject[] = (await ann.call('GET', '/deleted')).body
  expect(bin.map(({ noun, nounId, cid, pid, campaign }) => [noun, nounId, cid, pid, campaign])).toEqual([
    ['banner', first!.bid, cid, first!.pid, 'Spring'],
    ['flight', fid, cid, null, 'Spring'],
    ['persona', second!.pid, cid, null, 'Spring'],
    ['campaign', other.cid, other.cid, null, 'Autumn'],
  ])
  expect(bin.map(({ by }) => by.kind)).toEqual(['key', 'key', 'key', 'key'])
  for (const { noun, nounId, cid, pid } of bin) {
    const parent = pid === null ? `/campaign/${cid}` : `/campaign/${cid}/persona/${pid}`
    const own = noun === 'campaign' ? parent : `${parent}/${noun}/${nounId}`
    expect((await ann.call('POST', `${own}/restore`)).status).toBe(200)
  }
  const left: DeletedObject[] = (await ann.call('GET', '/deleted')).body
  // Objects that were deleted before their parent are in the bin again once the parent is back.
  expect(left.map(({ noun, nounId }) => [noun, nounId])).toEqual([
    ['banner', second!.bid],
    ['persona', other.personas[0]!.pid],
  ])
})

it('a bin is of its own customer, and a pair of some campaigns sees only theirs', async () => {
  ann = await newTestCustomer(service)
  const bob = await newTestCustomer(service)
  const one = await ann.newCampaign({ end: nowS() + 90 * DAY_S })
  const two = await ann.newCampaign({ end: nowS() + 90 * DAY_S })
  const body = { name: 'Reader', scope: 'read', cids: [one.cid] }
  const pair = (await service.call('POST', `/customer/${ann.cuid}/credential`, { as: ann, body })).body
  for (const { cid } of [one, two]) await remove(`/campaign/${cid}`)
  expect((await bob.call('GET', '/deleted')).body).toEqual([])
  expect((await bob.call('GET', '/campaign?deleted=true')).body).toEqual([])
  const limited = { key: pair.key, token: pair.token }
  const bin = await service.call('GET', `/deleted?cuid=${ann.cuid}`, { as: limited })
  expect(bin.body.map(({ cid }: DeletedObject) => cid)).toEqual([one.cid])
  const listed = await service.call('GET', `/campaign?deleted=true&cuid=${ann.cuid}`, { as: limited })
  expect(listed.body.map(({ cid }: { cid: number }) => cid)).toEqual([one.cid])
})

it('an app lists its own deleted customers, until they are erased or the time is over', async () => {
  ann = await newTestCustomer(service, { company: 'Leaving Ltd' })
  const bob = await newTestCustomer(service)
  for (const { cuid } of [ann, bob]) {
    expect((await service.call('DELETE', `/customer/${cuid}`)).status).toBe(200)
  }
  const listed = async (query = '') =>
    (await service.call('GET', `/customer?deleted=true${query}`)).body.map(
      ({ cuid }: { cuid: number }) => cuid,
    )
  const found = (await service.call('GET', '/customer?deleted=true&q=leaving')).body
  expect(found).toHaveLength(1)
  expect(found[0]).toMatchObject({ cuid: ann.cuid })
  expect(nowS() - found[0].deletedAt).toBeLessThan(300)
  expect(found[0].restorableUntil).toBe(found[0].deletedAt + WITHIN_S)
  expect(await listed()).toEqual([ann.cuid, bob.cuid])
  expect(await listed(`&email=${encodeURIComponent(found[0].email.toUpperCase())}`)).toEqual([ann.cuid])
  expect(await listed('&limit=1')).toEqual([ann.cuid])
  const present = (await service.call('GET', '/customer')).body
  expect(present.map(({ cuid }: { cuid: number }) => cuid)).not.toContain(ann.cuid)
  expect((await service.call('DELETE', `/customer/${bob.cuid}?erase=true`)).status).toBeLessThan(300)
  expect(await listed()).toEqual([ann.cuid])
  service.clock.advance(WITHIN_S * 1000)
  expect(await listed()).toEqual([])
})
