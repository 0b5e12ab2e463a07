// The header `idempotency-key`: for a day, the same call gets the first answer again, and nothing happens twice.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { passcodeFor, visit } from '../../test/support/console.ts'
import { startTestService, type TestService } from '../../test/support/service.ts'
import { forgetOldAnswers } from './idempotency.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

let emails = 0
const newBody = () => ({ company: 'A', email: `h${++emails}@a.example` })

describe('idempotency-key', () => {
  it('is forgotten after a day, in chunks, however many there are', async () => {
    await service.db.run(
      `insert into idempotency (owner, key, request_hash, created_at)
       select 'sweep', 'k' || i, '', now() - case when i = 1 then interval '0' else interval '25 hours' end
       from generate_series(1, 12000) i`,
    )
    const gone: number[] = []
    const db = {
      ...service.db,
      async run(text: string, params?: readonly unknown[]) {
        gone.push(await service.db.run(text, params))
        return gone.at(-1)!
      },
    }
    await forgetOldAnswers(db)
    // The last statement clears the counts of those hours.
    expect(gone.slice(0, -1)).toEqual([5000, 5000, 1999])
    expect(await service.db.rows(`select key from idempotency where owner = 'sweep'`)).toEqual([
      { key: 'k1' },
    ])
  })

  it('the same key and body, in any order of fields, gets the first answer again, including credentials', async () => {
    const body = newBody()
    const headers = { 'idempotency-key': 'key-1' }
    const first = await service.call('POST', '/customer', { body, headers })
    const reordered = Object.fromEntries(Object.entries(body).reverse())
    const again = await service.call('POST', '/customer', { body: reordered, headers })
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.body).toEqual(first.body)
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect((await service.call('GET', `/customer/${first.body.cuid}`, { as: again.body })).status).toBe(200)
  })

  it('a key whose object has since been deleted gets 409, not the dead object, until it is restored', async () => {
    const { body: customer } = await service.call('POST', '/customer', {
      body: newBody(),
      headers: { 'idempotency-key': 'gone' },
    })
    const of = `?cuid=${customer.cuid}`
    const now = Math.floor(Date.now() / 1000)
    const dates = { start: now, end: now + 86_400 }
    const persona = { name: 'p', geo: { geos: ['CA'] }, device: { desktop: true } }
    const creativeURL = 'http://127.0.0.1:1/none.png'
    const webhook = { url: 'https://hooks.example/', events: [] }
    const { cid } = await made('/campaign', { name: 'c', ...dates, dailySpend: 1 })
    const { pid } = await made(`/campaign/${cid}/persona`, persona)
    const { bid } = await made(`/campaign/${cid}/persona/${pid}/banner`, { creativeURL })

    const steps: [
      path: string,
      body: object | undefined,
      remove: (made: Record<string, string>) => string,
    ][] = [
      [`/campaign${of}`, { name: 'd', ...dates, dailySpend: 1 }, ({ cid }) => `/campaign/${cid}${of}`],
      [`/campaign/${cid}/copy${of}`, {}, made => `/campaign/${made.cid}${of}`],
      [
        `/campaign/${cid}/flight${of}`,
        { name: 'f', ...dates },
        made => `/campaign/${cid}/flight/${made.fid}${of}`,
      ],
      [`/campaign/${cid}/persona${of}`, persona, made => `/campaign/${cid}/persona/${made.pid}${of}`],
      [`/campaign/${cid}/persona/${pid}/copy${of}`, {}, made => `/campaign/${cid}/persona/${made.pid}${of}`],
      [
        `/campaign/${cid}/persona/${pid}/banner${of}`,
        { creativeURL },
        made => `/campaign/${cid}/persona/${pid}/banner/${made.bid}${of}`,
      ],
      [
        `/campaign/${cid}/persona/${pid}/banner/${bid}/copy${of}`,
        {},
        made => `/campaign/${cid}/persona/${pid}/banner/${made.bid}${of}`,
      ],
      [
        `/customer/${customer.cuid}/credential`,
        undefined,
        made => `/customer/${customer.cuid}/credential/${made.key}`,
      ],
      ['/webhook', webhook, made => `/webhook/${made.wid}`],
      ['/customer', newBody(), made => `/customer/${made.cuid}`],
    ]
    for (const [path, body, remove] of steps) {
      const headers = { 'idempotency-key': `gone ${path}`.replaceAll(/[^!-~]/g, '-') }
      const send = () => service.call('POST', path, { ...(body ? { body } : {}), headers })
      const first = await send()
      expect([path, first.status, (await send()).body]).toEqual([path, 201, first.body])
      expect([path, (await service.call('DELETE', remove(first.body))).status]).toEqual([path, 200])
      const again = await send()
      expect([path, again.status, again.body.code]).toEqual([path, 409, 'idempotent_object_gone'])
      if (path !== `/campaign${of}`) continue
      await service.call('POST', `/campaign/${first.body.cid}/restore${of}`)
      expect((await send()).body).toEqual(first.body)
    }

    async function made(path: string, body: object) {
      return (await service.call('POST', path + of, { body })).body
    }
  })

  it('ten at once create one customer', async () => {
    const body = newBody()
    const call = () =>
      service.call('POST', '/customer', { body, headers: { 'idempotency-key': 'key-parallel' } })
    const answers = await Promise.all(Array.from({ length: 10 }, call))
    expect(new Set(answers.map(answer => answer.text)).size).toBe(1)
  })

  it('the same key with another body gets 409', async () => {
    const headers = { 'idempotency-key': 'key-2' }
    await service.call('POST', '/customer', { body: newBody(), headers })
    const other = await service.call('POST', '/customer', { body: newBody(), headers })
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict'])
  })

  it('the same key in another session of the same person gets 409, not what the first one was answered', async () => {
    const { cuid, email } = await service.newCustomer()
    const signedIn = async () => {
      const visitor = visit(service)
      await visitor.signIn({ email, ...(await passcodeFor(service, email)) })
      return visitor
    }
    const [one, other] = [await signedIn(), await signedIn()]
    const body = { name: 'Reports', scope: 'read' }
    const headers = { 'idempotency-key': 'key-of-a-person' }
    const create = (visitor: typeof one) =>
      visitor.call('POST', `/customer/${cuid}/credential`, { body, headers })
    expect((await create(one)).status).toBe(201)
    const refused = await create(other)
    expect([refused.status, refused.body.code]).toEqual([409, 'idempotency_conflict'])
  })

  it('a refused request leaves the key free', async () => {
    const headers = { 'idempotency-key': 'key-3' }
    expect((await service.call('POST', '/customer', { body: { company: 'A' }, headers })).status).toBe(400)
    expect((await service.call('POST', '/customer', { body: newBody(), headers })).status).toBe(201)
  })

  it('the stored answer cannot be read from the database', async () => {
    const headers = { 'idempotency-key': 'key-4' }
    const { body } = await service.call('POST', '/customer', { body: newBody(), headers })
    const row = await service.db.row<{ answer: Buffer }>('select answer from idempotency where key = $1', [
      'key-4',
    ])
    expect(row!.answer.toString('latin1')).not.toContain(body.token)
    expect(row!.answer.toString('latin1')).not.toContain('company')
  })

  it('is forgotten after 24 h', async () => {
    const headers = { 'idempotency-key': 'key-5' }
    await service.call('POST', '/customer', { body: newBody(), headers })
    await service.db.run(
      "update idempotency set created_at = created_at - interval '25 hours' where key = 'key-5'",
    )
    expect((await service.call('POST', '/customer', { body: newBody(), headers })).status).toBe(201)
  })

  it.each(['', ' ', 'ä', 'x'.repeat(256)])('refuses the key "%.5s"', async key => {
    const answer = await service.call('POST', '/customer', {
      body: newBody(),
      headers: { 'idempotency-key': key },
    })
    expect(answer.status).toBe(400)
  })
})
