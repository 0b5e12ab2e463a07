// Places as personas name them, by ISO 3166; and refusals that say what would be right.

import fc from 'fast-check'
import { iso31661, iso31662 } from 'iso-3166'
import { describe, expect, test } from 'vitest'
import { allCities } from './cities.ts'
import { alpha2FromAlpha3, countryName, foldName, parsePlace, regionCode, regionName } from './geo.ts'

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

function errorOf(text: string): string {
  const parsed = parsePlace(text)
  return 'error' in parsed ? parsed.error.message : `no error: ${parsed.canonical}`
}

function canonicalOf(text: string): string {
  const parsed = parsePlace(text)
  return 'error' in parsed ? parsed.error.message : parsed.canonical
}

describe('the standard', () => {
  test('has 249 countries, each parsed in either case, named, and found by its alpha-3 code', () => {
    expect(iso31661).toHaveLength(249)
    for (const { alpha2, alpha3 } of iso31661) {
      expect(parsePlace(alpha2)).toEqual({ place: { country: alpha2 }, canonical: alpha2 })
      expect(canonicalOf(alpha2.toLowerCase())).toBe(alpha2)
      expect(countryName(alpha2)).toMatch(/\S/)
      expect(alpha2FromAlpha3(alpha3)).toBe(alpha2)
      expect(alpha2FromAlpha3(alpha3.toLowerCase())).toBe(alpha2)
    }
    expect(new Set(iso31661.map(({ alpha2 }) => countryName(alpha2))).size).toBe(249)
  })

  test('has 5,070 states, each parsed, named and found by every form of its code', () => {
    expect(iso31662).toHaveLength(5070)
    for (const { code } of iso31662) {
      const [country, region] = code.split('-') as [string, string]
      expect(parsePlace(code)).toEqual({ place: { country, region }, canonical: code })
      expect(canonicalOf(code.toLowerCase())).toBe(code)
      expect(regionCode(country, region)).toBe(region)
      expect(regionCode(country, code.toLowerCase())).toBe(region)
      expect(regionName(country, region)).toMatch(/\p{L}/u)
    }
  })

  test('a state is found by its name in the standard, unless two of its country share it', () => {
    const names = new Map<string, number>()
    const key = (code: string, name: string) => `${code.slice(0, 2)} ${foldName(name)}`
    for (const { code, name } of iso31662) names.set(key(code, name), (names.get(key(code, name)) ?? 0) + 1)
    for (const { code, name } of iso31662) {
      if (names.get(key(code, name)) !== 1) continue
      const found = regionCode(code.slice(0, 2), name)
      // There are cases like 'Sofia', where another state is displayed under that name.
      if (found !== code.slice(3))
        expect(foldName(regionName(code.slice(0, 2), found!)!)).toBe(foldName(name))
    }
  })

  test.each([
    ['CA', 'Ontario', 'ON'],
    ['CA', ' ontario ', 'ON'],
    ['CA', 'Québec', 'QC'],
    ['US', 'New York', 'NY'],
    ['US', 'District of Columbia', 'DC'],
    ['DE', 'Bavaria', 'BY'],
    ['DE', 'Bayern', 'BY'],
    ['GB', 'England', 'ENG'],
    ['JP', 'Osaka Prefecture', '27'],
    ['CN', 'Guangdong', 'GD'],
    ['ES', 'Community of Madrid', 'MD'],
    ['NO', 'Viken', '30'],
    ['IR', 'Tehran', '23'],
    ['NZ', 'Gisborne', 'GIS'],
    ['KH', 'Kampong Cham Province', '3'],
    ['CA', 'XX', null],
    ['CA', '', null],
    ['CA', 'US-NY', null],
    ['US', 'CA-ON', null],
    ['ZZ', 'ON', null],
    ['HK', 'ON', null],
    ['CA', '__proto__', null],
  ])('the state of %s called %j is %s', (country, name, code) => {
    expect(regionCode(country, name)).toBe(code)
  })

  test('names are the common ones', () => {
    expect(countryName('GB')).toBe('United Kingdom')
    expect(countryName('KR')).toBe('South Korea')
    expect(regionName('CA', 'ON')).toBe('Ontario')
    expect(regionName('GB', 'LND')).toBe('City of London')
    expect(countryName('XX')).toBeNull()
    expect(countryName('constructor')).toBeNull()
    expect(regionName('CA', 'XX')).toBeNull()
    expect(regionName('XX', 'ON')).toBeNull()
  })

  test.each(['', 'CA', 'XXX', 'CAND', 'ßS', 'constructor'])('%j is not an alpha-3 code', text => {
    expect(alpha2FromAlpha3(text)).toBeNull()
  })
})

