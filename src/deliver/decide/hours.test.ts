// A campaign is served only in its hours, by the clock of Berlin, even on the two days on which that clock changes.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type ListeningService,
  newServedCampaign,
  type ServedCampaign,
  startListeningService,
} from '../../../test/support/delivery.ts'
import { testClock } from '../../../test/support/service.ts'
import { MINUTE_MS } from '../../kernel/time/units.ts'

const VISIT = { size: '300x250', geo: { country: 'CA' }, device: 'desktop' }

describe.each([
  ['an hour comes twice', '2027-10-30T23:00:00Z', [false, true, true, false]],
  ['an hour is skipped', '2028-03-25T23:00:00Z', [false, false, false, false]],
  ['nothing changes', '2028-06-10T23:00:00Z', [false, true, false, false]],
])('when %s', (_name, from, isOpen) => {
  let service: ListeningService
  let served: ServedCampaign
  beforeAll(async () => {
    service = await startListeningService({ TIMEZONE: 'Europe/Berlin' }, testClock(Date.parse(from)))
    served = await newServedCampaign(service, { campaign: { hours: { sun: [2] } } })
    await service.delivery.running()!.refresh()
  })
  afterAll(() => service.close())

  /** Moves the clock to `hour` hours and `minutes` minutes after the start. */
  async function moveTo(hour: number, minutes: number): Promise<void> {
    const ms = Date.parse(from) + hour * 60 * MINUTE_MS + minutes * MINUTE_MS
    service.clock.advance(ms - service.clock.monotonicMs())
    await service.delivery.running()!.refill.sync()
  }
  async function explained(): Promise<string[]> {
    const { body } = await served.customer.call('POST', `${served.path}/explain`, VISIT)
    const failed = body.stages.filter((stage: { passed: boolean }) => !stage.passed)
    return failed.map((stage: { stage: string }) => stage.stage)
  }

  it('it is served from the first to the last moment of its hours, and refused as off_hours before and after', async () => {
    for (const [index, open] of isOpen.entries()) {
      for (const minutes of [1, 58]) {
        await moveTo(index, minutes)
        const { json } = await service.serverAd({ ...VISIT, ip: '192.0.2.7', ua: 'Mozilla/5.0' })
        const seen = 'reason' in json ? json.reason : 'served'
        expect([from, index, minutes, seen]).toEqual([from, index, minutes, open ? 'served' : 'off_hours'])
        expect(await explained()).toEqual(open ? [] : ['hours'])
        const { body } = await served.customer.call('GET', `/campaign/${served.cid}`)
        expect(body.status).toBe(open ? 'running' : 'off_hours')
      }
    }
    const { text } = await service.send('GET', '/metrics')
    expect(text).toContain('marquee_ad_places_total{outcome="off_hours"}')
  })
})

it('each customer’s campaigns are open by its own clock', async () => {
  // It is Monday, 9 a.m. in Auckland, and Sunday, 11 a.m. in Honolulu.
  const service = await startListeningService({}, testClock(Date.parse('2027-06-06T21:00:30Z')))
  const open = async (timezone: string, country: string, hours: object) => {
    const persona = { geo: { geos: [country] } }
    await newServedCampaign(service, { customer: { timezone }, campaign: { hours }, persona })
    await service.delivery.running()!.refresh()
    const visit = { ...VISIT, geo: { country }, ip: '192.0.2.7', ua: 'Mozilla/5.0' }
    const { json } = await service.serverAd(visit)
    return 'reason' in json ? json.reason : 'served'
  }
  expect(await open('Pacific/Auckland', 'NZ', { mon: [9] })).toBe('served')
  expect(await open('Pacific/Honolulu', 'US', { mon: [9], sun: [21] })).toBe('off_hours')
  expect(await open('Pacific/Honolulu', 'AU', { sun: [11] })).toBe('served')

  // A future change of the time zone is not named yet.
  const { customer, path } = await newServedCampaign(service, {
    customer: { timezone: 'Pacific/Auckland' },
    campaign: { hours: { mon: [9] } },
  })
  await service.call('PUT', `/customer/${customer.cuid}`, { body: { timezone: 'UTC' } })
  await service.delivery.running()!.refresh()
  const { body } = await customer.call('POST', `${path}/explain`, VISIT)
  expect(JSON.stringify(body.stages)).toContain('inside its hours by the clock of Pacific/Auckland')
  await service.close()
})
