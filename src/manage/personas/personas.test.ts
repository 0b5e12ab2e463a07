// Tests the personas table of the specification (section 4) through the API.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CallOptions, startTestService, type TestService } from '../../../test/support/service.ts'
import { type Schema, validate } from '../../http/validate.ts'
import * as contract from './contract.ts'

let service: TestService
let customer: Awaited<ReturnType<TestService['newCustomer']>>
let cid: number
const START = 2_000_000_000
const END = 2_000_086_400

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())
beforeEach(async () => {
  customer = await service.newCustomer()
  cid = await newCampaign()
})

const BODY = {
  name: 'Cyclists',
  geo: { geos: ['ca-on-Toronto', 'CA-QC'] },
  cat: ['IAB17-3'],
  device: { mobile: true, tablet: true },
  demo: { age: { '18to34': true } },
}

async function newCampaign(cuid = customer.cuid): Promise<number> {
  const body = { name: 'Spring', start: START, end: END, dailySpend: 10 }
  return (await service.call('POST', `/campaign?cuid=${cuid}`, { body })).body.cid
}

/** Calls as the customer itself. */
function call(method: string, path: string, options: CallOptions = {}) {
  const glue = path.includes('?') ? '&' : '?'
  return service.call(method, `${path}${glue}cuid=${customer.cuid}`, { as: customer, ...options })
}

async function newPersona(body: object = BODY) {
  const answer = await call('POST', `/campaign/${cid}/persona`, { body })
  expect(answer.status).toBe(201)
  return { ...answer.body, etag: answer.headers.etag!, path: `/campaign/${cid}/persona/${answer.body.pid}` }
}

function auditOf(pid: number) {
  return service.db.rows<Record<string, unknown>>(
    'select action, actor, cuid, cid, noun, before, after from audit where id = $1 order by audit_id',
    [pid],
  )
}

describe('POST /campaign/:cid/persona', () => {
  it('creates a persona and answers with the complete object', async () => {
    const { status, body, headers } = await call('POST', `/campaign/${cid}/persona`, { body: BODY })
    expect(status).toBe(201)
    expect(body).toEqual({
      pid: expect.any(Number),
      cid,
      name: 'Cyclists',
      geo: { geos: ['CA-ON-Toronto', 'CA-QC'] },
      cat: ['IAB17-3'],
      device: { mobile: true, tablet: true, desktop: false },
      demo: { gender: null, age: { '13to17': false, '18to34': true, '35to49': false, '50+': false } },
      attributes: {},
      rotation: 'even',
      enabled: true,
      start: START,
      end: END,
      warnings: [],
      externalId: null,
      metadata: {},
      created: expect.any(Number),
      updated: body.created,
    })
    expect(headers.etag).toMatch(`"${body.pid}-1.`)
    const read = await call('GET', `/campaign/${cid}/persona/${body.pid}`)
    expect(read.text).toBe(JSON.stringify(body))
  })

  it('needs only name, geo and device', async () => {
    const circle = { radius: 250, geocode: [-33.8688, 151.2093] }
    expect(await newPersona({ name: 'n', geo: circle, device: { desktop: true } })).toMatchObject({
      geo: circle,
      cat: [],
      demo: { gender: null, age: null },
    })
    const { status, body } = await call('POST', `/campaign/${cid}/persona`, { body: {} })
    expect(status).toBe(400)
    expect(body.errors.map((error: { path: string }) => error.path)).toEqual(['/name', '/geo', '/device'])
  })

  it('answers 400 with the path of each wrong entry', async () => {
    const body = { ...BODY, geo: { geos: ['CA', 'US', 'DE', 'CA-ZZ'] }, cat: ['Sports'], device: {} }
    const answer = await call('POST', `/campaign/${cid}/persona`, { body })
    expect(answer.status).toBe(400)
    expect(answer.body.code).toBe('invalid_input')
    expect(answer.body.errors).toMatchObject([
      { path: '/geo/geos/3', message: expect.stringContaining('CA (Canada) has no state/province ZZ') },
      { path: '/cat/0', message: expect.stringContaining('did you mean IAB17 (Sports)') },
      { path: '/device', message: expect.stringContaining('mobile, tablet, desktop') },
    ])
    expect((await call('GET', `/campaign/${cid}/persona`)).body).toEqual([])
  })

  it.each(['pid', 'cid', 'enabled', 'start', 'end', 'created', 'updated', 'nmae'])(
    'refuses the field %s by its name',
    async field => {
      const { status, body } = await call('POST', `/campaign/${cid}/persona`, {
        body: { ...BODY, [field]: 1 },
      })
      expect(status).toBe(400)
      expect(body.errors).toMatchObject([{ path: `/${field}` }])
    },
  )

  it('measures a name in code points after trimming', async () => {
    const name = '🚲'.repeat(255)
    expect((await newPersona({ ...BODY, name: `  ${name} ` })).name).toBe(name)
    const { status } = await call('POST', `/campaign/${cid}/persona`, { body: { ...BODY, name: `${name}x` } })
    expect(status).toBe(400)
  })

  it('stores a thousand places and gives them back in order', async () => {
    const geos = Array.from({ length: 1000 }, (_, i) => `US-NY-Place ${i} "é\\`)
    const { path } = await newPersona({ ...BODY, geo: { geos } })
    expect((await call('GET', path)).body.geo.geos).toEqual(geos)
  })

  it('creates one persona for an idempotency key that is used twice', async () => {
    const request = { body: BODY, headers: { 'idempotency-key': 'once-only-1' } }
    const first = await call('POST', `/campaign/${cid}/persona`, request)
    const second = await call('POST', `/campaign/${cid}/persona`, request)
    expect([second.status, second.text, second.headers.etag]).toEqual([201, first.text, first.headers.etag])
    expect((await call('GET', `/campaign/${cid}/persona`)).body).toHaveLength(1)
  })

  it('looks for the campaign before it looks at the body', async () => {
    expect((await call('POST', '/campaign/999999999/persona', { body: '{' })).status).toBe(404)
    expect((await call('POST', `/campaign/${cid}/persona`, { body: '{' })).status).toBe(400)
  })
})

