// `PUT …/by-external/:externalId`: creates or changes, one per parent whatever comes at once, and refuses what is not
// one. The same for customers, campaigns, personas and banners.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../src/identity/apps.ts'
import { type ImageHost, picture, startImageHost, until } from './support/banners.ts'
import { newTestCustomer, type TestCustomer } from './support/campaigns.ts'
import { startTestService, type TestAnswer, type TestService } from './support/service.ts'
import { newWebhook } from './support/webhooks.ts'

let service: TestService
let images: ImageHost
let ann: TestCustomer
let cid: number
let pid: number
let nowS: number
beforeAll(async () => {
  service = await startTestService()
  images = await startImageHost()
  ann = await newTestCustomer(service)
  cid = (await ann.newCampaign()).cid
  const persona = { name: 'p', geo: { geos: ['CA'] }, device: { mobile: true } }
  pid = (await ann.call('POST', `/campaign/${cid}/persona`, persona)).body.pid
  nowS = Math.floor(service.clock.nowMs() / 1000)
  images.serve('/a.png', await picture(300, 250))
})
afterAll(async () => {
  await service.close()
  await images.close()
})

interface Kind {
  /** Without the id. */
  path: string
  id: string
  whole: Record<string, unknown>
  /** What a POST requires. */
  required: string[]
  change: Record<string, unknown>
  put(id: string, body: object, headers?: Record<string, string>, query?: string): Promise<TestAnswer>
  post(body: object): Promise<TestAnswer>
  list(): Promise<{ externalId: string | null }[]>
  remove(id: number): Promise<TestAnswer>
}

const NOUNS = ['customer', 'campaign', 'persona', 'banner'] as const
let emails = 0

function kind(noun: (typeof NOUNS)[number]): Kind {
  const base = {
    customer: '/customer',
    campaign: '/campaign',
    persona: `/campaign/${cid}/persona`,
    banner: `/campaign/${cid}/persona/${pid}/banner`,
  }[noun]
  const own = {
    customer: { company: 'Blue Bikes', email: `b${++emails}@sync.example` },
    campaign: { name: 'Spring', start: nowS, end: nowS + 86_400, dailySpend: 5 },
    persona: { name: 'Cyclists', geo: { geos: ['CA-ON'] }, device: { desktop: true } },
    banner: { name: 'Banner', creativeURL: `${images.url}/a.png`, clickUrl: 'https://bikes.example/' },
  }[noun]
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    noun === 'customer'
      ? service.call(method, path, { body, headers })
      : ann.call(method, path, body, headers)
  return {
    path: `${base}/by-external`,
    id: { customer: 'cuid', campaign: 'cid', persona: 'pid', banner: 'bid' }[noun],
    whole: own,
    required: {
      customer: ['/company', '/email'],
      campaign: ['/dailySpend', '/end', '/name', '/start'],
      persona: ['/device', '/geo', '/name'],
      banner: ['/creativeURL'],
    }[noun],
    change: noun === 'customer' ? { company: 'Red Bikes' } : { name: 'Another name' },
    put: (id, body, headers, query = '') =>
      call('PUT', `${base}/by-external/${encodeURIComponent(id)}${query}`, body, headers),
    post: body => call('POST', base, body),
    list: async () => (await call('GET', base)).body,
    remove: id => call('DELETE', `${base}/${id}`),
  }
}

