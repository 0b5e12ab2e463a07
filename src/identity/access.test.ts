// Section 5 of the specification: two levels of credentials, who may do what, and how long pairs are valid.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { newTestCustomer } from '../../test/support/campaigns.ts'
import { visit } from '../../test/support/console.ts'
import { leaveOpen, untilWaiting } from '../../test/support/locks.ts'
import { startTestService, type TestPair, type TestService } from '../../test/support/service.ts'
import { createApp, provisionApp, revokeApp, rotateApp } from './apps.ts'
import { setOrigins } from './origins.ts'
import { hashToken, isPairOf, newPair } from './pair.ts'
import { addSuperPair, listSuperPairs, revokeSuperPair } from './super-pairs.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const basic = (pair: TestPair) => `Basic ${Buffer.from(`${pair.key}:${pair.token}`).toString('base64')}`

describe('pairs', () => {
  it('are recognisable, long enough and have a checksum that detects any changed character', () => {
    const pair = newPair('customer')
    expect(pair.key).toMatch(/^mqck_[0-9A-Za-z]{28}$/)
    expect(pair.token).toMatch(/^mqct_[0-9A-Za-z]{49}$/)
    expect(isPairOf('customer', pair)).toBe(true)
    expect(isPairOf('app', pair)).toBe(false)
    for (let i = 0; i < pair.token.length; i++) {
      const other = pair.token[i] === 'A' ? 'B' : 'A'
      expect(
        isPairOf('customer', { ...pair, token: pair.token.slice(0, i) + other + pair.token.slice(i + 1) }),
      ).toBe(false)
    }
  })

  it('of a token, only its SHA-256 is stored', async () => {
    const customer = await service.newCustomer()
    const row = await service.db.row<{ token_hash: Buffer; all: string }>(
      'select token_hash, credential::text as all from credential where key = $1',
      [customer.key],
    )
    expect(row!.token_hash).toEqual(hashToken(customer.token))
    expect(row!.all).not.toContain(customer.token)
  })
})

describe('how credentials are sent', () => {
  it('as headers or as HTTP Basic, of either level', async () => {
    const customer = await service.newCustomer()
    const url = `/customer/${customer.cuid}`
    for (const authorization of [basic(customer), basic(service.app)]) {
      expect((await service.call('GET', url, { as: null, headers: { authorization } })).status).toBe(200)
    }
    const app = { headers: { authorization: basic(service.app) }, as: null }
    expect((await service.call('GET', '/customer', app)).status).toBe(200)
  })

  it('a pair of one level is not valid for the other, even while it is cached', async () => {
    const customer = await service.newCustomer()
    const url = `/customer/${customer.cuid}`
    const as = (key: string, token: string, pair: TestPair) =>
      service.call('GET', url, { as: null, headers: { [key]: pair.key, [token]: pair.token } })
    for (let round = 0; round < 2; round++) {
      expect((await as('x-access-key', 'x-access-token', customer)).status).toBe(200)
      expect((await as('x-access-superkey', 'x-access-supertoken', customer)).status).toBe(401)
      expect((await as('x-access-superkey', 'x-access-supertoken', service.app)).status).toBe(200)
      expect((await as('x-access-key', 'x-access-token', service.app)).status).toBe(401)
    }
  })

  it('query parameters are refused unless switched on, and then they are not in the log', async () => {
    const query = `superkey=${service.app.key}&supertoken=${service.app.token}`
    expect((await service.call('GET', `/customer?${query}`, { as: null })).status).toBe(401)
    const open = await startTestService({ ALLOW_QUERY_CREDENTIALS: 'true' })
    const { key, token } = open.app
    await open.newCustomer()
    await open.newCustomer()
    const url = `/customer?superkey=${key}&supertoken=${token}&limit=1`
    const answer = await open.call('GET', url, { as: null })
    expect(answer.status).toBe(200)
    expect(answer.headers.link).not.toContain('token')
    expect(open.logLines.join('')).not.toContain(token)
    await open.close()
  })
})