describe('GET /campaign/:cid/persona', () => {
  it("lists the campaign's personas, oldest first, as they are read one by one", async () => {
    const pids = [(await newPersona()).pid, (await newPersona()).pid, (await newPersona()).pid]
    await call('POST', `/campaign/${await newCampaign()}/persona`, { body: BODY })
    const { status, body } = await call('GET', `/campaign/${cid}/persona`)
    expect(status).toBe(200)
    expect(body.map((persona: contract.Persona) => persona.pid)).toEqual(pids)
    expect(validate(contract.listPersonas.answer as Schema, body)).toMatchObject({ ok: true })
    expect((await call('GET', `/campaign/${cid}/persona/${pids[1]}`)).body).toEqual(body[1])
  })

  it('is empty for a campaign without personas, and 404 if there is no campaign', async () => {
    const { status, body } = await call('GET', `/campaign/${cid}/persona`)
    expect([status, body]).toEqual([200, []])
    expect((await call('GET', '/campaign/999999999/persona')).status).toBe(404)
    expect((await call('GET', '/campaign/abc/persona')).status).toBe(404)
  })

  it('pages by limit and after, with a link to the next page', async () => {
    const pids = [(await newPersona()).pid, (await newPersona()).pid, (await newPersona()).pid]
    const first = await call('GET', `/campaign/${cid}/persona?limit=2`)
    expect(first.body.map((persona: contract.Persona) => persona.pid)).toEqual(pids.slice(0, 2))
    const next = new URL(/<(.*)>; rel="next"/.exec(first.headers.link!)![1]!)
    const second = await service.call('GET', next.pathname + next.search, { as: customer })
    expect(second.body.map((persona: contract.Persona) => persona.pid)).toEqual(pids.slice(2))
    expect(second.headers.link).toBeUndefined()
    expect((await call('GET', `/campaign/${cid}/persona?limit=0`)).status).toBe(400)
    expect((await call('GET', `/campaign/${cid}/persona?limit=1001`)).status).toBe(400)
    expect((await call('GET', `/campaign/${cid}/persona?after=${pids[2]}`)).body).toEqual([])
  })

  it('streams a long list completely', async () => {
    await newPersona()
    await service.db.run(
      `insert into persona (cid, name, geo, cat, device, demo, created_at, updated_at)
       select cid, name, geo, cat, device, demo, created_at, updated_at from persona, generate_series(1, 1999)
       where cid = $1`,
      [cid],
    )
    const { status, body } = await call('GET', `/campaign/${cid}/persona`)
    expect(status).toBe(200)
    expect(body).toHaveLength(2000)
    const pids = body.map((persona: contract.Persona) => persona.pid)
    expect(pids).toEqual([...new Set<number>(pids)].sort((a, b) => a - b))
  })
})

