// Undoing deletions: through the API for a while, on the operator's command line at any time.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { DAY_S, newTestCustomer, type TestCustomer } from '../../../test/support/campaigns.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { inTx } from '../../changes/tx.ts'
import { listDeleted, restore } from './campaigns.ts'

let service: TestService
let ann: TestCustomer
beforeAll(async () => {
  service = await startTestService()
  ann = await newTestCustomer(service)
})
afterAll(() => service.close())

const undo = (id: number) => inTx(service.db, tx => restore(tx, id, service.clock))

it('a campaign comes back as it was, with its flights, and the history says so', async () => {
  const made = await ann.newCampaign()
  const flight = await ann.newFlight(made.cid, { start: made.start, end: made.start + DAY_S })
  await ann.call('DELETE', `/campaign/${made.cid}`)
  expect(await undo(made.cid)).toEqual({ noun: 'campaign', id: made.cid, name: 'Bikes' })
  const read = await ann.call('GET', `/campaign/${made.cid}`)
  expect(read.body).toMatchObject({ ...made, updated: expect.any(Number) })
  expect((await ann.call('GET', `/campaign/${made.cid}/flight/${flight.fid}`)).body).toEqual(flight)
  const last = (await ann.call('GET', `/campaign/${made.cid}/history`)).body.at(-1)
  expect(last).toMatchObject({ action: 'restore', actor: 'operator', before: null, after: { name: 'Bikes' } })
})

it('restoring what is not deleted, or does not exist, is refused', async () => {
  const { cid } = await ann.newCampaign()
  await expect(undo(cid)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('not deleted'),
  })
  await expect(undo(999_999)).rejects.toMatchObject({ code: 'not_found' })
  await expect(undo(ann.cuid)).rejects.toMatchObject({ code: 'not_found' })
})

it('a flight is restored only if its dates are still free', async () => {
  const { cid, start } = await ann.newCampaign()
  const flight = await ann.newFlight(cid, { start: start + DAY_S, end: start + 3 * DAY_S })
  await ann.call('DELETE', `/campaign/${cid}/flight/${flight.fid}`)
  const other = await ann.newFlight(cid, { start: start + 2 * DAY_S, end: start + 4 * DAY_S })
  await expect(undo(flight.fid)).rejects.toThrow(`flight ${other.fid}`)
  await ann.call('DELETE', `/campaign/${cid}/flight/${other.fid}`)
  await ann.call('PUT', `/campaign/${cid}`, { end: start + 2 * DAY_S })
  await expect(undo(flight.fid)).rejects.toThrow('within the campaign')
  await ann.call('PUT', `/campaign/${cid}`, { end: start + 9 * DAY_S })
  expect(await undo(flight.fid)).toMatchObject({ noun: 'flight', id: flight.fid })
  const back = await ann.call('GET', `/campaign/${cid}/flight/${flight.fid}`)
  expect(back.body).toMatchObject({ start: flight.start, end: flight.end })
})

it('what belongs to something deleted is restored only after that', async () => {
  const { cid, start } = await ann.newCampaign()
  const flight = await ann.newFlight(cid, { start, end: start + DAY_S })
  await ann.call('DELETE', `/campaign/${cid}/flight/${flight.fid}`)
  await ann.call('DELETE', `/campaign/${cid}`)
  await expect(undo(flight.fid)).rejects.toThrow(`campaign ${cid}`)
  await undo(cid)
  expect((await undo(flight.fid)).noun).toBe('flight')
})

it('personas and banners can be restored too', async () => {
  const { cid } = await ann.newCampaign()
  const { pid, bid } = await deletedPersonaWithBanner(cid)
  await expect(undo(bid)).rejects.toThrow(`persona ${pid}`)
  expect(await undo(pid)).toEqual({ noun: 'persona', id: pid, name: 'Riders' })
  expect(await undo(bid)).toEqual({ noun: 'banner', id: bid, name: 'Blue' })
  const left = await service.db.row(
    'select 1 from persona p join banner b using (pid) where p.pid = $1 and p.deleted_at is null and b.deleted_at is null',
    [pid],
  )
  expect(left).not.toBeNull()
})

it('deleted things are listed by id, in pages, with the parent they wait for', async () => {
  const { cid, start } = await ann.newCampaign({ name: 'Gone' })
  const flight = await ann.newFlight(cid, { name: 'Gone too', start, end: start + DAY_S })
  await ann.call('DELETE', `/campaign/${cid}/flight/${flight.fid}`)
  await ann.call('DELETE', `/campaign/${cid}`)
  const rows = await listDeleted(service.db, cid - 1, 100)
  expect(rows).toEqual([
    { noun: 'campaign', id: cid, name: 'Gone', cuid: ann.cuid, cid, deleted: expect.any(Date), under: null },
    {
      noun: 'flight',
      id: flight.fid,
      name: 'Gone too',
      cuid: ann.cuid,
      cid,
      deleted: expect.any(Date),
      under: `campaign ${cid}`,
    },
  ])
  expect(await listDeleted(service.db, cid - 1, 1)).toHaveLength(1)
  expect((await listDeleted(service.db, cid, 100)).map(row => row.id)).toEqual([flight.fid])
})

