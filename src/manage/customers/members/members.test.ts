// People who work for a customer: invited, signed in by email, limited to their role, removed. Tested through the API.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  invitationIn,
  mailsTo,
  passcodeFor,
  type Visitor,
  visit,
  visitAs,
  visitAsMember,
} from '../../../../test/support/console.ts'
import { readMail } from '../../../../test/support/inbox.ts'
import { startTestService, type TestPair, type TestService } from '../../../../test/support/service.ts'
import { createApp } from '../../../identity/apps.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())
// The limits on attempts are per address of the caller, which all tests share.
beforeEach(() => service.clock.advance(3_600_000))

interface Owner extends TestPair {
  cuid: number
  email: string
}

let people = 0
const newMail = () => `p${++people}@people.example`
const pathOf = (owner: Owner, mid?: number) => `/customer/${owner.cuid}/member${mid ? `/${mid}` : ''}`
const members = (as: Owner) => service.call('GET', pathOf(as), { as })
const add = (as: Owner, body: object) => service.call('POST', pathOf(as), { as, body })
const edit = (as: Owner, mid: number, body: object) => service.call('PUT', pathOf(as, mid), { as, body })
const remove = (as: Owner, mid: number) => service.call('DELETE', pathOf(as, mid), { as })

const passcodeOf = (email: string) => passcodeFor(service, email)

async function signedIn(email: string): Promise<Visitor> {
  const visitor = visit(service)
  expect((await visitor.signIn({ email, ...(await passcodeOf(email)) })).status).toBe(200)
  return visitor
}

const seenBy = (visitor: Visitor) => visitor.call('GET', '/console/api/session')
const order = () => {
  const start = Math.floor(service.clock.nowMs() / 1000)
  return { name: 'c', start, end: start + 86_400 * 30, dailySpend: 10 }
}

describe('the list', () => {
  it('begins with the email of the customer, which is an owner and stays one', async () => {
    const ann = await service.newCustomer({ name: 'Ann' })
    const [first] = (await members(ann)).body
    expect(first).toMatchObject({
      email: ann.email,
      name: 'Ann',
      role: 'owner',
      first: true,
      invitedUntil: null,
    })
    const bob = await add(ann, { email: newMail(), role: 'owner' })
    for (const answer of [await remove(ann, first.mid), await edit(ann, first.mid, { role: 'viewer' })])
      expect([answer.status, answer.body.code]).toEqual([409, 'first_owner'])
    expect((await edit(ann, first.mid, { name: 'Ann R.' })).body.name).toBe('Ann R.')
    expect((await remove(ann, bob.body.mid)).body).toEqual({ mid: bob.body.mid, deleted: true })
    expect((await members(ann)).body).toHaveLength(1)
  })

  it('follows the email of the customer: the new one is an owner, the old one is out', async () => {
    const ann = await service.newCustomer()
    const email = newMail()
    await add(ann, { email, role: 'viewer' })
    const visitor = await signedIn(ann.email)
    await service.call('PUT', `/customer/${ann.cuid}`, { body: { email } })
    expect((await members(ann)).body).toMatchObject([{ email, role: 'owner', first: true }])
    expect((await seenBy(visitor)).body.level).toBe('none')
  })

  it('has the same person once, and takes back one who was removed', async () => {
    const ann = await service.newCustomer()
    const email = newMail()
    const { body: bob } = await add(ann, { email, name: 'Bob', role: 'editor', ceilings: { dailySpend: 5 } })
    expect(bob).toMatchObject({ role: 'editor', ceilings: { dailySpend: 5 }, first: false, joined: null })
    for (const again of [email.toUpperCase(), ann.email]) {
      const answer = await add(ann, { email: again, role: 'viewer' })
      expect([answer.status, answer.body.code]).toEqual([409, 'member_exists'])
    }
    const changed = await edit(ann, bob.mid, { ...bob, role: 'viewer', name: null, ceilings: null })
    expect(changed.body).toEqual({ ...bob, role: 'viewer', name: null, ceilings: null })
    await remove(ann, bob.mid)
    expect((await add(ann, { email, role: 'viewer' })).body.mid).not.toBe(bob.mid)
    expect((await edit(ann, bob.mid, { role: 'owner' })).status).toBe(404)
  })

  it.each([
    [{ role: 'viewer' }, '/email', 'required'],
    [{ email: 'x', role: 'viewer' }, '/email', 'not_an_email'],
    [{ email: 'a@b.example' }, '/role', 'required'],
    [{ email: 'a@b.example', role: 'boss' }, '/role', 'not_an_option'],
    [{ email: 'a@b.example', role: 'owner', ceilings: { cpm: 1 } }, '/ceilings', 'not_together'],
  ])('%j is refused at its field', async (body, path, code) => {
    const ann = await service.newCustomer()
    const answer = await add(ann, body)
    expect([answer.status, answer.body.errors?.[0]]).toMatchObject([400, { path, code }])
  })

  it('another email is another person', async () => {
    const ann = await service.newCustomer()
    const { body: bob } = await add(ann, { email: newMail(), role: 'viewer' })
    const answer = await edit(ann, bob.mid, { email: newMail() })
    expect([answer.status, answer.body.errors?.[0]]).toMatchObject([
      400,
      { path: '/email', code: 'read_only' },
    ])
  })

  it('a customer cannot have one address mailed without end', async () => {
    const ann = await service.newCustomer()
    const email = newMail()
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) {
      const { status, body } = await add(ann, { email, role: 'viewer' })
      statuses.push(status)
      if (status === 201) await remove(ann, body.mid)
    }
    expect(statuses).toEqual([201, 201, 201, 201, 201, 429])
    expect((await members(ann)).body).toHaveLength(1)
  })
})

