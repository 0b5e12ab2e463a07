// The API has no surprises: unknown input is refused, and what was read can be sent back.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newTestCustomer, type TestCustomer } from '../../test/support/campaigns.ts'
import { startTestService, type TestPair, type TestService } from '../../test/support/service.ts'

let service: TestService
let ann: TestCustomer
beforeAll(async () => {
  service = await startTestService()
  ann = await newTestCustomer(service)
})
afterAll(() => service.close())

const persona = { name: 'Cyclists', geo: { geos: ['CA'] }, device: { mobile: true } }

describe('query parameters', () => {
  it('an unknown one is refused, and the allowed ones are named', async () => {
    const answer = await ann.call('GET', '/campaign?limt=5')
    expect([answer.status, answer.body.errors]).toMatchObject([
      400,
      [
        {
          path: '?limt',
          message: 'is not a parameter here; allowed: cuid, limit, after, status, q, externalId, deleted',
        },
      ],
    ])
    expect((await service.call('GET', '/customer/1/auth?Passcode=1')).status).toBe(400)
    expect((await service.call('GET', '/healthz?x=1')).body.errors[0].message).toContain('allowed: none')
  })

  it('lists are filtered by status and by text, ignoring case and accents', async () => {
    const bob = await newTestCustomer(service)
    const { cid } = await bob.newCampaign({ name: 'Été à Montréal', externalId: 'x-1' })
    await bob.newCampaign({ name: 'Winter', enabled: false })
    const names = async (query: string) =>
      (await bob.call('GET', `/campaign?${query}`)).body.map((item: { name: string }) => item.name)
    expect(await names('q=MONTREAL')).toEqual(['Été à Montréal'])
    expect(await names('status=paused')).toEqual(['Winter'])
    expect(await names('status=paused&q=ete')).toEqual([])
    expect(await names('externalId=x-1&limit=1')).toEqual(['Été à Montréal'])
    expect((await bob.call('GET', '/campaign?status=gone')).status).toBe(400)
    await bob.call('POST', `/campaign/${cid}/persona`, { ...persona, enabled: false })
    await bob.call('POST', `/campaign/${cid}/persona`, { ...persona, name: 'Others' })
    expect((await bob.call('GET', `/campaign/${cid}/persona?enabled=false`)).body).toMatchObject([
      { name: 'Cyclists' },
    ])
  })
})

it('a cuid beside the customer of a call is ignored if it names the same one, and refused otherwise', async () => {
  const { cuid, key, token } = ann
  const read = (path: string, as?: TestPair) => service.call('GET', path, as ? { as } : {})
  for (const path of [`/customer/${cuid}`, `/customer/${cuid}/credential`, `/customer/${cuid}/member`]) {
    for (const as of [{ key, token }, undefined]) {
      expect([path, (await read(`${path}?cuid=${cuid}`, as)).status]).toEqual([path, 200])
      const other = await read(`${path}?cuid=${cuid + 1}`, as)
      expect([path, other.status, other.body.errors?.[0].code]).toEqual([path, 400, 'unknown_parameter'])
    }
  }
})

it('a body where none is taken is refused by the names of its fields, and an empty one is not', async () => {
  const { cid } = await ann.newCampaign()
  const paths = [`/campaign/${cid}/pause`, `/campaign/${cid}/resume`]
  for (const path of paths) {
    const { status, body } = await ann.call('PUT', path, { enabled: false, reason: 'x' })
    expect([path, status, body.errors?.map((error: { path: string }) => error.path)]).toEqual([
      path,
      400,
      ['/enabled', '/reason'],
    ])
    expect((await ann.call('PUT', path, [1])).status).toBe(400)
    expect((await ann.call('PUT', path, {})).status).toBe(200)
    expect((await ann.call('PUT', path)).status).toBe(200)
  }
  expect((await ann.call('DELETE', `/campaign/${cid}`, { really: true })).status).toBe(400)
  expect((await ann.call('DELETE', `/campaign/${cid}`)).status).toBe(200)
})

it('an address with letters beyond ASCII in its domain is one with that domain in ASCII', async () => {
  const body = { company: 'Bücher', email: 'Ann@Bücher.example' }
  const made = await service.call('POST', '/customer', { body })
  expect([made.status, made.body.email]).toEqual([201, 'Ann@xn--bcher-kva.example'])
  const same = { company: 'Again', email: 'ann@xn--bcher-kva.example' }
  expect((await service.call('POST', '/customer', { body: same })).body.code).toBe('email_taken')
  for (const email of ['ann@bücher.example', 'ann@xn--bcher-kva.example']) {
    const found = await service.call('GET', `/customer?email=${encodeURIComponent(email)}`)
    expect([email, found.body.length]).toEqual([email, 1])
    const auth = await service.call('GET', `/customer/${encodeURIComponent(email)}/auth/nopasscode`)
    expect([email, auth.status]).toEqual([email, 200])
  }
})

