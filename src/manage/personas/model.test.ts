// Compares random sequences of calls with a plain model in memory: they must agree after every call. A failure prints
// its seed; SEED=<n> replays it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IS_LONG } from '../../../test/support/random.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import type { Persona } from './contract.ts'

const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const SEQUENCES = IS_LONG ? 60 : 6
const STEPS = 70

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

/** mulberry32: small, and the same on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Fields = Pick<Persona, 'name' | 'geo' | 'cat' | 'device' | 'demo'>
interface Modelled extends Fields {
  enabled: boolean
  /** Grows with every change. The etag must change exactly when this does. */
  changes: number
  etag: string
}
/** What is sent for a field, and what a read must return afterwards. */
type Sample<T> = [sent: unknown, read: T]

const ALL = { gender: null, age: null }
const AGE = { '13to17': false, '18to34': true, '35to49': false, '50+': true }
const SAMPLES: { [K in keyof Fields]: Sample<Fields[K]>[] } = {
  name: [
    ['Cyclists', 'Cyclists'],
    ['  Rad & Fahrer 🚲 ', 'Rad & Fahrer 🚲'],
  ],
  geo: [
    [{ geos: ['CA'] }, { geos: ['CA'] }],
    [{ geos: ['us-ny', 'US-NY', 'us'] }, { geos: ['US-NY', 'US'] }],
    [{ geos: ['ca-qc-Québec', 'CA-QC-quebec'], radius: null }, { geos: ['CA-QC-Québec'] }],
    [
      { radius: 1, geocode: [-90, 180] },
      { radius: 1, geocode: [-90, 180] },
    ],
    [
      { radius: 1_000_000, geocode: [0.1, 1e-7] },
      { radius: 1_000_000, geocode: [0.1, 1e-7] },
    ],
  ],
  cat: [
    [null, []],
    [[], []],
    [
      ['IAB1', 'IAB1-2', 'IAB1'],
      ['IAB1', 'IAB1-2'],
    ],
  ],
  device: [
    [{ mobile: true }, { mobile: true, tablet: false, desktop: false }],
    [
      { desktop: true, tablet: true, mobile: false },
      { mobile: false, tablet: true, desktop: true },
    ],
  ],
  demo: [
    [null, ALL],
    [{}, ALL],
    [{ gender: { unknown: true } }, { gender: { male: false, female: false, unknown: true }, age: null }],
    [
      { age: { '18to34': true, '50+': true }, gender: null },
      { gender: null, age: AGE },
    ],
  ],
}
const REQUIRED = ['name', 'geo', 'device'] as const
const DEFAULTS = { cat: [], demo: ALL, attributes: {}, rotation: 'even' as const }
const WRONG: Record<string, unknown> = {
  name: '',
  geo: { geos: ['CA'], radius: 5 },
  cat: ['IAB99'],
  device: { mobile: false },
  demo: { age: {} },
}

describe(`random sequences (SEED=${SEED})`, () => {
  for (let sequence = 0; sequence < SEQUENCES; sequence++) {
    it(`personas and their model agree, sequence ${sequence}`, () => run(SEED + sequence))
  }
})