it('nobody becomes another person by an address that is the same only in lower case', async () => {
  const name = `kate-${newMail()}`
  await service.newCustomer({ email: name })
  const stranger = await service.newCustomer()
  // The Kelvin sign: another mailbox, whose name in lower case is that of the first.
  const twin = name.replace('k', '\u212a')
  expect(twin.toLowerCase()).toBe(name)
  const { status, body } = await add(stranger, { email: twin, role: 'viewer' })
  expect([status, body.errors?.[0].code]).toEqual([400, 'not_an_email'])
  expect((await add(stranger, { email: name.toUpperCase(), role: 'viewer' })).status).toBe(201)
})

describe('an invitation', () => {
  it('signs in once, within 7 days, and says who invites to which company, in plain words only', async () => {
    const ann = await service.newCustomer({ company: 'Blue Bikes', language: 'de' })
    const email = newMail()
    await add(ann, { email, name: 'Click here', role: 'editor' })
    const [mail] = await mailsTo(service, email)
    const { subject, text } = readMail(mail!)
    expect(subject).toContain('Einladung')
    expect(text).toContain('am Werbekonto von Blue Bikes mitzuarbeiten.')
    expect(text).not.toContain('Click here')
    const owner = await visitAsMember(service, ann, 'owner', { name: 'Bo' })
    const carol = newMail()
    await owner.call('POST', pathOf(ann), { email: carol, role: 'viewer' })
    const [second] = await mailsTo(service, carol)
    expect(readMail(second!).text).toContain(`Bo (${owner.email}) hat Sie eingeladen`)
    const odd = await service.newCustomer({ company: 'Win at http://evil.example' })
    const dave = newMail()
    await add(odd, { email: dave, role: 'viewer' })
    const [third] = await mailsTo(service, dave)
    expect(readMail(third!).text).toContain('to work on an advertising account in')
    expect(third).not.toContain('evil.example')
    const bob = visit(service)
    const { status, body } = await bob.signIn({ invitation: invitationIn(mail!) })
    expect([status, body]).toMatchObject([
      200,
      {
        level: 'customer',
        customer: { cuid: ann.cuid },
        person: { email, name: 'Click here', role: 'editor' },
        customers: [{ cuid: ann.cuid, company: 'Blue Bikes', role: 'editor' }],
      },
    ])
    const again = await visit(service).signIn({ invitation: invitationIn(mail!) })
    expect([again.status, again.body.code, again.body.reason]).toEqual([
      401,
      'ticket_invalid',
      'invitation_invalid',
    ])
    expect((await members(ann)).body[1]).toMatchObject({ joined: expect.any(Number), invitedUntil: null })
  })

  it('is void after 7 days, and when its member is removed', async () => {
    const ann = await service.newCustomer()
    const [late, gone] = [newMail(), newMail()]
    await add(ann, { email: late, role: 'viewer' })
    service.clock.advance(7 * 86_400_000)
    const { body } = await add(ann, { email: gone, role: 'viewer' })
    await remove(ann, body.mid)
    for (const email of [late, gone]) {
      const [mail] = await mailsTo(service, email)
      expect((await visit(service).signIn({ invitation: invitationIn(mail!) })).status).toBe(401)
    }
  })

  it('is sent again with a new link, which ends the one before it, until the person has signed in', async () => {
    const ann = await service.newCustomer()
    const email = newMail()
    const { body: bob } = await add(ann, { email, role: 'viewer' })
    service.clock.advance(6 * 86_400_000)
    const again = (as: TestPair = ann) => service.call('POST', `${pathOf(ann, bob.mid)}/invite`, { as })
    const sent = await again()
    const until = Math.floor(service.clock.nowMs() / 1000) + 7 * 86_400
    expect(sent).toMatchObject({ status: 200, body: { ...bob, invitedUntil: until } })
    service.clock.advance(2 * 86_400_000)
    const [old, fresh] = (await mailsTo(service, email)).map(mail => invitationIn(mail))
    expect((await visit(service).signIn({ invitation: old })).status).toBe(401)
    expect((await visit(service).signIn({ invitation: fresh })).status).toBe(200)
    const late = await again()
    expect([late.status, late.body.reason]).toEqual([409, 'member_joined'])
    expect(await mailsTo(service, email)).toHaveLength(2)
  })

  it('is sent again by those who may add people, and not without end', async () => {
    const [ann, other] = [await service.newCustomer(), await service.newCustomer()]
    const { body: bob } = await add(ann, { email: newMail(), role: 'viewer' })
    const path = `${pathOf(ann, bob.mid)}/invite`
    const manager = newMail()
    await add(ann, { email: manager, role: 'manager' })
    expect((await (await signedIn(manager)).call('POST', path)).body.code).toBe('scope_too_low')
    expect((await service.call('POST', path, { as: other })).status).toBe(401)
    expect((await service.call('POST', `${pathOf(other, bob.mid)}/invite`, { as: other })).status).toBe(404)
    const statuses: number[] = []
    for (let i = 0; i < 5; i++) statuses.push((await service.call('POST', path)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 429])
    service.clock.advance(3_600_000)
    expect((await service.call('POST', path)).status).toBe(200)
  })

  it('does not end the session of somebody else unless it is told to', async () => {
    const [ann, other] = [await service.newCustomer(), await service.newCustomer()]
    const email = newMail()
    await add(ann, { email, role: 'viewer' })
    const [mail] = await mailsTo(service, email)
    const visitor = await visitAs(service, other.email)
    expect((await visitor.signIn({ invitation: invitationIn(mail!) })).body.code).toBe('session_open')
    expect((await seenBy(visitor)).body.customer.cuid).toBe(other.cuid)
    expect((await visitor.signIn({ invitation: invitationIn(mail!), replace: true })).status).toBe(200)
    expect((await seenBy(visitor)).body.customer.cuid).toBe(ann.cuid)
  })
})

