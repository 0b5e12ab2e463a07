// The table of cities: found by name, alias and UN/LOCODE, each in its state.

import { iso31662 } from 'iso-3166'
import { describe, expect, test } from 'vitest'
import { allCities, cityFromLocode, findCity } from './cities.ts'
import { foldName } from './fold.ts'

const states = new Set(iso31662.map(({ code }) => code))

describe('the city table', () => {
  test('has tens of thousands of cities, each in a state of ISO 3166-2 and at a position on Earth', () => {
    expect(allCities().length).toBeGreaterThan(45_000)
    const odd = allCities().filter(
      city =>
        !states.has(`${city.country}-${city.region}`) ||
        city.folded === '' ||
        !(Math.abs(city.lat) <= 90 && Math.abs(city.lon) <= 180),
    )
    expect(odd).toEqual([])
  })

  // States whose GeoNames number differs from ISO, renumbered ones, and ones decided by hand.
  test.each([
    ['Toronto', 'CA', 'ON'],
    ['Montréal', 'CA', 'QC'],
    ['New York', 'US', 'NY'],
    ['Washington', 'US', 'DC'],
    ['London', 'GB', 'ENG'],
    ['Cardiff', 'GB', 'WLS'],
    ['Berlin', 'DE', 'BE'],
    ['Munich', 'DE', 'BY'],
    ['Paris', 'FR', 'IDF'],
    ['Ajaccio', 'FR', '20R'],
    ['Madrid', 'ES', 'MD'],
    ['Murcia', 'ES', 'MC'],
    ['Palma', 'ES', 'IB'],
    ['Milan', 'IT', '25'],
    ['Sydney', 'AU', 'NSW'],
    ['Tokyo', 'JP', '13'],
    ['Osaka', 'JP', '27'],
    ['Seoul', 'KR', '11'],
    ['Shanghai', 'CN', 'SH'],
    ['Lhasa', 'CN', 'XZ'],
    ['Taipei', 'TW', 'TPE'],
    ['Taichung', 'TW', 'TXG'],
    ['Mumbai', 'IN', 'MH'],
    ['Hyderabad', 'IN', 'TS'],
    ['Tehran', 'IR', '23'],
    ['Mashhad', 'IR', '09'],
    ['Tabriz', 'IR', '03'],
    ['Casablanca', 'MA', '06'],
    ['Marrakesh', 'MA', '07'],
    ['Oslo', 'NO', '03'],
    ['Bergen', 'NO', '46'],
    ['Trondheim', 'NO', '50'],
    ['Almaty', 'KZ', '75'],
    ['Kathmandu', 'NP', 'P3'],
    ['Antananarivo', 'MG', 'T'],
    ['Mexico City', 'MX', 'CMX'],
    ['Buenos Aires', 'AR', 'C'],
    ['São Paulo', 'BR', 'SP'],
    ['Gisborne', 'NZ', 'GIS'],
    ['Belgrade', 'RS', '00'],
    ['Prague', 'CZ', '10'],
    ['Tartu', 'EE', '79'],
    ['Njombe', 'TZ', '29'],
  ])('%s is in %s-%s', (name, country, region) => {
    expect(findCity(name, country)).toMatchObject({ country, region })
  })

  test('a city is found by an alias, in any case, and within a state; the most populous comes first', () => {
    expect(findCity('new york city')?.region).toBe('NY')
    expect(findCity('WIEN')?.country).toBe('AT')
    expect(findCity('Paris')?.country).toBe('FR')
    expect(findCity('Paris', 'US', 'TX')?.region).toBe('TX')
    expect(findCity('Paris', 'US', 'NY')).toBeNull()
    expect(findCity('')).toBeNull()
    expect(findCity('no such city at all')).toBeNull()
  })
})

describe('a UN/LOCODE', () => {
  test.each([
    ['CATOR', 'CA', 'ON', 'Toronto'],
    ['CA TOR', 'CA', 'ON', 'Toronto'],
    ['USNYC', 'US', 'NY', 'New York'],
    ['GBLON', 'GB', 'ENG', 'London'],
    ['FRPAR', 'FR', 'IDF', 'Paris'],
    ['INBOM', 'IN', 'MH', 'Mumbai'],
    ['ITMIL', 'IT', '25', 'Milan'],
    ['USSTL', 'US', 'MO', 'St. Louis'],
  ])('%s is a city', (code, country, region, name) => {
    expect(cityFromLocode(code)).toEqual({ country, region, name, city: foldName(name) })
  })

  test('of a country other than the request names none: it was a name that looks like a code', () => {
    expect(cityFromLocode('CATOR', 'CA')).not.toBeNull()
    expect(cityFromLocode('CATOR', 'US')).toBeNull()
  })

  test.each([
    '',
    'Toronto',
    'CATO',
    'CATORX',
    'CA  TOR',
    'CA-TOR',
    'CAT0R',
    'ZZZZZ',
    'constructor',
    'CATOR ',
  ])('%j is not a code', text => {
    expect(cityFromLocode(text)).toBeNull()
  })

  test('no name of five letters is mistaken for the code of another city in its country', () => {
    const taken = allCities().filter(city => cityFromLocode(city.name, city.country) !== null)
    expect(taken).toEqual([])
  })
})
