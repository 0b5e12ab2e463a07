// Pairs can be listed and revoked, a refusal says what happened to a pair, and a deleted customer can be restored.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../test/support/console.ts'
import { startTestService, type TestPair, type TestService } from '../../../test/support/service.ts'
import { DAY_MS } from '../../kernel/time/units.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const nowS = () => Math.floor(service.clock.nowMs() / 1000)
const codeFor = async (as: TestPair, cuid: number) => {
  const answer = await service.call('GET', `/customer/${cuid}`, { as })
  return answer.status === 200 ? 'ok' : answer.body.code
}

const UNLIMITED = {
  agent: null,
  name: null,
  scope: 'all',
  cids: null,
  ceilings: null,
  created: expect.any(Number),
  createdBy: null,
}

describe('a limited pair', () => {
  const made = (path: string, as: TestPair, body?: object) => service.call('POST', path, { as, body })
  const order = (more: object = {}) => ({
    name: 'c',
    start: nowS(),
    end: nowS() + 86_400 * 30,
    dailySpend: 10,
    ...more,
  })

  it('is listed with its purpose, its rights and who made it', async () => {
    const ann = await service.newCustomer()
    const path = `/customer/${ann.cuid}/credential`
    const expires = nowS() + 3600
    const { status, body } = await made(path, ann, { name: 'Sync', scope: 'propose', expires })
    expect([status, body.name, body.scope, body.cids, body.expires]).toEqual([
      201,
      'Sync',
      'propose',
      null,
      expires,
    ])
    await service.call('POST', path, { body: { scope: 'read' } })
    const listed = (await service.call('GET', path, { as: body })).body.slice(1)
    expect(listed).toMatchObject([
      {
        key: body.key,
        name: 'Sync',
        scope: 'propose',
        expires,
        createdBy: ann.key,
        lastUsed: expect.any(Number),
      },
      { scope: 'read', createdBy: 'app', lastUsed: null, byApp: true },
    ])
    service.clock.advance(3_601_000)
    expect(await codeFor(body, ann.cuid)).toBe('credentials_expired')
  })

  it.each([
    [{ scope: 'most' }, '/scope', 'not_an_option'],
    [{ expires: 1 }, '/expires', 'not_in_the_future'],
    [{ expires: 4_000_000_000 }, '/expires', 'too_large'],
    [{ scope: 'spend', cids: [999_999_999] }, '/cids/0', 'no_such_campaign'],
    [{ scope: 'spend', cids: [] }, '/cids', 'too_few_entries'],
  ])('%j is refused at its field', async (body, path, code) => {
    const ann = await service.newCustomer()
    const answer = await made(`/customer/${ann.cuid}/credential`, ann, body)
    expect([answer.status, answer.body.errors?.[0]]).toMatchObject([400, { path, code }])
  })

  it('cannot have the scope all and be limited to some campaigns: it could make itself another pair', async () => {
    const ann = await service.newCustomer()
    const { cid } = (await made(`/campaign?cuid=${ann.cuid}`, ann, order())).body
    const { body } = await made(`/customer/${ann.cuid}/credential`, ann, { cids: [cid] })
    expect(body.errors[0]).toMatchObject({ path: '/cids', code: 'not_together' })
  })

  it('with the scope propose cannot make any change that costs more', async () => {
    const ann = await service.newCustomer()
    const at = (path: string) => `${path}?cuid=${ann.cuid}`
    const running = (await made(at('/campaign'), ann, order())).body
    const paused = (await made(at('/campaign'), ann, order({ enabled: false }))).body
    const gone = (await made(at('/campaign'), ann, order())).body
    await service.call('DELETE', at(`/campaign/${gone.cid}`), { as: ann })
    const as: TestPair = (await made(`/customer/${ann.cuid}/credential`, ann, { scope: 'propose' })).body
    const own = `/campaign/${running.cid}`
    const state = async () => (await service.call('GET', at('/campaign'), { as: ann })).body
    const before = await state()
    const flight = { name: 'f', start: running.start, end: running.start + 86_400 }
    const dearer: [string, string, object?][] = [
      ['POST', '/campaign', order()],
      ['POST', '/campaign', order({ personas: [] })],
      ['PUT', own, { dailySpend: 10.01 }],
      ['PUT', own, { cpm: running.cpm + 0.01 }],
      ['PUT', own, { pricing: 'cpc', cpc: 0.1 }],
      ['PUT', own, { end: running.end + 1 }],
      ['PUT', `/campaign/${paused.cid}/resume`],
      ['PUT', '/campaign/by-external/new-1', order()],
      ['POST', `/campaign/${gone.cid}/restore`],
      ['POST', `${own}/copy`, { enabled: true }],
      ['POST', `${own}/flight`, flight],
    ]
    for (const [method, path, body] of dearer) {
      const answer = await service.call(method, at(path), { as, body })
      const { status, createdBy } = answer.body.proposal ?? {}
      expect([path, body, answer.status, status, createdBy]).toEqual([path, body, 202, 'pending', as.key])
    }
    const operations = [
      { op: 'editCampaign', cid: running.cid, body: { dailySpend: 11 } },
      { op: 'editCampaign', cid: running.cid, body: { name: 'renamed' } },
      { op: 'resumeCampaign', cid: paused.cid },
      { op: 'editCampaign', cid: paused.cid, body: { dailySpend: 500 } },
      { op: 'createCampaign', body: order() },
    ]
    const whole = await service.call('POST', at('/bulk'), { as, body: { operations } })
    expect([whole.status, whole.body.proposal.cids]).toEqual([202, [running.cid, paused.cid]])
    expect(await state()).toEqual(before)
    const some = [operations[1], operations[3]]
    const applied = await service.call('POST', at('/bulk'), { as, body: { operations: some } })
    expect(applied.body).toMatchObject({ applied: true, failed: 0 })
    expect(await state()).toMatchObject([
      { name: 'renamed', dailySpend: 10 },
      { enabled: false, dailySpend: 500 },
    ])
    const free: [string, string, object?][] = [
      ['PUT', own, { name: 'again', dailySpend: 9, end: running.end - 1 }],
      ['POST', '/campaign', order({ enabled: false })],
      ['PUT', `${own}/pause`],
      ['PUT', `/customer/${ann.cuid}`, { phone: '1' }],
    ]
    for (const [method, path, body] of free) {
      const url = path.startsWith('/customer') ? path : at(path)
      const answer = await service.call(method, url, { as, body })
      expect([path, answer.status < 300]).toEqual([path, true])
    }
  })
})

