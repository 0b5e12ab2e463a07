// The ways into the console by link and by email, and what other people cannot do to them.

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually, mailsTo, ticketFor, visit, visitAs, visitAsStaff } from '../../test/support/console.ts'
import { startTestService, type TestService } from '../../test/support/service.ts'
import { createApp } from '../identity/apps.ts'
import { HOUR_MS } from '../kernel/time/units.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ CURRENCY: 'EUR', TIMEZONE: 'Europe/Berlin' })
})
afterAll(() => service.close())
// The limits on attempts are per address of the caller, and all tests share one.
beforeEach(() => service.clock.advance(600_000))

/** The emailed code, with the request that it belongs to. */
async function passcodeFor(
  cuid: number,
  email: string,
  app?: string,
): Promise<{ passcode: string; request: string }> {
  const before = (await mailsTo(service, email)).length
  const answer = await visit(service).call('POST', '/console/api/passcode', { body: { email, app } })
  expect(answer.status).toBe(200)
  const mail = await eventually(async () => (await mailsTo(service, email))[before])
  const { request } = answer.body
  await eventually(() =>
    service.db.row('select 1 from passcode where cuid = $1 and request_hash = $2', [
      cuid,
      createHash('sha256').update(request).digest(),
    ]),
  )
  return { passcode: /Your passcode is: (\d{6})/.exec(mail)![1]!, request }
}

const wrongCode = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

describe('signing in by ticket', () => {
  it('makes a session of the customer, once', async () => {
    const { cuid, email } = await service.newCustomer({ name: 'Ann' })
    const ticket = await ticketFor(service, email)
    const visitor = visit(service)
    const { status, body } = await visitor.signIn({ ticket })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      level: 'customer',
      customer: { cuid, company: 'Blue Bikes', email, name: 'Ann' },
      app: { name: 'default' },
      staff: false,
      currency: 'EUR',
      defaultCpm: 2,
      timezone: 'Europe/Berlin',
      restorableFor: 30 * 86_400,
      brand: { title: 'Marquee', color: null, logo: null },
    })
    expect((await visitor.call('GET', '/console/api/session')).body).toMatchObject({ customer: { cuid } })
    const again = await visit(service).signIn({ ticket })
    expect([again.status, again.body.code]).toEqual([401, 'ticket_invalid'])
    expect(again.headers['set-cookie']).toBeUndefined()
  })

  it('refuses an expired, an unknown and a malformed ticket', async () => {
    const { email } = await service.newCustomer()
    const ticket = await ticketFor(service, email)
    service.clock.advance(60_000)
    for (const wrong of [ticket, `mqti_${'0'.repeat(43)}`, 'x']) {
      const answer = await visit(service).signIn({ ticket: wrong })
      expect([answer.status, answer.body.code]).toEqual([401, 'ticket_invalid'])
    }
    expect((await visit(service).signIn({ ticket: '' })).status).toBe(400)
  })

  it('does not end the session of another customer, or of staff, unless it is told to', async () => {
    const [own, other] = [await service.newCustomer(), await service.newCustomer()]
    for (const visitor of [await visitAs(service, own.email), await visitAsStaff(service)]) {
      const cookie = visitor.cookie
      const ticket = await ticketFor(service, other.email)
      const asked = await visitor.signIn({ ticket })
      expect([asked.status, asked.body.code]).toEqual([409, 'session_open'])
      expect(asked.headers['set-cookie']).toBeUndefined()
      expect((await visitor.call('GET', '/console/api/session')).body.level).not.toBe('none')
      expect(visitor.cookie).toBe(cookie)
      const replaced = await visitor.signIn({ ticket, replace: true })
      expect([replaced.status, replaced.body.customer.cuid]).toEqual([200, other.cuid])
    }
  })

  it('replaces a session of the same customer, and one that has ended', async () => {
    const { email } = await service.newCustomer()
    const visitor = await visitAs(service, email)
    expect((await visitor.signIn({ ticket: await ticketFor(service, email) })).status).toBe(200)
    const other = await service.newCustomer()
    service.clock.advance(13 * HOUR_MS)
    expect((await visitor.signIn({ ticket: await ticketFor(service, other.email) })).status).toBe(200)
  })

  it('refuses a customer whose API access was switched off meanwhile', async () => {
    const { cuid, email } = await service.newCustomer()
    const ticket = await ticketFor(service, email)
    await service.call('PUT', `/customer/${cuid}`, { body: { apiAccess: false } })
    const answer = await visit(service).signIn({ ticket })
    expect([answer.status, answer.body.code]).toEqual([401, 'api_access_off'])
  })
})

