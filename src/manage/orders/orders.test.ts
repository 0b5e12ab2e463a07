// A campaign with everything beneath it is created completely or not at all, and so is its copy.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Advertiser, newAdvertiser, picture } from '../../../test/support/banners.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'

let service: TestService
let ann: Advertiser
let image: string
beforeAll(async () => {
  service = await startTestService()
  ann = await newAdvertiser(service)
  image = await upload(ann)
})
afterAll(() => service.close())

async function upload(owner: Advertiser): Promise<string> {
  const png = { 'content-type': 'image/png' }
  return (await owner.call('POST', '/creative', await picture(300, 250), png)).body.creativeURL
}

const nowS = () => Math.floor(service.clock.nowMs() / 1000)
const campaign = () => ({ name: 'Whole', start: nowS() - 60, end: nowS() + 86_400, dailySpend: 10 })
const persona = { name: 'Cyclists', geo: { geos: ['CA'] }, device: { mobile: true } }

/** How many rows each table has. */
async function counts() {
  return service.db.row(
    `select (select count(*) from campaign) as campaigns, (select count(*) from flight) as flights,
       (select count(*) from persona) as personas, (select count(*) from banner) as banners`,
  )
}

describe('creating', () => {
  it('creates campaign, personas and banners in one call, and shows all of them', async () => {
    const body = {
      ...campaign(),
      personas: [
        { ...persona, banners: [{ creativeURL: image, name: 'A' }, { creativeURL: image }] },
        persona,
      ],
    }
    const { status, body: made } = await ann.call('POST', '/campaign', body)
    expect(status).toBe(201)
    expect(made).toMatchObject({ status: 'incomplete', missing: ['banner_pending'] })
    expect(made.personas.map((p: { banners?: object[] }) => p.banners?.length)).toEqual([2, undefined])
    const { body: personas } = await ann.call('GET', `/campaign/${made.cid}/persona`)
    expect(personas).toHaveLength(2)
    const { body: banners } = await ann.call('GET', `/campaign/${made.cid}/persona/${personas[0].pid}/banner`)
    expect(banners.map((banner: { bid: number }) => banner.bid)).toEqual(
      made.personas[0].banners.map((banner: { bid: number }) => banner.bid),
    )
  })

  it('leaves nothing behind if any part is wrong, and gives every error its path', async () => {
    const before = await counts()
    const body = {
      ...campaign(),
      end: nowS() - 10,
      personas: [
        {
          ...persona,
          geo: { geos: ['XX'] },
          banners: [{ creativeURL: image }, { creativeURL: image, width: 1 }],
        },
        { ...persona, banners: [{ creativeURL: '/creative/none.png' }] },
      ],
    }
    const { status, body: refused } = await ann.call('POST', '/campaign', body)
    expect(status).toBe(400)
    expect(refused.errors.map((error: { path: string }) => error.path)).toEqual([
      '/end',
      '/personas/0/geo/geos/0',
      '/personas/0/banners/1/height',
      '/personas/1/banners/0/creativeURL',
    ])
    expect(await counts()).toEqual(before)
  })

  it('creates flights with their totals in the same call; an error of a flight has its path', async () => {
    const body = campaign()
    const middle = body.start + 3600
    const flights = [
      { name: 'One', start: body.start, end: middle, totalSpend: 20 },
      { name: 'Two', start: middle, end: body.end },
    ]
    const { status, body: made } = await ann.call('POST', '/campaign', { ...body, flights })
    expect(status).toBe(201)
    expect(made.flights).toMatchObject([flights[0], { ...flights[1], totalSpend: null }])
    const { body: listed } = await ann.call('GET', `/campaign/${made.cid}/flight`)
    expect(listed.slice(1)).toEqual(made.flights)
    const before = await counts()
    const late = [flights[0], { ...flights[1], end: body.end + 60 }]
    const refused = await ann.call('POST', '/campaign', { ...body, flights: late })
    expect([refused.status, refused.body.errors[0].path]).toEqual([400, '/flights/1/end'])
    expect((await ann.call('POST', '/campaign', { ...body, flights: [flights[0], flights[0]] })).status).toBe(
      409,
    )
    expect(await counts()).toEqual(before)
    const tried = await ann.call('POST', '/campaign?dryRun=true', { ...body, flights })
    expect(tried.body.flights[0].fid).toBeUndefined()
  })

  it('checks everything with dryRun and keeps nothing', async () => {
    const before = await counts()
    const body = { ...campaign(), personas: [{ ...persona, banners: [{ creativeURL: image }] }] }
    const tried = await ann.call('POST', '/campaign?dryRun=true', body)
    expect(tried.status).toBe(200)
    expect(tried.body).toMatchObject({
      dryRun: true,
      name: 'Whole',
      personas: [{ banners: [{ status: 'pending' }] }],
    })
    expect(tried.text).not.toMatch(/"(cid|pid|bid)"/)
    expect(tried.headers.etag).toBeUndefined()
    const beneath = await ann.call('POST', `/campaign/${ann.cid}/persona?dryRun=true`, persona)
    expect(beneath.body).toMatchObject({ dryRun: true, cid: ann.cid, name: persona.name })
    expect(beneath.body.pid).toBeUndefined()
    expect((await ann.call('POST', '/campaign?dryRun=true', { ...body, dailySpend: 0 })).status).toBe(400)
    expect(await counts()).toEqual(before)
  })

  it('creates a persona with its banners, or neither', async () => {
    const path = `/campaign/${ann.cid}/persona`
    const before = await counts()
    const wrong = { ...persona, banners: [{ creativeURL: image, clickUrl: 'https://a.example/' }, {}] }
    const refused = await ann.call('POST', path, wrong)
    expect([refused.status, refused.body.errors[0].path]).toEqual([400, '/banners/1/creativeURL'])
    expect(await counts()).toEqual(before)
    const { body } = await ann.call('POST', path, { ...persona, banners: [{ creativeURL: image }] })
    expect(body.banners).toHaveLength(1)
  })
})

