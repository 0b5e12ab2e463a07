// Typeahead over places: what is found, and in which order.

import fc from 'fast-check'
import { iso31661, iso31662 } from 'iso-3166'
import { describe, expect, test } from 'vitest'
import { allCities } from './cities.ts'
import { parsePlace } from './geo.ts'
import { MAX_PLACES, searchPlaces } from './search.ts'

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const values = (q: string, limit?: number) => searchPlaces(q, limit).map(place => place.value)

describe('a search', () => {
  test('returns what a form needs: the value, a label, the kind, and the position of a city', () => {
    expect(searchPlaces('toronto', 1)).toEqual([
      { value: 'CA-ON-Toronto', label: 'Toronto, Ontario, Canada', kind: 'city', lat: 43.7, lon: -79.416 },
    ])
    expect(searchPlaces('ontario', 1)).toEqual([{ value: 'CA-ON', label: 'Ontario, Canada', kind: 'state' }])
    expect(searchPlaces('canad', 1)).toEqual([{ value: 'CA', label: 'Canada', kind: 'country' }])
  })

  test.each([
    ['ca', 'CA'],
    ['CAN', 'CA'],
    ['uk', 'GB'],
    ['usa', 'US'],
    ['united', 'US'],
    ['deutschl', 'DE'],
    ['CA-ON', 'CA-ON'],
    ['CA-ON-', 'CA-ON'],
    ['on', 'CA-ON'],
    ['bayern', 'DE-BY'],
    ['nyc', 'US-NY-New York'],
    ['new york c', 'US-NY-New York'],
    ['Cologne', 'DE-NW-Köln'],
    ['TORONT', 'CA-ON-Toronto'],
    ['montreal', 'CA-QC-Montréal'],
    ['ca-qc-trois-r', 'CA-QC-Trois-Rivières'],
    ['GB-ENG-lon', 'GB-ENG-London'],
    ['Toronto, Ontario', 'CA-ON-Toronto'],
    ['toronto, au', 'AU-NSW-Toronto'],
    ['springfield, il', 'US-IL-Springfield'],
  ])('for %j finds %s first', (q, value) => {
    expect(values(q)[0]).toBe(value)
  })

  test('finds everywhere by its sign and its names', () => {
    const everywhere = { value: '*', label: 'Everywhere', kind: 'everywhere' }
    for (const q of ['*', 'Everyw', 'worldwide', 'Überall']) expect(searchPlaces(q)[0]).toEqual(everywhere)
    expect(searchPlaces('we').map(({ value }) => value)).not.toContain('*')
  })

  test('finds a Saint by its short form', () => {
    expect(values('st paul')).toContain('US-MN-Saint Paul')
    expect(values('saint louis')).toContain('US-MO-St. Louis')
  })

  test('shows countries before states before cities, and leaves room for cities', () => {
    const kinds = searchPlaces('san', 10).map(place => place.kind)
    expect(kinds.filter(kind => kind === 'city').length).toBeGreaterThanOrEqual(4)
    const named = searchPlaces('mex', 10).map(place => place.kind)
    expect(named.indexOf('country')).toBeLessThan(named.indexOf('city'))
    expect(named.lastIndexOf('state')).toBeLessThan(named.indexOf('city'))
  })

  test('orders cities of one name by population', () => {
    const found = values('london', 50).filter(value => value.endsWith('-London'))
    expect(found.slice(0, 2)).toEqual(['GB-ENG-London', 'CA-ON-London'])
  })

  test('every country and state is found by its code, every large city by its name', () => {
    const codes = [...iso31661.map(({ alpha2 }) => alpha2), ...iso31662.map(({ code }) => code)]
    expect(codes.filter(code => values(code)[0] !== code)).toEqual([])
    const cities = allCities()
      .slice(0, 2000)
      .map(city => ({ name: city.name, value: `${city.country}-${city.region}-${city.name}` }))
    expect(cities.filter(({ value }) => !values(value).includes(value))).toEqual([])
    expect(cities.filter(({ name, value }) => !values(name, 50).includes(value))).toEqual([])
  })

  test('returns only places that a persona may name, each once, and no more than asked', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'grapheme', maxLength: 6 }),
          fc.stringMatching(/^[a-z]{1,3}(-[a-z]{0,3})?$/),
        ),
        fc.integer({ min: 0, max: 60 }),
        (q, limit) => {
          const found = searchPlaces(q, limit)
          expect(found.length).toBeLessThanOrEqual(Math.min(limit, MAX_PLACES))
          expect(new Set(found.map(place => place.value)).size).toBe(found.length)
          for (const { value } of found) expect(parsePlace(value)).toMatchObject({ canonical: value })
        },
      ),
      { seed, numRuns: 500 },
    )
  })

  test('a longer answer begins with cities in the same order as a shorter one', () => {
    for (const q of ['san', 'new', 'a', 'par']) {
      const cities = (limit: number) => searchPlaces(q, limit).filter(place => place.kind === 'city')
      const few = cities(10)
      expect(cities(50).slice(0, few.length)).toEqual(few)
    }
  })

  test.each([
    '',
    ' ',
    '-',
    '---',
    ',',
    '!!',
    '()',
    '\u0000',
    '\ud800',
    '東',
    'zzzzzz',
    'x'.repeat(1e6),
    '-'.repeat(1e6),
  ])('for %.20j finds nothing and does not fail', q => {
    expect(searchPlaces(q)).toEqual([])
  })

  test('an invalid limit is ignored: none, negative, not a number', () => {
    expect(searchPlaces('ca', 0)).toEqual([])
    expect(searchPlaces('ca', -5)).toEqual([])
    expect(searchPlaces('ca', Number.NaN)).toEqual([])
    expect(searchPlaces('ca', 2.9)).toHaveLength(2)
    expect(searchPlaces('a', 1e9)).toHaveLength(MAX_PLACES)
  })
})
