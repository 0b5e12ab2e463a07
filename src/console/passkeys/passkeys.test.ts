// Passkeys as the second factor: registered, asked for after the passcode, required, lost. Tested through the API, with
// a security key in software.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Authenticator, newAuthenticator } from '../../../test/support/authenticator.ts'
import { mailsTo, passcodeFor, type Visitor, visit, visitAs } from '../../../test/support/console.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { createApp, livingAppId } from '../../identity/apps.ts'
import { addStaff } from '../../identity/staff/staff.ts'
import { addSuperPair } from '../../identity/super-pairs.ts'

const ORIGIN = 'http://localhost:8080'
const PASSKEY = '/console/api/passkey'
const SESSION = '/console/api/session'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ REQUIRE_PASSKEY: 'staff', SIGN_IN_LIMIT: '10' })
})
afterAll(() => service.close())
// The limits on attempts are per address of the caller, and all tests share one.
beforeEach(() => service.clock.advance(3_600_000))

async function signedIn(email: string): Promise<Visitor> {
  const visitor = visit(service)
  const answer = await visitor.signIn({ email, ...(await passcodeFor(service, email)) })
  expect(answer.status).toBe(200)
  return visitor
}

const seenBy = async (visitor: Visitor) => (await visitor.call('GET', SESSION)).body
const challenge = async (visitor: Visitor, purpose: 'prove' | 'register') =>
  (await visitor.call('POST', `${PASSKEY}/challenge`, { body: { purpose } })).body

async function register(visitor: Visitor, key = newAuthenticator(ORIGIN), name = 'Laptop') {
  const given = key.register(await challenge(visitor, 'register'))
  const body = { ...given, name, transports: ['internal'] }
  return { key, answer: await visitor.call('POST', PASSKEY, { body }) }
}

const send = (visitor: Visitor, body: object) => visitor.call('POST', `${SESSION}/passkey`, { body })
const prove = async (visitor: Visitor, key: Authenticator, wrong: object = {}) =>
  send(visitor, key.prove(await challenge(visitor, 'prove'), wrong))

/** A customer whose own address has a passkey. */
async function withPasskey() {
  const customer = await service.newCustomer()
  const { key, answer } = await register(await signedIn(customer.email))
  expect(answer.status).toBe(200)
  return { ...customer, key_: key }
}

async function newStaff(email: string): Promise<void> {
  const appId = await livingAppId(service.db, 'default')
  await addStaff(service.db, appId, { email, name: null, role: 'admin' }, service.clock)
}