describe('pairs', () => {
  it('null for the scope is as if none was given', async () => {
    const { cuid } = await service.newCustomer()
    const made = await service.call('POST', `/customer/${cuid}/credential`, { body: { scope: null } })
    expect([made.status, made.body.scope]).toEqual([201, 'all'])
  })

  it('every pair that is shown has an expiry, and is listed without its token', async () => {
    const { cuid, key, token, ...made } = await service.newCustomer()
    const { expires } = made as unknown as { expires: number }
    expect(Math.abs(expires - nowS() - 90 * 86_400)).toBeLessThan(60)
    const second = (await service.call('GET', `/customer/${cuid}/auth`)).body
    expect(second.expires).toBeGreaterThanOrEqual(expires)
    const listed = await service.call('GET', `/customer/${cuid}/credential`, { as: { key, token } })
    expect(listed.body).toEqual([
      { ...UNLIMITED, key, expires, byApp: false, lastUsed: expect.any(Number) },
      { ...UNLIMITED, key: second.key, expires: second.expires, byApp: true, lastUsed: null },
    ])
    expect(listed.text).not.toContain(token)
  })

  it('a revoked pair is refused at once, and the others are not', async () => {
    const { cuid, key, token } = await service.newCustomer()
    const second = (await service.call('GET', `/customer/${cuid}/auth`)).body
    expect(await codeFor(second, cuid)).toBe('ok')
    const path = `/customer/${cuid}/credential/${second.key}`
    expect((await service.call('DELETE', path, { as: { key, token } })).body).toEqual({
      key: second.key,
      deleted: true,
    })
    expect(await codeFor(second, cuid)).toBe('credentials_revoked')
    expect(await codeFor({ key, token }, cuid)).toBe('ok')
    expect((await service.call('DELETE', path)).status).toBe(404)
    expect((await service.call('GET', `/customer/${cuid}/credential`)).body).toHaveLength(1)
  })

  it('a pair of another customer cannot be revoked, not even seen', async () => {
    const ann = await service.newCustomer()
    const bob = await service.newCustomer()
    const path = `/customer/${bob.cuid}/credential/${ann.key}`
    expect((await service.call('DELETE', path, { as: bob })).status).toBe(404)
    expect((await service.call('DELETE', path)).status).toBe(404)
    for (const odd of ['%00', 'mqck_%00', '%F0%9F%9A%B2', ann.key.slice(1), service.app.key])
      expect((await service.call('DELETE', `/customer/${ann.cuid}/credential/${odd}`)).status).toBe(404)
    const others = `/customer/${ann.cuid}/credential`
    expect((await service.call('GET', others, { as: bob })).status).toBe(401)
    expect(await codeFor(ann, ann.cuid)).toBe('ok')
  })

  it('expired, revoked and wrong are told apart, but only for a caller who has the token', async () => {
    const { cuid, key, token } = await service.newCustomer()
    const others = (await service.newCustomer()).token
    expect(await codeFor({ key, token: others }, cuid)).toBe('credentials_invalid')
    service.clock.advance(91 * DAY_MS)
    expect(await codeFor({ key, token }, cuid)).toBe('credentials_expired')
    expect(await codeFor({ key, token: others }, cuid)).toBe('credentials_invalid')
  })

  it('the eleventh pair ends the first at once, and the refusal says so', async () => {
    const { cuid, key, token } = await service.newCustomer()
    const path = `/customer/${cuid}/credential`
    for (let i = 0; i < 10; i++)
      expect((await service.call('POST', path, { as: { key, token } })).status).toBe(201)
    expect(await codeFor({ key, token }, cuid)).toBe('credentials_revoked')
    expect((await service.call('GET', path)).body).toHaveLength(10)
  })

  it.each(['auth by cuid', 'auth without a passcode'])(
    '%s: the eleventh pair of the app ends its first at once',
    async way => {
      const { cuid, email } = await service.newCustomer()
      const path = way === 'auth by cuid' ? `/customer/${cuid}/auth` : `/customer/${email}/auth/nopasscode`
      const first = (await service.call('GET', path)).body
      expect(await codeFor(first, cuid)).toBe('ok')
      for (let i = 0; i < 10; i++) await service.call('GET', path)
      expect(await codeFor(first, cuid)).toBe('credentials_revoked')
    },
  )

  it('no pair is made for a customer whose API access is off', async () => {
    const { cuid } = await service.newCustomer()
    await service.call('PUT', `/customer/${cuid}`, { body: { apiAccess: false } })
    const path = `/customer/${cuid}/credential`
    for (const body of [undefined, { scope: 'read' }, { bogus: 1 }]) {
      const refused = await service.call('POST', path, { body })
      expect([refused.status, refused.body.code]).toEqual([401, 'api_access_off'])
    }
    await service.call('PUT', `/customer/${cuid}`, { body: { apiAccess: true } })
    expect((await service.call('GET', path)).body).toHaveLength(1)
  })

  it('pairs that the app obtains for itself, however many, revoke none of the customer’s', async () => {
    const ann = await service.newCustomer()
    const list = async () => (await service.call('GET', `/customer/${ann.cuid}/credential`)).body
    for (let i = 0; i < 40; i++) {
      await service.call('GET', `/customer/${ann.cuid}/auth`)
      await service.call('GET', `/customer/${ann.email}/auth/nopasscode`)
      await service.call('POST', `/customer/${ann.cuid}/credential`)
    }
    service.clock.advance(6000)
    expect(await codeFor(ann, ann.cuid)).toBe('ok')
    const pairs: { key: string; byApp: boolean }[] = await list()
    expect(pairs.filter(pair => !pair.byApp).map(pair => pair.key)).toEqual([ann.key])
    expect(pairs.filter(pair => pair.byApp)).toHaveLength(10)
  })
})

