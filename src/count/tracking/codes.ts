// The parts of events as the database stores them, one letter or number each: kind, device, operating system and
// country. Append only.

import { type DeviceName, OS_NAMES } from './ad.ts'
import type { EventKind } from './event.ts'

const KIND_CODE: Record<EventKind, string> = { impression: 'i', click: 'c', view: 'v' }
const DEVICE_CODE: Record<DeviceName, string> = { mobile: 'm', tablet: 't', desktop: 'd' }
/** In the order of `OS_NAMES`. */
const OS_CODES = ['w', 'm', 'l', 'a', 'i', 'c', 'o'] as const
const UNKNOWN_CODE = '?'
const LETTER_A = 65

const KIND_NAME = new Map(Object.entries(KIND_CODE).map(([name, code]) => [code, name as EventKind]))
const DEVICE_NAME = new Map(Object.entries(DEVICE_CODE).map(([name, code]) => [code, name as DeviceName]))
const OS_CODE = new Map<string, string>(OS_NAMES.map((name, at) => [name, OS_CODES[at]!]))
const OS_NAME = new Map<string, string>(OS_NAMES.map((name, at) => [OS_CODES[at]!, name]))

export function kindCode(kind: EventKind): string {
  return KIND_CODE[kind]
}

export function kindName(code: string): EventKind {
  return KIND_NAME.get(code)!
}

export function deviceCode(device: DeviceName | null): string {
  return device === null ? UNKNOWN_CODE : DEVICE_CODE[device]
}

export function deviceName(code: string): DeviceName | null {
  return DEVICE_NAME.get(code) ?? null
}

export function osCode(os: string | null): string {
  return os === null ? UNKNOWN_CODE : (OS_CODE.get(os) ?? UNKNOWN_CODE)
}

export function osName(code: string): string | null {
  return OS_NAME.get(code) ?? null
}

/** 1 for AA to 676 for ZZ; 0 for anything else. */
export function countryNumber(country: string | null): number {
  if (country === null || !/^[A-Z]{2}$/.test(country)) return 0
  return 1 + (country.charCodeAt(0) - LETTER_A) * 26 + country.charCodeAt(1) - LETTER_A
}

export function countryName(number: number): string | null {
  if (number === 0) return null
  return String.fromCharCode(LETTER_A + Math.floor((number - 1) / 26), LETTER_A + ((number - 1) % 26))
}

export const AGE_BANDS = ['13to17', '18to34', '35to49', '50+'] as const
export const GENDERS = ['male', 'female'] as const
/** Larger than the number of combinations of age and gender, both of which may be unknown. */
const PER_CATEGORY = 16

export interface Audience {
  /** The position in the list of categories, from 1; 0: unknown. */
  category: number
  age: (typeof AGE_BANDS)[number] | null
  gender: (typeof GENDERS)[number] | null
}

/** Packs an audience into one number of 15 bits. */
export function audienceNumber({ category, age, gender }: Audience): number {
  const ageNumber = age === null ? 0 : AGE_BANDS.indexOf(age) + 1
  const genderNumber = gender === null ? 0 : GENDERS.indexOf(gender) + 1
  return category * PER_CATEGORY + ageNumber * 3 + genderNumber
}

export function categoryOf(audience: number): number {
  return Math.floor(audience / PER_CATEGORY)
}

/** Age and gender are one number in the figures; it has a name in each of the two breakdowns. */
const people = (nameOf: (age: number, gender: number) => string | undefined) =>
  [0, 1, 2, 3, 4].flatMap(age =>
    [0, 1, 2].flatMap(gender => {
      const name = nameOf(age, gender)
      return name === undefined ? [] : [{ code: age * 3 + gender, name }]
    }),
  )

export const ALL_AGES = people(age => AGE_BANDS[age - 1])
export const ALL_GENDERS = people((_, gender) => GENDERS[gender - 1])

/** In the figures, letters are stored as their character codes. */
const numbered = (codes: Iterable<[string, string]>) =>
  Array.from(codes, ([code, name]) => ({ code: code.charCodeAt(0), name }))

export const ALL_DEVICES = numbered(DEVICE_NAME)
export const ALL_OSES = numbered(OS_NAME)
export const ALL_COUNTRIES = Array.from({ length: 26 * 26 }, (_, at) => ({
  code: at + 1,
  name: countryName(at + 1)!,
}))
