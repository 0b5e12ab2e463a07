// A database that lost less than the time between two marks of a process, so that the process's last mark is still in
// it.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import {
  bidRequest,
  type ListeningService,
  newServedCampaign,
  startListeningService,
} from '../../../test/support/delivery.ts'

let service: ListeningService
beforeAll(async () => {
  service = await startListeningService()
  await newServedCampaign(service)
  await service.delivery.running()!.refresh()
})
afterAll(() => service.close())

async function isCounted(): Promise<boolean> {
  const answer = await service.bid(bidRequest())
  if (answer.status !== 200) return false
  const { pathname } = new URL(answer.json.seatbid[0].bid[0].burl)
  return (await service.send('GET', `${pathname}?p=1`)).status < 300
}

async function timesWentBack(): Promise<number> {
  const { text } = await service.send('GET', '/metrics')
  return Number(/^marquee_database_went_back_total(?:\{.*\})? (\S+)/m.exec(text)?.[1])
}

test('a lost acknowledged impression is noticed, and later ones are counted', async () => {
  expect(await isCounted()).toBe(true)
  expect(await timesWentBack()).toBe(0)
  // The process looks for its last impression about once per second. If it found it, the mark is newer; then another
  // one is lost.
  await until(async () => {
    await isCounted()
    await service.db.run('delete from event')
    return (await timesWentBack()) > 0 || null
  })
  await until(async () => (await service.send('GET', '/readyz')).status === 200 || null)
  const count = async () =>
    (await service.db.row<{ events: number }>('select count(*) as events from event'))!
  const before = await count()
  await until(async () => (await isCounted()) || null)
  expect((await count()).events).toBe(before.events + 1)
})