describe('a person with a passkey', () => {
  it('registers it, gets an email, and is asked for it after the passcode; until then they see nothing', async () => {
    const { cuid, email } = await service.newCustomer()
    const first = await signedIn(email)
    expect(await seenBy(first)).toMatchObject({ waitsFor: null, passkeys: true })
    const before = first.cookie
    const { key, answer } = await register(first, undefined, 'My laptop')
    expect([answer.status, answer.body.customer.cuid, first.cookie]).toEqual([200, cuid, before])
    expect((await mailsTo(service, email)).at(-1)).toContain('A passkey was added')
    const list = (await first.call('GET', PASSKEY)).body
    expect(list).toEqual([expect.objectContaining({ name: 'My laptop', lastUsed: null })])

    const second = await signedIn(email)
    const half = second.cookie
    expect(await seenBy(second)).toMatchObject({
      ...{ level: 'person', waitsFor: 'passkey', customer: null, customers: [], staff: false },
      person: { email, name: null, role: null },
    })
    const pick = () => second.call('POST', `${SESSION}/customer`, { body: { cuid } })
    const back = () => second.call('DELETE', `${SESSION}/customer`)
    const read = () => second.call('GET', `/customer/${cuid}`)
    const more = () => second.call('POST', `${PASSKEY}/challenge`, { body: { purpose: 'register' } })
    const listed = () => second.call('GET', PASSKEY)
    const remove = () => second.call('DELETE', `${PASSKEY}/${list[0].id}`)
    for (const way of [pick, back, read, more, listed, remove]) {
      const refused = await way()
      expect([refused.status, refused.body.code]).toEqual([403, 'passkey_needed'])
    }
    const proven = await prove(second, key)
    expect([proven.status, proven.body.level, proven.body.waitsFor]).toEqual([200, 'customer', null])
    expect((await read()).status).toBe(200)
    expect((await listed()).body[0].lastUsed).toBeGreaterThan(0)
    expect(second.cookie).not.toBe(half)
    second.cookie = half
    expect((await seenBy(second)).level).toBe('none')
  })

  it('is asked for it in every other open session', async () => {
    const { cuid, email } = await service.newCustomer()
    const [one, other] = [await signedIn(email), await signedIn(email)]
    await register(one)
    service.clock.advance(6_000)
    const read = (visitor: Visitor) => visitor.call('GET', `/customer/${cuid}`)
    expect((await read(one)).status).toBe(200)
    expect((await read(other)).body.code).toBe('passkey_needed')
  })

  it('removes it again and gets an email; another person cannot', async () => {
    const { email } = await service.newCustomer()
    const visitor = await signedIn(email)
    await register(visitor)
    const [{ id }] = (await visitor.call('GET', PASSKEY)).body
    const stranger = await signedIn((await service.newCustomer()).email)
    expect((await stranger.call('DELETE', `${PASSKEY}/${id}`)).status).toBe(404)
    for (const wrong of ['0', 'x']) {
      expect((await visitor.call('DELETE', `${PASSKEY}/${wrong}`)).status).toBe(404)
    }
    expect((await visitor.call('DELETE', `${PASSKEY}/${id}`)).body).toEqual({ id, deleted: true })
    expect((await mailsTo(service, email)).at(-1)).toContain('A passkey was removed')
    expect(await seenBy(await signedIn(email))).toMatchObject({ level: 'customer', waitsFor: null })
  })

  it('is another person in another app', async () => {
    const { email } = await withPasskey()
    const { pair } = await createApp(service.db, { name: 'second', passcode: true }, service.clock)
    const body = { company: 'Foreign', email }
    expect((await service.call('POST', '/customer', { app: pair, body })).status).toBe(201)
    const asked = await visit(service).call('POST', '/console/api/passcode', {
      body: { email, app: 'second' },
    })
    expect(asked.status).toBe(200)
    const rows = await service.db.rows('select distinct app_id from passkey where person = $1', [email])
    expect(rows).toHaveLength(1)
  })

  it('needs none with a link of the app, and has no passkeys there', async () => {
    const { cuid, email } = await withPasskey()
    const visitor = await visitAs(service, email)
    expect((await visitor.call('GET', `/customer/${cuid}`)).status).toBe(200)
    expect((await seenBy(visitor)).passkeys).toBe(false)
    const answer = await visitor.call('GET', PASSKEY)
    expect([answer.status, answer.body.reason]).toEqual([403, 'passkeys_of_people'])
    expect((await visit(service).call('GET', PASSKEY)).body.code).toBe('session_ended')
  })
})

