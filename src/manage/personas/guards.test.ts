// What protects personas: ownership, the version of a write, the record of a change, and what others can learn.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { untilWaiting } from '../../../test/support/locks.ts'
import { type CallOptions, startTestService, type TestService } from '../../../test/support/service.ts'
import { inTx, withNotes } from '../../changes/tx.ts'
import type { EndpointSpec } from '../../http/endpoint.ts'
import { type Schema, validate } from '../../http/validate.ts'
import type { ActorText } from '../../kernel/actor.ts'
import * as contract from './contract.ts'
import { findPersona, setEnabled } from './personas.ts'

let service: TestService
let customer: Awaited<ReturnType<TestService['newCustomer']>>
let cid: number
const START = 2_000_000_000
const END = 2_000_086_400
const BODY = {
  name: 'Cyclists',
  geo: { geos: ['CA-ON-Toronto'] },
  cat: ['IAB17-3'],
  device: { mobile: true },
}

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())
beforeEach(async () => {
  customer = await service.newCustomer()
  cid = await newCampaign()
})

async function newCampaign(): Promise<number> {
  const body = { name: 'Spring', start: START, end: END, dailySpend: 10 }
  return (await call('POST', '/campaign', { body })).body.cid
}

/** Calls as the customer itself. */
function call(method: string, path: string, options: CallOptions = {}) {
  return service.call(method, `${path}?cuid=${customer.cuid}`, { as: customer, ...options })
}

async function newPersona() {
  const answer = await call('POST', `/campaign/${cid}/persona`, { body: BODY })
  expect(answer.status).toBe(201)
  const { pid } = answer.body
  return { pid, etag: answer.headers.etag!, path: `/campaign/${cid}/persona/${pid}` }
}

function auditOf(pid: number) {
  return service.db.rows<Record<string, unknown>>(
    'select action, actor, cuid, cid, noun, before, after from audit where id = $1 order by audit_id',
    [pid],
  )
}

async function catalogChangesOf(pid: number): Promise<number> {
  return (await service.db.rows('select 1 from catalog_change where noun = $1 and id = $2', ['persona', pid]))
    .length
}

describe('a persona does not exist', () => {
  it('under another campaign, for another customer, or by anything that is not an id', async () => {
    const { pid, path } = await newPersona()
    const other = await service.newCustomer()
    const elsewhere = `/campaign/${await newCampaign()}/persona/${pid}`
    for (const [method, url] of everyCall(elsewhere)) expect((await call(method, url)).status).toBe(404)
    for (const [method, url] of everyCall(path)) {
      const foreign = await service.call(method, `${url}?cuid=${other.cuid}`, { as: other })
      expect(foreign.status).toBe(404)
    }
    for (const text of ['abc', '0', '-1', '1.0', `${pid}.0`, '9'.repeat(30), '%00', `0${pid}`, 'null']) {
      expect((await call('GET', `/campaign/${cid}/persona/${text}`)).status).toBe(404)
      expect((await call('GET', `/campaign/${text}/persona/${pid}`)).status).toBe(404)
    }
  })

  it('under a deleted campaign', async () => {
    const { path } = await newPersona()
    await call('DELETE', `/campaign/${cid}`)
    for (const [method, url] of everyCall(path)) expect((await call(method, url)).status).toBe(404)
    expect((await call('GET', `/campaign/${cid}/persona`)).status).toBe(404)
    expect((await call('POST', `/campaign/${cid}/persona`, { body: BODY })).status).toBe(404)
  })

  it('and the answer says whether it is the campaign or the persona', async () => {
    expect((await call('GET', `/campaign/${cid}/persona/999999999`)).body.message).toBe('persona not found')
    expect((await call('GET', `/campaign/${cid}/persona/x`)).body.message).toBe('persona not found')
    expect((await call('GET', '/campaign/999999999/persona/1')).body.message).toBe('campaign not found')
  })
})

describe('etags', () => {
  it('tie a write to the version that was read', async () => {
    const { path, etag } = await newPersona()
    const stale = { 'if-match': '"1-99"' }
    for (const [method, url] of everyCall(path).filter(([method]) => method !== 'GET')) {
      const answer = await call(method, url, {
        headers: stale,
        ...(url === path && method === 'PUT' ? { body: {} } : {}),
      })
      expect([method, url, answer.status]).toEqual([method, url, 412])
      expect(etag.startsWith(answer.headers.etag!.slice(0, -1))).toBe(true)
    }
    const edited = await call('PUT', path, { body: { name: 'a' }, headers: { 'if-match': etag } })
    expect(edited.status).toBe(200)
    expect((await call('DELETE', path, { headers: { 'if-match': etag } })).status).toBe(412)
    expect((await call('DELETE', path, { headers: { 'if-match': edited.headers.etag! } })).status).toBe(200)
  })

  it('let one of many edits of the same version win', async () => {
    const { path, etag } = await newPersona()
    const edits = Array.from({ length: 6 }, (_, i) =>
      call('PUT', path, { body: { name: `n${i}` }, headers: { 'if-match': etag } }),
    )
    const answers = await Promise.all(edits)
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 412, 412, 412, 412, 412])
    const winner = answers.find(answer => answer.status === 200)!
    expect((await call('GET', path)).body).toEqual(winner.body)
  })
})