describe('401', () => {
  it.each([
    ['nothing', {}, 'credentials_missing'],
    ['half a pair', { 'x-access-superkey': 'x' }, 'credentials_missing'],
    ['noise', { 'x-access-superkey': 'x', 'x-access-supertoken': 'y' }, 'credentials_invalid'],
    ['bad Basic', { authorization: 'Basic %%%' }, 'credentials_missing'],
    ['Basic without colon', { authorization: `Basic ${btoa('abc')}` }, 'credentials_missing'],
  ])('%s', async (_name, headers, code) => {
    const answer = await service.call('GET', '/customer', {
      as: null,
      headers: headers as Record<string, string>,
    })
    expect([answer.status, answer.body.code]).toEqual([401, code])
    expect(answer.headers['www-authenticate']).toContain('Basic')
  })

  it('an unknown pair and a known key with another token get the same answer', async () => {
    const unknown = await service.call('GET', '/customer', { app: newPair('app') })
    const wrongHalf = await service.call('GET', '/customer', {
      app: { key: service.app.key, token: newPair('app').token },
    })
    expect(unknown.status).toBe(401)
    expect(wrongHalf.body).toEqual({ ...unknown.body, requestId: expect.any(String) })
  })

  it('a customer pair cannot be used where a super pair is needed', async () => {
    const customer = await service.newCustomer()
    for (const url of [
      '/customer',
      `/customer/${customer.email}/sso`,
      `/customer/${customer.email}/passcode`,
      `/customer/${customer.cuid}/auth`,
      `/customer/${customer.email}/auth/nopasscode`,
    ]) {
      const answer = await service.call('GET', url, { as: customer })
      expect([answer.status, answer.body.code]).toEqual([401, 'credentials_wrong_level'])
    }
    const body = { company: 'A', email: 'z@a.example' }
    expect((await service.call('POST', '/customer', { as: customer, body })).status).toBe(401)
  })

  it('a pair sent in the headers of the other level is refused', async () => {
    const customer = await service.newCustomer()
    expect((await service.call('GET', `/customer/${customer.cuid}`, { app: customer })).status).toBe(401)
    expect((await service.call('GET', `/customer/${customer.cuid}`, { as: service.app })).status).toBe(401)
  })

  it('a customer pair cannot name another customer, of the same app or another', async () => {
    const [a, b] = [await service.newCustomer(), await service.newCustomer()]
    const answer = await service.call('GET', `/customer/${b.cuid}`, { as: a })
    expect([answer.status, answer.body.code]).toEqual([401, 'cuid_not_allowed'])
    const absent = await service.call('GET', '/customer/999999999', { as: a })
    expect(absent.body).toEqual({ ...answer.body, requestId: expect.any(String) })
  })
})