describe('deleting a customer', () => {
  it('removes everything it owns, and restoring brings it back', async () => {
    const ann = await service.newCustomer()
    const body = { name: 'c', start: nowS(), end: nowS() + 86_400 * 90, dailySpend: 1 }
    await service.call('POST', `/campaign?cuid=${ann.cuid}`, { as: ann, body })
    expect((await service.call('DELETE', `/customer/${ann.cuid}`, { as: ann })).status).toBe(401)
    expect((await service.call('DELETE', `/customer/${ann.cuid}`)).body).toEqual({
      cuid: ann.cuid,
      deleted: true,
    })
    expect(await codeFor(ann, ann.cuid)).toBe('credentials_revoked')
    expect((await service.call('GET', `/customer/${ann.cuid}`)).status).toBe(404)
    expect((await service.call('GET', `/campaign?cuid=${ann.cuid}`)).status).toBe(401)
    const restored = await service.call('POST', `/customer/${ann.cuid}/restore`)
    expect(restored).toMatchObject({ status: 200, body: { cuid: ann.cuid, email: ann.email } })
    expect((await service.call('GET', `/campaign?cuid=${ann.cuid}`, { as: ann })).body).toHaveLength(1)
    expect((await service.call('POST', `/customer/${ann.cuid}/restore`)).status).toBe(200)
  })

  it('frees the e-mail; it can be restored only while nobody else has that e-mail, and only for a while', async () => {
    const ann = await service.newCustomer()
    await service.call('DELETE', `/customer/${ann.cuid}`)
    const other = await service.newCustomer({ email: ann.email })
    const path = `/customer/${ann.cuid}/restore`
    expect((await service.call('POST', path)).body.code).toBe('email_taken')
    await service.call('DELETE', `/customer/${other.cuid}`)
    service.clock.advance(31 * DAY_MS)
    expect((await service.call('POST', path)).status).toBe(404)
  })
})