describe('a place', () => {
  test.each([
    ['CA-ON-Toronto', 'CA-ON-Toronto', 'toronto'],
    ['ca-on-toronto', 'CA-ON-toronto', 'toronto'],
    [' ca - on -  Toronto ', 'CA-ON-Toronto', 'toronto'],
    ['CA-QC-Trois-Rivières', 'CA-QC-Trois-Rivières', 'trois rivieres'],
    ['FR-IDF-Saint-Denis', 'FR-IDF-Saint-Denis', 'saint denis'],
    ['US-NY-New York City', 'US-NY-New York City', 'new york'],
    ['GB-ENG-London', 'GB-ENG-London', 'london'],
    ['JP-13-東京', 'JP-13-東京', '東京'],
    ['CA-ON--Toronto', 'CA-ON--Toronto', 'toronto'],
  ])('%j is %j, its city compared as %j', (text, canonical, city) => {
    const parsed = parsePlace(text)
    if ('error' in parsed) throw new Error(parsed.error.message)
    expect(parsed.canonical).toBe(canonical)
    expect(parsed.place.city).toBe(city)
    expect(parsed.place.cityName).toBe(canonical.split('-').slice(2).join('-'))
  })

  test('has a city of 1 to 100 code points', () => {
    for (const letter of ['x', '𝒳', '東']) {
      expect(canonicalOf(`CA-ON-${letter.repeat(100)}`)).toBe(`CA-ON-${letter.repeat(100)}`)
      expect(errorOf(`CA-ON-${letter.repeat(101)}`)).toMatch(/at most 100 characters/)
    }
    expect(errorOf('CA-ON-')).toMatch(/city .* is empty/)
    expect(errorOf('CA-ON-   ')).toMatch(/city .* is empty/)
  })

  test('every city of our table is a place, and compares equal to itself', () => {
    const odd = allCities().filter(city => {
      const value = `${city.country}-${city.region}-${city.name}`
      const parsed = parsePlace(value)
      return 'error' in parsed || parsed.canonical !== value || parsed.place.city !== city.folded
    })
    expect(odd).toEqual([])
  })

  test('parsed again from its canonical form, is the same', () => {
    const codes = fc.constantFrom(...iso31662.map(({ code }) => code))
    const cities = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(codes, cities, fc.boolean(), (code, city, lower) => {
        const once = parsePlace(`${lower ? code.toLowerCase() : code}-${city}`)
        if ('error' in once) return
        expect(parsePlace(once.canonical)).toEqual(once)
      }),
      { seed, numRuns: 2000 },
    )
  })

  test('any input gives a place of the standard or an error of bounded length', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.stringMatching(/^[A-Za-z]{2}-[A-Za-z0-9]{0,4}-?.{0,20}$/),
    )
    fc.assert(
      fc.property(anything, text => {
        const parsed = parsePlace(text)
        if ('error' in parsed) expect(parsed.error.message.length).toBeLessThan(1500)
        else expect(countryName(parsed.place.country)).not.toBeNull()
      }),
      { seed, numRuns: 3000 },
    )
  })
})

