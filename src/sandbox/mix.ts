// The mix of a sandbox's visitors: what a caller asks for, checked; otherwise what fits the campaigns.

import type { AppCaller } from '../kernel/caller.ts'
import { type FieldError, fieldError } from '../kernel/errors/field-error.ts'
import type { Attribute } from '../manage/attributes/contract.ts'
import { countryCode } from '../manage/reference/countries.ts'
import { EVERYWHERE, parsePlace } from '../manage/reference/geo.ts'
import { isIabCode } from '../manage/reference/iab.ts'
import type { Db } from '../platform/database.ts'
import { type Carrying, carriedErrors } from './attributes.ts'
import type { Mix } from './contract.ts'
import { placeAround } from './homes.ts'
import { selectSizes, selectTargeted, selectWanted, type TargetedPersona } from './queries.ts'
import { DEFAULTS } from './visitors.ts'

type Weights = Record<string, number>

/** Visitors fit the newest personas and banners, at most this many. */
const MOST_PERSONAS = 200
const MOST_BANNERS = 1_000
/** The most values that are fitted per kind. */
const MOST_NAMES = 1_000

/**
 * The default for a caller who does not say where visitors live and what they read: half of the visitors fit the
 * personas and banners, so that they see ads.
 */
export async function fittingMix(db: Db, mix: Mix): Promise<Mix> {
  const personas = await selectTargeted(db, MOST_PERSONAS)
  const sizes = await selectSizes(db, MOST_BANNERS)
  const isUnusual = sizes.some(size => !(size in DEFAULTS.sizes))
  return {
    categories: half(
      DEFAULTS.categories,
      personas.flatMap(({ cat }) => cat.filter(isIabCode)),
    ),
    // Usual sizes depend on the device.
    ...(isUnusual ? { sizes: half(DEFAULTS.sizes, sizes) } : {}),
    ...(mix.countries ? {} : { places: half(DEFAULTS.countries, personas.flatMap(placesOf)) }),
    ...mix,
  }
}

/** The same for what the app has declared; null: nothing. */
export async function carryingOf(
  db: Db,
  { appId }: Pick<AppCaller, 'appId'>,
  declared: readonly Attribute[],
  { attributes = {} }: Mix,
): Promise<Carrying | null> {
  if (declared.length === 0) return null
  return { declared, said: attributes, wanted: await selectWanted(db, appId, MOST_PERSONAS) }
}

function placesOf({ geo }: TargetedPersona): string[] {
  if ('geocode' in geo) return [placeAround(...geo.geocode, geo.radius)]
  return geo.geos.filter(code => placeErrors(code).length === 0)
}

/** Gives these names together the same weight as all usual ones. */
function half(usual: Weights, wanted: string[]): Weights {
  const names = new Set(wanted.slice(0, MOST_NAMES))
  const all = Object.values(usual).reduce((sum, weight) => sum + weight, 0)
  const weights = { ...usual }
  for (const name of names) weights[name] = (weights[name] ?? 0) + all / names.size
  return weights
}

export function mixErrors(
  { countries, places, devices, categories, sizes, attributes }: Mix,
  declared: readonly Attribute[],
): FieldError[] {
  const weighed = Object.entries({ countries, places, devices, categories, sizes })
  return [
    ...weighed
      .filter(([, weights]) => weights && !Object.values(weights).some(weight => weight > 0))
      .map(([name]) => fieldError(`/mix/${name}`, 'empty')),
    ...Object.keys(countries ?? {})
      .filter(code => countryCode(code) === null)
      .map(code => fieldError(`/mix/countries/${code}`, 'not_a_country')),
    ...(countries && places ? [fieldError('/mix/countries', 'not_together', { field: 'places' })] : []),
    ...Object.keys(places ?? {}).flatMap(placeErrors),
    ...Object.keys(categories ?? {})
      .filter(code => !isIabCode(code))
      .map(code => fieldError(`/mix/categories/${code}`, 'unknown_category', { value: code })),
    ...carriedErrors(attributes ?? {}, declared),
  ]
}

function placeErrors(code: string): FieldError[] {
  const path = `/mix/places/${code}`
  if (code === EVERYWHERE) return [fieldError(path, 'not_a_country')]
  const parsed = parsePlace(code)
  return 'error' in parsed ? [{ ...parsed.error, path }] : []
}
