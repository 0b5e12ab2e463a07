// Whom a persona targets: the rules of each attribute, and what an unknown attribute means.

import { describe, expect, it } from 'vitest'
import { SILENT_REQUEST } from '../../../test/support/ad-request.ts'
import type { Targeting } from '../../manage/personas/matched-form.ts'
import { distanceM, firstMismatch, matches } from './match.ts'
import type { AdRequest } from './request.ts'

const ALL_DEVICES = { mobile: true, tablet: true, desktop: true }

function targeting(part: Partial<Targeting> = {}): Targeting {
  return {
    geo: { places: [{ country: 'CA' }] },
    cat: [],
    device: ALL_DEVICES,
    gender: null,
    age: null,
    ...part,
  }
}

function request(part: Partial<AdRequest> = {}): AdRequest {
  return {
    ...SILENT_REQUEST,
    country: 'CA',
    region: 'ON',
    city: 'toronto',
    lat: 43.7,
    lon: -79.4,
    categories: ['IAB1-2'],
    device: 'mobile',
    gender: 'female',
    age: '18to34',
    ...part,
  }
}

describe('geo', () => {
  it('a place means everything in it, and nothing outside it', () => {
    const place = (region?: string, city?: string) =>
      targeting({ geo: { places: [{ country: 'CA', region, city }] } })
    expect(matches(place(), request())).toBe(true)
    expect(matches(place('ON'), request())).toBe(true)
    expect(matches(place('ON', 'toronto'), request())).toBe(true)
    expect(firstMismatch(place('QC'), request())).toBe('geo')
    expect(firstMismatch(place('ON', 'ottawa'), request())).toBe('geo')
    expect(firstMismatch(place(), request({ country: 'US' }))).toBe('geo')
  })

  it('a place that the request does not name is not matched', () => {
    const region = targeting({ geo: { places: [{ country: 'CA', region: 'ON' }] } })
    const city = targeting({ geo: { places: [{ country: 'CA', region: 'ON', city: 'toronto' }] } })
    expect(firstMismatch(targeting(), request({ country: null }))).toBe('geo')
    expect(firstMismatch(region, request({ region: null }))).toBe('geo')
    expect(firstMismatch(city, request({ city: null }))).toBe('geo')
  })

  it('everywhere means every country, even an unknown one', () => {
    const everywhere = targeting({ geo: { places: [{ country: '*' }] } })
    expect(matches(everywhere, request({ country: 'NZ' }))).toBe(true)
    expect(matches(everywhere, request({ country: null, region: null, city: null }))).toBe(true)
  })

  it('one of several places is enough, and an empty list matches nobody', () => {
    const places = [{ country: 'US' }, { country: 'CA', region: 'ON' }]
    expect(matches(targeting({ geo: { places } }), request())).toBe(true)
    expect(matches(targeting({ geo: { places: [] } }), request())).toBe(false)
  })

  it('a radius is measured on the great circle and includes its rim', () => {
    const toRim = distanceM(43.65, -79.38, 43.7, -79.4)
    const around = (radiusM: number) => targeting({ geo: { radius: { lat: 43.65, lon: -79.38, radiusM } } })
    expect(matches(around(toRim), request())).toBe(true)
    expect(firstMismatch(around(toRim - 0.001), request())).toBe('geo')
    expect(firstMismatch(around(1e6), request({ lat: null }))).toBe('geo')
    expect(firstMismatch(around(1e6), request({ lon: null }))).toBe('geo')
  })

  it('a position off the globe is ignored', () => {
    const world = targeting({ geo: { radius: { lat: 0, lon: 0, radiusM: 1e9 } } })
    expect(matches(world, request({ lat: 90, lon: 180 }))).toBe(true)
    for (const [lat, lon] of [
      [90.1, 0],
      [0, 180.1],
      [Number.NaN, 0],
    ]) {
      expect(matches(world, request({ lat, lon }))).toBe(false)
    }
  })

  it('distances are right across the date line, at the poles and for known cities', () => {
    expect(distanceM(0, 179.999, 0, -179.999)).toBeCloseTo(222.39, 1)
    expect(distanceM(90, 0, 90, 137)).toBeCloseTo(0, 6)
    expect(distanceM(0, 0, 0, 180)).toBeCloseTo(Math.PI * 6_371_008.8, 3)
    // Paris to London, about 344 km.
    expect(distanceM(48.8566, 2.3522, 51.5074, -0.1278) / 1000).toBeCloseTo(343.6, 0)
  })
})

