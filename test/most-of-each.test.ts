// How many of each kind there may be: the last one fits, also if several ask for its place at once, and no more. The
// numbers are in docs/limits.md. Nearly all of them are written by statements, because a thousand calls take long.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { livingAppId } from '../src/identity/apps.ts'
import { MAX_PASSKEYS } from '../src/identity/passkeys/passkeys.ts'
import { MAX_STAFF } from '../src/identity/staff/contract.ts'
import { addSuperPair, MAX_SUPER_PAIRS } from '../src/identity/super-pairs.ts'
import { MAX_FLIGHTS } from '../src/manage/campaigns/flights/flights.ts'
import { MAX_MEMBERS } from '../src/manage/customers/members/contract.ts'
import { MAX_SOURCES } from '../src/manage/sources/contract.ts'
import { createLog } from '../src/platform/log.ts'
import { createService } from '../src/service/app.ts'
import { newAuthenticator } from './support/authenticator.ts'
import { newAdvertiser } from './support/banners.ts'
import { passcodeFor, type Visitor, visit } from './support/console.ts'
import { leaveOpen, untilWaiting } from './support/locks.ts'
import { callOf, startTestService, type TestAnswer, type TestService } from './support/service.ts'

let service: TestService
let appId: number
beforeAll(async () => {
  service = await startTestService()
  appId = await livingAppId(service.db, 'default')
})
afterAll(() => service.close())

/** Asks three times at once for the one place that is left. */
async function lastOf(reason: string, ask: (n: number) => Promise<TestAnswer>): Promise<void> {
  const answers = await Promise.all([1, 2, 3].map(ask))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
  for (const { status, body } of answers) if (status === 409) expect(body.reason).toBe(reason)
}

it('flights of a campaign; a deleted one makes room, and comes back only into a free place', async () => {
  const ann = await newAdvertiser(service)
  const { start } = (await ann.call('GET', `/campaign/${ann.cid}`)).body
  const minute = (n: number) => ({ start: start + 60 * n, end: start + 60 * (n + 1) })
  await service.db.run(
    `insert into flight (cid, is_default, name, start_at, end_at, created_at, updated_at)
     select $1, false, 'F' || n, to_timestamp($2 + 60 * n), to_timestamp($2 + 60 * (n + 1)), now(), now()
     from generate_series(1, $3) n`,
    [ann.cid, start, MAX_FLIGHTS - 1],
  )
  const path = `/campaign/${ann.cid}/flight`
  const add = (n: number) => ann.call('POST', path, { name: 'G', ...minute(MAX_FLIGHTS + n) })
  await lastOf('too_many_flights', add)
  const first = (await ann.call('GET', `${path}?limit=2`)).body.find(
    (flight: { default: boolean }) => !flight.default,
  )
  expect((await ann.call('DELETE', `${path}/${first.fid}`)).status).toBe(200)
  await lastOf('too_many_flights', n => add(n + 3))
  const back = await ann.call('POST', `${path}/${first.fid}/restore`)
  expect([back.status, back.body.reason]).toEqual([409, 'too_many_flights'])
})

it('members of a customer, its own address among them', async () => {
  const ann = await service.newCustomer()
  await service.db.run(
    `insert into member (cuid, email, email_key, role, created_at)
     select $1, e, e, 'viewer', now() from (select 'm' || n || '@people.example' as e from generate_series(3, $2) n) as made`,
    [ann.cuid, MAX_MEMBERS],
  )
  await lastOf('too_many_members', n =>
    service.call('POST', `/customer/${ann.cuid}/member`, {
      as: ann,
      body: { email: `last${n}@people.example`, role: 'viewer' },
    }),
  )
  expect((await service.call('GET', `/customer/${ann.cuid}/member`, { as: ann })).body).toHaveLength(
    MAX_MEMBERS,
  )
})

