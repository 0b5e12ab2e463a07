// The time zone of a customer, through the API: when a change takes effect, and what is shown until then.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService, testClock } from '../../../test/support/service.ts'

let service: TestService
const clock = testClock(Date.parse('2026-11-16T12:00:00Z'))
beforeAll(async () => {
  service = await startTestService({}, clock)
})
afterAll(() => service.close())

const at = (iso: string) => Date.parse(iso) / 1000
const change = (cuid: number, timezone: string | null) =>
  service.call('PUT', `/customer/${cuid}`, { body: { timezone } })

describe('a customer’s time zone', () => {
  it('holds from the start if it is given on creation', async () => {
    const { cuid } = await service.newCustomer({ timezone: 'Pacific/Auckland' })
    const { body } = await service.call('GET', `/customer/${cuid}`)
    expect(body).toMatchObject({ timezone: 'Pacific/Auckland', timezonePending: null })
  })

  it('changes at the first midnight of the new zone after the end of the current day', async () => {
    const customer = await service.newCustomer({ timezone: 'Europe/Berlin' })
    const pending = { timezone: 'America/New_York', from: at('2026-11-17T05:00:00Z') }
    const { status, body } = await service.call('PUT', `/customer/${customer.cuid}`, {
      as: customer,
      body: { timezone: 'America/New_York' },
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ timezone: 'Europe/Berlin', timezonePending: pending })
    const list = await service.call('GET', `/customer?email=${customer.email}`)
    expect(list.body[0]).toMatchObject({ timezone: 'Europe/Berlin', timezonePending: pending })
  })

  it('shows the new zone from then on, by every way of reading', async () => {
    const { cuid } = await service.newCustomer({ timezone: 'Asia/Tokyo' })
    const { from } = (await change(cuid, 'UTC')).body.timezonePending
    const waitMs = from * 1000 - clock.nowMs()
    clock.advance(waitMs - 1000)
    expect((await service.call('GET', `/customer/${cuid}`)).body.timezone).toBe('Asia/Tokyo')
    clock.advance(1000)
    const { body } = await service.call('GET', `/customer/${cuid}`)
    expect(body).toMatchObject({ timezone: 'UTC', timezonePending: null })
    clock.advance(-waitMs)
  })

  it('has one change to come: another one replaces it, and the zone that holds withdraws it', async () => {
    const { cuid } = await service.newCustomer({ timezone: 'Europe/Berlin' })
    await change(cuid, 'America/New_York')
    const replaced = await change(cuid, 'Asia/Tokyo')
    expect(replaced.body.timezonePending.timezone).toBe('Asia/Tokyo')
    expect((await change(cuid, 'Asia/Tokyo')).body).toEqual(replaced.body)
    const withdrawn = await change(cuid, 'Europe/Berlin')
    expect(withdrawn.body).toMatchObject({ timezone: 'Europe/Berlin', timezonePending: null })
  })

  it('may go back to that of the deployment', async () => {
    const { cuid } = await service.newCustomer({ timezone: 'Asia/Tokyo' })
    const { body } = await change(cuid, null)
    expect(body).toMatchObject({ timezone: 'Asia/Tokyo', timezonePending: { timezone: null } })
  })

  it('is not changed by an edit of something else, nor by one that is refused', async () => {
    const { cuid } = await service.newCustomer({ timezone: 'Europe/Berlin' })
    const { timezonePending } = (await change(cuid, 'Asia/Tokyo')).body
    const edited = await service.call('PUT', `/customer/${cuid}`, { body: { phone: '1' } })
    expect(edited.body.timezonePending).toEqual(timezonePending)
    const refused = await change(cuid, 'Europe/Nowhere')
    expect(refused.body.errors).toMatchObject([{ path: '/timezone', code: 'not_a_time_zone' }])
    expect((await service.call('GET', `/customer/${cuid}`)).body.timezonePending).toEqual(timezonePending)
  })
})