describe('a role', () => {
  it('decides what a person may do; a change of role takes effect at once', async () => {
    const ann = await service.newCustomer()
    const email = newMail()
    const { body: member } = await add(ann, { email, role: 'viewer' })
    const bob = await signedIn(email)
    const create = (more: object = {}) =>
      bob.call('POST', `/campaign?cuid=${ann.cuid}`, { body: { ...order(), ...more } })
    const invites = () => bob.call('POST', pathOf(ann), { body: { email: newMail(), role: 'viewer' } })
    expect((await bob.call('GET', `/campaign?cuid=${ann.cuid}`)).status).toBe(200)
    expect((await create({ enabled: false })).body.code).toBe('scope_too_low')
    await edit(ann, member.mid, { role: 'editor' })
    const { body: paused } = await create({ enabled: false })
    expect(paused.cid).toEqual(expect.any(Number))
    await edit(ann, member.mid, { role: 'manager', ceilings: { dailySpend: 20 } })
    expect((await create()).status).toBe(201)
    const above = await create({ dailySpend: 21 })
    expect([above.status, above.body.params]).toMatchObject([403, { whose: 'member', max: 20, asked: 21 }])
    expect((await invites()).body.code).toBe('scope_too_low')
    await edit(ann, member.mid, { role: 'owner', ceilings: null })
    expect((await invites()).status).toBe(201)
    const pairs = `/customer/${ann.cuid}/credential`
    await bob.call('POST', pairs, { body: { scope: 'read' } })
    expect((await bob.call('GET', pairs)).body.at(-1).createdBy).toBe(email)
  })

  it('cannot be raised by its person, through whichever way', async () => {
    const ann = await service.newCustomer()
    const email = newMail()
    const { body: member } = await add(ann, { email, role: 'manager' })
    const bob = await signedIn(email)
    for (const [method, path, body] of [
      ['PUT', pathOf(ann, member.mid), { role: 'owner' }],
      ['DELETE', pathOf(ann, member.mid), undefined],
      ['POST', `/customer/${ann.cuid}/credential`, {}],
    ] as const)
      expect((await bob.call(method, path, { body })).body.code).toBe('scope_too_low')
    const put = await bob.call('PUT', `/customer/${ann.cuid}`, { body: { email } })
    expect(put.body.reason).toBe('app_only_field')
  })
})

