// What a stranger who clicked on an ad can do with its click id, and how long actions are kept: with the real tags,
// links and figures of a running service.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { DAY_MS } from '../../src/kernel/time/units.ts'
import { createLog } from '../../src/platform/log.ts'
import { createService } from '../../src/service/app.ts'
import { until } from '../support/banners.ts'
import {
  type ListeningService,
  newServedCampaign,
  type ServedCampaign,
  startListeningService,
} from '../support/delivery.ts'

const CHROME =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

let service: ListeningService
let target: ServedCampaign
beforeAll(async () => {
  service = await startListeningService()
  target = await newServedCampaign(service)
  await service.delivery.running()!.refresh()
})
afterAll(() => service.close())

const headersOf = (agent: string) => ({ 'user-agent': agent, origin: 'http://localhost' })
const get = (path: string, agent = CHROME) => service.send('GET', path, undefined, headersOf(agent))

async function newAd(): Promise<{ impression: string; click: string }> {
  return until(async () => {
    const { json } = await service.ad({ size: '300x250', geo: { country: 'CA' } }, headersOf(CHROME))
    return json.ad
  })
}

/** Returns the id of the click. */
async function clickOn({ click }: { click: string }): Promise<string> {
  const { headers } = await get(new URL(click).pathname)
  return new URL(headers.location!).searchParams.get('mqclid')!
}

async function seenAndClicked(): Promise<string> {
  const ad = await newAd()
  expect((await get(new URL(ad.impression).pathname)).status).toBe(200)
  return clickOn(ad)
}

async function pixel(query: Record<string, string>, agent = CHROME): Promise<void> {
  expect((await get(`/t/a.gif?${new URLSearchParams(query)}`, agent)).status).toBe(200)
}

const actions = async () =>
  (await target.customer.call('GET', `/stats/${target.cid}/summary`)).body.actions as number

const filtered = async (reason: string, what: 'actions' | 'clicks' = 'actions') => {
  const { body } = await target.customer.call('GET', `/stats/${target.cid}/filtered`)
  return body.filtered.find((row: { reason: string }) => row.reason === reason)?.[what] ?? 0
}

it('a click on an ad that was never shown and a pixel of another browser count no action; figures show both', async () => {
  const before = await actions()
  await pixel({ click: await clickOn(await newAd()), name: 'purchase' })
  expect(await until(async () => (await filtered('no_impression', 'clicks')) || null)).toBe(1)
  const click = await seenAndClicked()
  await pixel({ click, name: 'purchase' }, FIREFOX)
  expect(await until(async () => (await filtered('other_visitor')) || null)).toBe(1)
  expect(await actions()).toBe(before)
  await pixel({ click, name: 'purchase' })
  expect(await actions()).toBe(before + 1)
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  for (const outcome of ['unknown_click', 'other_visitor'])
    expect(metrics).toContain(`marquee_tracking_calls_total{call="action",outcome="${outcome}"} 1`)
})

it('one click can bring ten actions by pixel, not a hundred', async () => {
  const before = await actions()
  const click = await seenAndClicked()
  await Promise.all(Array.from({ length: 100 }, (_, n) => pixel({ click, name: `name ${n}` })))
  expect(await actions()).toBe(before + 10)
  const refused = await until(async () => {
    const sum = (await filtered('too_many_names')) + (await filtered('name_quota'))
    return sum === 90 ? sum : null
  })
  expect(refused).toBe(90)
  const { body } = await target.customer.call('GET', `/stats/${target.cid}/breakdown/action`)
  expect(body.breakdown.length).toBeLessThanOrEqual(11)
})

/** Starts and stops a delivering process on the same database, with another retention. */
async function startAnother(retentionDays: number): Promise<void> {
  const config = {
    ...service.config,
    ROLES: ['delivery' as const],
    EVENT_RETENTION: retentionDays * (DAY_MS / 1000),
  }
  const another = await createService({ config, log: createLog('silent'), clock: service.clock })
  await another.stop()
}

it('a starting process deletes actions beyond their retention, but figures stay', async () => {
  const before = await actions()
  const click = await seenAndClicked()
  const order = () => target.customer.call('POST', '/action', { click, name: 'purchase', order: 'A-1' })
  expect((await order()).body).toEqual({ counted: true })
  const rows = async () =>
    (await service.db.row<{ rows: number }>('select count(*)::integer as rows from action'))!.rows
  const kept = await rows()
  const old = 5
  await service.db.run(
    `insert into action (cuid, dedupe, at, name, served_at, ad_id, credited_to, cid, fid, pid, bid)
     select cuid, 'o:old ' || n, at - interval '402 days', name, served_at - interval '402 days', ad_id, credited_to,
       cid, fid, pid, bid
     from action, generate_series(1, ${old}) n where dedupe = 'o:A-1'`,
  )
  expect(await rows()).toBe(kept + old)
  await startAnother(400)
  expect(await rows()).toBe(kept)
  expect(await actions()).toBe(before + 1)
  expect((await order()).body).toEqual({ counted: false, reason: 'duplicate' })
  // Even with the shortest retention, everything that may still be credited stays.
  service.clock.advance(40 * DAY_MS)
  await startAnother(1)
  expect(await rows()).toBe(kept)
  expect(await actions()).toBe(before + 1)
})
