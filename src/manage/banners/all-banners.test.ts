// The banners of all personas in one list: those of one campaign, or those with certain ids.

import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type Advertiser,
  type ImageHost,
  newAdvertiser,
  picture,
  startImageHost,
} from '../../../test/support/banners.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'

let service: TestService
let host: ImageHost
let ann: Advertiser
let image: string
let first: number
let second: number
let elsewhere: { cid: number; pid: number; bid: number }

beforeAll(async () => {
  service = await startTestService()
  host = await startImageHost()
  image = host.serve('/summer.png', await picture(300, 250))
  ann = await newAdvertiser(service)
  first = (await ann.banner({ creativeURL: image, name: 'Summer' })).bid
  const { body: other } = await ann.call('POST', `/campaign/${ann.cid}/persona`, {
    name: 'Walkers',
    geo: { geos: ['CA'] },
    device: { mobile: true },
  })
  const below = `/campaign/${ann.cid}/persona/${other.pid}/banner`
  second = (await ann.call('POST', below, { creativeURL: image, name: 'Autumn', enabled: false })).body.bid
  elsewhere = (await ann.call('POST', `/campaign/${ann.cid}/copy`, { name: 'Copy' })).body
})
afterAll(async () => {
  await service?.close()
  await host?.close()
})

interface Listed {
  bid: number
  cid: number
  pid: number
  name: string
}

async function list(query: string, as: Advertiser['call'] = ann.call): Promise<Listed[]> {
  const { status, body } = await as('GET', `/banner${query}`)
  expect(status).toBe(200)
  return body
}
const bidsOf = (banners: Listed[]) => banners.map(({ bid }) => bid)

it('lists the banners of all personas of a campaign, oldest first, as each of them reads', async () => {
  const all = await list(`?cid=${ann.cid}`)
  expect(bidsOf(all)).toEqual([first, second])
  const { body } = await ann.call('GET', `${ann.path}/${first}`)
  expect(all[0]).toEqual(body)
})

it('says what is required', async () => {
  const { status, body } = await ann.call('GET', '/banner')
  expect(status).toBe(400)
  expect(body.errors).toMatchObject([{ path: '?cid', code: 'required' }])
})

it('keeps to a campaign, to ids, to a status and to a text', async () => {
  expect(new Set((await list(`?cid=${elsewhere.cid}`)).map(({ cid }) => cid))).toEqual(
    new Set([elsewhere.cid]),
  )
  expect(bidsOf(await list(`?bids=${second},999999999`))).toEqual([second])
  expect(bidsOf(await list(`?cid=${ann.cid}&enabled=false`))).toEqual([second])
  expect(bidsOf(await list(`?cid=${ann.cid}&q=summ`))).toEqual([first])
  expect(await list('?cid=999999999')).toEqual([])
})

it('pages', async () => {
  const { body, headers } = await ann.call('GET', `/banner?cid=${ann.cid}&limit=1`)
  expect(bidsOf(body)).toEqual([first])
  expect(headers.link).toContain(`after=${first}`)
  expect(bidsOf(await list(`?cid=${ann.cid}&limit=1&after=${first}`))).toEqual([second])
})

it('refuses text that is not a list of ids', async () => {
  for (const bids of ['x', '1,', '0', '1;2', Array(101).fill('7').join(',')]) {
    const { status, body } = await ann.call('GET', `/banner?bids=${bids}`)
    expect(status, bids).toBe(400)
    expect(body.errors[0].path).toBe('?bids')
  }
})

it('shows nothing of another customer, not even by id', async () => {
  const bob = await newAdvertiser(service)
  expect(await list(`?bids=${first}`, bob.call)).toEqual([])
  expect(await list(`?cid=${ann.cid}`, bob.call)).toEqual([])
})

it('a pair that is limited to a campaign sees the banners of that campaign', async () => {
  const body = { scope: 'read', cids: [elsewhere.cid] }
  const { body: pair } = await service.call('POST', `/customer/${ann.cuid}/credential`, { as: ann, body })
  const read = async (query: string) =>
    (await service.call('GET', `/banner?cuid=${ann.cuid}&${query}`, { as: pair })).body
  expect(await read(`cid=${elsewhere.cid}`)).toHaveLength(2)
  expect(await read(`cid=${ann.cid}`)).toEqual([])
  expect(await read(`bids=${first}`)).toEqual([])
})

it('leaves out deleted banners, and those in deleted objects', async () => {
  const bob = await newAdvertiser(service)
  const { bid } = await bob.banner({ creativeURL: image })
  const { bid: gone } = await bob.banner({ creativeURL: image })
  await bob.call('DELETE', `${bob.path}/${gone}`)
  expect(bidsOf(await list(`?cid=${bob.cid}`, bob.call))).toEqual([bid])
  await bob.call('DELETE', `/campaign/${bob.cid}`)
  expect(await list(`?cid=${bob.cid}`, bob.call)).toEqual([])
})