it('the history of a campaign names who it was, also after their removal; a pair by its name', async () => {
  const ann = await service.newCustomer()
  const email = newMail()
  const { body: member } = await add(ann, { email, name: 'Bob', role: 'editor' })
  const bob = await signedIn(email)
  const campaigns = `/campaign?cuid=${ann.cuid}`
  const { cid } = (await bob.call('POST', campaigns, { body: { ...order(), enabled: false } })).body
  const path = `/customer/${ann.cuid}/credential`
  const pair = (await service.call('POST', path, { as: ann, body: { name: 'Sync' } })).body
  const of = (verb: string) => `/campaign/${cid}${verb}?cuid=${ann.cuid}`
  await service.call('PUT', of(''), { as: pair, body: { name: 'Second' } })
  await service.call('PUT', of('/resume'))
  await remove(ann, member.mid)
  const { body } = await service.call('GET', of('/history'), { as: ann })
  expect(body.map(({ by }: { by: object }) => by)).toEqual([
    { kind: 'person', name: 'Bob', email, as: null },
    { kind: 'key', name: 'Sync', email: null, as: null },
    { kind: 'app', name: null, email: null, as: null },
  ])
})

describe('removal', () => {
  it('ends the sessions at once, and passcodes find nobody', async () => {
    const ann = await service.newCustomer()
    const email = newMail()
    const { body: member } = await add(ann, { email, role: 'owner' })
    const bob = await signedIn(email)
    const read = () => bob.call('GET', `/customer/${ann.cuid}`)
    expect((await read()).status).toBe(200)
    await remove(ann, member.mid)
    expect((await read()).body.code).toBe('session_ended')
    expect((await seenBy(bob)).body.level).toBe('none')
    const mails = (await mailsTo(service, email)).length
    const stranger = newMail()
    const answers = []
    for (const one of [email, stranger]) {
      const { status, body } = await visit(service).call('POST', '/console/api/passcode', {
        body: { email: one },
      })
      answers.push([status, Object.keys(body), body.message.replace(one, '…')])
    }
    expect(answers[0]).toEqual(answers[1])
    expect((await mailsTo(service, email)).length).toBe(mails)
  })
})

describe('a person who works for several customers', () => {
  it('picks one after signing in; each tab has its own, and nothing of one shows in another', async () => {
    const ann = await service.newCustomer()
    const cy = await service.newCustomer()
    const stranger = await service.newCustomer()
    const email = newMail()
    await add(ann, { email, role: 'viewer' })
    await add(cy, { email, role: 'manager' })
    const bob = await signedIn(email)
    const { body } = await seenBy(bob)
    expect([body.level, body.customer, body.person.role]).toEqual(['person', null, null])
    expect(body.customers.map(({ cuid, role }: { cuid: number; role: string }) => [cuid, role])).toEqual([
      [ann.cuid, 'viewer'],
      [cy.cuid, 'manager'],
    ])
    const unpicked = await bob.call('GET', `/campaign?cuid=${ann.cuid}`)
    expect([unpicked.status, unpicked.body.reason]).toEqual([403, 'customer_not_picked'])
    const pick = (cuid: number) => bob.call('POST', '/console/api/session/customer', { body: { cuid } })
    expect((await pick(stranger.cuid)).status).toBe(404)
    expect((await pick(ann.cuid)).body).toMatchObject({ level: 'customer', person: { role: 'viewer' } })
    const as = (cuid: number | string) => ({ headers: { 'x-marquee-as': String(cuid) } })
    const list = (cuid: number, tab: object = {}) => bob.call('GET', `/campaign?cuid=${cuid}`, tab)
    expect((await list(ann.cuid)).status).toBe(200)
    expect((await list(cy.cuid)).body.code).toBe('cuid_not_allowed')
    expect((await list(cy.cuid, as(cy.cuid))).status).toBe(200)
    for (const tab of [stranger.cuid, 'app']) {
      expect((await list(stranger.cuid, as(tab))).body.code).toBe('session_ended')
    }
    const write = { ...as(cy.cuid), body: order() }
    expect((await bob.call('POST', `/campaign?cuid=${cy.cuid}`, write)).status).toBe(201)
    expect((await bob.call('POST', `/campaign?cuid=${ann.cuid}`, { body: order() })).body.code).toBe(
      'scope_too_low',
    )
    const [, member] = (await members(ann)).body
    await remove(ann, member.mid)
    expect((await list(ann.cuid, as(ann.cuid))).body.code).toBe('session_ended')
    expect((await list(cy.cuid, as(cy.cuid))).status).toBe(200)
    expect((await seenBy(bob)).body.customers).toHaveLength(1)
  })

  it('is another person in another app', async () => {
    const { pair } = await createApp(service.db, { name: 'second', passcode: true }, service.clock)
    const email = newMail()
    const body = { company: 'Foreign', email: newMail() }
    const foreign = (await service.call('POST', '/customer', { app: pair, body })).body
    await add(foreign, { email, role: 'owner' })
    const ann = await service.newCustomer()
    await add(ann, { email, role: 'viewer' })
    expect((await seenBy(await signedIn(email))).body).toMatchObject({
      level: 'customer',
      customers: [{ cuid: ann.cuid }],
    })
  })
})
