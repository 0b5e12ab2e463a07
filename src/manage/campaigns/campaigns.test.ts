// Tests the campaigns table of the specification (section 4) and the decisions on it through the API.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAY_S, HOUR_S, newTestCustomer, type TestCustomer } from '../../../test/support/campaigns.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { calendarOf } from '../../kernel/time/day.ts'
import { findCampaign, listCampaigns, show } from './campaigns.ts'

let service: TestService
let ann: TestCustomer
beforeAll(async () => {
  service = await startTestService()
  ann = await newTestCustomer(service)
})
afterAll(() => service.close())

const nowS = () => Math.floor(service.clock.nowMs() / 1000)
const valid = () => ({ name: 'Bikes', start: nowS(), end: nowS() + DAY_S, dailySpend: 100 })

function refusal(answer: { status: number; body: { errors?: { path: string }[] } }) {
  return [answer.status, answer.body.errors?.map(error => error.path)]
}

describe('creating', () => {
  it('answers 201 with the id, the whole object and its etag', async () => {
    const body = { ...valid(), frequency: 3, dailySpend: 250.55, cpm: 2.4, category: ['IAB17-3', 'IAB2'] }
    const answer = await ann.call('POST', '/campaign', { ...body, name: '  Spring bikes ', pacing: 'asap' })
    expect(answer.status).toBe(201)
    expect(answer.headers.etag).toMatch(`"${answer.body.cid}-1.`)
    expect(answer.body).toEqual({
      cid: expect.any(Number),
      cuid: ann.cuid,
      start: body.start,
      end: body.end,
      name: 'Spring bikes',
      enabled: true,
      freq: 3,
      frequency: 3,
      dailySpend: 250.55,
      monthlySpend: null,
      totalSpend: null,
      cpm: 2.4,
      pricing: 'cpm',
      cpc: null,
      category: ['IAB17-3', 'IAB2'],
      pacing: 'asap',
      hours: null,
      clickParameters: null,
      sites: null,
      status: 'incomplete',
      resumes: null,
      spentBy: null,
      missing: ['no_persona'],
      externalId: null,
      metadata: {},
      created: expect.any(Number),
      updated: answer.body.created,
    })
    const read = await ann.call('GET', `/campaign/${answer.body.cid}`)
    expect(read).toMatchObject({ status: 200, body: answer.body })
    expect(read.headers.etag).toBe(answer.headers.etag)
  })

  it('fills in what is not given, and treats null as not given', async () => {
    const defaults = { enabled: true, freq: 0, cpm: 2, category: [], pacing: 'even' }
    const nulls = { frequency: null, freq: null, enabled: null, cpm: null, category: null, pacing: null }
    expect(await ann.newCampaign()).toMatchObject(defaults)
    expect(await ann.newCampaign(nulls)).toMatchObject(defaults)
    expect(await ann.newCampaign({ enabled: false })).toMatchObject({ enabled: false, status: 'paused' })
  })

  it('accepts frequency and freq as two names of one field', async () => {
    expect((await ann.newCampaign({ freq: 4 })).freq).toBe(4)
    expect((await ann.newCampaign({ frequency: 4, freq: 4 })).freq).toBe(4)
    expect((await ann.newCampaign({ frequency: null, freq: 4 })).freq).toBe(4)
    const both = await ann.call('POST', '/campaign', { ...valid(), frequency: 4, freq: 5 })
    expect(refusal(both)).toEqual([400, ['/freq']])
  })

  it.each([
    [{ name: undefined }, '/name'],
    [{ start: undefined }, '/start'],
    [{ end: undefined }, '/end'],
    [{ dailySpend: undefined }, '/dailySpend'],
    [{ name: null }, '/name'],
    [{ dailySpend: null }, '/dailySpend'],
    [{ name: ' \t ' }, '/name'],
    [{ name: 'x'.repeat(256) }, '/name'],
    [{ name: 'a\u0000b' }, '/name'],
    [{ start: 1.5 }, '/start'],
    [{ start: '1790000000' }, '/start'],
    [{ start: -1 }, '/start'],
    [{ dailySpend: 0 }, '/dailySpend'],
    [{ dailySpend: 0.001 }, '/dailySpend'],
    [{ dailySpend: 1.005 }, '/dailySpend'],
    [{ dailySpend: 1_000_000_000.01 }, '/dailySpend'],
    [{ dailySpend: '10' }, '/dailySpend'],
    [{ frequency: -1 }, '/frequency'],
    [{ frequency: 1.5 }, '/frequency'],
    [{ frequency: 1_000_001 }, '/frequency'],
    [{ enabled: 1 }, '/enabled'],
    [{ cpm: 0 }, '/cpm'],
    [{ cpm: 2.001 }, '/cpm'],
    [{ pacing: 'slow' }, '/pacing'],
    [{ category: 'IAB1' }, '/category'],
    [{ category: ['IAB1', 'IAB99'] }, '/category/1'],
    [{ category: ['iab1'] }, '/category/0'],
    [{ cid: 7 }, '/cid'],
    [{ status: 'running' }, '/status'],
    [{ created: 1 }, '/created'],
    [{ budget: 7 }, '/budget'],
  ])('refuses %j with 400 and names the field', async (fields, path) => {
    const answer = await ann.call('POST', '/campaign', { ...valid(), ...fields })
    expect(refusal(answer)).toEqual([400, [path]])
  })

  it('keeps amounts at both ends of the range exact to the cent', async () => {
    for (const dailySpend of [0.01, 0.29, 1.1, 4.35, 1_000_000_000, 999_999_999.99]) {
      expect((await ann.newCampaign({ dailySpend })).dailySpend).toBe(dailySpend)
    }
  })

  it('counts the characters of a name, not bytes or surrogates', async () => {
    expect((await ann.newCampaign({ name: '🚲'.repeat(255) })).name).toBe('🚲'.repeat(255))
  })

  it('refuses a start that is not before the end, and an end that is not in the future', async () => {
    const at = nowS()
    const post = (start: number, end: number) => ann.call('POST', '/campaign', { ...valid(), start, end })
    expect(refusal(await post(at + 100, at + 100))).toEqual([400, ['/end']])
    expect(refusal(await post(at + 100, at + 50))).toEqual([400, ['/end']])
    expect(refusal(await post(at - 100, at - 10))).toEqual([400, ['/end']])
    expect((await post(at - 100, at + 100)).status).toBe(201)
  })

  it('reports wrong dates beside the other wrong fields', async () => {
    const { start, end } = valid()
    const { cid } = await ann.newCampaign()
    const fields = { name: '', start: end, end: start }
    const paths = async (path: string, body: object) => {
      const answer = refusal(await ann.call('POST', path, body))
      return [answer[0], (answer[1] as string[]).sort()]
    }
    expect(await paths('/campaign', { ...valid(), ...fields, cpm: 0 })).toEqual([
      400,
      ['/cpm', '/end', '/name'],
    ])
    expect(await paths(`/campaign/${cid}/flight`, fields)).toEqual([400, ['/end', '/name']])
    const rules = { ...valid(), start: 0, end: 1, category: ['X'], frequency: 1, freq: 2 }
    expect(await paths('/campaign', rules)).toEqual([400, ['/category/0', '/end', '/freq']])
  })

  it('says that milliseconds look like milliseconds', async () => {
    const answer = await ann.call('POST', '/campaign', { ...valid(), end: Date.now() + 1e6 })
    expect(refusal(answer)).toEqual([400, ['/end']])
    expect(answer.body.message).toContain('milliseconds')
  })

  it('creates one campaign for two POSTs with the same idempotency key', async () => {
    const body = valid()
    const first = await ann.call('POST', '/campaign', body, { 'idempotency-key': 'same' })
    const again = await ann.call('POST', '/campaign', body, { 'idempotency-key': 'same' })
    expect(again.body).toEqual(first.body)
    expect(again.headers.etag).toBe(first.headers.etag)
  })
})

