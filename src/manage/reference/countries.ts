// Countries by ISO 3166-1, with common names where the standard's are formal ('South Korea' for 'Korea, Republic of'),
// and other words that people use for a country.
import { iso31661 } from 'iso-3166'
import { foldText } from './fold.ts'
import { nearest } from './near.ts'

const USUAL_NAME: Record<string, string> = {
  BN: 'Brunei',
  BO: 'Bolivia',
  CD: 'DR Congo',
  CG: 'Congo',
  FK: 'Falkland Islands',
  FM: 'Micronesia',
  GB: 'United Kingdom',
  IR: 'Iran',
  KP: 'North Korea',
  KR: 'South Korea',
  LA: 'Laos',
  MD: 'Moldova',
  MF: 'Saint Martin',
  NL: 'Netherlands',
  PS: 'Palestine',
  RU: 'Russia',
  SX: 'Sint Maarten',
  SY: 'Syria',
  TW: 'Taiwan',
  TZ: 'Tanzania',
  US: 'United States',
  VA: 'Vatican City',
  VE: 'Venezuela',
  VG: 'British Virgin Islands',
  VI: 'U.S. Virgin Islands',
  VN: 'Vietnam',
}

const OTHER_NAMES: Record<string, string[]> = {
  AE: ['UAE', 'Emirates'],
  AT: ['Österreich'],
  BA: ['Bosnia'],
  BE: ['Belgique', 'België'],
  BR: ['Brasil'],
  CD: ['Democratic Republic of the Congo', 'Congo Kinshasa'],
  CG: ['Republic of the Congo', 'Congo Brazzaville'],
  CH: ['Schweiz', 'Suisse', 'Svizzera'],
  CI: ['Ivory Coast'],
  CV: ['Cape Verde'],
  CZ: ['Czech Republic'],
  DE: ['Deutschland'],
  DK: ['Danmark'],
  ES: ['España'],
  FI: ['Suomi'],
  GB: ['UK', 'Great Britain', 'Britain'],
  GM: ['The Gambia'],
  GR: ['EL', 'Hellas'],
  IE: ['Eire'],
  IT: ['Italia'],
  JP: ['Nippon'],
  KP: ['DPRK'],
  KR: ['Korea', 'Republic of Korea'],
  MK: ['Macedonia'],
  MM: ['Burma'],
  MO: ['Macau'],
  MX: ['México'],
  NL: ['Holland', 'The Netherlands', 'Nederland'],
  NO: ['Norge'],
  NZ: ['Aotearoa'],
  PL: ['Polska'],
  SE: ['Sverige'],
  SZ: ['Swaziland'],
  TL: ['East Timor'],
  TR: ['Turkey'],
  US: ['America', 'U.S.', 'U.S.A.', 'USA', 'States'],
  VA: ['Vatican'],
}

export interface Country {
  code: string
  name: string
  alpha3: string
  /** Folded: the usual name, the standard's and the others. */
  names: string[]
}

export const COUNTRIES: readonly Country[] = iso31661.map(({ alpha2, alpha3, name }) => {
  const usual = USUAL_NAME[alpha2] ?? name
  const names = new Set([usual, name, ...(OTHER_NAMES[alpha2] ?? [])].map(foldText))
  return { code: alpha2, name: usual, alpha3, names: [...names] }
})

const BY_CODE: ReadonlyMap<string, Country> = new Map(COUNTRIES.map(country => [country.code, country]))
const BY_ALPHA3: ReadonlyMap<string, string> = new Map(COUNTRIES.map(({ alpha3, code }) => [alpha3, code]))
const BY_NAME: ReadonlyMap<string, Country> = new Map(
  COUNTRIES.flatMap(country => country.names.map(name => [name, country] as const)),
)

const ALPHA2 = /^[A-Za-z]{2}$/
const ALPHA3 = /^[A-Za-z]{3}$/

/** 'ca' → 'CA'; null if it is not an ISO 3166-1 code. ASCII only: 'ß' must not become 'SS'. */
export function countryCode(text: string): string | null {
  if (!ALPHA2.test(text)) return null
  const code = text.toUpperCase()
  return BY_CODE.has(code) ? code : null
}

export function alpha2FromAlpha3(alpha3: string): string | null {
  return ALPHA3.test(alpha3) ? (BY_ALPHA3.get(alpha3.toUpperCase()) ?? null) : null
}

export function countryName(alpha2: string): string | null {
  return BY_CODE.get(alpha2)?.name ?? null
}

/** The country with exactly this alpha-2 code, alpha-3 code or name. */
export function countryNamed(text: string): Country | null {
  const alpha2 = countryCode(text) ?? alpha2FromAlpha3(text)
  return (alpha2 ? BY_CODE.get(alpha2) : BY_NAME.get(foldText(text))) ?? null
}

/** The country that was probably meant, or null. */
export function countryLike(text: string): Country | null {
  const folded = foldText(text)
  const near = nearest(folded, BY_NAME, ([name]) => name, 1)[0]
  return countryNamed(text) ?? near?.[1] ?? null
}