describe('category', () => {
  it('a parent covers its subcategories, not the other way round', () => {
    const page = request({ categories: ['IAB1-2'] })
    expect(matches(targeting({ cat: ['IAB1'] }), page)).toBe(true)
    expect(matches(targeting({ cat: ['IAB1-2'] }), page)).toBe(true)
    expect(firstMismatch(targeting({ cat: ['IAB1-2'] }), request({ categories: ['IAB1'] }))).toBe('category')
  })

  it('a code that only starts the same is another category', () => {
    const page = request({ categories: ['IAB10-2', 'IAB1-22'] })
    expect(firstMismatch(targeting({ cat: ['IAB1-2'] }), page)).toBe('category')
    expect(firstMismatch(targeting({ cat: ['IAB1'] }), request({ categories: ['IAB10'] }))).toBe('category')
  })

  it('a targeted category is not matched by a page that names none', () => {
    expect(firstMismatch(targeting({ cat: ['IAB1'] }), request({ categories: [] }))).toBe('category')
    expect(matches(targeting({ cat: [] }), request({ categories: [] }))).toBe(true)
  })
})

describe('device', () => {
  it('all three devices mean no restriction, so an unknown device matches', () => {
    expect(matches(targeting(), request({ device: null }))).toBe(true)
  })

  it('two of three devices do not match an unknown one', () => {
    const device = { mobile: true, tablet: true, desktop: false }
    expect(matches(targeting({ device }), request({ device: 'tablet' }))).toBe(true)
    expect(firstMismatch(targeting({ device }), request({ device: 'desktop' }))).toBe('device')
    expect(firstMismatch(targeting({ device }), request({ device: null }))).toBe('device')
  })
})

describe('demo', () => {
  it('only gender.unknown matches a request without gender', () => {
    const known = { male: true, female: true, unknown: false }
    expect(firstMismatch(targeting({ gender: known }), request({ gender: null }))).toBe('gender')
    const unknown = { male: false, female: false, unknown: true }
    expect(matches(targeting({ gender: unknown }), request({ gender: null }))).toBe(true)
    expect(firstMismatch(targeting({ gender: unknown }), request())).toBe('gender')
    expect(matches(targeting({ gender: null }), request({ gender: null }))).toBe(true)
  })

  it('a list of all ages still requires a known age', () => {
    const age = { '13to17': true, '18to34': true, '35to49': true, '50+': true }
    expect(matches(targeting({ age }), request())).toBe(true)
    expect(firstMismatch(targeting({ age }), request({ age: null }))).toBe('age')
    expect(matches(targeting({ age: null }), request({ age: null }))).toBe(true)
    expect(firstMismatch(targeting({ age: { ...age, '18to34': false } }), request())).toBe('age')
  })
})

it('the first mismatch is named in the order geo, category, device, gender, age', () => {
  const none = targeting({
    geo: { places: [{ country: 'DE' }] },
    cat: ['IAB9'],
    device: { mobile: false, tablet: false, desktop: true },
    gender: { male: true, female: false, unknown: false },
    age: { '13to17': true, '18to34': false, '35to49': false, '50+': false },
  })
  expect(firstMismatch(none, request())).toBe('geo')
  expect(firstMismatch(none, request({ country: 'DE' }))).toBe('category')
  const page = { country: 'DE', categories: ['IAB9'] }
  expect(firstMismatch(none, request(page))).toBe('device')
  expect(firstMismatch(none, request({ ...page, device: 'desktop' }))).toBe('gender')
  expect(firstMismatch(none, request({ ...page, device: 'desktop', gender: 'male' }))).toBe('age')
})