it('an app keeps its own id and texts with campaigns, personas and banners, and finds them by these', async () => {
  const bob = await newTestCustomer(service)
  const kept = { externalId: '№ 7 \u{1F6B2}/ä', metadata: { tier: 'gold', 'sales person': '\u{1F6B2}' } }
  const { cid } = await bob.newCampaign(kept)
  const { pid } = (await bob.call('POST', `/campaign/${cid}/persona`, { ...persona, ...kept })).body
  const banners = `/campaign/${cid}/persona/${pid}/banner`
  const image = { creativeURL: 'https://host.invalid/a.png', name: 'Élan' }
  const { bid } = (await bob.call('POST', banners, { ...image, ...kept })).body
  await bob.call('POST', banners, { ...image, name: 'Other' })
  await service.db.run("update banner set status = 'rejected' where bid = $1", [bid])
  for (const [list, id] of [
    ['/campaign', cid],
    [`/campaign/${cid}/persona`, pid],
    [banners, bid],
  ] as const) {
    const path = `${list}/${id}`
    expect((await bob.call('GET', path)).body).toMatchObject(kept)
    for (const query of [`externalId=${encodeURIComponent(kept.externalId)}`, 'q=%E2%84%96+7'])
      expect((await bob.call('GET', `${list}?${query}`)).body).toMatchObject([kept])
    expect((await bob.call('GET', `${list}?externalId=7`)).body).toEqual([])
    for (const [wrong, at] of [
      [{ metadata: { a: 1 } }, '/metadata/a'],
      [{ metadata: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, ''])) }, '/metadata'],
      [{ externalId: 'x'.repeat(256) }, '/externalId'],
    ] as const)
      expect((await bob.call('PUT', path, wrong)).body.errors[0].path).toBe(at)
    const edited = await bob.call('PUT', path, { externalId: null, metadata: { only: 'this' } })
    expect(edited.body).toMatchObject({ externalId: null, metadata: { only: 'this' } })
    expect(edited.body.metadata.tier).toBeUndefined()
  }
  const names = async (query: string) =>
    (await bob.call('GET', `${banners}?${query}`)).body.map((item: { name: string }) => item.name)
  expect(await names('status=rejected')).toEqual(['Élan'])
  expect(await names('status=pending&q=elan')).toEqual([])
  expect(await names('enabled=true&q=OTHER')).toEqual(['Other'])
})

describe('etags', () => {
  it('a malformed one is refused as such, and so is one that would have no effect', async () => {
    const { cid } = await ann.newCampaign()
    const put = (etag: string) => ann.call('PUT', `/campaign/${cid}`, { name: 'n' }, { 'if-match': etag })
    for (const etag of [`${cid}-1`, '"', 'x, "a"']) {
      const answer = await put(etag)
      expect([etag, answer.status, answer.body.code]).toEqual([etag, 400, 'invalid_etag'])
    }
    expect((await put(`W/"${cid}-1"`)).status).toBe(200)
    expect((await put(`"${cid}-1"`)).body.code).toBe('precondition_failed')
    const body = { name: 'n', start: 1, end: 2, dailySpend: 1 }
    const created = await ann.call('POST', '/campaign', body, { 'if-match': '"1-1"' })
    expect([created.status, created.body.code]).toEqual([400, 'if_match_not_honoured'])
  })

  it('if-none-match gives 304 as long as nothing shown has changed', async () => {
    const { cid } = await ann.newCampaign()
    const path = `/campaign/${cid}`
    const { headers } = await ann.call('GET', path)
    const again = () => ann.call('GET', path, undefined, { 'if-none-match': headers.etag! })
    expect(await again()).toMatchObject({ status: 304, text: '', headers: { etag: headers.etag } })
    await ann.call('POST', `${path}/persona`, persona)
    // Its version is the same, but it now lacks something else.
    expect(await again()).toMatchObject({ status: 200, body: { missing: ['no_banner'] } })
  })
})