describe('reading', () => {
  it('lists the customer’s campaigns oldest first, in pages on request', async () => {
    const bob = await newTestCustomer(service)
    expect((await bob.call('GET', '/campaign')).body).toEqual([])
    const cids: number[] = []
    for (let i = 0; i < 5; i++) cids.push((await bob.newCampaign({ name: `c${i}` })).cid)
    const all = await bob.call('GET', '/campaign')
    expect(all.body.map((campaign: { cid: number }) => campaign.cid)).toEqual(cids)
    expect(all.body[3]).toEqual((await bob.call('GET', `/campaign/${cids[3]}`)).body)
    const page = await bob.call('GET', `/campaign?limit=2&after=${cids[0]}`)
    expect(page.body.map((campaign: { cid: number }) => campaign.cid)).toEqual(cids.slice(1, 3))
    expect(page.headers.link).toContain(`after=${cids[2]}`)
    expect((await bob.call('GET', `/campaign?limit=2&after=${cids[2]}`)).headers.link).toBeUndefined()
    expect((await bob.call('GET', '/campaign?limit=0')).status).toBe(400)
  })

  it('answers 404 for anything that is not an id, does not exist or belongs to another customer', async () => {
    const bob = await newTestCustomer(service)
    const { cid } = await bob.newCampaign()
    const paths = [
      `/campaign/${cid}`,
      '/campaign/999999999',
      '/campaign/abc',
      '/campaign/0x1',
      '/campaign/-1',
    ]
    for (const path of paths) {
      expect((await ann.call('GET', path)).status).toBe(404)
      expect((await ann.call('PUT', path, { name: 'mine' })).status).toBe(404)
      expect((await ann.call('PUT', `${path}/pause`)).status).toBe(404)
      expect((await ann.call('DELETE', path)).status).toBe(404)
      expect((await ann.call('GET', `${path}/history`)).status).toBe(404)
    }
    expect((await bob.call('GET', `/campaign/${cid}`)).body.name).toBe('Bikes')
  })

  it('finds the resource before it looks at the body', async () => {
    expect((await ann.call('PUT', '/campaign/999999999', { nonsense: true })).status).toBe(404)
  })
})

