// Accounts through the API: who may do what, credits that are safe to repeat, corrections that never take what is spent
// or promised, and entries that nobody can change.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestPair, type TestService } from '../../../test/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ CURRENCY: 'EUR' })
})
afterAll(() => service.close())

type Owner = TestPair & { cuid: number }

async function prepaid(fields: object = {}): Promise<Owner> {
  return service.newCustomer({ prepaid: true, ...fields })
}
const credit = (cuid: number, body: unknown, options: object = {}) =>
  service.call('POST', `/customer/${cuid}/credit`, { body, ...options })
const edit = (cuid: number, body: object, options: object = {}) =>
  service.call('PUT', `/customer/${cuid}`, { body, ...options })
async function accountOf({ cuid }: { cuid: number }) {
  return (await service.call('GET', `/customer/${cuid}/account`)).body
}
async function statementOf({ cuid }: { cuid: number }, query = '') {
  return (await service.call('GET', `/customer/${cuid}/statement${query}`)).body
}

describe('prepaid', () => {
  it('is off by default, and only the app may turn it on or off', async () => {
    const own = await service.newCustomer()
    expect((await service.call('GET', `/customer/${own.cuid}`)).body).toMatchObject({
      prepaid: false,
      lowBalance: null,
    })
    const refused = await edit(own.cuid, { prepaid: true }, { as: own })
    expect([refused.status, refused.body.code]).toEqual([401, 'credentials_wrong_level'])
    expect((await edit(own.cuid, { prepaid: false }, { as: own })).status).toBe(200)
    expect((await edit(own.cuid, { prepaid: true })).body.prepaid).toBe(true)
    expect((await edit(own.cuid, { prepaid: false }, { as: own })).status).toBe(401)
  })

  it('begins an account at zero, which the customer and its app can read', async () => {
    const own = await prepaid()
    const zero = { cuid: own.cuid, prepaid: true, balance: 0, reserved: 0, credited: 0, spent: 0 }
    expect(await accountOf(own)).toEqual({ ...zero, lowBalance: null, currency: 'EUR' })
    const read = await service.call('GET', `/customer/${own.cuid}/account`, { as: own })
    expect(read.body).toMatchObject(zero)
  })

  it('switched off ends the account at zero; switched on again begins another', async () => {
    const own = await prepaid()
    await credit(own.cuid, { amount: 12.5, reference: 'first' })
    expect((await edit(own.cuid, { prepaid: false })).status).toBe(200)
    expect(await accountOf(own)).toMatchObject({ prepaid: false, balance: 0, credited: 0 })
    const last = await statementOf(own)
    expect(last.entries.map((entry: object) => ({ ...entry, time: 0 }))).toEqual([
      { time: 0, kind: 'credit', amount: 12.5, reference: 'first' },
      { time: 0, kind: 'correction', amount: -12.5 },
    ])
    expect([last.opening, last.closing]).toEqual([0, 0])
    await edit(own.cuid, { prepaid: true })
    expect(await accountOf(own)).toMatchObject({ prepaid: true, balance: 0, credited: 0 })
    const again = await credit(own.cuid, { amount: 12.5, reference: 'first' })
    expect([again.status, again.body.account.balance]).toEqual([200, 0])
  })

  it('is set by an upsert too, on creating and on changing', async () => {
    const path = '/customer/by-external/crm-1'
    const made = await service.call('PUT', path, {
      body: { company: 'A', email: 'crm-1@a.example', prepaid: true, lowBalance: 5 },
    })
    expect([made.status, made.body.prepaid, made.body.lowBalance]).toEqual([201, true, 5])
    expect(await accountOf(made.body)).toMatchObject({ prepaid: true, lowBalance: 5 })
    const changed = await service.call('PUT', path, { body: { prepaid: false, lowBalance: null } })
    expect([changed.status, changed.body.prepaid, changed.body.lowBalance]).toEqual([200, false, null])
  })

  it('lowBalance is the customer’s own to set, and an amount', async () => {
    const own = await prepaid()
    expect((await edit(own.cuid, { lowBalance: 7.25 }, { as: own })).body.lowBalance).toBe(7.25)
    expect((await edit(own.cuid, { lowBalance: 0.001 }, { as: own })).status).toBe(400)
    expect((await edit(own.cuid, { lowBalance: -1 }, { as: own })).status).toBe(400)
    expect(await accountOf(own)).toMatchObject({ lowBalance: 7.25 })
  })
})

