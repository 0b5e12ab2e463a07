// Where a person is signed in: they see only their own sessions, and can end them at once.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { OWN_PAGE, passcodeFor, visit, visitAs, visitAsStaff } from '../../../test/support/console.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { browserName } from '../../identity/sessions/sessions.ts'

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1'
const EDGE =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0'
const PATH = '/console/api/sessions'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

async function signIn(email: string, userAgent: string | null = FIREFOX) {
  const visitor = visit(service, { ...OWN_PAGE, ...(userAgent && { 'user-agent': userAgent }) })
  const answer = await visitor.signIn({ email, ...(await passcodeFor(service, email)) })
  expect([answer.status, answer.body.person?.email], answer.text).toEqual([200, email])
  service.clock.advance(60_000)
  return visitor
}
type Visitor = Awaited<ReturnType<typeof signIn>>

const listed = async (visitor: Visitor) => (await visitor.call('GET', PATH)).body
const isIn = async (visitor: Visitor) => (await visitor.call('GET', '/console/api/session')).body.level
const codeOf = async (visitor: Visitor, method: string, path = PATH) => {
  const { status, body } = await visitor.call(method, path)
  return [status, body.reason ?? body.code]
}

it('a person sees each browser, when it began and was last used, and no secret', async () => {
  const { email, cuid } = await service.newCustomer()
  const [desk, phone] = [await signIn(email), await signIn(email, SAFARI)]
  const first = await listed(desk)
  expect(first).toMatchObject([
    { browser: 'Safari, iPhone', isThis: false },
    { browser: 'Firefox, Windows', isThis: true },
  ])
  expect(Object.keys(first[0]).sort()).toEqual(['browser', 'created', 'id', 'isThis', 'lastUsed'])
  expect(first[1].lastUsed).toBe(first[1].created)
  service.clock.advance(3_600_000)
  await desk.call('GET', `/campaign?cuid=${cuid}`)
  const later = await listed(phone)
  expect(later.map(({ browser }: { browser: string }) => browser)).toEqual([
    'Safari, iPhone',
    'Firefox, Windows',
  ])
  expect(later[1].lastUsed).toBeGreaterThan(first[1].lastUsed + 3_000)
  expect(later[1].created).toBe(first[1].created)
  const row = await service.db.row(
    'select row_to_json(s)::text as text from console_session s where session_id = $1',
    [first[0].id],
  )
  expect((row as { text: string }).text).not.toContain('Mozilla')
})

it('one session is signed out at once, or all others; this one stays', async () => {
  const { email } = await service.newCustomer()
  const [desk, phone, old] = [await signIn(email), await signIn(email, SAFARI), await signIn(email, null)]
  const before = await listed(desk)
  expect(before.map(({ browser }: { browser: string | null }) => browser)).toEqual([
    null,
    'Safari, iPhone',
    'Firefox, Windows',
  ])
  expect(await isIn(phone)).toBe('customer')
  const ended = await desk.call('DELETE', `${PATH}/${before[1].id}`)
  expect(ended.body).toEqual({ id: before[1].id, deleted: true })
  expect(await isIn(phone)).toBe('none')
  expect((await desk.call('DELETE', `${PATH}/${before[1].id}`)).status).toBe(404)
  expect([await isIn(desk), await isIn(old)]).toEqual(['customer', 'customer'])
  await signIn(email, EDGE)
  expect((await desk.call('DELETE', PATH)).body).toEqual({ ended: 2 })
  expect([await isIn(desk), await isIn(old)]).toEqual(['customer', 'none'])
  expect((await desk.call('DELETE', PATH)).body).toEqual({ ended: 0 })
  // Their own session can be signed out like any other.
  const [{ id }] = await listed(desk)
  expect((await desk.call('DELETE', `${PATH}/${id}`)).status).toBe(200)
  expect(await isIn(desk)).toBe('none')
})

it('sessions of others are not found; a session of nobody in particular has no list', async () => {
  const [ann, bob] = [await service.newCustomer(), await service.newCustomer()]
  const [own, other] = [await signIn(ann.email), await signIn(bob.email)]
  const [{ id }] = await listed(other)
  for (const path of [`${PATH}/${id}`, `${PATH}/999999999`, `${PATH}/x`])
    expect((await own.call('DELETE', path)).status).toBe(404)
  expect((await own.call('DELETE', PATH)).body).toEqual({ ended: 0 })
  expect([await listed(own), await listed(other)].map(list => list.length)).toEqual([1, 1])
  const nobodies = [await visitAs(service, ann.email), await visitAsStaff(service)]
  for (const visitor of nobodies)
    for (const method of ['GET', 'DELETE'])
      expect(await codeOf(visitor, method)).toEqual([403, 'sessions_of_people'])
  expect(await codeOf(visit(service), 'GET')).toEqual([401, 'session_ended'])
  expect(await isIn(own)).toBe('customer')
})

it('a person who still has to use a passkey can end nothing', async () => {
  const { email } = await service.newCustomer()
  const [one, two] = [await signIn(email), await signIn(email, SAFARI)]
  await service.db.run(
    `insert into passkey (app_id, person, name, credential_id, public_key, counter, transports, created_at)
     select app_id, person, 'k', '\\x01'::bytea, '\\x01'::bytea, 0, '{}', now() from console_session
     where person = $1 limit 1`,
    [email.toLowerCase()],
  )
  service.clock.advance(6_000)
  for (const visitor of [one, two]) expect(await codeOf(visitor, 'DELETE')).toEqual([403, 'passkey_needed'])
})

it('names browsers as people know them', () => {
  expect([FIREFOX, SAFARI, EDGE, 'curl/8.1', '', undefined, 'X'.repeat(99_999)].map(browserName)).toEqual([
    ...['Firefox, Windows', 'Safari, iPhone', 'Edge, macOS'],
    ...[null, null, null, null],
  ])
})