describe('editing', () => {
  it('changes only the supplied fields', async () => {
    const made = await ann.newCampaign({ frequency: 2, category: ['IAB1'], cpm: 3, pacing: 'asap' })
    service.clock.advance(2000)
    const path = `/campaign/${made.cid}`
    const answer = await ann.call('PUT', path, { name: ' New ', frequency: 7 })
    expect(answer.status).toBe(200)
    const { updated, ...rest } = answer.body
    expect(rest).toEqual({ ...made, name: 'New', freq: 7, frequency: 7, updated: undefined })
    expect(updated).toBeGreaterThan(made.updated)
    const dates = { start: made.start + 1, end: made.end + 1 }
    expect((await ann.call('PUT', path, { ...dates, dailySpend: 0.07, freq: 1 })).body).toMatchObject({
      ...dates,
      dailySpend: 0.07,
      freq: 1,
      name: 'New',
    })
  })

  it('resets an optional field to its default with null, and refuses null for the others', async () => {
    const made = await ann.newCampaign({ frequency: 2, category: ['IAB1'], cpm: 3, pacing: 'asap' })
    const path = `/campaign/${made.cid}`
    const nulls = { frequency: null, cpm: null, category: null, pacing: null }
    const cleared = { freq: 0, cpm: 2, category: [], pacing: 'even' }
    expect((await ann.call('PUT', path, nulls)).body).toMatchObject(cleared)
    for (const field of ['name', 'start', 'end', 'dailySpend']) {
      expect(refusal(await ann.call('PUT', path, { [field]: null }))).toEqual([400, [`/${field}`]])
    }
    const other = await ann.newCampaign({ frequency: 2 })
    const both = { frequency: null, freq: 3 }
    expect(refusal(await ann.call('PUT', `/campaign/${other.cid}`, both))).toEqual([400, ['/freq']])
  })

  it('with enabled pauses and resumes, beside other fields too, and null says nothing', async () => {
    const { cid } = await ann.newCampaign()
    const put = async (body: object) => (await ann.call('PUT', `/campaign/${cid}`, body)).body
    expect(await put({ enabled: false, name: 'Off' })).toMatchObject({
      enabled: false,
      status: 'paused',
      name: 'Off',
    })
    expect(await put({ enabled: null, name: 'On' })).toMatchObject({ enabled: false })
    expect(await put({ enabled: false })).toMatchObject({ enabled: false })
    expect(await put({ enabled: true })).toMatchObject({ enabled: true })
    const history = (await ann.call('GET', `/campaign/${cid}/history`)).body
    const actions = history.map((entry: { action: string }) => entry.action)
    expect(actions).toEqual(['create', 'edit', 'pause', 'edit', 'resume'])
    expect(refusal(await ann.call('PUT', `/campaign/${cid}`, { enabled: 1 }))).toEqual([400, ['/enabled']])
  })

  it('refuses read-only and unknown fields by name', async () => {
    const { cid } = await ann.newCampaign()
    for (const field of ['cid', 'cuid', 'status', 'created', 'updated', 'daily_spend']) {
      expect(refusal(await ann.call('PUT', `/campaign/${cid}`, { [field]: 1 }))).toEqual([400, [`/${field}`]])
    }
  })

  it('may set the end into the past, which ends the campaign, but never before its start', async () => {
    const { cid, start, end } = await ann.newCampaign()
    const put = (body: object) => ann.call('PUT', `/campaign/${cid}`, body)
    expect(refusal(await put({ end: start }))).toEqual([400, ['/end']])
    expect(refusal(await put({ start: end }))).toEqual([400, ['/start']])
    expect((await put({ end: start + 1 })).body).toMatchObject({ end: start + 1, status: 'ended' })
  })

  it('changes nothing, not even the etag, if nothing differs', async () => {
    const made = await ann.newCampaign()
    service.clock.advance(2000)
    const answer = await ann.call('PUT', `/campaign/${made.cid}`, { name: made.name, frequency: made.freq })
    expect(answer.body).toEqual(made)
    expect((await ann.call('PUT', `/campaign/${made.cid}`, {})).headers.etag).toMatch(`"${made.cid}-1.`)
    expect((await ann.call('GET', `/campaign/${made.cid}/history`)).body).toHaveLength(1)
  })

  it('honours if-match on every write', async () => {
    const { cid } = await ann.newCampaign()
    const stale = { 'if-match': `"${cid}-1"` }
    const path = `/campaign/${cid}`
    const edited = await ann.call('PUT', path, { name: 'Second' }, stale)
    expect(edited.status).toBe(200)
    const late = await ann.call('PUT', path, { name: 'Third' }, stale)
    expect(late.status).toBe(412)
    expect(late.headers.etag).toBe(`"${cid}-2"`)
    expect((await ann.call('PUT', `${path}/pause`, undefined, stale)).status).toBe(412)
    expect((await ann.call('DELETE', path, undefined, stale)).status).toBe(412)
    expect((await ann.call('GET', path)).body).toMatchObject({ name: 'Second', enabled: true })
    const current = { 'if-match': edited.headers.etag! }
    expect((await ann.call('DELETE', path, undefined, current)).status).toBe(200)
  })

  it('loses none of 50 parallel edits', async () => {
    const { cid } = await ann.newCampaign()
    const fields = ['name', 'frequency', 'dailySpend', 'cpm', 'end'] as const
    const edits = Array.from({ length: 50 }, (_, i) => {
      const field = fields[i % fields.length]!
      const value = field === 'name' ? `n${i}` : field === 'end' ? nowS() + DAY_S + i : i + 1
      return { [field]: value }
    })
    const answers = await Promise.all(edits.map(edit => ann.call('PUT', `/campaign/${cid}`, edit)))
    expect(answers.map(answer => answer.status)).toEqual(edits.map(() => 200))
    const history = (await ann.call('GET', `/campaign/${cid}/history`)).body.slice(1)
    expect(history).toHaveLength(50)
    // Each edit saw what the one before it left: the audit is one unbroken chain that ends in what a read returns.
    for (let i = 1; i < history.length; i++) expect(history[i].before).toEqual(history[i - 1].after)
    const { body, headers } = await ann.call('GET', `/campaign/${cid}`)
    expect(body).toMatchObject(history.at(-1).after)
    expect(headers.etag).toMatch(`"${cid}-51.`)
    for (const field of ['freq', 'dailySpend', 'cpm', 'name', 'end']) {
      const values = edits
        .map(edit => edit[field === 'freq' ? 'frequency' : field])
        .filter(v => v !== undefined)
      expect(values).toContain(body[field])
    }
  })
})