describe('the dates of a persona', () => {
  it('are those of its campaign, even after they change', async () => {
    const { path } = await newPersona()
    await call('PUT', `/campaign/${cid}`, { body: { start: START + 10, end: END + 10 } })
    expect((await call('GET', path)).body).toMatchObject({ start: START + 10, end: END + 10 })
    expect((await call('GET', `/campaign/${cid}/persona`)).body).toMatchObject([{ start: START + 10 }])
  })
})

describe('every change', () => {
  it('records who, what, before and after, and tells delivery', async () => {
    const { path, pid } = await newPersona()
    const created = (await call('GET', path)).body
    const edited = (await call('PUT', path, { body: { name: 'Runners' } })).body
    const paused = (await service.call('PUT', `${path}/pause?cuid=${customer.cuid}`)).body
    await call('DELETE', path)
    const common = { cuid: customer.cuid, cid, noun: 'persona', actor: customer.key }
    expect(await auditOf(pid)).toEqual([
      { ...common, action: 'create', before: null, after: created },
      { ...common, action: 'edit', before: created, after: edited },
      { ...common, action: 'pause', actor: service.app.key, before: edited, after: paused },
      { ...common, action: 'delete', before: paused, after: null },
    ])
    expect(await catalogChangesOf(pid)).toBe(4)
  })
})

describe('two at once', () => {
  /** Runs `request` while another transaction blocks it with `statement`; commits once the request waits. */
  async function during(statement: string, id: number, request: () => ReturnType<typeof call>) {
    let answer: ReturnType<typeof call> | undefined
    await inTx(service.db, async tx => {
      await tx.run(statement, [id])
      answer = request()
      await untilWaiting(service.db, 1)
    })
    return answer!
  }

  it('no persona is created under a campaign that is being deleted', async () => {
    const answer = await during('update campaign set deleted_at = now() where cid = $1', cid, () =>
      call('POST', `/campaign/${cid}/persona`, { body: BODY }),
    )
    expect(answer.status).toBe(404)
    expect(await service.db.rows('select 1 from persona where cid = $1', [cid])).toEqual([])
  })

  it('an edit of a persona that is being deleted finds it gone', async () => {
    const { path, pid } = await newPersona()
    const answer = await during('update persona set deleted_at = now() where pid = $1', pid, () =>
      call('PUT', path, { body: { name: 'Late' } }),
    )
    expect(answer.status).toBe(404)
  })

  it('a persona whose campaign was deleted since it was found is gone too', async () => {
    const { pid } = await newPersona()
    const { db, clock } = service
    const target = await findPersona(db, customer, { cid, pid })
    await call('DELETE', `/campaign/${cid}`)
    const caller = {
      level: 'customer',
      appId: 1,
      cuid: customer.cuid,
      key: customer.key as ActorText,
      scope: 'all',
      cids: null,
    } as const
    const late = setEnabled(
      withNotes(db),
      { caller, cuid: customer.cuid, ifMatch: null, clock },
      target,
      false,
    )
    await expect(late).rejects.toMatchObject({ code: 'not_found' })
  })

  it('two edits of different fields are both kept', async () => {
    const { path } = await newPersona()
    const edits = [{ name: 'Runners' }, { cat: ['IAB1'] }, { device: { desktop: true } }]
    await Promise.all(edits.map(body => call('PUT', path, { body })))
    expect((await call('GET', path)).body).toMatchObject({
      name: 'Runners',
      cat: ['IAB1'],
      device: { mobile: false, desktop: true },
    })
  })
})

describe('the OpenAPI document', () => {
  it('has the eight persona endpoints, with examples that hold', async () => {
    const endpoints = Object.values<unknown>(contract).filter(isEndpoint)
    expect(endpoints).toHaveLength(8)
    const { paths } = (await service.call('GET', '/openapi.json')).body
    for (const { id, method, path, body, answer, examples } of endpoints) {
      const operation = paths[path.replaceAll(/:(\w+)/g, '{$1}')][method.toLowerCase()]
      expect(operation.operationId).toBe(id)
      if (body) expect([id, validate(body as Schema, examples!.body)]).toMatchObject([id, { ok: true }])
      expect([id, validate(answer as Schema, examples!.answer)]).toMatchObject([id, { ok: true }])
    }
  })
})

function isEndpoint(value: unknown): value is EndpointSpec {
  return typeof value === 'object' && value !== null && 'method' in value
}

function everyCall(path: string): [method: string, url: string][] {
  return [
    ['GET', path],
    ['PUT', path],
    ['PUT', `${path}/pause`],
    ['PUT', `${path}/resume`],
    ['DELETE', path],
  ]
}
