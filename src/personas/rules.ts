// The rules of a persona that a schema cannot say: places and categories that exist, one form of geo, something
// switched on. Pure; each refusal names the entry that is wrong and what would be right.

import { type FieldError, invalidInput } from '../kernel/problem.ts'
import { parsePlace } from '../reference/geo.ts'
import { isIabCode, suggestIab } from '../reference/iab.ts'
import {
  AGES,
  DEVICES,
  type Demo,
  type DemoInput,
  GENDERS,
  type Geo,
  type GeoInput,
  type NewPersona,
  type PersonaEdit,
} from './contract.ts'
import type { PersonaFields } from './queries.ts'
import { unknownPlaces } from './unknown-places.ts'

/** Enough to see what is wrong; finding suggestions costs time, so it is limited. */
const MAX_ERRORS = 20

type Errors = FieldError[]

/** All fields of a new persona, normalised, or a 400 that names each wrong one. */
export function fieldsOf(body: NewPersona): PersonaFields {
  const errors: Errors = []
  const geo = readGeo(body.geo, errors)
  const fields = {
    name: body.name,
    geo,
    cat: readCategories(body.cat ?? [], errors),
    device: readSwitches(DEVICES, body.device, '/device', '', errors),
    demo: readDemo(body.demo ?? {}, errors),
    enabled: body.enabled ?? true,
    external_id: body.externalId ?? null,
    metadata: body.metadata ?? {},
  }
  refuse(errors)
  return { ...fields, unknown_places: unknownPlaces(geo) }
}

/** The fields that an edit supplies, normalised; null clears the categories and the demographics. */
export function changesOf(edit: PersonaEdit): Partial<PersonaFields> {
  const errors: Errors = []
  const changes: Partial<PersonaFields> = {}
  if (edit.name !== undefined) changes.name = edit.name
  if (edit.geo !== undefined) changes.geo = readGeo(edit.geo, errors)
  if (edit.cat !== undefined) changes.cat = readCategories(edit.cat ?? [], errors)
  if (edit.device !== undefined) changes.device = readSwitches(DEVICES, edit.device, '/device', '', errors)
  if (edit.demo !== undefined) changes.demo = readDemo(edit.demo ?? {}, errors)
  if (edit.externalId !== undefined) changes.external_id = edit.externalId
  if (edit.metadata !== undefined) changes.metadata = edit.metadata ?? {}
  refuse(errors)
  if (changes.geo) changes.unknown_places = unknownPlaces(changes.geo)
  return changes
}

function refuse(errors: Errors): void {
  if (errors.length > 0) throw invalidInput(errors.slice(0, MAX_ERRORS))
}

function readGeo({ geos, radius, geocode }: GeoInput, errors: Errors): Geo {
  const hasGeos = geos !== undefined && geos !== null
  const hasRadius = radius !== undefined && radius !== null
  const hasGeocode = geocode !== undefined && geocode !== null
  if (hasGeos && (hasRadius || hasGeocode)) {
    errors.push({ path: '/geo', message: 'must have one form only: either geos, or radius with geocode' })
  } else if (hasGeos) {
    return { geos: readPlaces(geos, errors) }
  } else if (hasRadius && hasGeocode) {
    return readCircle(radius, geocode, errors)
  } else if (hasRadius) {
    errors.push({ path: '/geo/geocode', message: 'is required with radius: [latitude, longitude]' })
  } else if (hasGeocode) {
    errors.push({ path: '/geo/radius', message: 'is required with geocode: metres, an integer' })
  } else {
    errors.push({
      path: '/geo',
      message: 'must have either geos (places such as CA-ON-Toronto), or radius (metres) with geocode',
    })
  }
  return { geos: [] }
}

/** As written but for upper-case codes; the same place in another spelling is kept once, as first written. */
function readPlaces(geos: string[], errors: Errors): string[] {
  const kept = new Map<string, string>()
  for (const [index, text] of geos.entries()) {
    if (errors.length >= MAX_ERRORS) break
    const parsed = parsePlace(text)
    if ('error' in parsed) {
      errors.push({ path: `/geo/geos/${index}`, message: parsed.error })
      continue
    }
    const { country, region = '', city = '' } = parsed.place
    const sameness = `${country}-${region}-${city}`
    if (!kept.has(sameness)) kept.set(sameness, parsed.canonical)
  }
  return [...kept.values()]
}

function readCircle(radius: number, geocode: [number, number], errors: Errors): Geo {
  const [latitude, longitude] = geocode
  const swapped = Math.abs(latitude) <= 180 && Math.abs(longitude) <= 90
  if (Math.abs(latitude) > 90) {
    const hint = swapped ? '; the order is [latitude, longitude]' : ''
    errors.push({
      path: '/geo/geocode/0',
      message: `must be a latitude from -90 to 90, is ${latitude}${hint}`,
    })
  }
  if (Math.abs(longitude) > 180) {
    errors.push({
      path: '/geo/geocode/1',
      message: `must be a longitude from -180 to 180, is ${longitude}`,
    })
  }
  return { radius, geocode: [latitude, longitude] }
}

function readCategories(codes: string[], errors: Errors): string[] {
  for (const [index, code] of codes.entries()) {
    if (errors.length >= MAX_ERRORS) break
    if (!isIabCode(code)) errors.push({ path: `/cat/${index}`, message: wrongCategory(code) })
  }
  return [...new Set(codes)]
}

function wrongCategory(code: string): string {
  const meant = suggestIab(code).map(category => `${category.code} (${category.name})`)
  const hint =
    meant.length > 0
      ? `did you mean ${meant.join(' or ')}?`
      : 'write IAB# or IAB#-#, such as IAB17 or IAB17-3'
  return `${JSON.stringify(code)} is not a code of IAB Content Taxonomy 1.0; ${hint}`
}

function readDemo({ gender, age }: DemoInput, errors: Errors): Demo {
  return {
    gender: gender ? readSwitches(GENDERS, gender, '/demo/gender', '; null means all', errors) : null,
    age: age ? readSwitches(AGES, age, '/demo/age', '; null means all', errors) : null,
  }
}

/** All keys, a missing one as false; something must be on. */
function readSwitches<const K extends string>(
  keys: readonly K[],
  given: { [key in K]?: boolean | null },
  path: string,
  hint: string,
  errors: Errors,
): Record<K, boolean> {
  if (!keys.some(key => given[key])) {
    errors.push({ path, message: `must have at least one of ${keys.join(', ')} as true${hint}` })
  }
  return Object.fromEntries(keys.map(key => [key, given[key] ?? false])) as Record<K, boolean>
}