describe('a refusal says which part is wrong and what would be right', () => {
  test.each([
    ['CA-XX', /^"CA-XX": CA \(Canada\) has no state\/province XX; .*CA-ON \(Ontario\)/],
    ['CA-Ontario', /did you mean CA-ON \(Ontario\)\?$/],
    ['CA-Onatrio', /did you mean CA-ON \(Ontario\)\?$/],
    ['CA-ONT', /did you mean CA-ON \(Ontario\)\?$/],
    ['DE-Baden-Württemberg', /did you mean DE-BW \(Baden-Württemberg\)\?$/],
    ['CA-Toronto', /did you mean CA-ON-Toronto\?$/],
    ['CA-Toronto-ON', /did you mean CA-ON-Toronto\?$/],
    ['US-Toronto', /did you mean CA-ON-Toronto\?$/],
    // GB-LND is the City of London, where no visitor lives.
    ['GB-London', /did you mean GB-ENG-London\?$/],
    ['GB-london', /did you mean GB-ENG-London\?$/],
    ['GB-City of London', /did you mean GB-LND/],
    ['GB-Manchester', /did you mean GB-MAN \(Manchester\)\?$/],
    ['US-XX', /has no state\/province XX; examples are US-/],
    ['HK-HCW', /HK \(Hong Kong\) has no states or provinces in ISO 3166-2; write HK/],
    ['CA-', /state\/province is empty; write CA/],
    ['CA--Toronto', /state\/province is empty/],
    ['USA', /two-letter country code US \(United States\)/],
    ['UK', /two-letter country code GB \(United Kingdom\)/],
    ['uk', /two-letter country code GB/],
    ['Deutschland', /two-letter country code DE \(Germany\)/],
    ['Guinea-Bissau', /two-letter country code GW/],
    ['USA-NY-Buffalo', /"USA" is not an ISO 3166-1 country code; did you mean US-NY-Buffalo/],
    ['Canada-Ontario-Toronto', /did you mean CA-ON-Toronto/],
    ['UK-ENG', /did you mean GB-ENG/],
    ['Germny', /did you mean DE \(Germany\)\?$/],
    ['California', /did you mean US-CA \(California, United States\)\?$/],
    ['Toronto', /did you mean CA-ON-Toronto\?$/],
    ['ZZ', /"ZZ" is not an ISO 3166-1 country code; write two letters/],
    ['EU', /not an ISO 3166-1 country code/],
    ['', /empty/],
    [' ', /empty/],
    ['-', /not an ISO 3166-1 country code/],
    ['ß', /not an ISO 3166-1 country code/],
    ['ı', /not an ISO 3166-1 country code/],
    ['CA-ON-!!!', /no letter or digit/],
    ['CA-ON-a\u0000b', /control character/],
    ['CA-ON-\ud800x', /control character/],
    ['constructor', /not an ISO 3166-1 country code/],
    ['CA-__proto__', /no state\/province/],
  ])('%j', (text, message) => {
    expect(errorOf(text)).toMatch(message)
  })

  test('every suggested full place is a place', () => {
    for (const text of [
      'USA-NY-Buffalo',
      'CA-Toronto',
      'Toronto',
      'US-NYC',
      'CA-Ontario',
      'Roma',
      'JP-Tokyo',
      'US-CAL',
    ]) {
      const meant = /did you mean (.+?)(?: \(.*)?\?$/.exec(errorOf(text))![1]!
      expect(parsePlace(meant)).toHaveProperty('place')
    }
  })

  test('a text of a megabyte is refused with a short message', () => {
    for (const text of [
      'x'.repeat(1e6),
      '-'.repeat(1e6),
      `CA-ON-${'x'.repeat(1e6)}`,
      `CA-${'é '.repeat(5e5)}`,
    ]) {
      expect(errorOf(text).length).toBeLessThan(1000)
    }
  })
})

test('a city is folded once, and no longer than any name, whatever its letters become', () => {
  const { normalize } = String.prototype
  const lengths: number[] = []
  String.prototype.normalize = function (this: string, form?: string) {
    lengths.push(this.length)
    return normalize.call(this, form)
  }
  try {
    expect(parsePlace(`CA-ON-${'ﷺ'.repeat(90)}`)).toHaveProperty('place')
  } finally {
    String.prototype.normalize = normalize
  }
  expect(lengths).toHaveLength(3)
  expect(Math.max(...lengths)).toBeLessThanOrEqual(400)
})