describe('pause, resume, delete', () => {
  it('pauses and resumes, each idempotent and answered with the campaign', async () => {
    const made = await ann.newCampaign()
    const path = `/campaign/${made.cid}`
    const paused = await ann.call('PUT', `${path}/pause`)
    expect(paused).toMatchObject({ status: 200, body: { cid: made.cid, enabled: false, status: 'paused' } })
    const again = await ann.call('PUT', `${path}/pause`)
    expect(again.body).toEqual(paused.body)
    expect(again.headers.etag).toBe(paused.headers.etag)
    expect((await ann.call('PUT', `${path}/resume`)).body).toMatchObject({
      enabled: true,
      status: 'incomplete',
    })
    expect((await ann.call('PUT', `${path}/resume/`)).status).toBe(200)
    const actions = (await ann.call('GET', `${path}/history`)).body.map((e: { action: string }) => e.action)
    expect(actions).toEqual(['create', 'pause', 'resume'])
  })

  it('deletes: the answer has the id, then the campaign is gone from every endpoint', async () => {
    const { cid } = await ann.newCampaign()
    const path = `/campaign/${cid}`
    expect(await ann.call('DELETE', path)).toMatchObject({ status: 200, body: { cid, deleted: true } })
    for (const [method, at] of [
      ['GET', path],
      ['DELETE', path],
      ['PUT', path],
      ['PUT', `${path}/resume`],
      ['GET', `${path}/flight`],
      ['POST', `${path}/flight`],
      ['GET', `${path}/history`],
    ] as const) {
      const body = method === 'GET' ? undefined : {}
      expect((await ann.call(method, at, body)).status, `${method} ${at}`).toBe(404)
    }
    const left = (await ann.call('GET', '/campaign')).body.map((campaign: { cid: number }) => campaign.cid)
    expect(left).not.toContain(cid)
  })

  it('lets just one of two parallel deletions succeed', async () => {
    const { cid } = await ann.newCampaign()
    const answers = await Promise.all([1, 2].map(() => ann.call('DELETE', `/campaign/${cid}`)))
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 404])
  })
})