describe('signing in by passcode', () => {
  it('makes a session of the customer; the passcode works once', async () => {
    const { cuid, email } = await service.newCustomer()
    const code = await passcodeFor(cuid, email)
    const { status, body } = await visit(service).signIn({ email: email.toUpperCase(), ...code })
    expect([status, body.customer?.cuid]).toEqual([200, cuid])
    const again = await visit(service).signIn({ email, ...code })
    expect([again.status, again.body.code]).toEqual([401, 'passcode_invalid'])
  })

  it('what was sent to the old address of a customer is no good for its new one', async () => {
    const { cuid, email } = await service.newCustomer()
    const code = await passcodeFor(cuid, email)
    await service.call('GET', `/customer/${email}/passcode`)
    const ofApp = /Your passcode is: (\d{6})/.exec((await mailsTo(service, email)).at(-1)!)![1]!
    const byLink = await visitAs(service, email)
    const ticket = await ticketFor(service, email)
    const moved = `moved-${email}`
    expect((await service.call('PUT', `/customer/${cuid}`, { body: { email: moved } })).status).toBe(200)
    expect((await visit(service).signIn({ email: moved, ...code })).status).toBe(401)
    expect((await service.call('GET', `/customer/${moved}/auth?passcode=${ofApp}`)).status).toBe(401)
    expect((await visit(service).signIn({ ticket })).status).toBe(401)
    // A process knows a session for up to a second.
    service.clock.advance(1_001)
    expect((await byLink.call('GET', `/campaign?cuid=${cuid}`)).status).toBe(401)
    expect((await visit(service).signIn({ ticket: await ticketFor(service, moved) })).status).toBe(200)
  })

  it('a wrong passcode, a stranger, another app and one without passcodes get the same refusal', async () => {
    const { cuid, email } = await service.newCustomer()
    await createApp(service.db, { name: 'plain' }, service.clock)
    const code = await passcodeFor(cuid, email)
    const wrong = [
      { email, ...code, passcode: wrongCode(code.passcode) },
      { email: 'nobody@bikes.example', ...code },
      { email, ...code, app: 'plain' },
      { email, ...code, app: 'no such app' },
      { email, ...code, request: 'of somebody else' },
    ]
    const answers = await Promise.all(wrong.map(body => visit(service).signIn(body)))
    const plain = answers.map(({ status, body: { message, code } }) => ({ status, message, code }))
    expect(plain).toEqual(Array(5).fill({ ...plain[0], status: 401, code: 'passcode_invalid' }))
    expect((await visit(service).signIn({ email, ...code })).status).toBe(200)
  })

  it('wrong attempts are counted although each is refused', async () => {
    const { cuid, email } = await service.newCustomer()
    const code = await passcodeFor(cuid, email)
    const wrong = { email, ...code, passcode: wrongCode(code.passcode) }
    for (let i = 0; i < 5; i++) await visit(service).signIn(wrong)
    expect((await visit(service).signIn({ email, ...code })).status).toBe(401)
  })

  it('strangers who ask for the same address, and guess, do not void the code that is being typed in', async () => {
    const { cuid, email } = await service.newCustomer()
    const own = await passcodeFor(cuid, email)
    const stranger = await passcodeFor(cuid, email)
    const guess = { email, ...stranger, passcode: wrongCode(stranger.passcode) }
    for (let i = 0; i < 6; i++) await visit(service).signIn(guess)
    for (let i = 0; i < 6; i++) await visit(service).signIn({ ...guess, request: 'made up' })
    // Nor does a code that the app requested, or an attempt there with this code.
    expect((await service.call('GET', `/customer/${email}/passcode`)).status).toBe(200)
    const elsewhere = await service.call('GET', `/customer/${email}/auth?passcode=${own.passcode}`)
    expect(elsewhere.status).toBe(401)
    expect((await visit(service).signIn({ email, ...own })).status).toBe(200)
  })

  it('is for the customers of the named app', async () => {
    const { pair } = await createApp(service.db, { name: 'shop', passcode: true }, service.clock)
    const email = 'both@bikes.example'
    const { body: other } = await service.call('POST', '/customer', {
      app: pair,
      body: { company: 'Shop', email },
    })
    const { cuid } = await service.newCustomer({ email })
    const code = await passcodeFor(other.cuid, email, 'shop')
    expect((await visit(service).signIn({ email, ...code })).status).toBe(401)
    const { body } = await visit(service).signIn({ email, ...code, app: 'shop' })
    expect(body).toMatchObject({ customer: { cuid: other.cuid }, app: { name: 'shop' } })
    expect(other.cuid).not.toBe(cuid)
  })

  it('a request gets the same answer for a customer, a stranger and a customer without access', async () => {
    const { email } = await service.newCustomer()
    const off = await service.newCustomer()
    await service.call('PUT', `/customer/${off.cuid}`, { body: { apiAccess: false } })
    for (const address of [email, 'stranger@bikes.example', off.email]) {
      const { status, body } = await visit(service).call('POST', '/console/api/passcode', {
        body: { email: address },
      })
      const message = `If ${address} can sign in here, a passcode is on its way to that address.`
      expect([status, body]).toEqual([200, { message, request: expect.stringMatching(/^mqpr_\w{22}$/) }])
    }
    await eventually(async () => (await mailsTo(service, email)).length > 0)
    expect(await mailsTo(service, 'stranger@bikes.example')).toEqual([])
    expect(await mailsTo(service, off.email)).toEqual([])
  })

  it('a request is refused if the app is not provisioned or does not exist', async () => {
    await createApp(service.db, { name: 'bare' }, service.clock)
    const ask = (app: string) =>
      visit(service).call('POST', '/console/api/passcode', { body: { email: 'a@b.example', app } })
    expect((await ask('bare')).body.code).toBe('not_provisioned')
    expect((await ask('nowhere')).body.code).toBe('not_found')
  })
})