it('staff of an app', async () => {
  await service.db.run(
    `insert into staff (app_id, email, email_key, role, created_at)
     select $1, e, e, 'support', now() from (select 's' || n || '@staff.example' as e from generate_series(2, $2) n) as made`,
    [appId, MAX_STAFF],
  )
  await lastOf('too_many_staff', n =>
    service.call('POST', '/staff', { body: { email: `last${n}@staff.example`, role: 'support' } }),
  )
})

it('sources of a deployment; a revoked one makes room', async () => {
  await service.db.run(
    `insert into source (kind, name, key, domain, created_at)
     select 'site', 's' || n, 'k' || n, 's.example', now()
     from generate_series(2 + (select count(*) from source where revoked_at is null), $1) n`,
    [MAX_SOURCES],
  )
  const add = (n: number) =>
    service.call('POST', '/source', { body: { kind: 'site', name: `last ${n}`, domain: 's.example' } })
  await lastOf('too_many_sources', add)
  const { source_id: id } = (await service.db.row<{ source_id: number }>(
    "select source_id from source where name = 's9'",
  ))!
  expect((await service.call('DELETE', `/source/${id}`)).status).toBe(200)
  await lastOf('too_many_sources', n => add(n + 3))
})

it('super pairs of an app', async () => {
  const add = (n: number) =>
    service.db.transaction(tx =>
      addSuperPair(tx, appId, { name: `p${n}`, scope: 'read', cuids: null, expiresAt: null }, service.clock),
    )
  // The app has its first one.
  for (let n = 1; n < MAX_SUPER_PAIRS - 1; n++) await add(n)
  const last = await Promise.allSettled([1, 2, 3].map(n => add(MAX_SUPER_PAIRS + n)))
  expect(last.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  await expect(add(0)).rejects.toMatchObject({ reason: 'too_many_super_pairs' })
})

it('passkeys of a person, also if two processes are asked for the last one', async () => {
  const { email } = await service.newCustomer()
  const [here, there] = [await signedIn(email), await signedIn(email)]
  const key = newAuthenticator(ORIGIN)
  expect((await register(here, key)).status).toBe(200)
  const proof = key.prove(await challenge(there, 'prove'))
  expect((await there.call('POST', '/console/api/session/passkey', { body: proof })).status).toBe(200)
  for (let n = 1; n < MAX_PASSKEYS - 1; n++) expect((await register(here)).status).toBe(200)

  const { config, clock, db } = service
  const other = await createService({
    config: { ...config, ROLES: ['api'] },
    log: createLog('silent'),
    clock,
  })
  try {
    const elsewhere = visit({ ...service, call: callOf(other) })
    elsewhere.cookie = there.cookie
    // Both ask while this keeps them from going on.
    const busy = await leaveOpen(db, tx =>
      tx.rows('select from passkey where person = $1 for update', [email]),
    )
    const asked = Promise.all([register(here), register(elsewhere)])
    await untilWaiting(db, 2)
    await busy.commit()
    const answers = await asked
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    for (const { status, body } of answers) if (status === 409) expect(body.reason).toBe('too_many_passkeys')
  } finally {
    await other.stop()
  }
  expect((await here.call('GET', '/console/api/passkey')).body).toHaveLength(MAX_PASSKEYS)
})

const ORIGIN = 'http://localhost:8080'

async function signedIn(email: string): Promise<Visitor> {
  const visitor = visit(service)
  await visitor.signIn({ email, ...(await passcodeFor(service, email)) })
  return visitor
}

async function challenge(visitor: Visitor, purpose: 'prove' | 'register') {
  return (await visitor.call('POST', '/console/api/passkey/challenge', { body: { purpose } })).body
}

async function register(visitor: Visitor, key = newAuthenticator(ORIGIN)): Promise<TestAnswer> {
  const given = key.register(await challenge(visitor, 'register'))
  return visitor.call('POST', '/console/api/passkey', {
    body: { ...given, name: 'Key', transports: ['usb'] },
  })
}
