// The rules of a persona that a schema cannot express: places and categories must exist, geo has one form, and
// something is switched on. Pure; each refusal names the wrong entry and what would be right.

import { type FieldError, fieldError } from '../../kernel/errors/field-error.ts'
import { invalidInput } from '../../kernel/errors/problem.ts'
import { type Declared, NOTHING_DECLARED, readWanted } from '../attributes/wanted.ts'
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

/** Enough to see what is wrong. The limit exists because finding suggestions takes time. */
const MAX_ERRORS = 20

type Errors = FieldError[]
type AudienceField = 'geo' | 'cat' | 'device' | 'demo' | 'attributes'

/** All fields of a new persona, normalised, or a 400 that names each wrong one. */
export function fieldsOf(body: NewPersona, declared: Declared = NOTHING_DECLARED): PersonaFields {
  const audience = audienceOf(body, declared)
  return {
    name: body.name,
    ...audience,
    rotation: body.rotation ?? 'even',
    enabled: body.enabled ?? true,
    external_id: body.externalId ?? null,
    metadata: body.metadata ?? {},
    unknown_places: unknownPlaces(audience.geo),
    unseen_values: [],
  }
}

/** The audience, normalised, or a 400 that names each wrong field. */
export function audienceOf(
  body: Pick<NewPersona, AudienceField>,
  declared: Declared = NOTHING_DECLARED,
): Pick<PersonaFields, AudienceField> {
  const errors: Errors = []
  const fields = {
    geo: readGeo(body.geo, errors),
    cat: readCategories(body.cat ?? [], errors),
    device: readSwitches(DEVICES, body.device, '/device', 'nothing_chosen', errors),
    demo: readDemo(body.demo ?? {}, errors),
    attributes: readWanted(body.attributes ?? {}, declared, {}, errors),
  }
  refuse(errors)
  return fields
}

/** The fields that an edit supplies, normalised; null clears what is optional. `before`: what it wants now. */
export function changesOf(
  edit: PersonaEdit,
  declared: Declared = NOTHING_DECLARED,
  before: PersonaFields['attributes'] = {},
): Partial<PersonaFields> {
  const errors: Errors = []
  const changes: Partial<PersonaFields> = {}
  if (edit.name !== undefined) changes.name = edit.name
  if (edit.geo !== undefined) changes.geo = readGeo(edit.geo, errors)
  if (edit.cat !== undefined) changes.cat = readCategories(edit.cat ?? [], errors)
  if (edit.device !== undefined)
    changes.device = readSwitches(DEVICES, edit.device, '/device', 'nothing_chosen', errors)
  if (edit.demo !== undefined) changes.demo = readDemo(edit.demo ?? {}, errors)
  if (edit.attributes !== undefined)
    changes.attributes = readWanted(edit.attributes ?? {}, declared, before, errors)
  if (edit.rotation !== undefined) changes.rotation = edit.rotation ?? 'even'
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
    errors.push(fieldError('/geo', 'geo_in_both_forms'))
  } else if (hasGeos) {
    return { geos: readPlaces(geos, errors) }
  } else if (hasRadius && hasGeocode) {
    return readCircle(radius, geocode, errors)
  } else if (hasRadius) {
    errors.push(fieldError('/geo/geocode', 'geocode_missing'))
  } else if (hasGeocode) {
    errors.push(fieldError('/geo/radius', 'radius_missing'))
  } else {
    errors.push(fieldError('/geo', 'geo_missing'))
  }
  return { geos: [] }
}

/** Keeps places as written, except that codes are in upper case. Of several spellings of a place, keeps the first. */
function readPlaces(geos: string[], errors: Errors): string[] {
  const kept = new Map<string, string>()
  for (const [index, text] of geos.entries()) {
    if (errors.length >= MAX_ERRORS) break
    const parsed = parsePlace(text)
    if ('error' in parsed) {
      errors.push({ ...parsed.error, path: `/geo/geos/${index}` })
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
    const code = swapped ? 'latitude_and_longitude_swapped' : 'not_a_latitude'
    errors.push(fieldError('/geo/geocode/0', code, { value: latitude }))
  }
  if (Math.abs(longitude) > 180) {
    errors.push(fieldError('/geo/geocode/1', 'not_a_longitude', { value: longitude }))
  }
  return { radius, geocode: [latitude, longitude] }
}

function readCategories(codes: string[], errors: Errors): string[] {
  for (const [index, code] of codes.entries()) {
    if (errors.length >= MAX_ERRORS) break
    if (!isIabCode(code)) errors.push(wrongCategory(`/cat/${index}`, code))
  }
  return [...new Set(codes)]
}

function wrongCategory(path: string, value: string): FieldError {
  const suggestions = suggestIab(value).map(category => `${category.code} (${category.name})`)
  return suggestions.length > 0
    ? fieldError(path, 'mistyped_category', { value, suggestions })
    : fieldError(path, 'unknown_category', { value })
}

function readDemo({ gender, age }: DemoInput, errors: Errors): Demo {
  return {
    gender: gender ? readSwitches(GENDERS, gender, '/demo/gender', 'nothing_chosen_of_all', errors) : null,
    age: age ? readSwitches(AGES, age, '/demo/age', 'nothing_chosen_of_all', errors) : null,
  }
}

/** Returns all keys, a missing one as false. Adds an error if none is true. */
function readSwitches<const K extends string>(
  keys: readonly K[],
  given: { [key in K]?: boolean | null },
  path: string,
  code: 'nothing_chosen' | 'nothing_chosen_of_all',
  errors: Errors,
): Record<K, boolean> {
  if (!keys.some(key => given[key])) {
    errors.push(fieldError(path, code, { options: [...keys] }))
  }
  return Object.fromEntries(keys.map(key => [key, given[key] ?? false])) as Record<K, boolean>
}