describe('apps', () => {
  it('see nothing of each other: a foreign customer does not exist', async () => {
    const customer = await service.newCustomer()
    const { pair } = await createApp(
      service.db,
      { name: 'other', passcode: true, nopasscode: true },
      service.clock,
    )
    for (const path of [
      `${customer.cuid}`,
      `${customer.cuid}/auth`,
      `${customer.email}/sso`,
      `${customer.email}/passcode`,
      `${customer.email}/auth?passcode=1`,
      `${customer.email}/auth/nopasscode`,
    ]) {
      expect((await service.call('GET', `/customer/${path}`, { app: pair })).status).toBe(404)
    }
    const edit = await service.call('PUT', `/customer/${customer.cuid}`, {
      app: pair,
      body: { company: 'X' },
    })
    expect(edit.status).toBe(404)
    expect((await service.call('GET', '/customer', { app: pair })).body).toEqual([])
    const same = { company: 'Y', email: customer.email }
    expect((await service.call('POST', '/customer', { app: pair, body: same })).status).toBe(201)
  })

  it('rotate: the new pair works, and the old one ends after the grace period', async () => {
    const { pair } = await createApp(service.db, { name: 'rotated' }, service.clock)
    const next = await rotateApp(service.db, 'rotated', 60, service.clock)
    expect((await service.call('GET', '/customer', { app: pair })).status).toBe(200)
    expect((await service.call('GET', '/customer', { app: next })).status).toBe(200)
    service.clock.advance(66_000)
    expect((await service.call('GET', '/customer', { app: pair })).status).toBe(401)
    expect((await service.call('GET', '/customer', { app: next })).status).toBe(200)
  })

  it('has super pairs with names: each is rotated, expires and is revoked by itself', async () => {
    const { app, pair: first } = await createApp(service.db, { name: 'several' }, service.clock)
    const add = (name: string, expiresAt: Date | null = null) =>
      addSuperPair(service.db, app.appId, { name, scope: 'all', cuids: null, expiresAt }, service.clock)
    const living = async (...pairs: { key: string; token: string }[]) =>
      Promise.all(
        pairs.map(async pair => (await service.call('GET', '/customer', { app: pair })).status === 200),
      )
    const [report, brief] = [
      await add('report'),
      await add('brief', new Date(service.clock.nowMs() + 3_600_000)),
    ]
    await expect(add('report')).rejects.toThrow('already')
    expect(await living(first, report, brief)).toEqual([true, true, true])
    const next = await rotateApp(service.db, 'several', 60, service.clock, 'report')
    service.clock.advance(66_000)
    expect(await living(first, report, next, brief)).toEqual([true, false, true, true])
    const again = await rotateApp(service.db, 'several', 0, service.clock)
    service.clock.advance(3_600_000)
    expect(await living(first, again, next, brief)).toEqual([false, true, true, false])
    const listed = await listSuperPairs(service.db, app.appId, service.clock)
    expect(listed.map(({ name, lastUsed }) => [name, lastUsed !== null])).toEqual([
      ['report', true],
      [null, true],
    ])
    await revokeSuperPair(service.db, app.appId, next.key, service.clock)
    service.clock.advance(1_000)
    expect(await living(next, again)).toEqual([false, true])
  })

  it('a super pair with the scope read can only read in the console, too', async () => {
    const { app } = await createApp(service.db, { name: 'watched' }, service.clock)
    const limits = { name: 'eyes', scope: 'read', cuids: null, expiresAt: null } as const
    const pair = await addSuperPair(service.db, app.appId, limits, service.clock)
    const admin = await rotateApp(service.db, 'watched', 0, service.clock)
    const body = { company: 'Seen', email: 'seen@a.example' }
    const { cuid } = (await service.call('POST', '/customer', { app: admin, body })).body
    const visitor = visit(service)
    await visitor.signIn({ superkey: pair.key, supertoken: pair.token })
    const brand = await visitor.call('PUT', '/console/api/brand', { body: { title: 'Mine' } })
    expect([brand.status, brand.body.code]).toEqual([403, 'scope_too_low'])
    expect((await visitor.call('GET', '/customer')).body).toHaveLength(1)
    const opened = await visitor.call('POST', '/console/api/session/customer', { body: { cuid } })
    expect(opened.body.level).toBe('customer')
    expect((await visitor.call('GET', `/campaign?cuid=${cuid}`)).status).toBe(200)
    const edit = await visitor.call('PUT', `/customer/${cuid}`, { body: { phone: '1' } })
    expect([edit.status, edit.body.code]).toEqual([403, 'scope_too_low'])
    const made = await visitor.call('POST', `/customer/${cuid}/credential`, { body: {} })
    expect(made.body.code).toBe('scope_too_low')
  })

  it('revoke: its pairs and those of its customers stop within 1 s', async () => {
    const { pair } = await createApp(service.db, { name: 'revoked' }, service.clock)
    const body = { company: 'A', email: 'r@a.example' }
    const { body: customer } = await service.call('POST', '/customer', { app: pair, body })
    expect((await service.call('GET', `/customer/${customer.cuid}`, { as: customer })).status).toBe(200)
    await revokeApp(service.db, 'revoked', service.clock)
    service.clock.advance(1_000)
    expect((await service.call('GET', '/customer', { app: pair })).status).toBe(401)
    expect((await service.call('GET', `/customer/${customer.cuid}`, { as: customer })).status).toBe(401)
  })

  it('a change of provisioning takes effect within 1 s too', async () => {
    const { pair } = await createApp(service.db, { name: 'flags', nopasscode: true }, service.clock)
    await service.call('POST', '/customer', { app: pair, body: { company: 'A', email: 'f@a.example' } })
    expect((await service.call('GET', '/customer/f@a.example/auth/nopasscode', { app: pair })).status).toBe(
      200,
    )
    await provisionApp(service.db, 'flags', { nopasscode: false })
    service.clock.advance(1_000)
    expect((await service.call('GET', '/customer/f@a.example/auth/nopasscode', { app: pair })).status).toBe(
      401,
    )
  })
})