async function deletedPersonaWithBanner(cid: number): Promise<{ pid: number; bid: number }> {
  const persona = await service.db.row<{ pid: number }>(
    `insert into persona (cid, name, geo, cat, device, demo, created_at, updated_at, deleted_at)
     values ($1, 'Riders', '{"geos":["CA"]}', '{}', '{}', '{}', now(), now(), now()) returning pid`,
    [cid],
  )
  const banner = await service.db.row<{ bid: number }>(
    `insert into banner (pid, name, creative_url, status, created_at, updated_at, deleted_at)
     values ($1, 'Blue', 'https://bikes.example/b.png', 'pending', now(), now(), now()) returning bid`,
    [persona!.pid],
  )
  return { pid: persona!.pid, bid: banner!.bid }
}

const RESTORE_WITHIN_MS = 30 * DAY_S * 1000

it('the API restores what it deleted, with everything beneath it, and records who did it', async () => {
  const { cid } = await ann.newCampaign()
  const body = { name: 'Cyclists', geo: { geos: ['CA'] }, device: { mobile: true } }
  const { pid } = (await ann.call('POST', `/campaign/${cid}/persona`, body)).body
  const banner = { creativeURL: 'https://host.invalid/a.png' }
  const { bid } = (await ann.call('POST', `/campaign/${cid}/persona/${pid}/banner`, banner)).body
  for (const path of [
    `/campaign/${cid}/persona/${pid}/banner/${bid}`,
    `/campaign/${cid}/persona/${pid}`,
    `/campaign/${cid}`,
  ]) {
    const before = (await ann.call('GET', path)).body
    expect((await ann.call('DELETE', path)).status).toBe(200)
    expect((await ann.call('GET', path)).status).toBe(404)
    const restored = await ann.call('POST', `${path}/restore`)
    expect([restored.status, restored.body.name]).toEqual([200, before.name])
    expect((await ann.call('GET', path)).body).toEqual(restored.body)
    const again = await ann.call('POST', `${path}/restore`)
    expect([again.status, again.headers.etag]).toEqual([200, restored.headers.etag])
  }
  const last = (await ann.call('GET', `/campaign/${cid}/history`)).body.at(-1)
  expect(last).toMatchObject({ noun: 'campaign', action: 'restore', actor: ann.key })
})

it('of several calls that restore the same at once, one does it, and all answer with it', async () => {
  const { cid, start } = await ann.newCampaign()
  const { fid } = await ann.newFlight(cid, { start, end: start + DAY_S })
  for (const path of [`/campaign/${cid}`, `/campaign/${cid}/flight/${fid}`]) {
    for (let round = 0; round < 3; round++) {
      await ann.call('DELETE', path)
      const answers = await Promise.all([1, 2, 3].map(() => ann.call('POST', `${path}/restore`)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    }
  }
  const { body: entries } = await ann.call('GET', `/campaign/${cid}/history`)
  expect(entries.filter(({ action }: { action: string }) => action === 'restore')).toHaveLength(6)
})

it('the API restores a flight only if its dates are still free', async () => {
  const made = await ann.newCampaign()
  const span = { start: made.start, end: made.start + DAY_S }
  const { fid } = await ann.newFlight(made.cid, span)
  const path = `/campaign/${made.cid}/flight`
  await ann.call('DELETE', `${path}/${fid}`)
  const other = await ann.newFlight(made.cid, span)
  expect((await ann.call('POST', `${path}/${fid}/restore`)).status).toBe(409)
  await ann.call('DELETE', `${path}/${other.fid}`)
  expect((await ann.call('POST', `${path}/${fid}/restore`)).body).toMatchObject({ fid, ...span })
})

it('restoring by another path, for another customer, or too late gets 404', async () => {
  const bob = await newTestCustomer(service)
  const { cid, end } = await ann.newCampaign({ end: Math.floor(service.clock.nowMs() / 1000) + 90 * DAY_S })
  const second = await ann.newCampaign({ end })
  const body = { name: 'Cyclists', geo: { geos: ['CA'] }, device: { mobile: true } }
  const { pid } = (await ann.call('POST', `/campaign/${cid}/persona`, body)).body
  await ann.call('DELETE', `/campaign/${cid}/persona/${pid}`)
  expect((await ann.call('POST', `/campaign/${second.cid}/persona/${pid}/restore`)).status).toBe(404)
  expect((await ann.call('POST', `/campaign/${cid}/flight/${pid}/restore`)).status).toBe(404)
  await ann.call('DELETE', `/campaign/${cid}`)
  expect((await bob.call('POST', `/campaign/${cid}/restore`)).status).toBe(404)
  expect((await ann.call('POST', `/campaign/${cid}/persona/${pid}/restore`)).status).toBe(404)
  service.clock.advance(RESTORE_WITHIN_MS + 1000)
  expect((await ann.call('POST', `/campaign/${cid}/restore`)).status).toBe(404)
  expect((await undo(cid)).id).toBe(cid)
})