describe('what GET answers can be PUT back', () => {
  it('for a campaign, flight, persona and banner, and changes nothing', async () => {
    const { cid, start, end } = await ann.newCampaign({ frequency: 3, metadata: { b: '1', a: '2' } })
    const { fid } = await ann.newFlight(cid, { start, end: end - 1 })
    const { pid } = (await ann.call('POST', `/campaign/${cid}/persona`, persona)).body
    const banner = { creativeURL: 'https://host.invalid/a.png', width: 300, height: 250 }
    const { bid } = (await ann.call('POST', `/campaign/${cid}/persona/${pid}/banner`, banner)).body
    await service.db.run("update banner set status = 'approved' where bid = $1", [bid])
    for (const path of [
      `/campaign/${cid}`,
      `/campaign/${cid}/flight/${fid}`,
      `/campaign/${cid}/persona/${pid}`,
      `/campaign/${cid}/persona/${pid}/banner/${bid}`,
    ]) {
      const read = await ann.call('GET', path)
      const back = await ann.call('PUT', path, read.body)
      expect([path, back.status, back.body]).toEqual([path, 200, read.body])
      expect(back.headers.etag).toBe(read.headers.etag)
      const wrong = await ann.call('PUT', path, { ...read.body, created: 1 })
      expect([wrong.status, wrong.body.errors[0].path]).toEqual([400, '/created'])
    }
  })

  it('for a customer, its email preferences and a webhook, and changes nothing', async () => {
    const app = service.call
    const own = (method: string, path: string, options = {}) => app(method, path, { as: ann, ...options })
    const { wid } = (await app('POST', '/webhook', { body: { url: 'https://app.example/a', events: [] } }))
      .body
    for (const [call, path] of [
      [app, `/customer/${ann.cuid}`],
      [own, `/customer/${ann.cuid}`],
      [own, `/customer/${ann.cuid}/mails`],
      [app, `/webhook/${wid}`],
    ] as const) {
      const read = await call('GET', path)
      const back = await call('PUT', path, { body: read.body })
      expect([path, back.status, back.body]).toEqual([path, 200, read.body])
      expect(back.headers.etag).toBe(read.headers.etag)
      const wrong = await call('PUT', path, {
        body: { ...read.body, [path.includes('webhook') ? 'wid' : 'cuid']: 1 },
      })
      expect([path, wrong.status, wrong.body.errors[0].message]).toEqual([
        path,
        400,
        expect.stringContaining('read-only'),
      ])
    }
  })

  it('with one of the two names of the cap changed', async () => {
    const { cid } = await ann.newCampaign({ frequency: 3 })
    const read = (await ann.call('GET', `/campaign/${cid}`)).body
    expect(read).toMatchObject({ freq: 3, frequency: 3 })
    expect((await ann.call('PUT', `/campaign/${cid}`, { ...read, frequency: 5 })).body.freq).toBe(5)
    const now = (await ann.call('GET', `/campaign/${cid}`)).body
    expect((await ann.call('PUT', `/campaign/${cid}`, { ...now, freq: 7 })).body.frequency).toBe(7)
  })
})

it('amounts with floating-point noise are read as meant, wherever they are sent; a third decimal is refused', async () => {
  const { cid } = await ann.newCampaign({ dailySpend: 0.1 + 0.2, cpm: 2.1399999999999997 })
  const path = `/campaign/${cid}`
  expect((await ann.call('GET', path)).body).toMatchObject({ dailySpend: 0.3, cpm: 2.14 })
  // Floats of this size are further apart than those of small amounts, so the noise is larger.
  const large = 10_000_000.1 + 0.2
  expect(large).not.toBe(10_000_000.3)
  expect((await ann.call('PUT', path, { dailySpend: large })).body.dailySpend).toBe(10_000_000.3)
  const bulk = (edit: object) =>
    ann.call('POST', '/bulk', { operations: [{ op: 'editCampaign', cid, body: edit }] })
  expect((await bulk({ dailySpend: 1.1 * 3, cpm: 1.1 + 2.2 })).body.results[0]).toMatchObject({
    answer: { dailySpend: 3.3, cpm: 3.3 },
  })
  const { start, end } = (await ann.call('GET', path)).body
  const order = { name: 'n', start, end, dailySpend: 0.7 + 0.1, cpm: 0.7 + 0.1, personas: [persona] }
  expect((await ann.call('POST', '/campaign', order)).body).toMatchObject({ dailySpend: 0.8, cpm: 0.8 })
  for (const wrong of [{ dailySpend: 0.301 }, { cpm: 2.1399 }, { dailySpend: 10_000_000.301 }])
    expect((await ann.call('PUT', path, wrong)).body.errors[0].message).toBe('must have at most 2 decimals')
})

it('a place that our tables do not know is kept, with a warning, a suggestion and an issue', async () => {
  const bob = await newTestCustomer(service)
  const { cid } = await bob.newCampaign()
  const body = { ...persona, geo: { geos: ['CA-ON-Toronto', 'ca-on-Tornto'] } }
  const made = await bob.call('POST', `/campaign/${cid}/persona`, body)
  expect(made.status).toBe(201)
  expect(made.body.geo.geos).toEqual(['CA-ON-Toronto', 'CA-ON-Tornto'])
  expect(made.body.warnings).toEqual([
    {
      path: '/geo/geos/1',
      code: 'city_mistyped',
      params: { place: 'CA-ON-Tornto', suggestion: 'CA-ON-Toronto' },
      message: expect.stringContaining('Tornto'),
      suggestion: 'CA-ON-Toronto',
    },
  ])
  const issues = (await bob.call('GET', '/issues')).body
  expect(issues).toContainEqual(
    expect.objectContaining({
      code: 'place_unknown',
      pid: made.body.pid,
      reasons: [expect.stringContaining('did you mean CA-ON-Toronto?')],
    }),
  )
  const path = `/campaign/${cid}/persona/${made.body.pid}`
  expect((await bob.call('PUT', path, { geo: { geos: ['CA-ON-Toronto'] } })).body.warnings).toEqual([])
})