describe('a proof', () => {
  it('counts once, even if sent many times at once', async () => {
    const { email, key_: key } = await withPasskey()
    const visitor = await signedIn(email)
    const proof = key.prove(await challenge(visitor, 'prove'))
    const sent = { body: proof, headers: { cookie: visitor.cookie! } }
    const statuses = await Promise.all(
      Array.from({ length: 5 }, async () => (await visitor.call('POST', `${SESSION}/passkey`, sent)).status),
    )
    expect(statuses.filter(status => status === 200)).toHaveLength(1)
    expect(statuses.filter(status => status === 401)).toHaveLength(4)
  })

  it('is refused from another origin, host, challenge, key or session, if too late, or without a challenge', async () => {
    const { email, key_: key } = await withPasskey()
    const visitor = await signedIn(email)
    const other = await signedIn(email)
    const bad = [
      () => prove(visitor, key, { origin: 'https://evil.example' }),
      () => prove(visitor, key, { host: 'evil.example' }),
      () => prove(visitor, key, { challenge: 'AAAA' }),
      () => prove(visitor, newAuthenticator(ORIGIN)),
      async () => {
        const proof = { ...newAuthenticator(ORIGIN).prove(await challenge(visitor, 'prove')), id: key.id }
        return send(visitor, proof)
      },
      async () => send(visitor, key.prove(await challenge(other, 'prove'))),
      async () => {
        const asked = await challenge(visitor, 'prove')
        service.clock.advance(300_000)
        return send(visitor, key.prove(asked))
      },
      () => send(visitor, key.prove({ challenge: 'AAAA', host: 'localhost' })),
    ]
    for (const [index, attempt] of bad.entries()) {
      const { status, body } = await attempt()
      expect([index, status, body.code]).toEqual([index, 401, 'passkey_invalid'])
    }
    expect((await prove(visitor, key)).status).toBe(200)
    const limited = await signedIn(email)
    const broken = { id: key.id, clientData: 'e30', authenticatorData: 'AAAA', signature: 'AAAA' }
    expect((await send(limited, { ...broken, clientData: 'not base64!' })).status).toBe(400)
    service.clock.advance(3_600_000)
    for (let i = 0; i < 10; i++) expect((await send(limited, broken)).status).toBe(401)
    expect((await send(limited, broken)).status).toBe(429)
  })

  it('of a copied authenticator is refused: its counter has not risen', async () => {
    const { email, key_: key } = await withPasskey()
    expect((await prove(await signedIn(email), key, { counter: 7 })).status).toBe(200)
    expect((await prove(await signedIn(email), key, { counter: 7 })).status).toBe(401)
    expect((await prove(await signedIn(email), key, { counter: 8 })).status).toBe(200)
  })
})

describe('a registration', () => {
  it('is refused if it does not match the challenge, or is already registered', async () => {
    const { email } = await service.newCustomer()
    const visitor = await signedIn(email)
    const key = newAuthenticator(ORIGIN)
    const post = (body: object) => visitor.call('POST', PASSKEY, { body })
    const rest = { name: 'Key', transports: [] }
    const wrongs = [{ origin: 'https://evil.example' }, { host: 'evil.example' }, { challenge: 'AAAA' }]
    for (const wrong of wrongs) {
      const given = key.register(await challenge(visitor, 'register'), wrong)
      expect((await post({ ...given, ...rest })).body.code).toBe('passkey_invalid')
    }
    const used = key.register(await challenge(visitor, 'register'))
    expect((await post({ ...used, ...rest, name: ' ' })).status).toBe(400)
    expect((await post({ ...used, ...rest })).status).toBe(200)
    expect((await post({ ...used, ...rest })).status).toBe(401)
    expect((await register(visitor, key)).answer.body.reason).toBe('passkey_exists')
    const stranger = await signedIn((await service.newCustomer()).email)
    expect((await register(stranger, key)).answer.body.reason).toBe('passkey_exists')
    const foreign = visit(service, { 'sec-fetch-site': 'cross-site', 'x-marquee-csrf': '1' })
    foreign.cookie = visitor.cookie
    expect((await foreign.call('POST', PASSKEY, { body: { ...used, ...rest } })).status).toBe(403)
  })
})

describe('where a passkey is required', () => {
  it('staff without one register it before anything else, and keep the last one; members need none', async () => {
    const email = 'sue@staff.example'
    await newStaff(email)
    const sue = await signedIn(email)
    expect(await seenBy(sue)).toMatchObject({ level: 'person', waitsFor: 'new_passkey', staff: false })
    const read = () => sue.call('GET', '/customer')
    expect((await read()).body).toMatchObject({ code: 'passkey_needed', reason: 'passkey_missing' })
    const half = sue.cookie
    const { answer, key } = await register(sue)
    expect(answer.body).toMatchObject({ level: 'app', waitsFor: null, staff: true })
    expect(sue.cookie).not.toBe(half)
    expect((await read()).status).toBe(200)
    const [{ id }] = (await sue.call('GET', PASSKEY)).body
    const last = await sue.call('DELETE', `${PASSKEY}/${id}`)
    expect([last.status, last.body.reason]).toEqual([409, 'last_passkey'])
    await register(sue)
    expect((await sue.call('DELETE', `${PASSKEY}/${id}`)).status).toBe(200)
    expect((await prove(await signedIn(email), key)).status).toBe(401)
  })
})

