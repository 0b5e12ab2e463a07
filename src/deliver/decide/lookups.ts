// The reference tables and IP databases, in the form of the lookups that the dialects need.

import { remembered } from '../../kernel/recent.ts'
import { cityFromLocode } from '../../manage/reference/cities.ts'
import { alpha2FromAlpha3, countryCode, foldName, regionCode } from '../../manage/reference/geo.ts'
import { isIabCode } from '../../manage/reference/iab.ts'
import { localityOf } from '../../manage/reference/localities.ts'
import { createBotCheck } from '../audience/bots.ts'
import { openIpGeo } from '../audience/ip-geo.ts'
import type { GeoLookups } from '../audience/lookups.ts'
import { ANYONE, ANYWHERE } from '../targeting/request.ts'

export interface LookupOptions {
  /** Whether there are a place and a user for tests. */
  isSandbox: boolean
}

export function openLookups(
  cityDatabase: string | null,
  { isSandbox }: LookupOptions = { isSandbox: false },
): GeoLookups & { isBot(ua: string): boolean } {
  const names = { foldName: remembered(foldName, MOST_NAMES), regionCode: rememberedRegions(regionCode) }
  // Tables are read at their first use: better now than at the first bid.
  cityFromLocode('CATOR')
  names.regionCode('CA', 'Ontario')
  localityOf('CA', 'ON', null)
  return {
    ...names,
    alpha2FromAlpha3,
    cityFromLocode,
    isCountry: code => countryCode(code) === code,
    isCategory: isIabCode,
    locate: remembered(openIpGeo(cityDatabase === null ? [] : [cityDatabase], names), MOST_ADDRESSES),
    isBot: createBotCheck(),
    ...(isSandbox ? FOR_TESTS : {}),
  }
}

const FOR_TESTS: Pick<GeoLookups, 'alpha2FromAlpha3' | 'isCountry' | 'isAnyone'> = {
  alpha2FromAlpha3: code => (code === ANYWHERE_ALPHA3 ? ANYWHERE : alpha2FromAlpha3(code)),
  isCountry: code => code === ANYWHERE || countryCode(code) === code,
  isAnyone: id => id === ANYONE,
}

const ANYWHERE_ALPHA3 = `${ANYWHERE}Z`
/** Few names make up most of the traffic, and folding one costs as much as finding an ad. */
const MOST_NAMES = 20_000
/** A visitor requests several ads in a row. */
const MOST_ADDRESSES = 50_000

/** Remembered names per country: more than any has, and few enough that all countries together stay small. */
const MOST_REGIONS = 500

function rememberedRegions<T>(
  look: (country: string, text: string) => T,
): (country: string, text: string) => T {
  const countries = new Map<string, (text: string) => T>()
  return (country, text) => {
    let regions = countries.get(country)
    if (regions === undefined) {
      // Countries are codes of two letters: there cannot be many.
      regions = remembered(name => look(country, name), MOST_REGIONS)
      if (country.length === 2) countries.set(country, regions)
    }
    return regions(text)
  }
}