describe.each(NOUNS)('a %s', noun => {
  it('is created, then changed, then left alone', async () => {
    const { put, whole, change, id } = kind(noun)
    const made = await put('one', whole)
    expect([made.status, made.body.externalId]).toEqual([201, 'one'])
    expect(made.body).toMatchObject(
      change.name === undefined ? { company: 'Blue Bikes' } : { name: whole.name },
    )
    expect(made.headers.etag).toMatch(/^"/)
    expect(made.body).not.toHaveProperty('token')
    const again = await put('one', whole)
    expect([again.status, again.body[id]]).toEqual([200, made.body[id]])
    const changed = await put('one', change)
    expect([changed.status, changed.body[id]]).toEqual([200, made.body[id]])
    expect(changed.body).toMatchObject({ ...change, externalId: 'one' })
    // What was not supplied stays; and what was read can be sent back.
    const back = await put('one', { ...changed.body })
    expect([back.status, back.body]).toEqual([
      200,
      expect.objectContaining({ ...change, [id]: made.body[id] }),
    ])
    expect(back.body.updated).toBe(changed.body.updated)
  })

  it('is one, however many ask at once', async () => {
    const { put, whole, id, list } = kind(noun)
    const answers = await Promise.all(Array.from({ length: 12 }, () => put('race', whole)))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(11).fill(200), 201])
    expect(new Set(answers.map(({ body }) => body[id])).size).toBe(1)
    expect((await list()).filter(item => item.externalId === 'race')).toHaveLength(1)
  })

  it('needs for a creation what a POST needs, and says which', async () => {
    const { put, required, list } = kind(noun)
    const answer = await put('incomplete', {})
    expect(answer.status).toBe(400)
    expect(answer.body.errors.map((error: { path: string }) => error.path).sort()).toEqual(required)
    expect((await put('incomplete', { nonsense: 1 })).body.errors[0].path).toBe('/nonsense')
    expect((await put('incomplete', { [kind(noun).id]: 7 })).status).toBe(400)
    expect((await list()).some(item => item.externalId === 'incomplete')).toBe(false)
  })

  it('has no other id than the path says', async () => {
    const { put, whole } = kind(noun)
    expect((await put('mine', { ...whole, externalId: 'mine' })).status).toBe(201)
    for (const externalId of ['yours', null])
      expect((await put('mine', { externalId })).body.errors[0].path).toBe('/externalId')
    for (const bad of ['\u0000', 'x'.repeat(256), ' ']) {
      const answer = await put(bad, whole)
      expect([answer.status, answer.body.errors?.[0].path]).toEqual([400, ':externalId'])
    }
    const odd = `../a/b?c#d %${'\u{1f6b2}'.repeat(100)}`
    const { body } = await put(odd, noun === 'customer' ? kind(noun).whole : whole)
    expect(body.externalId).toBe(odd)
  })

  it('honours if-match for one that is there, and creates none with it', async () => {
    const { put, whole, change } = kind(noun)
    const refused = await put('guarded', whole, { 'if-match': '*' })
    expect([refused.status, refused.body.code]).toEqual([412, 'precondition_failed'])
    await put('guarded', whole)
    // A review changes a banner, too.
    const read = () => put('guarded', {})
    const { headers } = await until(async () => {
      const answer = await read()
      return answer.body.status === 'pending' ? null : answer
    })
    expect((await put('guarded', change, { 'if-match': '"1-1"' })).status).toBe(412)
    expect((await put('guarded', change, { 'if-match': headers.etag! })).status).toBe(200)
  })

  it('is only tried out with dryRun', async () => {
    const { put, whole, change, list } = kind(noun)
    const tried = await put('tried', whole, {}, '?dryRun=true')
    expect([tried.status, tried.body.dryRun, tried.body[kind(noun).id]]).toEqual([200, true, undefined])
    expect((await list()).some(item => item.externalId === 'tried')).toBe(false)
    const made = await put('tried', whole)
    expect(made.status).toBe(201)
    expect((await put('tried', change, {}, '?dryRun=true')).status).toBe(200)
    const after = (await list()).find(item => item.externalId === 'tried')
    expect(after).toMatchObject(noun === 'customer' ? { company: 'Blue Bikes' } : { name: whole.name })
  })

  it('of which there are several is refused, and named', async () => {
    const { post, put, whole, id } = kind(noun)
    const twice = []
    for (let i = 0; i < 2; i++) {
      const more = noun === 'customer' ? { email: `twice${i}@sync.example` } : {}
      twice.push((await post({ ...whole, ...more, externalId: 'twice' })).body[id])
    }
    const answer = await put('twice', whole)
    expect([answer.status, answer.body.code]).toEqual([409, 'external_id_ambiguous'])
    expect(answer.body.message).toContain(twice.join(', '))
    // One fewer, and it is clear again.
    expect((await kind(noun).remove(twice[0])).status).toBe(200)
    const email = noun === 'customer' ? { email: 'twice1@sync.example' } : {}
    expect((await put('twice', { ...whole, ...email })).body[id]).toBe(twice[1])
  })

  it('that is deleted does not count', async () => {
    const { put, whole, remove, id } = kind(noun)
    const first = await put('again', whole)
    await remove(first.body[id])
    const second = await put('again', whole)
    expect([second.status, second.body[id] === first.body[id]]).toEqual([201, false])
  })
})