describe('a person who has lost their passkeys', () => {
  it('gets in again after the app has reset them; sessions end, an email says so, and it is recorded', async () => {
    const { cuid, email } = await withPasskey()
    const [member] = (await service.call('GET', `/customer/${cuid}/member`)).body
    const path = `/customer/${cuid}/member/${member.mid}/passkey`
    const { pair } = await createApp(service.db, { name: 'third' }, service.clock)
    expect((await service.call('DELETE', path, { app: pair })).status).toBe(404)
    const own = (await service.call('POST', `/customer/${cuid}/credential`, { body: {} })).body
    expect((await service.call('DELETE', path, { as: own })).status).toBe(401)
    const limits = { name: 'agency', scope: 'all' as const, cuids: [cuid], expiresAt: null }
    const appId = await livingAppId(service.db, 'default')
    const agency = await addSuperPair(service.db, appId, limits, service.clock)
    const limited = await service.call('DELETE', path, { app: agency })
    expect([limited.status, limited.body.reason]).toEqual([403, 'some_customers_only'])
    const waiting = await signedIn(email)
    expect((await service.call('DELETE', path)).body).toEqual({ mid: member.mid, passkeys: 1 })
    expect((await mailsTo(service, email)).at(-1)).toContain('Your passkeys were reset')
    service.clock.advance(6_000)
    expect((await seenBy(waiting)).level).toBe('none')
    expect(await seenBy(await signedIn(email))).toMatchObject({ level: 'customer', waitsFor: null })
    const written = await service.db.row('select actor from audit where cuid = $1 and action = $2', [
      cuid,
      'reset_passkeys',
    ])
    expect(written).toEqual({ actor: service.app.key })
  })

  it('of the staff is let in again by an admin, as the history shows; another app cannot do it', async () => {
    const email = 'lost@staff.example'
    await newStaff(email)
    const lost = await signedIn(email)
    await register(lost)
    const staff = (await service.call('GET', '/staff')).body as { sid: number; email: string }[]
    const { sid } = staff.find(one => one.email === email)!
    const path = `/staff/${sid}/passkey`
    const { pair } = await createApp(service.db, { name: 'fourth' }, service.clock)
    expect((await service.call('DELETE', path, { app: pair })).status).toBe(404)
    expect((await service.call('DELETE', path)).body).toEqual({ sid, passkeys: 1 })
    expect((await mailsTo(service, email)).at(-1)).toContain('Your passkeys were reset')
    service.clock.advance(6_000)
    expect((await seenBy(lost)).level).toBe('none')
    expect(await seenBy(await signedIn(email))).toMatchObject({ waitsFor: 'new_passkey' })
    const history = (await service.call('GET', '/staff/history')).body
    expect(history.at(-1)).toMatchObject({ sid, action: 'reset_passkeys', by: { kind: 'app' } })
  })
})

it('an erased customer has no passkeys left, but a person keeps those that they need elsewhere', async () => {
  const [gone, other] = [await withPasskey(), await service.newCustomer()]
  const both = 'both@people.example'
  for (const { cuid } of [gone, other]) {
    const body = { email: both, role: 'viewer' }
    expect((await service.call('POST', `/customer/${cuid}/member`, { body })).status).toBe(201)
  }
  await register(await signedIn(both))
  await service.call('DELETE', `/customer/${gone.cuid}`)
  expect((await service.call('DELETE', `/customer/${gone.cuid}?erase=true`)).body.erased).toBe(true)
  const people = await service.db.rows<{ person: string }>(
    'select person from passkey where person = any($1::text[])',
    [[gone.email, both]],
  )
  expect(people).toEqual([{ person: both }])
})