describe('PUT /campaign/:cid/persona/:pid', () => {
  it('changes only the supplied fields', async () => {
    const { path, etag, ...persona } = await newPersona()
    service.clock.advance(5000)
    const { status, body, headers } = await call('PUT', path, { body: { name: 'Runners' } })
    expect(status).toBe(200)
    expect(body).toEqual({ ...persona, name: 'Runners', updated: expect.any(Number), path: undefined })
    expect(body.updated).toBeGreaterThanOrEqual(persona.created + 5)
    expect(headers.etag).not.toBe(etag)
    expect((await call('GET', path)).body).toEqual(body)
  })

  it('replaces each supplied field completely', async () => {
    const { path } = await newPersona({ ...BODY, demo: { gender: { male: true }, age: { '50+': true } } })
    const circle = { radius: 10, geocode: [0, 0] }
    const body = { geo: circle, device: { desktop: true }, demo: { gender: { female: true } }, cat: ['IAB1'] }
    expect((await call('PUT', path, { body })).body).toMatchObject({
      geo: circle,
      cat: ['IAB1'],
      device: { mobile: false, tablet: false, desktop: true },
      demo: { gender: { male: false, female: true, unknown: false }, age: null },
    })
  })

  it('clears categories and demographics with null', async () => {
    const { path } = await newPersona()
    const { body } = await call('PUT', path, { body: { cat: null, demo: null } })
    expect(body).toMatchObject({ cat: [], demo: { gender: null, age: null } })
  })

  it('changes nothing if one field is wrong', async () => {
    const { path, etag } = await newPersona()
    const answer = await call('PUT', path, { body: { name: 'New', geo: { geos: ['XX'] } } })
    expect(answer.status).toBe(400)
    expect(answer.body.errors).toMatchObject([{ path: '/geo/geos/0' }])
    const read = await call('GET', path)
    expect([read.body.name, read.headers.etag]).toEqual(['Cyclists', etag])
  })

  it('leaves no trace if it changes nothing', async () => {
    const { path, pid, etag } = await newPersona()
    for (const body of [{}, { name: 'Cyclists ' }, { geo: { geos: ['CA-on-Toronto', 'ca-qc', 'CA-QC'] } }]) {
      const answer = await call('PUT', path, { body })
      expect([answer.status, answer.headers.etag]).toEqual([200, etag])
    }
    expect(await auditOf(pid)).toHaveLength(1)
  })

  it('with enabled pauses and resumes it', async () => {
    const { path, pid } = await newPersona()
    expect((await call('PUT', path, { body: { enabled: false, name: 'Off' } })).body).toMatchObject({
      enabled: false,
      name: 'Off',
    })
    expect((await call('PUT', path, { body: { enabled: true } })).body.enabled).toBe(true)
    expect((await auditOf(pid)).map(row => row.action)).toEqual(['create', 'edit', 'pause', 'resume'])
  })
})

describe('pause and resume', () => {
  it('set enabled, however often they are called, and answer with the persona', async () => {
    const { path, etag: born, ...persona } = await newPersona()
    const paused = await call('PUT', `${path}/pause`)
    expect([paused.status, paused.body]).toMatchObject([200, { pid: persona.pid, enabled: false }])
    const again = await call('PUT', `${path}/pause`)
    expect([again.status, again.text, again.headers.etag]).toEqual([200, paused.text, paused.headers.etag])
    const resumed = await call('PUT', `${path}/resume`)
    expect([resumed.status, resumed.body.enabled]).toEqual([200, true])
    expect((await call('GET', path)).body).toEqual(resumed.body)
    expect((await auditOf(persona.pid)).map(row => row.action)).toEqual(['create', 'pause', 'resume'])
    expect(resumed.headers.etag).not.toBe(born)
  })

  it('an edit of a paused persona leaves it paused', async () => {
    const { path } = await newPersona()
    await call('PUT', `${path}/pause`)
    expect((await call('PUT', path, { body: { name: 'Other' } })).body.enabled).toBe(false)
  })
})

describe('DELETE /campaign/:cid/persona/:pid', () => {
  it('removes the persona from every endpoint', async () => {
    const { path, pid } = await newPersona()
    const { status, body } = await call('DELETE', path)
    expect([status, body]).toEqual([200, { pid, deleted: true }])
    expect((await call('GET', `/campaign/${cid}/persona`)).body).toEqual([])
    for (const [method, url] of everyCall(path)) {
      const answer = await call(method, url, method === 'PUT' ? { body: {} } : {})
      expect([method, url, answer.status]).toEqual([method, url, 404])
    }
  })

  it('deletes once when it is called many times at once', async () => {
    const { path, pid } = await newPersona()
    const answers = await Promise.all(Array.from({ length: 5 }, () => call('DELETE', path)))
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 404, 404, 404, 404])
    expect((await auditOf(pid)).map(row => row.action)).toEqual(['create', 'delete'])
  })
})

function everyCall(path: string): [method: string, url: string][] {
  return [
    ['GET', path],
    ['PUT', path],
    ['PUT', `${path}/pause`],
    ['PUT', `${path}/resume`],
    ['DELETE', path],
  ]
}
