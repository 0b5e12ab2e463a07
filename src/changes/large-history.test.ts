// The history of objects that are large: what a change leaves as it was is not kept again, and what is kept of one
// object has a limit in bytes.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newTestCustomer, type TestCustomer } from '../../test/support/campaigns.ts'
import { startTestService, type TestService } from '../../test/support/service.ts'
import { MOST_BYTES_PER_OBJECT } from './changes.ts'

let service: TestService
let ann: TestCustomer
beforeAll(async () => {
  service = await startTestService()
  ann = await newTestCustomer(service)
})
afterAll(() => service.close())

interface Entry {
  id: number
  action: string
  before: { geo?: object; enabled: boolean } | null
  after: { geo?: object; enabled: boolean } | null
  unchanged?: string[]
}

/** Places whose names do not repeat, so that compression does not make them small. */
const places = (count: number) =>
  Array.from({ length: count }, () => `CA-ON-${randomBytes(45).toString('hex')}`)

async function newPersona(geos: string[]) {
  const { cid } = await ann.newCampaign()
  const body = { name: 'Cyclists', geo: { geos }, device: { mobile: true } }
  const made = await ann.call('POST', `/campaign/${cid}/persona`, body)
  expect(made.status, made.text).toBe(201)
  const { pid } = made.body
  const history = async () => (await ann.call('GET', `/campaign/${cid}/history`)).body as Entry[]
  const ofPersona = async () => (await history()).filter(entry => entry.before !== null)
  return { cid, pid, path: `/campaign/${cid}/persona/${pid}`, ofPersona }
}

describe('many places that a change leaves as they are', () => {
  it('are not in its entry, which says so; a change of the places has them', async () => {
    const geos = places(300)
    const { path, ofPersona } = await newPersona(geos)
    await ann.call('PUT', `${path}/pause`)
    await ann.call('PUT', path, { geo: { geos: ['CA'] } })
    await ann.call('PUT', `${path}/resume`)
    const [paused, moved, resumed] = await ofPersona()
    expect(paused).toMatchObject({ action: 'pause', unchanged: ['geo'] })
    expect([paused!.before!.enabled, paused!.after!.enabled]).toEqual([true, false])
    expect([paused!.before, paused!.after].some(state => 'geo' in state!)).toBe(false)
    expect(moved).toMatchObject({ before: { geo: { geos } }, after: { geo: { geos: ['CA'] } } })
    expect(resumed!.after!.geo).toEqual({ geos: ['CA'] })
    expect([moved!.unchanged, resumed!.unchanged]).toEqual([undefined, undefined])
  })

  it('stay when that change is undone', async () => {
    const geos = places(300)
    const { path, ofPersona } = await newPersona(geos)
    await ann.call('PUT', path, { name: 'Walkers' })
    const [renamed] = await ofPersona()
    expect((await ann.call('POST', `/history/${renamed!.id}/undo`)).body.by).toBe('edit')
    expect((await ann.call('GET', path)).body).toMatchObject({ name: 'Cyclists', geo: { geos } })
  })

  it('are named where a proposal is refused because of that change', async () => {
    const geos = places(300)
    const { path } = await newPersona(geos)
    const { body } = await ann.call('PUT', `${path}?propose=true`, { name: 'Walkers' })
    await ann.call('PUT', `${path}/pause`)
    const refused = await ann.call('PUT', `/proposal/${body.proposal.id}/approve`)
    expect(refused.body.code).toBe('proposal_outdated')
    expect(refused.body.params.changed).toMatchObject([
      { before: { geo: { geos }, enabled: true }, now: { geo: { geos }, enabled: false } },
    ])
  })

  it('are not written again', async () => {
    const { pid, path } = await newPersona(places(1000))
    const stored = () =>
      service.db.row('select pg_column_toast_chunk_id(geo) as chunk from persona where pid = $1', [pid])
    const before = await stored()
    await ann.call('PUT', `${path}/pause`)
    await ann.call('PUT', path, { name: 'Walkers' })
    expect(await stored()).toEqual(before)
    await ann.call('PUT', path, { geo: { geos: places(1000) } })
    expect(await stored()).not.toEqual(before)
  })
})

it('places that change again and again keep the latest entries, up to a number of bytes', async () => {
  const { pid, path, ofPersona } = await newPersona(places(1000))
  for (let i = 0; i < 25; i++) {
    expect((await ann.call('PUT', path, { geo: { geos: places(1000) }, name: `Edit ${i}` })).status).toBe(200)
  }
  const kept = await service.db.row<{ bytes: number }>(
    'select sum(pg_column_size(before) + pg_column_size(after)) as bytes from audit where id = $1',
    [pid],
  )
  expect(kept!.bytes).toBeLessThanOrEqual(MOST_BYTES_PER_OBJECT)
  const entries = await ofPersona()
  expect(entries.length).toBeGreaterThan(10)
  expect(entries.at(-1)!.after).toMatchObject({ name: 'Edit 24' })
  expect((await ann.call('POST', `/history/${entries.at(-1)!.id}/undo`)).status).toBe(200)
  expect((await ann.call('GET', path)).body.name).toBe('Edit 23')
})