async function run(seed: number): Promise<void> {
  const random = randomFrom(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const customer = await service.newCustomer()
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    service.call(method, `${path}?cuid=${customer.cuid}`, {
      as: customer,
      headers,
      ...(body ? { body } : {}),
    })
  const dates = { start: 2_000_000_000, end: 2_000_086_400 }
  const created = await call('POST', '/campaign', { name: 'Spring', dailySpend: 10, ...dates })
  const { cid } = created.body
  const path = (pid: number) => `/campaign/${cid}/persona/${pid}`
  const living = new Map<number, Modelled>()
  const deleted: number[] = []

  function someFields(names: readonly (keyof Fields)[]): {
    body: Record<string, unknown>
    read: Partial<Fields>
  } {
    const chosen = names.map(name => [name, pick<Sample<unknown>>(SAMPLES[name])] as const)
    return {
      body: Object.fromEntries(chosen.map(([name, [sent]]) => [name, sent])),
      read: Object.fromEntries(chosen.map(([name, [, read]]) => [name, read])),
    }
  }
  const someNames = () => (Object.keys(SAMPLES) as (keyof Fields)[]).filter(() => random() < 0.4)
  const shown = (pid: number, { etag, changes, ...fields }: Modelled) => ({
    pid,
    cid,
    ...fields,
    ...dates,
    warnings: [],
    externalId: null,
    metadata: {},
    created: expect.any(Number),
    updated: expect.any(Number),
  })

  /** The answer to a change must match the model; the etag changes only if something changed. */
  async function change(method: string, url: string, pid: number, body: unknown, wanted: Partial<Modelled>) {
    const before = living.get(pid)!
    const after = { ...before, ...wanted }
    const condition = random()
    const headers: Record<string, string> = condition < 0.3 ? { 'if-match': before.etag } : {}
    if (condition > 0.8) {
      const refused = await call(method, url, body, { 'if-match': `"${pid}-999999"` })
      expect(refused.status).toBe(412)
      return
    }
    const answer = await call(method, url, body, headers)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual(shown(pid, after))
    const changed = JSON.stringify(after) !== JSON.stringify(before)
    expect(answer.headers.etag !== before.etag).toBe(changed)
    living.set(pid, { ...after, etag: answer.headers.etag!, changes: before.changes + (changed ? 1 : 0) })
  }

  const steps: Record<string, (pid: number | undefined) => Promise<void>> = {
    async create() {
      const { body, read } = someFields([...new Set([...REQUIRED, ...someNames()])])
      const answer = await call('POST', `/campaign/${cid}/persona`, body)
      expect(answer.status).toBe(201)
      const etag = answer.headers.etag!
      const persona = { ...DEFAULTS, ...read, enabled: true, changes: 1, etag } as Modelled
      expect(answer.body).toEqual(shown(answer.body.pid, persona))
      expect(Math.max(0, ...living.keys(), ...deleted)).toBeLessThan(answer.body.pid)
      living.set(answer.body.pid, persona)
    },
    async edit(pid) {
      if (!pid) return
      const { body, read } = someFields(someNames())
      await change('PUT', path(pid), pid, body, read)
    },
    async wrong(pid) {
      const name = pick(Object.keys(WRONG))
      const { body } = someFields([...REQUIRED])
      const url = pid ? path(pid) : `/campaign/${cid}/persona`
      const answer = await call(pid ? 'PUT' : 'POST', url, { ...body, [name]: WRONG[name] })
      expect(answer.status).toBe(400)
    },
    async pause(pid) {
      if (pid) await change('PUT', `${path(pid)}/pause`, pid, undefined, { enabled: false })
    },
    async resume(pid) {
      if (pid) await change('PUT', `${path(pid)}/resume`, pid, undefined, { enabled: true })
    },
    async remove(pid) {
      if (!pid) return
      const answer = await call('DELETE', path(pid))
      expect([answer.status, answer.body]).toEqual([200, { pid, deleted: true }])
      living.delete(pid)
      deleted.push(pid)
    },
    async read(pid) {
      if (!pid) return
      const answer = await call('GET', path(pid))
      expect([answer.status, answer.headers.etag]).toEqual([200, living.get(pid)!.etag])
      expect(answer.body).toEqual(shown(pid, living.get(pid)!))
    },
    async ghost() {
      const pid = pick(deleted)
      if (!pid) return
      const [method, url] = pick([
        ['GET', path(pid)],
        ['PUT', path(pid)],
        ['PUT', `${path(pid)}/resume`],
        ['DELETE', path(pid)],
      ] as const)
      expect((await call(method, url)).status).toBe(404)
    },
    async list() {
      const { status, body } = await call('GET', `/campaign/${cid}/persona`)
      expect(status).toBe(200)
      expect(body).toEqual([...living].map(([pid, persona]) => shown(pid, persona)))
    },
  }

  const names = Object.keys(steps)
  for (let step = 0; step < STEPS; step++) {
    const name = living.size < 2 ? 'create' : pick(names)
    await steps[name]!(random() < 0.95 ? pick([...living.keys()]) : undefined)
  }
  await steps.list!(undefined)
  for (const [pid, { changes }] of living) expect(await changesRecorded(pid)).toBe(changes)
}

/** Counts a persona's changes in the audit, and checks that delivery was sent as many. */
async function changesRecorded(pid: number): Promise<number> {
  const row = await service.db.row<{ audited: number; changed: number }>(
    `select (select count(*) from audit where noun = 'persona' and id = $1) audited,
       (select count(*) from catalog_change where noun = 'persona' and id = $1) changed`,
    [pid],
  )
  expect(row!.changed).toBe(row!.audited)
  return row!.audited
}