describe('pages of other origins', () => {
  const ORIGIN = 'https://ads.shop.example'
  const preflight = (path: string, method: string, origin = ORIGIN) =>
    service.call('OPTIONS', path, {
      as: null,
      headers: { origin, 'access-control-request-method': method },
    })
  const opened = ({ headers }: { headers: Record<string, string> }) => headers['access-control-allow-origin']
  afterEach(async () => {
    await setOrigins(service.db, 'default', [])
    service.clock.advance(1_000)
  })

  it('may use a customer pair once the origin is registered, and read refusals too', async () => {
    const { cuid, ...as } = await service.newCustomer()
    const path = `/campaign?cuid=${cuid}`
    const headers = { origin: ORIGIN }
    expect([
      (await preflight(path, 'POST')).status,
      opened(await service.call('GET', path, { as, headers })),
    ]).toEqual([405, undefined])
    await setOrigins(service.db, 'default', [ORIGIN])
    service.clock.advance(1_000)
    const { status, headers: allowed } = await preflight(path, 'POST')
    expect([status, allowed]).toMatchObject([
      204,
      { 'access-control-allow-origin': ORIGIN, 'access-control-allow-methods': 'GET, POST' },
    ])
    expect(allowed['access-control-allow-headers']!.split(', ')).toEqual(
      expect.arrayContaining([
        'x-access-key',
        'x-access-token',
        'content-type',
        'if-match',
        'idempotency-key',
      ]),
    )
    const read = await service.call('GET', path, { as, headers })
    expect([read.status, opened(read)]).toEqual([200, ORIGIN])
    expect(read.headers['access-control-expose-headers']).toContain('x-request-id')
    const refused = await service.call('POST', path, { as, headers, body: {} })
    const unknown = await service.call('GET', path, { as: newPair('customer'), headers })
    const csv = await service.call('GET', `/stats/${cuid}/events?cuid=${cuid}`, { as, headers })
    expect([refused, unknown, csv].map(answer => [answer.status, opened(answer)])).toEqual([
      [400, ORIGIN],
      [401, ORIGIN],
      [404, ORIGIN],
    ])
  })

  it('of an unregistered origin, another app, a super pair, Basic or the console may not', async () => {
    await setOrigins(service.db, 'default', [ORIGIN])
    service.clock.advance(1_000)
    const { cuid, email, ...as } = await service.newCustomer()
    const path = `/campaign?cuid=${cuid}`
    const headers = { origin: ORIGIN }
    expect((await preflight(path, 'GET', 'https://shop.example')).status).toBe(405)
    expect((await preflight(path, 'GET', 'null')).status).toBe(405)
    // No customer pair calls these.
    for (const other of ['/cockpit', '/session', '/nowhere', '/reference/geo'])
      expect([other, opened(await preflight(other, 'GET'))]).toEqual([other, undefined])
    const { 'access-control-allow-headers': sent } = (await preflight(path, 'GET')).headers
    expect(sent).not.toMatch(/super|authorization|csrf|cookie/)
    const { pair: stranger } = await createApp(service.db, { name: 'closed' }, service.clock)
    const body = { company: 'A', email: 'closed@a.example' }
    const theirs = (await service.call('POST', '/customer', { app: stranger, body })).body
    const person = visit(service)
    await person.signIn({ superkey: service.app.key, supertoken: service.app.token })
    const answers = [
      await service.call('GET', path, { as, headers: { origin: 'https://shop.example' } }),
      await service.call('GET', `/campaign?cuid=${theirs.cuid}`, { as: theirs, headers }),
      await service.call('GET', path, { headers }),
      await service.call('GET', path, {
        as: null,
        headers: { ...headers, authorization: basic(service.app) },
      }),
      await service.call('GET', path, { as: null, headers }),
      await person.call('GET', '/customer', { headers }),
    ]
    expect(answers.map(answer => [answer.status, opened(answer)])).toEqual(
      [200, 200, 200, 200, 401, 200].map(status => [status, undefined]),
    )
    for (const { headers: given } of answers)
      expect(given).not.toHaveProperty('access-control-allow-credentials')
  })
})

describe('life of a customer pair', () => {
  it('ends after CREDENTIAL_TTL, 90 days by default', async () => {
    const other = await startTestService()
    const customer = await other.newCustomer()
    other.clock.advance(90 * 86_400_000 - 60_000)
    expect((await other.call('GET', `/customer/${customer.cuid}`, { as: customer })).status).toBe(200)
    other.clock.advance(60_000)
    expect((await other.call('GET', `/customer/${customer.cuid}`, { as: customer })).status).toBe(401)
    await other.close()
  })

  it('a customer has at most ten live pairs: the oldest ends, even when 15 are requested at once', async () => {
    const customer = await service.newCustomer()
    const issued = await Promise.all(
      Array.from({ length: 15 }, () =>
        service.call('POST', `/customer/${customer.cuid}/credential`, { as: customer }),
      ),
    )
    expect(issued.every(answer => answer.status === 201)).toBe(true)
    const row = await service.db.row<{ n: number }>(
      'select count(*)::int as n from credential where cuid = $1 and revoked_at is null',
      [customer.cuid],
    )
    expect(row!.n).toBe(10)
    service.clock.advance(1_000)
    expect((await service.call('GET', `/customer/${customer.cuid}`, { as: customer })).status).toBe(401)
  })
})

it('a pair whose row goes during its call changes nothing', async () => {
  const ann = await newTestCustomer(service)
  const { cid } = await ann.newCampaign()
  const busy = await leaveOpen(service.db, tx =>
    tx.rows('select from campaign where cid = $1 for update', [cid]),
  )
  const late = ann.call('PUT', `/campaign/${cid}`, { name: 'Gone' })
  await untilWaiting(service.db, 1)
  await service.db.run('delete from credential where key = $1', [ann.key])
  await busy.commit()
  const { status, body } = await late
  expect([status, body.code]).toEqual([401, 'credentials_revoked'])
  expect((await service.call('GET', `/campaign/${cid}?cuid=${ann.cuid}`)).body.name).toBe('Bikes')
})