it('the places of an order are checked one persona per turn of the event loop', async () => {
  const places = (n: number) => Array.from({ length: 40 }, (_, at) => `CA-ON-Nüwherë ${n} ${at}`)
  const personas = Array.from({ length: 100 }, (_, n) => ({ ...persona, geo: { geos: places(n) } }))
  const { normalize } = String.prototype
  let [sinceLast, most, isOver] = [0, 0, false]
  const next = () => {
    sinceLast = 0
    if (!isOver) setImmediate(next)
  }
  // Called at least once for each place.
  String.prototype.normalize = function (this: string, form?: string) {
    most = Math.max(most, ++sinceLast)
    return normalize.call(this, form)
  }
  try {
    setImmediate(next)
    const order = { ...campaign(), personas }
    const { status, body } = await ann.call('POST', '/campaign?dryRun=true', order)
    expect(status).toBe(200)
    expect(body.personas[99].warnings).toHaveLength(40)
    expect(body.personas[99].warnings[39].path).toBe('/geo/geos/39')
  } finally {
    isOver = true
    String.prototype.normalize = normalize
  }
  expect(most).toBeGreaterThan(40)
  expect(most).toBeLessThan(40 * 40)
})

describe('copying', () => {
  it('copies a campaign with its flights, personas and reviewed banners, paused', async () => {
    const own = await newAdvertiser(service)
    const { bid } = await own.banner({ creativeURL: await upload(own), name: 'Bike' })
    expect((await own.reviewed(bid)).status).toBe('approved')
    await own.call('PUT', `/campaign/${own.cid}`, { metadata: { tier: 'gold' }, frequency: 2 })
    const { start, end } = (await own.call('GET', `/campaign/${own.cid}`)).body
    await own.call('POST', `/campaign/${own.cid}/flight`, { name: 'Week', start, end: end - 100 })
    const { status, body } = await own.call('POST', `/campaign/${own.cid}/copy`)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: 'Summer (copy)',
      enabled: false,
      status: 'paused',
      missing: [],
      freq: 2,
      metadata: { tier: 'gold' },
      personas: [{ name: 'Cyclists', banners: [{ name: 'Bike', status: 'approved' }] }],
    })
    expect(body.cid).not.toBe(own.cid)
    const { body: flights } = await own.call('GET', `/campaign/${body.cid}/flight`)
    expect(flights.map((flight: { name: string }) => flight.name)).toEqual(['Whole campaign', 'Week'])
    const other = await own.call('POST', `/campaign/${own.cid}/copy`, { end: end + 60, enabled: true })
    expect(other.body).toMatchObject({ status: 'running', end: end + 60 })
    expect((await own.call('GET', `/campaign/${other.body.cid}/flight`)).body).toHaveLength(1)
  })

  it('takes null for what is not given, and copies to the same place then', async () => {
    const own = await newAdvertiser(service)
    const { bid } = await own.banner({ creativeURL: await upload(own) })
    const { start, end, dailySpend } = (await own.call('GET', `/campaign/${own.cid}`)).body
    const none = { name: null, start: null, end: null, dailySpend: null, enabled: null }
    const campaigns = await own.call('POST', `/campaign/${own.cid}/copy`, none)
    expect(campaigns.body).toMatchObject({ start, end, dailySpend, enabled: false })
    const path = `/campaign/${own.cid}/persona/${own.pid}`
    const personas = await own.call('POST', `${path}/copy`, { cid: null })
    expect(personas.body).toMatchObject({ cid: own.cid })
    const banners = await own.call('POST', `${path}/banner/${bid}/copy`, { cid: null, pid: null })
    expect(banners.body).toMatchObject({ cid: own.cid, pid: own.pid })
  })

  it('does not copy an ended campaign without a new end', async () => {
    const own = await newAdvertiser(service)
    await own.call('PUT', `/campaign/${own.cid}`, { start: nowS() - 100, end: nowS() - 10 })
    const before = await counts()
    const refused = await own.call('POST', `/campaign/${own.cid}/copy`)
    expect([refused.status, refused.body.errors[0].path]).toEqual([400, '/end'])
    expect(await counts()).toEqual(before)
    expect((await own.call('POST', `/campaign/${own.cid}/copy`, { end: nowS() + 1000 })).status).toBe(201)
  })

  it('copies personas and banners, also to other places of the same customer, but never to another customer', async () => {
    const own = await newAdvertiser(service)
    const { bid } = await own.banner({ creativeURL: await upload(own), name: 'Bike' })
    const { body: second } = await own.call('POST', '/campaign', campaign())
    const path = `/campaign/${own.cid}/persona/${own.pid}`
    const copy = await own.call('POST', `${path}/copy`, { cid: second.cid, name: 'Again' })
    expect(copy.body).toMatchObject({ cid: second.cid, name: 'Again', banners: [{ name: 'Bike' }] })
    const banner = await own.call('POST', `${path}/banner/${bid}/copy`)
    expect(banner.body).toMatchObject({ pid: own.pid, name: 'Bike (copy)' })
    const into = { cid: second.cid, pid: copy.body.pid }
    expect((await own.call('POST', `${path}/banner/${bid}/copy`, into)).body).toMatchObject(into)
    const before = await counts()
    expect((await own.call('POST', `${path}/copy`, { cid: ann.cid })).status).toBe(404)
    const foreign = { cid: ann.cid, pid: ann.pid }
    expect((await own.call('POST', `${path}/banner/${bid}/copy`, foreign)).status).toBe(404)
    expect((await own.call('POST', `${path}/banner/${bid}/copy`, { pid: ann.pid })).status).toBe(404)
    expect(await counts()).toEqual(before)
    expect(await own.reviewed(banner.body.bid)).toMatchObject({ status: 'approved' })
  })

  it('truncates a name that gets too long', async () => {
    const { body } = await ann.call('POST', '/campaign', { ...campaign(), name: 'é'.repeat(255) })
    const copy = await ann.call('POST', `/campaign/${body.cid}/copy`)
    expect(copy.body.name).toBe(`${'é'.repeat(248)} (copy)`)
  })
})
