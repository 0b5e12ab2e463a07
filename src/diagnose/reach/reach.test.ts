// How many requests of the last day an audience fits, judged by a sample of real requests, each at its own time.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import { newTestCustomer, type TestCustomer } from '../../../test/support/campaigns.ts'
import { bidRequest, type ListeningService, startListeningService } from '../../../test/support/delivery.ts'
import type { KeptRequest } from '../../deliver/sample/sample.ts'
import { calendarOf } from '../../kernel/time/day.ts'
import { createHours, weekOf } from '../../kernel/time/hours.ts'
import { reachOf, type Wanted } from './reach.ts'

let service: ListeningService
let customer: TestCustomer
beforeAll(async () => {
  service = await startListeningService()
  customer = await newTestCustomer(service)
})
afterAll(() => service.close())

const EVERYONE = { geo: { geos: ['CA'] }, device: { mobile: true, tablet: true, desktop: true } }

it('counts real requests that fit an audience that nobody has created', async () => {
  const inCanada = { device: { devicetype: 4, geo: { country: 'CAN' } } }
  const imp = (bidfloor: number, w: number) => [{ id: '1', bidfloor, banner: { w, h: 250 } }]
  await service.delivery.started
  for (const changes of [
    { ...inCanada, imp: imp(1, 300) },
    { ...inCanada, imp: imp(2, 300) },
    { ...inCanada, imp: imp(9, 300) },
    { ...inCanada, imp: imp(1, 970) },
    { device: { devicetype: 4, geo: { country: 'USA' } }, imp: imp(1, 300) },
  ])
    await service.bid(bidRequest(changes))
  const reach = async (more: object = {}) =>
    (await customer.call('POST', '/reach', { ...EVERYONE, ...more })).body
  await until(async () => ((await reach()).requests === 5 ? true : null))
  expect(await reach()).toMatchObject({ sampled: 5, fits: 4, affordable: 4, floors: { low: 1, high: 2 } })
  expect(await reach({ sizes: ['300x250'], cpm: 2 })).toMatchObject({ fits: 3, affordable: 2 })
  // Sizes that no banner fits yet, and what another price would reach.
  expect((await reach()).sizes).toEqual([
    { size: '300x250', requests: 3, more: 0 },
    { size: '970x250', requests: 1, more: 0 },
  ])
  expect(await reach({ sizes: ['300x250'], cpm: 1 })).toMatchObject({
    ...{ fits: 3, affordable: 1, better: { cpm: 9, affordable: 3 } },
    sizes: [
      { size: '300x250', requests: 3, more: 0 },
      { size: '970x250', requests: 1, more: 1 },
    ],
  })
  expect(await reach({ sizes: ['300x250'], cpm: 9 })).toMatchObject({ affordable: 3, better: null })
  expect(await reach({ sizes: ['300x250'] })).toMatchObject({ better: null })
  expect(await reach({ geo: { geos: ['*'] } })).toMatchObject({ fits: 5 })
  expect(await reach({ device: { desktop: true } })).toMatchObject({
    fits: 0,
    affordable: 0,
    floors: null,
    better: null,
    sizes: [],
  })
})

it('reports the same errors of an audience as for a new persona', async () => {
  const fieldsOf = async (more: object) => {
    const { status, body } = await customer.call('POST', '/reach', { ...EVERYONE, ...more })
    expect(status).toBe(400)
    return body.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
  }
  expect(await fieldsOf({ geo: { geos: ['XX'] } })).toEqual(['/geo/geos/0 place_country_unknown'])
  expect(await fieldsOf({ hours: {} })).toEqual(['/hours no_hours'])
  expect(await fieldsOf({ sizes: ['300'] })).toHaveLength(1)
  expect(await fieldsOf({ cpm: -1 })).toHaveLength(1)
})

it('hours apply at the time of each request, and a sample represents all requests', async () => {
  const at = (hour: number): KeptRequest => ({
    atS: Date.parse(`2026-11-16T${String(hour).padStart(2, '0')}:30:00Z`) / 1000,
    request: {
      ...{ country: 'DE', region: null, city: null, lat: null, lon: null, categories: [], device: 'mobile' },
      ...{ gender: null, age: null, blockedCategories: [], blockedDomains: [] },
      slots: [{ sizes: [], floorMicros: 0, secure: true, mimes: null, blockedAttributes: [] }],
    },
    places: [{ won: null, refused: {} }],
  })
  const kept = Array.from({ length: 24 }, (_, hour) => at(hour))
  const wanted: Wanted = {
    targeting: {
      ...{ geo: { places: [{ country: 'DE' }] }, cat: [], gender: null, age: null },
      device: { mobile: true, tablet: false, desktop: false },
    },
    // It is a Monday; Berlin is an hour ahead of UTC.
    hours: createHours(weekOf({ mon: [9, 10, 11] }), calendarOf('Europe/Berlin')),
    sizes: new Set(),
    cpmMicros: null,
  }
  const traffic = { sinceMs: 0, requests: 2_400, stride: 100, kept }
  expect(await reachOf(wanted, traffic)).toMatchObject({ requests: 2_400, sampled: 24, fits: 300 })
  // Too few went to anybody to tell a price; with enough, it is what outbids them, and no less than what is asked for.
  expect((await reachOf(wanted, traffic)).winning).toBeNull()
  const won = (cpmMicros: number, floorMicros: number): KeptRequest => {
    const { request, ...rest } = at(9)
    const slots = request.slots.map(slot => ({ ...slot, floorMicros }))
    return { ...rest, request: { ...request, slots }, places: [{ won: { pid: 1, cpmMicros }, refused: {} }] }
  }
  const busy = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(units => won(units * 1_000_000, 2_500_000))
  expect((await reachOf(wanted, { ...traffic, kept: busy.slice(1) })).winning).toBeNull()
  expect((await reachOf(wanted, { ...traffic, kept: busy })).winning).toEqual({ half: 6.01, most: 9.01 })
  expect(await reachOf(wanted, { ...traffic, requests: 0, kept: [] })).toMatchObject({
    fits: 0,
    floors: null,
    better: null,
    sizes: [],
  })
})