it('a customer whose e-mail is taken in the same moment is not restored', async () => {
  const ann = await service.newCustomer()
  await service.call('DELETE', `/customer/${ann.cuid}`)
  const other = await service.db.pool.connect()
  await other.query('begin')
  await other.query(
    `insert into customer (app_id, company, email, email_key, created_at, updated_at)
     select app_id, 'other', email, email_key, now(), now() from customer where cuid = $1`,
    [ann.cuid],
  )
  const restoring = service.call('POST', `/customer/${ann.cuid}/restore`)
  await eventually(() => service.db.row('select 1 from pg_locks where not granted'))
  await other.query('commit')
  other.release()
  const { status, body } = await restoring
  expect([status, body.code]).toEqual([409, 'email_taken'])
})

describe('what an app keeps with a customer', () => {
  it('is stored, found by e-mail and by id, and can be sent back as it was read', async () => {
    const metadata = { tier: 'gold', 'sales person': 'Ann' }
    const made = await service.newCustomer({ externalId: 'crm-1', metadata, company: 'Zoë & Söhne' })
    const found = async (query: string) =>
      (await service.call('GET', `/customer?${query}`)).body.map((item: { cuid: number }) => item.cuid)
    expect(await found('externalId=crm-1')).toEqual([made.cuid])
    expect(await found(`email=${made.email.toUpperCase()}`)).toEqual([made.cuid])
    expect(await found(`email=${made.email}&externalId=other`)).toEqual([])
    expect(await found('q=zoe%20%26%20sohne')).toEqual([made.cuid])
    const { body } = await service.call('GET', `/customer/${made.cuid}`)
    expect(body).toMatchObject({ externalId: 'crm-1', metadata })
    const back = await service.call('PUT', `/customer/${made.cuid}`, { body, as: made })
    expect([back.status, back.body]).toEqual([200, body])
    const cleared = { externalId: null, metadata: null }
    expect((await service.call('PUT', `/customer/${made.cuid}`, { body: cleared })).body).toMatchObject({
      externalId: null,
      metadata: {},
    })
  })

  it.each([
    [{ metadata: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, 'v'])) }, '/metadata'],
    [{ metadata: { a: 1 } }, '/metadata/a'],
    [{ metadata: { a: 'x'.repeat(501) } }, '/metadata/a'],
    [{ metadata: { '': 'x' } }, '/metadata/'],
    [{ metadata: [] }, '/metadata'],
    [{ externalId: 'x'.repeat(256) }, '/externalId'],
  ])('refuses %j at the path %s', async (fields, path) => {
    const body = { company: 'c', email: 'meta@bikes.example', ...fields }
    const answer = await service.call('POST', '/customer', { body })
    expect([answer.status, answer.body.errors[0].path]).toEqual([400, path])
  })
})