describe('status', () => {
  it('follows the clock: scheduled, its time, ended; and paused comes before scheduled', async () => {
    const { cid } = await ann.newCampaign({ start: nowS() + HOUR_S, end: nowS() + 2 * HOUR_S })
    const status = async () => (await ann.call('GET', `/campaign/${cid}`)).body.status
    expect(await status()).toBe('scheduled')
    await ann.call('PUT', `/campaign/${cid}/pause`)
    expect(await status()).toBe('paused')
    await ann.call('PUT', `/campaign/${cid}/resume`)
    service.clock.advance(HOUR_S * 1000 + 1000)
    expect(await status()).toBe('incomplete')
    service.clock.advance(HOUR_S * 1000)
    expect(await status()).toBe('ended')
    await ann.call('PUT', `/campaign/${cid}/pause`)
    expect(await status()).toBe('ended')
  })
})

it('a campaign that has used up its daily budget is shown as spent everywhere', async () => {
  const bob = await newTestCustomer(service)
  const { cid } = await bob.newCampaign({ dailySpend: 5 })
  const { cid: other } = await bob.newCampaign()
  const parts = {
    clock: service.clock,
    defaultCpmMicros: 2_000_000,
    calendar: calendarOf('UTC'),
  }
  const { key } = calendarOf('UTC').dayAt(service.clock.nowMs())
  await service.db.run(
    'insert into share (day, cid, node_id, granted_micros, billed_micros) values ($1, $2, 0, 5000000, 5000000)',
    [key, cid],
  )
  const listed = await listCampaigns(service.db, { ...parts, cuid: bob.cuid }, { after: 0, limit: 10 })
  expect(listed.map(campaign => [campaign.cid, campaign.status])).toEqual([
    [cid, 'spent'],
    [other, 'incomplete'],
  ])
  const found = await findCampaign(service.db, bob, { cid })
  expect((await show(service.db, parts, found)).campaign.status).toBe('spent')
})
