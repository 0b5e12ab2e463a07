// Sessions of the console: started by super pair, what they may do, and how they end.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { OWN_PAGE, ticketFor, visit, visitAs, visitAsStaff } from '../../../test/support/console.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { HOUR_MS } from '../../kernel/time/units.ts'
import { createApp, rotateApp } from '../apps.ts'
import { sweepSessions } from './sessions.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ CURRENCY: 'EUR', TIMEZONE: 'Europe/Berlin' })
})
afterAll(() => service.close())
// The limits on attempts are per address of the caller, and all tests share one.
beforeEach(() => service.clock.advance(600_000))

describe('signing in by super pair', () => {
  it('starts a session of the app, which may do what the pair may', async () => {
    const { cuid } = await service.newCustomer()
    const visitor = await visitAsStaff(service)
    const { body } = await visitor.call('GET', '/console/api/session')
    expect(body).toMatchObject({ level: 'app', customer: null, staff: true, app: { name: 'default' } })
    const list = await visitor.call('GET', '/customer?limit=1000')
    expect(list.body.map((customer: { cuid: number }) => customer.cuid)).toContain(cuid)
    expect((await visitor.call('GET', `/campaign?cuid=${cuid}`)).status).toBe(200)
  })

  it('refuses a wrong pair and a customer pair', async () => {
    const customer = await service.newCustomer()
    for (const [superkey, supertoken] of [
      [service.app.key, customer.token],
      [customer.key, customer.token],
      ['a', 'b'],
    ]) {
      const answer = await visit(service).signIn({ superkey, supertoken })
      expect([answer.status, answer.body.code]).toEqual([401, 'credentials_invalid'])
    }
  })

  it('ends with its super pair', async () => {
    const { pair } = await createApp(service.db, { name: 'rotated' }, service.clock)
    const visitor = await visitAsStaff(service, pair)
    expect((await visitor.call('GET', '/customer')).status).toBe(200)
    await rotateApp(service.db, 'rotated', 0, service.clock)
    service.clock.advance(1_000)
    const answer = await visitor.call('GET', '/customer')
    expect([answer.status, answer.body.code]).toEqual([401, 'session_ended'])
  })

  it('opens a customer of the app, then has only the rights of that customer, and goes back', async () => {
    const { cuid } = await service.newCustomer()
    const other = await service.newCustomer()
    const visitor = await visitAsStaff(service)
    const opened = await visitor.call('POST', '/console/api/session/customer', { body: { cuid } })
    expect(opened.body).toMatchObject({ level: 'customer', customer: { cuid }, staff: true })
    expect((await visitor.call('GET', `/campaign?cuid=${cuid}`)).status).toBe(200)
    expect((await visitor.call('GET', `/campaign?cuid=${other.cuid}`)).body.code).toBe('cuid_not_allowed')
    expect((await visitor.call('GET', '/customer')).body.code).toBe('credentials_wrong_level')
    const back = await visitor.call('DELETE', '/console/api/session/customer')
    expect(back.body).toMatchObject({ level: 'app', customer: null, staff: true })
    expect((await visitor.call('GET', '/customer')).status).toBe(200)
  })

  it('opens no customer of another app, no missing one, and none without access', async () => {
    const { pair } = await createApp(service.db, { name: 'elsewhere' }, service.clock)
    const { body: foreign } = await service.call('POST', '/customer', {
      app: pair,
      body: { company: 'F', email: 'f@f.example' },
    })
    const off = await service.newCustomer()
    await service.call('PUT', `/customer/${off.cuid}`, { body: { apiAccess: false } })
    const visitor = await visitAsStaff(service)
    const open = (cuid: unknown) => visitor.call('POST', '/console/api/session/customer', { body: { cuid } })
    expect((await open(foreign.cuid)).status).toBe(404)
    expect((await open(999_999_999)).status).toBe(404)
    expect((await open(off.cuid)).body.code).toBe('api_access_off')
    expect((await open('x')).status).toBe(400)
  })

  it('nobody but staff opens a customer', async () => {
    const { cuid, email } = await service.newCustomer()
    const customer = await visitAs(service, email)
    const refused = await customer.call('POST', '/console/api/session/customer', { body: { cuid } })
    expect([refused.status, refused.body.code]).toEqual([401, 'credentials_wrong_level'])
    const nobody = await visit(service).call('POST', '/console/api/session/customer', { body: { cuid } })
    expect([nobody.status, nobody.body.code]).toEqual([401, 'session_ended'])
  })
})

