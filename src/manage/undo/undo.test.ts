// One change of the history can be undone if nothing has changed since. It follows the rules, rights and ceilings of
// any other change, for everything in a campaign.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestService, type TestPair, type TestService } from '../../../test/support/service.ts'
import { buildTenant } from '../../../test/support/tenant.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

interface Entry {
  id: number
  noun: string
  action: string
}

async function newWorld() {
  const { pair, ids } = await buildTenant(service, service.app)
  const { cuid, cid, fid, pid, bid } = ids
  const call = (method: string, path: string, body?: object, as: TestPair = pair) => {
    const url = `${path}${path.includes('?') ? '&' : '?'}cuid=${cuid}`
    return service.call(method, url, { as, body })
  }
  const history = async (): Promise<Entry[]> => (await call('GET', `/campaign/${cid}/history`)).body
  const last = async (noun = 'campaign') => (await history()).filter(entry => entry.noun === noun).at(-1)!
  const undo = (id: number, as: TestPair = pair) => call('POST', `/history/${id}/undo`, undefined, as)
  const newPair = async (body: object): Promise<TestPair> =>
    (await service.call('POST', `/customer/${cuid}/credential`, { as: pair, body })).body
  const paths = {
    campaign: `/campaign/${cid}`,
    flight: `/campaign/${cid}/flight/${fid}`,
    persona: `/campaign/${cid}/persona/${pid}`,
    banner: `/campaign/${cid}/persona/${pid}/banner/${bid}`,
  }
  return { cuid, call, history, last, undo, newPair, paths }
}

it('undoing an edit restores the values that it replaced, and the undo can be undone too', async () => {
  const { call, last, undo, paths } = await newWorld()
  const before = (await call('GET', paths.campaign)).body
  await call('PUT', paths.campaign, { name: 'other', dailySpend: 12.5, frequency: 2, totalSpend: 400 })
  const changed = await last()
  const undone = await undo(changed.id)
  expect([undone.status, undone.body.by], undone.text).toEqual([200, 'edit'])
  const { name, dailySpend, frequency, totalSpend } = before
  expect((await call('GET', paths.campaign)).body).toMatchObject({ name, dailySpend, frequency, totalSpend })
  const outdated = await undo(changed.id)
  expect([outdated.status, outdated.body.code]).toEqual([409, 'undo_outdated'])
  expect((await undo((await last()).id)).status).toBe(200)
  expect((await call('GET', paths.campaign)).body).toMatchObject({ name: 'other', totalSpend: 400 })
})

it.each(['campaign', 'flight', 'persona', 'banner'] as const)(
  'a %s: edit, delete and restore can be undone',
  async noun => {
    const { call, last, undo, paths } = await newWorld()
    const path = paths[noun]
    const { name } = (await call('GET', path)).body
    await call('PUT', path, { name: 'Another name' })
    expect((await undo((await last(noun)).id)).body.by).toBe('edit')
    expect((await call('GET', path)).body.name).toBe(name)
    const deleted = await call('DELETE', path)
    expect(deleted.status, deleted.text).toBe(200)
    const entry = noun === 'campaign' ? null : await last(noun)
    // Nobody can read the history of a deleted campaign, so its entry is taken from the table.
    const id =
      entry?.id ?? (await service.db.row<{ id: number }>('select max(audit_id) as id from audit'))!.id
    const restored = await undo(id)
    expect([restored.status, restored.body.by], restored.text).toEqual([200, 'restore'])
    expect((await call('GET', path)).status).toBe(200)
    expect((await undo((await last(noun)).id)).body.by).toBe('delete')
    expect((await call('GET', path)).status).toBe(404)
  },
)

it('pausing is undone by resuming, and creating by deleting', async () => {
  const { call, last, undo, paths } = await newWorld()
  await call('PUT', `${paths.campaign}/pause`)
  expect((await undo((await last()).id)).body.by).toBe('resume')
  expect((await call('GET', paths.campaign)).body.enabled).toBe(true)
  const persona = { name: 'New', geo: { geos: ['CA'] }, device: { mobile: true } }
  const { pid } = (await call('POST', `${paths.campaign}/persona`, persona)).body
  expect((await undo((await last('persona')).id)).body.by).toBe('delete')
  expect((await call('GET', `${paths.campaign}/persona/${pid}`)).status).toBe(404)
})

it('of several at once one wins; a dry run changes nothing', async () => {
  const { call, last, undo, paths } = await newWorld()
  await call('PUT', paths.campaign, { dailySpend: 12 })
  const { id } = await last()
  const tried = await call('POST', `/history/${id}/undo?dryRun=true`)
  expect(tried.body, tried.text).toMatchObject({ dryRun: true, by: 'edit' })
  expect((await call('GET', paths.campaign)).body.dailySpend).toBe(12)
  const answers = await Promise.all([undo(id), undo(id), undo(id)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  expect((await call('GET', paths.campaign)).body.dailySpend).toBe(50)
})

it('nobody can do more by it than by any other change', async () => {
  const { cuid, call, history, last, undo, newPair, paths } = await newWorld()
  await call('PUT', paths.campaign, { dailySpend: 10 })
  const { id } = await last()
  const start = Math.floor(service.clock.nowMs() / 1000)
  const campaign = { name: 'Other', start, end: start + 86_400, dailySpend: 1 }
  const reader = await newPair({ name: 'r', scope: 'read' })
  expect((await undo(id, reader)).body.code).toBe('scope_too_low')
  const { cid: other } = (await call('POST', '/campaign', campaign)).body
  const limited = await newPair({ name: 'l', scope: 'spend', cids: [other] })
  expect((await undo(id, limited)).body.code).toBe('campaign_not_allowed')
  // Nor does it learn that the campaign has changed since.
  const created = (await history())[0]!
  expect((await undo(created.id, limited)).body.code).toBe('campaign_not_allowed')
  const proposed = await undo(id, await newPair({ name: 'p', scope: 'propose' }))
  expect([proposed.status, proposed.body.proposal?.operation], proposed.text).toEqual([202, 'undoChange'])
  await service.call('PUT', `/customer/${cuid}`, { body: { ceilings: { dailySpend: 20 } } })
  const ceiled = await undo(id)
  expect([ceiled.status, ceiled.body.code]).toEqual([403, 'ceiling_exceeded'])
  await service.call('PUT', `/customer/${cuid}/freeze`)
  expect((await undo(id)).body.code).toBe('frozen')
  expect((await call('GET', paths.campaign)).body.dailySpend).toBe(10)
  await service.call('PUT', `/customer/${cuid}/unfreeze`)
  await service.call('PUT', `/customer/${cuid}`, { body: { ceilings: {} } })
  const approved = await call('PUT', `/proposal/${proposed.body.proposal.id}/approve`)
  expect(approved.status, approved.text).toBe(200)
  expect((await call('GET', paths.campaign)).body.dailySpend).toBe(50)
})

it('an entry of another customer, or of nobody, does not exist', async () => {
  const [own, other] = [await newWorld(), await newWorld()]
  await other.call('PUT', other.paths.campaign, { name: 'theirs' })
  for (const id of [(await other.last()).id, 999_999_999]) expect((await own.undo(id)).status).toBe(404)
  expect((await other.call('GET', other.paths.campaign)).body.name).toBe('theirs')
})
