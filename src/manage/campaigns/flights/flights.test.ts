// Tests flights, the dated runs inside a campaign, through the API.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAY_S, newTestCustomer, type TestCustomer } from '../../../../test/support/campaigns.ts'
import { startTestService, type TestService } from '../../../../test/support/service.ts'

let service: TestService
let ann: TestCustomer
beforeAll(async () => {
  service = await startTestService()
  ann = await newTestCustomer(service)
})
afterAll(() => service.close())

/** A campaign, and helpers for its flights in days since its start. */
async function campaign() {
  const made = await ann.newCampaign()
  const base = `/campaign/${made.cid}/flight`
  const days = (from: number, to: number) => ({
    start: made.start + from * DAY_S,
    end: made.start + to * DAY_S,
  })
  const post = (from: number, to: number) => ann.call('POST', base, { name: 'Week', ...days(from, to) })
  const list = async () => (await ann.call('GET', base)).body
  return { ...made, base, days, post, list }
}

describe('the born flight', () => {
  it('is there from the start, spans the campaign and follows its dates', async () => {
    const { cid, start, end, base, list } = await campaign()
    const [born, ...others] = await list()
    expect(others).toEqual([])
    expect(born).toMatchObject({ cid, start, end, default: true, name: expect.any(String) })
    const before = await ann.call('GET', `${base}/${born.fid}`)
    expect(before.body).toEqual(born)
    await ann.call('PUT', `/campaign/${cid}`, { end: end + 5 })
    const after = await ann.call('GET', `${base}/${born.fid}`)
    expect(after.body).toMatchObject({ start, end: end + 5 })
    expect(after.headers.etag).not.toBe(before.headers.etag)
  })

  it('can be neither edited nor deleted (409)', async () => {
    const { base, list } = await campaign()
    const [born] = await list()
    expect((await ann.call('PUT', `${base}/${born.fid}`, { name: 'Mine' })).status).toBe(409)
    expect((await ann.call('DELETE', `${base}/${born.fid}`)).status).toBe(409)
    expect(await list()).toEqual([born])
  })

  it('stays listed beside own flights, and delivers again when the last of them is deleted', async () => {
    const { cid, base, post, list } = await campaign()
    const status = async () => (await ann.call('GET', `/campaign/${cid}`)).body.status
    expect(await status()).toBe('incomplete')
    const { body: later } = await post(10, 12)
    expect(await status()).toBe('scheduled')
    expect((await list()).map((flight: { default: boolean }) => flight.default)).toEqual([true, false])
    await ann.call('DELETE', `${base}/${later.fid}`)
    expect(await status()).toBe('incomplete')
    expect(await list()).toHaveLength(1)
  })
})

describe('own flights', () => {
  it('are created (201), listed, read, edited and deleted', async () => {
    const { cid, base, days, post, list } = await campaign()
    const made = await post(1, 2)
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      fid: expect.any(Number),
      cid,
      name: 'Week',
      ...days(1, 2),
      totalSpend: null,
      default: false,
      created: expect.any(Number),
      updated: made.body.created,
    })
    const path = `${base}/${made.body.fid}`
    expect((await ann.call('GET', path)).headers.etag).toBe(made.headers.etag)
    const edited = await ann.call('PUT', path, { name: ' Opening ', end: days(1, 3).end })
    expect(edited).toMatchObject({ status: 200, body: { name: 'Opening', ...days(1, 3) } })
    expect((await list()).at(-1)).toEqual(edited.body)
    const gone = await ann.call('DELETE', path)
    expect(gone).toMatchObject({ status: 200, body: { fid: made.body.fid, deleted: true } })
    expect((await ann.call('GET', path)).status).toBe(404)
    expect((await ann.call('DELETE', path)).status).toBe(404)
  })

  it('honour if-match', async () => {
    const { base, post } = await campaign()
    const { body, headers } = await post(1, 2)
    const path = `${base}/${body.fid}`
    const match = { 'if-match': headers.etag! }
    expect((await ann.call('PUT', path, { name: 'a' }, match)).status).toBe(200)
    expect((await ann.call('PUT', path, { name: 'b' }, match)).status).toBe(412)
    expect((await ann.call('DELETE', path, undefined, match)).status).toBe(412)
  })

  it('must be inside the dates of the campaign (400 that names the field)', async () => {
    const { base, days, post } = await campaign()
    const cases: [number, number, string[]][] = [
      [-1, 2, ['/start']],
      [1, 99, ['/end']],
      [-3, -1, ['/start', '/end']],
      [98, 99, ['/start', '/end']],
      [2, 2, ['/end']],
      [3, 2, ['/end']],
    ]
    for (const [from, to, paths] of cases) {
      const answer = await post(from, to)
      expect(answer.status).toBe(400)
      expect(answer.body.errors.map((error: { path: string }) => error.path)).toEqual(paths)
    }
    const { body } = await post(1, 2)
    const edited = await ann.call('PUT', `${base}/${body.fid}`, { end: days(0, 99).end })
    expect(edited.body.errors[0].path).toBe('/end')
    expect((await ann.call('PUT', `${base}/${body.fid}`, { start: body.end })).body.errors[0].path).toBe(
      '/start',
    )
  })

  it('never overlap (409 that names the other), but may touch', async () => {
    const { base, days, post } = await campaign()
    const { body: first } = await post(2, 4)
    for (const [from, to] of [
      [2, 4],
      [1, 3],
      [3, 5],
      [2.5, 3],
      [1, 5],
    ] as const) {
      const answer = await post(from, to)
      expect(answer.status).toBe(409)
      expect(answer.body.message).toContain(`flight ${first.fid} "Week"`)
    }
    expect((await post(0, 2)).status).toBe(201)
    const { body: next } = await post(4, 6)
    const path = `${base}/${next.fid}`
    expect((await ann.call('PUT', path, { start: days(3, 6).start })).status).toBe(409)
    expect((await ann.call('PUT', path, { start: days(5, 6).start })).status).toBe(200)
    await ann.call('DELETE', `${base}/${first.fid}`)
    expect((await post(2, 5)).status).toBe(201)
  })

  it.each([
    [{ name: undefined }, '/name'],
    [{ start: undefined }, '/start'],
    [{ end: null }, '/end'],
    [{ name: '' }, '/name'],
    [{ default: true }, '/default'],
    [{ fid: 3 }, '/fid'],
  ])('refuse %j with 400 and name the field', async (fields, path) => {
    const { base, days } = await campaign()
    const answer = await ann.call('POST', base, { name: 'x', ...days(1, 2), ...fields })
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].path).toBe(path)
  })

  it('are found only under their own campaign', async () => {
    const one = await campaign()
    const two = await campaign()
    const { body } = await one.post(1, 2)
    for (const path of [`${two.base}/${body.fid}`, `${one.base}/abc`, `${one.base}/${one.cid}`]) {
      expect((await ann.call('GET', path)).status).toBe(404)
      expect((await ann.call('PUT', path, { name: 'x' })).status).toBe(404)
      expect((await ann.call('DELETE', path)).status).toBe(404)
    }
    const bob = await newTestCustomer(service)
    expect((await bob.call('GET', `${one.base}/${body.fid}`)).status).toBe(404)
    expect((await bob.call('POST', one.base, { name: 'x', ...one.days(3, 4) })).status).toBe(404)
  })

  it('page by limit and after', async () => {
    const { base, post, list } = await campaign()
    for (let day = 0; day < 3; day++) await post(day, day + 1)
    const all = await list()
    const page = await ann.call('GET', `${base}?limit=2&after=${all[0].fid}`)
    expect(page.body).toEqual(all.slice(1, 3))
    expect(page.headers.link).toContain(`after=${all[2].fid}`)
  })
})

