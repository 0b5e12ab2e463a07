// The reference tables and IP databases, as the questions that the dialects ask.

import { cityFromLocode } from '../reference/cities.ts'
import { alpha2FromAlpha3, countryCode, foldName, regionCode } from '../reference/geo.ts'
import { isIabCode } from '../reference/iab.ts'
import { createBotCheck } from './audience/bots.ts'
import { openIpGeo } from './audience/ip-geo.ts'
import type { BidContext } from './openrtb/context.ts'

export function openLookups(cityDatabase: string | null): BidContext['lookups'] {
  const names = { foldName, regionCode }
  // Tables are read when they are first asked: better now than by the first bid.
  cityFromLocode('CATOR')
  regionCode('CA', 'Ontario')
  return {
    ...names,
    alpha2FromAlpha3,
    cityFromLocode,
    isCountry: code => countryCode(code) === code,
    isCategory: isIabCode,
    locate: openIpGeo(cityDatabase === null ? [] : [cityDatabase], names),
    isBot: createBotCheck(),
  }
}
