// Where the visitor is: device.geo, else user.geo (the home), else what the address says.
// A field that is not understood is unknown; it never makes the others unknown.

import type { IpPlace } from '../audience/ip-geo.ts'
import type { GeoLookups } from '../audience/lookups.ts'
import { type Fields, fieldsOf, numberOf, textOf } from './read.ts'

const LONGEST_NAME = 200
const LOCODE = /^([A-Z]{2}) ?([A-Z2-9]{3})$/
const FULL_REGION = /^([A-Za-z]{2})-[A-Za-z0-9]{1,3}$/

export const NOWHERE: IpPlace = { country: null, region: null, city: null, lat: null, lon: null }

export function placeOfRequest(device: Fields | null, user: Fields | null, lookups: GeoLookups): IpPlace {
  const told =
    placeOfGeo(device && fieldsOf(device.geo), lookups) ?? placeOfGeo(user && fieldsOf(user.geo), lookups)
  if (told?.country) return told
  const ip = addressOf(device)
  const looked = ip === null ? null : (lookups.locate?.(ip) ?? null)
  if (told === null) return looked ?? NOWHERE
  if (looked === null) return told
  // A bare position: the address may name the country around it.
  return { ...looked, lat: told.lat ?? looked.lat, lon: told.lon ?? looked.lon }
}

/** The visitor's address as the exchange saw it. */
export function addressOf(device: Fields | null): string | null {
  if (!device) return null
  return textOf(device.ip, 64) ?? textOf(device.ipv6, 64)
}

function placeOfGeo(geo: Fields | null, lookups: GeoLookups): IpPlace | null {
  if (!geo) return null
  const regionText = textOf(geo.region, LONGEST_NAME)
  const cityText = textOf(geo.city, LONGEST_NAME)
  const country =
    countryOf(geo.country, lookups) ?? prefixOf(FULL_REGION, regionText) ?? locodeCountry(cityText, lookups)
  const position = positionOf(geo)
  if (country === null && position === null) return null
  return {
    country,
    region: country && regionText ? (lookups.regionCode(country, regionText) ?? null) : null,
    city: country && cityText ? cityOf(cityText, country, lookups) : null,
    lat: position?.lat ?? null,
    lon: position?.lon ?? null,
  }
}

function countryOf(value: unknown, lookups: GeoLookups): string | null {
  const text = textOf(value, 3)
  if (text === null) return null
  const code = text.toUpperCase()
  if (code.length === 3) return lookups.alpha2FromAlpha3(code) ?? null
  // The specification wants alpha-3, yet alpha-2 is sent and can mean nothing else.
  return /^[A-Z]{2}$/.test(code) && (lookups.isCountry?.(code) ?? true) ? code : null
}

function prefixOf(pattern: RegExp, text: string | null): string | null {
  const match = text === null ? null : pattern.exec(text)
  return match ? (match[1] as string).toUpperCase() : null
}

function locodeCountry(text: string | null, lookups: GeoLookups): string | null {
  const country = prefixOf(LOCODE, text)
  return country && text && lookups.cityFromLocode(compact(text)) ? country : null
}

/** A name, or a UN/LOCODE of that country: "PARIS" is no place in Panama when the country is France. */
function cityOf(text: string, country: string, lookups: GeoLookups): string | null {
  const named = prefixOf(LOCODE, text) === country ? lookups.cityFromLocode(compact(text)) : null
  return lookups.foldName(named ?? text) || null
}

function compact(locode: string): string {
  return locode.replace(' ', '')
}

function positionOf(geo: Fields): { lat: number; lon: number } | null {
  const lat = numberOf(geo.lat)
  const lon = numberOf(geo.lon)
  if (lat === null || lon === null || Math.abs(lat) > 90 || Math.abs(lon) > 180) return null
  return { lat, lon }
}