describe('campaign dates and flights together', () => {
  it('an edit of the dates that would leave a flight outside is refused and names the flight', async () => {
    const { cid, post, days } = await campaign()
    const { body: flight } = await post(2, 4)
    for (const edit of [{ start: days(3, 0).start }, { end: days(0, 3).end }, { end: days(0, 1).end }]) {
      const answer = await ann.call('PUT', `/campaign/${cid}`, edit)
      expect(answer.status).toBe(409)
      expect(answer.body.message).toContain(`flight ${flight.fid}`)
    }
    const fitting = { start: flight.start, end: flight.end }
    expect((await ann.call('PUT', `/campaign/${cid}`, fitting)).status).toBe(200)
  })

  it('parallel flights never overlap, and parallel edits of the dates leave none outside', async () => {
    const { cid, end, days, post, list } = await campaign()
    const posts = Array.from({ length: 12 }, (_, i) => post(i / 2, i / 2 + 2))
    const edits = Array.from({ length: 12 }, (_, i) =>
      ann.call('PUT', `/campaign/${cid}`, { end: days(0, 2 + i).end }),
    )
    const answers = await Promise.all([...posts, ...edits])
    for (const { status } of answers) expect([200, 201, 400, 409]).toContain(status)
    const own = (await list())
      .slice(1)
      .sort((a: { start: number }, b: { start: number }) => a.start - b.start)
    expect(own.length).toBeGreaterThan(0)
    const { body: now } = await ann.call('GET', `/campaign/${cid}`)
    expect(now.end).toBeLessThan(end)
    let reachedS = now.start
    for (const flight of own) {
      expect(flight.start).toBeGreaterThanOrEqual(reachedS)
      reachedS = flight.end
    }
    expect(reachedS).toBeLessThanOrEqual(now.end)
  })

  it('leaves an audit row and a catalog row for each change of a flight', async () => {
    const { cid, base, post } = await campaign()
    const { body: flight } = await post(1, 2)
    await ann.call('PUT', `${base}/${flight.fid}`, { name: 'Renamed' })
    await ann.call('PUT', `${base}/${flight.fid}`, { name: 'Renamed' })
    await ann.call('DELETE', `${base}/${flight.fid}`)
    const entries = (await ann.call('GET', `/campaign/${cid}/history`)).body.slice(1)
    expect(entries.map((e: { action: string }) => e.action)).toEqual(['create', 'edit', 'delete'])
    expect(entries[2]).toMatchObject({
      noun: 'flight',
      nounId: flight.fid,
      before: { name: 'Renamed' },
      after: null,
    })
    const changes = await service.db.rows('select 1 from catalog_change where noun = $1 and id = $2', [
      'flight',
      flight.fid,
    ])
    expect(changes).toHaveLength(3)
  })
})