describe('a session', () => {
  it('is kept in a cookie that scripts cannot read, and only hashed in the database', async () => {
    const { email } = await service.newCustomer()
    const visitor = visit(service)
    const { headers } = await visitor.signIn({ ticket: await ticketFor(service, email) })
    const [session, known] = headers['set-cookie'] as unknown as string[]
    expect(session).toMatch(/^mqsession=mqse_\w{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(known).toMatch(/^mqknown=[\w.-]+; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(headers['cache-control']).toBe('no-store')
    const rows = await service.db.rows<{ row: string }>('select s::text as row from console_session s')
    expect(rows.map(row => row.row).join()).not.toContain(visitor.cookie!.slice(15))
    expect(service.logLines.join('')).not.toContain(visitor.cookie!.slice(10))
  })

  it('of a public URL with https has a cookie that no other host and no plain http can set', async () => {
    const other = await startTestService({ PUBLIC_URL: 'https://ads.example/mq/' })
    const visitor = visit(other)
    const answer = await visitor.signIn({ superkey: other.app.key, supertoken: other.app.token })
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^__Host-mqsession=mqse_\w{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ])
    expect((await visitor.call('GET', '/customer')).status).toBe(200)
    visitor.cookie = visitor.cookie!.replace('__Host-', '')
    expect((await visitor.call('GET', '/customer')).status).toBe(401)
    await other.close()
  })

  it('of a public URL with https keeps browsers on https, even after an error; on http it does not', async () => {
    const other = await startTestService({ PUBLIC_URL: 'https://ads.example' })
    for (const path of ['/customer', '/console', '/docs', '/nothing', '/customer?x=1'])
      expect((await other.call('GET', path)).headers['strict-transport-security']).toBe('max-age=31536000')
    expect((await service.call('GET', '/console')).headers['strict-transport-security']).toBeUndefined()
    await other.close()
  })

  it('of a customer sees and changes nothing of another', async () => {
    const own = await service.newCustomer()
    const other = await service.newCustomer()
    const visitor = await visitAs(service, own.email)
    const body = { name: 'A', start: 2_000_000_000, end: 2_000_086_400, dailySpend: 5 }
    expect((await visitor.call('POST', `/campaign?cuid=${own.cuid}`, { body })).status).toBe(201)
    for (const [method, url] of [
      ['GET', `/campaign?cuid=${other.cuid}`],
      ['POST', `/campaign?cuid=${other.cuid}`],
      ['GET', `/customer/${other.cuid}`],
      ['GET', '/customer'],
      ['POST', '/customer'],
    ] as const) {
      expect((await visitor.call(method, url, method === 'POST' ? { body } : {})).status, url).toBe(401)
    }
  })

  it('yields to a pair that is sent along', async () => {
    const own = await service.newCustomer()
    const other = await service.newCustomer()
    const visitor = await visitAs(service, own.email)
    const pair = { 'x-access-key': other.key, 'x-access-token': other.token }
    expect((await visitor.call('GET', `/customer/${other.cuid}`, { headers: pair })).status).toBe(200)
    const wrong = { 'x-access-key': 'a', 'x-access-token': 'b' }
    expect((await visitor.call('GET', `/customer/${own.cuid}`, { headers: wrong })).status).toBe(401)
  })

  it('ends 12 hours after the last call', async () => {
    const { cuid, email } = await service.newCustomer()
    const visitor = await visitAs(service, email)
    for (let i = 0; i < 3; i++) {
      service.clock.advance(11 * HOUR_MS)
      expect((await visitor.call('GET', `/customer/${cuid}`)).status).toBe(200)
    }
    service.clock.advance(12 * HOUR_MS + 1)
    const answer = await visitor.call('GET', `/customer/${cuid}`)
    expect([answer.status, answer.body.code]).toEqual([401, 'session_ended'])
    const session = await visitor.call('GET', '/console/api/session')
    expect(session.body.level).toBe('none')
    expect(visitor.cookie).toBeNull()
  })

  it('ends after 7 days, however busy', async () => {
    const { cuid, email } = await service.newCustomer()
    const visitor = await visitAs(service, email)
    for (let hours = 0; hours < 160; hours += 10) {
      service.clock.advance(10 * HOUR_MS)
      expect((await visitor.call('GET', `/customer/${cuid}`)).status).toBe(200)
    }
    const { body } = await visitor.call('GET', '/console/api/session')
    expect(body.expires * 1000 - service.clock.nowMs()).toBeLessThanOrEqual(8 * HOUR_MS)
    service.clock.advance(8 * HOUR_MS)
    expect((await visitor.call('GET', `/customer/${cuid}`)).body.code).toBe('session_ended')
  })

  it('is gone after sign-out, at once and for every copy of the cookie', async () => {
    const { cuid, email } = await service.newCustomer()
    const visitor = await visitAs(service, email)
    const copy = visit(service)
    copy.cookie = visitor.cookie
    expect((await copy.call('GET', `/customer/${cuid}`)).status).toBe(200)
    const out = await visitor.call('DELETE', '/console/api/session')
    expect([out.status, out.body.level, visitor.cookie]).toEqual([200, 'none', null])
    expect((await copy.call('GET', `/customer/${cuid}`)).body.code).toBe('session_ended')
    expect((await visitor.call('DELETE', '/console/api/session')).status).toBe(200)
  })

  it('is a new one after each sign-in, and the one before ends', async () => {
    const { cuid, email } = await service.newCustomer()
    const visitor = await visitAs(service, email)
    const before = visit(service)
    before.cookie = visitor.cookie
    await visitor.signIn({ ticket: await ticketFor(service, email) })
    expect(visitor.cookie).not.toBe(before.cookie)
    expect((await before.call('GET', `/customer/${cuid}`)).status).toBe(401)
  })

  it('ends with its customer, and is refused while the access of its customer is off', async () => {
    const { cuid, email } = await service.newCustomer()
    const visitor = await visitAs(service, email)
    await service.call('PUT', `/customer/${cuid}`, { body: { apiAccess: false } })
    expect((await visitor.call('GET', `/campaign?cuid=${cuid}`)).body.code).toBe('api_access_off')
    await service.call('PUT', `/customer/${cuid}`, { body: { apiAccess: true } })
    expect((await visitor.call('GET', `/campaign?cuid=${cuid}`)).status).toBe(200)
    await service.db.run('update customer set deleted_at = now() where cuid = $1', [cuid])
    service.clock.advance(1_000)
    expect((await visitor.call('GET', `/campaign?cuid=${cuid}`)).body.code).toBe('session_ended')
  })

  it.each(['', 'mqse_short', `mqse_${'0'.repeat(43)}`, 'x'.repeat(5000)])(
    'does not exist for the cookie "%.12s"',
    async value => {
      const visitor = visit(service)
      visitor.cookie = `mqsession=${value}`
      expect((await visitor.call('GET', '/campaign?cuid=1')).status).toBe(401)
      visitor.cookie = `mqsession=${value}`
      expect((await visitor.call('GET', '/console/api/session')).body.level).toBe('none')
    },
  )

  it('shares the rate limit of the customer it acts for', async () => {
    const other = await startTestService({ RATE_LIMIT: '1', RATE_BURST: '3' })
    const customer = await other.newCustomer()
    const visitor = await visitAs(other, customer.email)
    const own = () => visitor.call('GET', `/customer/${customer.cuid}`)
    const byPair = () => other.call('GET', `/customer/${customer.cuid}`, { as: customer })
    // All at once: within a second there would be room for another call.
    const answers = await Promise.all([own(), own(), own(), byPair(), byPair(), byPair()])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429, 429])
    expect((await other.call('GET', '/customer')).status).toBe(200)
    await other.close()
  })

  it('is swept away after its end', async () => {
    const { email } = await service.newCustomer()
    await visitAs(service, email)
    const count = async () =>
      (await service.db.row<{ n: number }>('select count(*)::int as n from console_session'))!.n
    await sweepSessions(service.db, service.clock)
    expect(await count()).toBeGreaterThan(0)
    service.clock.advance(13 * HOUR_MS)
    await sweepSessions(service.db, service.clock)
    expect(await count()).toBe(0)
  })

  it('a 401 to the console does not make the browser ask for a password', async () => {
    const byConsole = await visit(service).call('GET', '/customer')
    expect(byConsole.headers['www-authenticate']).toBe('Session realm="Marquee"')
    const byOthers = await service.call('GET', '/customer', { as: null })
    expect(byOthers.headers['www-authenticate']).toMatch(/^Basic/)
  })
})

it('every write to a session is also refused without the marks of our own page', async () => {
  const { cuid } = await service.newCustomer()
  const writes: [string, string, object?][] = [
    ['POST', '/console/api/session', { superkey: service.app.key, supertoken: service.app.token }],
    ['DELETE', '/console/api/session'],
    ['POST', '/console/api/passcode', { email: 'a@b.example' }],
    ['POST', '/console/api/session/customer', { cuid }],
    ['DELETE', '/console/api/session/customer'],
  ]
  for (const headers of [{}, { 'x-marquee-csrf': '1' }, { 'sec-fetch-site': 'same-origin' }]) {
    for (const [method, url, body] of writes) {
      const visitor = await visitAsStaff(service)
      const { cookie } = visitor
      const foreign = visit(service, headers as Record<string, string>)
      foreign.cookie = cookie
      const answer = await foreign.call(method, url, { body })
      expect([answer.status, answer.body.code], url).toEqual([403, 'session_refused'])
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
    service.clock.advance(600_000)
  }
  expect(OWN_PAGE['x-marquee-csrf']).toBe('1')
})