describe('a credit', () => {
  it('answers 201 with the entry and the account', async () => {
    const own = await prepaid()
    const { status, body } = await credit(own.cuid, { amount: 100, reference: 'inv-1', note: 'By bank' })
    expect(status).toBe(201)
    expect(body).toEqual({
      entry: {
        time: expect.any(Number),
        kind: 'credit',
        amount: 100,
        reference: 'inv-1',
        note: 'By bank',
      },
      account: expect.objectContaining({ balance: 100, credited: 100, spent: 0, reserved: 0 }),
    })
  })

  it('with the same reference is made only once: 200 with the first entry, 409 for another amount', async () => {
    const own = await prepaid()
    const first = await credit(own.cuid, { amount: 10, reference: 'inv-2' })
    const same = await credit(own.cuid, { amount: 10, reference: ' inv-2 ', note: 'again' })
    expect([same.status, same.body.entry]).toEqual([200, first.body.entry])
    const other = await credit(own.cuid, { amount: 11, reference: 'inv-2' })
    expect([other.status, other.body.code, other.body.params]).toEqual([
      409,
      'reference_taken',
      { reference: 'inv-2', amount: 10 },
    ])
    expect(await accountOf(own)).toMatchObject({ balance: 10 })
    const another = await prepaid()
    expect((await credit(another.cuid, { amount: 11, reference: 'inv-2' })).status).toBe(201)
  })

  it('is made once by twenty simultaneous calls', async () => {
    const own = await prepaid()
    const calls = Array.from({ length: 20 }, () => credit(own.cuid, { amount: 3, reference: 'race' }))
    const statuses = (await Promise.all(calls)).map(answer => answer.status).sort()
    expect(statuses).toEqual([...Array(19).fill(200), 201])
    expect(await accountOf(own)).toMatchObject({ balance: 3, credited: 3 })
  })

  it('of twenty references at once all count', async () => {
    const own = await prepaid()
    const calls = Array.from({ length: 20 }, (_, n) =>
      credit(own.cuid, { amount: 0.01 * (n + 1), reference: `r${n}` }),
    )
    expect((await Promise.all(calls)).every(answer => answer.status === 201)).toBe(true)
    expect(await accountOf(own)).toMatchObject({ balance: 2.1 })
  })

  it.each([
    [{ amount: 0, reference: 'a' }, '/amount', 'zero_amount'],
    [{ amount: 1.001, reference: 'a' }, '/amount', 'too_many_decimals'],
    [{ amount: 1_000_000_001, reference: 'a' }, '/amount', 'too_large'],
    [{ amount: '1', reference: 'a' }, '/amount', 'wrong_type'],
    [{ amount: 1 }, '/reference', 'required'],
    [{ amount: 1, reference: '' }, '/reference', 'empty'],
    [{ amount: 1, reference: 'x'.repeat(101) }, '/reference', 'too_long'],
    [{ amount: 1, reference: 'a', note: 'x'.repeat(501) }, '/note', 'too_long'],
    [{ amount: 1, reference: 'a', cents: 1 }, '/cents', 'unknown_field'],
  ])('%j is refused with 400 at %s', async (body, path, code) => {
    const own = await prepaid()
    const answer = await credit(own.cuid, body)
    expect([answer.status, answer.body.errors[0].path, answer.body.errors[0].code]).toEqual([400, path, code])
  })

  it('needs the super pair, a customer of the app, and one that pays in advance', async () => {
    const own = await prepaid()
    const body = { amount: 1, reference: 'a' }
    expect((await credit(own.cuid, body, { as: own })).status).toBe(401)
    expect((await credit(999_999_999, body)).status).toBe(404)
    const postpaid = await service.newCustomer()
    const refused = await credit(postpaid.cuid, body)
    expect([refused.status, refused.body.code]).toEqual([409, 'not_prepaid'])
    await edit(postpaid.cuid, { prepaid: true })
    expect((await credit(postpaid.cuid, body)).status).toBe(201)
  })

  it('never raises the total above what can be counted exactly', async () => {
    const own = await prepaid()
    await credit(own.cuid, { amount: 1_000_000_000, reference: 'all' })
    const more = await credit(own.cuid, { amount: 0.01, reference: 'more' })
    expect([more.status, more.body.errors[0].code]).toEqual([400, 'too_large'])
  })
})

describe('a correction', () => {
  it('lowers the balance, down to zero and no further; a refused reference is still free', async () => {
    const own = await prepaid()
    await credit(own.cuid, { amount: 10, reference: 'in' })
    const lowered = await credit(own.cuid, { amount: -4, reference: 'out' })
    expect([lowered.status, lowered.body.entry.kind, lowered.body.account.balance]).toEqual([
      201,
      'correction',
      6,
    ])
    const tooMuch = await credit(own.cuid, { amount: -6.01, reference: 'more' })
    expect([tooMuch.status, tooMuch.body.code, tooMuch.body.params]).toEqual([
      409,
      'balance_too_low',
      { most: 6 },
    ])
    expect(await accountOf(own)).toMatchObject({ balance: 6 })
    expect((await credit(own.cuid, { amount: -6, reference: 'more' })).status).toBe(201)
    expect(await accountOf(own)).toMatchObject({ balance: 0 })
  })
})

describe('entries', () => {
  it('cannot be changed or deleted, not even in the database', async () => {
    const own = await prepaid()
    await credit(own.cuid, { amount: 10, reference: 'kept', note: 'by Ann' })
    for (const text of [
      'update account_entry set amount_micros = 1 where cuid = $1',
      'update account_entry set note = null where cuid = $1',
      'delete from account_entry where cuid = $1',
    ]) {
      await expect(service.db.run(text, [own.cuid])).rejects.toThrow('never changed or deleted')
    }
    expect((await statementOf(own)).entries).toHaveLength(1)
  })

  it('stay when the customer is erased, without their notes', async () => {
    const own = await prepaid()
    await credit(own.cuid, { amount: 10, reference: 'kept', note: 'by Ann' })
    await service.call('DELETE', `/customer/${own.cuid}`)
    expect((await service.call('DELETE', `/customer/${own.cuid}?erase=true`)).status).toBe(200)
    expect(
      await service.db.rows('select amount_micros, reference, note from account_entry where cuid = $1', [
        own.cuid,
      ]),
    ).toEqual([{ amount_micros: 10_000_000, reference: 'kept', note: null }])
  })
})