describe('a change', () => {
  it('is told like any other: in the history, to webhooks, and to delivery', async () => {
    const { wid } = await newWebhook(service, {
      url: 'http://127.0.0.1:9/',
      events: ['campaign.paused', 'customer.created'],
    })
    const body = { name: 'Told', start: nowS, end: nowS + 86_400, dailySpend: 5 }
    const made = await ann.call('PUT', '/campaign/by-external/told', body)
    await ann.call('PUT', '/campaign/by-external/told', { ...body, dailySpend: 6, enabled: false })
    await ann.call('PUT', '/campaign/by-external/told', { ...body, dailySpend: 6, enabled: false })
    const history = (await ann.call('GET', `/campaign/${made.body.cid}/history`)).body
    expect(history.map((entry: { action: string }) => entry.action)).toEqual(['create', 'edit', 'pause'])
    await service.call('PUT', '/customer/by-external/told', {
      body: { company: 'T', email: 't@told.example' },
    })
    const log = (await service.call('GET', `/webhook/${wid}/delivery`)).body
    expect(log.map((entry: { type: string }) => entry.type)).toEqual(['campaign.paused', 'customer.created'])
    const changes = await service.db.rows(
      `select 1 from catalog_change where noun = 'campaign' and id = $1`,
      [made.body.cid],
    )
    expect(changes).toHaveLength(3)
  })

  it('sends a rejected banner to review only with another image', async () => {
    images.serve('/odd.png', await picture(299, 250))
    const put = (more: object) =>
      ann.call('PUT', `/campaign/${cid}/persona/${pid}/banner/by-external/rejected`, {
        clickUrl: 'https://bikes.example/',
        ...more,
      })
    const odd = { creativeURL: `${images.url}/odd.png` }
    const { bid } = (await put(odd)).body
    const path = `/campaign/${cid}/persona/${pid}/banner/${bid}`
    const reviewed = () =>
      until(async () => {
        const { body } = await ann.call('GET', path)
        return body.status === 'pending' ? null : body.status
      })
    expect(await reviewed()).toBe('rejected')
    expect((await put(odd)).body.status).toBe('rejected')
    expect((await put({ creativeURL: `${images.url}/a.png` })).body.status).toBe('pending')
    expect(await reviewed()).toBe('approved')
  })

  it('of a new customer may close its API access at once, and issues no pair', async () => {
    const body = { company: 'Closed', email: 'closed@sync.example', apiAccess: false }
    const made = await service.call('PUT', '/customer/by-external/closed', { body })
    expect([made.status, made.body.apiAccess]).toEqual([201, false])
    await service.call('PUT', '/customer/by-external/closed', { body: { apiAccess: true } })
    expect((await service.call('GET', `/customer/${made.body.cuid}/credential`)).body).toEqual([])
    const email = { company: 'Other', email: 'closed@sync.example' }
    const taken = await service.call('PUT', '/customer/by-external/other', { body: email })
    expect([taken.status, taken.body.code]).toEqual([409, 'email_taken'])
  })
})

describe('ids of others', () => {
  it('of another app or customer are other ids', async () => {
    const { pair } = await createApp(service.db, { name: 'neighbour' }, service.clock)
    const body = { company: 'N', email: 'n@neighbour.example' }
    const ours = await service.call('PUT', '/customer/by-external/shared', { body })
    const theirs = await service.call('PUT', '/customer/by-external/shared', { app: pair, body })
    expect([ours.status, theirs.status]).toEqual([201, 201])
    expect(theirs.body.cuid).not.toBe(ours.body.cuid)
    expect((await ann.call('PUT', '/customer/by-external/shared', body)).body.code).toBe(
      'credentials_wrong_level',
    )
    const bob = await newTestCustomer(service)
    const campaign = { name: 'c', start: nowS, end: nowS + 86_400, dailySpend: 5 }
    const first = await ann.call('PUT', '/campaign/by-external/shared', campaign)
    const second = await bob.call('PUT', '/campaign/by-external/shared', { ...campaign, name: 'bobs' })
    expect([first.status, second.status]).toEqual([201, 201])
    expect((await ann.call('GET', `/campaign/${first.body.cid}`)).body.name).toBe('c')
    expect((await bob.call('PUT', `/campaign/${cid}/persona/by-external/x`, {})).status).toBe(404)
  })

  it('are not taken along by a copy, so that it is never mistaken for the original', async () => {
    const dates = { start: nowS, end: nowS + 86_400 }
    const persona = { name: 'p', externalId: 'p-1', geo: { geos: ['CA'] }, device: { mobile: true } }
    const banner = { creativeURL: `${images.url}/a.png`, externalId: 'b-1' }
    const order = { name: 'o', ...dates, dailySpend: 5, externalId: 'o-1' }
    const body = { ...order, personas: [{ ...persona, banners: [banner] }] }
    const made = (await ann.call('POST', '/campaign', body)).body
    const copy = (await ann.call('POST', `/campaign/${made.cid}/copy`)).body
    expect(copy).toMatchObject({
      externalId: null,
      personas: [{ externalId: 'p-1', banners: [{ externalId: 'b-1' }] }],
    })
    const path = `/campaign/${made.cid}/persona/${made.personas[0].pid}`
    const second = (await ann.call('POST', `${path}/copy`)).body
    expect(second).toMatchObject({ externalId: null, banners: [{ externalId: 'b-1' }] })
    const third = await ann.call('POST', `${path}/banner/${made.personas[0].banners[0].bid}/copy`)
    expect(third.body.externalId).toBeNull()
    expect((await ann.call('PUT', '/campaign/by-external/o-1', order)).body.cid).toBe(made.cid)
  })
})
