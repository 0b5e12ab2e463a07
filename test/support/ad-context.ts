// The context of an ad request for tests of the dialects: a few places, fixed secrets, a fixed day.

import type { IpPlace } from '../../src/deliver/audience/ip-geo.ts'
import type { GeoLookups, LocodePlace } from '../../src/deliver/audience/lookups.ts'
import type { BidContext } from '../../src/deliver/openrtb/context.ts'
import type { TagContext } from '../../src/deliver/tags/parse.ts'

const ALPHA2: Record<string, string> = { CAN: 'CA', USA: 'US', FRA: 'FR', DEU: 'DE', GBR: 'GB', PAN: 'PA' }
const REGIONS: Record<string, Record<string, string>> = {
  CA: { ON: 'ON', ONTARIO: 'ON', QC: 'QC' },
  US: { CA: 'CA', CALIFORNIA: 'CA', NY: 'NY' },
  FR: { IDF: 'IDF' },
}
const LOCODES: Record<string, LocodePlace> = {
  CATOR: { country: 'CA', region: 'ON', city: 'toronto' },
  USNYC: { country: 'US', region: 'NY', city: 'new york' },
  PARIS: { country: 'PA', region: '4', city: 'rio sereno' },
}

export const TORONTO_IP = '99.224.0.1'

export function testLookups(places: Record<string, IpPlace> = {}): GeoLookups {
  return {
    foldName: text =>
      text
        .normalize('NFD')
        .replace(/\p{M}/gu, '')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, ' ')
        .trim(),
    regionCode: (country, text) => {
      const upper = text.toUpperCase()
      const code = upper.startsWith(`${country}-`) ? upper.slice(country.length + 1) : upper
      return REGIONS[country]?.[code] ?? null
    },
    alpha2FromAlpha3: code => ALPHA2[code] ?? null,
    cityFromLocode: (code, country) => {
      const place = /^[A-Z]{2} ?[A-Z2-9]{3}$/.test(code) ? LOCODES[code.replace(' ', '')] : undefined
      return place && (country === undefined || country === place.country) ? place : null
    },
    isCountry: code => code === 'SS' || Object.values(ALPHA2).includes(code),
    isCategory: code => code !== 'IAB24-1',
    locate: ip => places[ip] ?? null,
  }
}

export const TEST_SECRETS = { idSecret: 'secret-of-the-deployment', dailySalt: 'salt-of-the-day' }

export function bidContext(changes: Partial<BidContext> = {}): BidContext {
  return {
    seat: 'marquee',
    currency: 'USD',
    publicUrlIsHttps: true,
    nowMs: Date.UTC(2026, 5, 15),
    leastTmaxMs: 10,
    tcfVendorId: null,
    secrets: TEST_SECRETS,
    lookups: testLookups(),
    ...changes,
  }
}

export function tagContext(changes: Partial<TagContext> = {}): TagContext {
  return {
    id: 'r-1',
    isServer: true,
    ip: null,
    agent: { ua: null, hintMobile: null, hintPlatform: null },
    page: null,
    cookie: null,
    dayKey: 20261115,
    doNotTrack: false,
    secrets: TEST_SECRETS,
    lookups: testLookups(),
    ...changes,
  }
}
