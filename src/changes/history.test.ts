// How long the history of objects is kept, and how many entries per object.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Advertiser, newAdvertiser } from '../../test/support/banners.ts'
import { startTestService, type TestService } from '../../test/support/service.ts'
import { clearHistory, MOST_PER_OBJECT } from './history.ts'

let service: TestService
let ann: Advertiser
beforeAll(async () => {
  service = await startTestService()
  ann = await newAdvertiser(service)
})
afterAll(() => service.close())

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
const historyOf = async (who: Advertiser) =>
  (await who.call('GET', `/campaign/${who.cid}/history?limit=1000`)).body as { action: string }[]

function addEntries(cid: number, count: number, at: Date) {
  return service.db.run(
    `insert into audit (at, cuid, cid, noun, id, action, actor)
     select $2, $3, $1, 'campaign', $1, 'edit ' || i, 'operator' from generate_series(1, $4::integer) i`,
    [cid, at, ann.cuid, count],
  )
}

it('clears what is older than the retention, however much it is, and nothing else', async () => {
  const bob = await newAdvertiser(service)
  await service.db.run('update audit set at = $1', [daysAgo(500)])
  for (let part = 0; part < 12; part++) await addEntries(bob.cid + part, 1000, daysAgo(401))
  await ann.call('PUT', `/campaign/${ann.cid}`, { name: 'Still there' })
  await clearHistory(service.db, daysAgo(400))
  expect((await historyOf(ann)).map(entry => entry.action)).toEqual(['edit'])
  expect(await historyOf(bob)).toEqual([])
})

it('keeps the last changes of an object that changes without end, and all of the others', async () => {
  const bob = await newAdvertiser(service)
  await addEntries(ann.cid, MOST_PER_OBJECT + 500, new Date())
  await clearHistory(service.db, daysAgo(400))
  const kept = await service.db.rows<{ action: string }>(
    'select action from audit where id = $1 order by audit_id',
    [ann.cid],
  )
  expect([kept.length, kept[0]!.action, kept.at(-1)!.action]).toEqual([
    MOST_PER_OBJECT,
    'edit 501',
    `edit ${MOST_PER_OBJECT + 500}`,
  ])
  expect(await historyOf(bob)).toHaveLength(2)
})

it('looks only at objects that have changed since', async () => {
  const { rows } = await service.db.pool.query('select audit_id from audit_cleared')
  await clearHistory(service.db, daysAgo(400))
  expect((await service.db.pool.query('select audit_id from audit_cleared')).rows).toEqual(rows)
})

it('names who acted in one of the forms that there are, and in no other', async () => {
  const add = (actor: string) =>
    service.db.run(
      "insert into audit (at, cuid, noun, id, action, actor) values (now(), $1, 'customer', $1, 'edit', $2)",
      [ann.cuid, actor],
    )
  for (const actor of ['mqck_a', 'mqsk_a', 'member:7', 'staff:7', 'session:a', 'app-session:a', 'operator'])
    expect(await add(actor)).toBe(1)
  for (const actor of ['', 'somebody', 'member:ann', 'operator '])
    await expect(add(actor)).rejects.toThrow('audit_actor')
})
