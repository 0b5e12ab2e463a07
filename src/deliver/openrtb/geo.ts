// Where the visitor is: device.geo, otherwise user.geo (the home), otherwise what the address says. A field that is not
// understood is unknown; it does not affect the others.

import { readAddress } from '../../platform/network.ts'
import type { IpPlace } from '../audience/ip-geo.ts'
import type { GeoLookups } from '../audience/lookups.ts'
import { type Fields, fieldsOf, numberOf, textOf } from './read.ts'

const LONGEST_NAME = 200
const COUNTRY = /^[A-Za-z]{2,3}$/
const FULL_REGION = /^([A-Za-z]{2})-[A-Za-z0-9]{1,3}$/

export const NOWHERE: IpPlace = { country: null, region: null, city: null, lat: null, lon: null }

export function placeOfRequest(device: Fields | null, user: Fields | null, lookups: GeoLookups): IpPlace {
  const given =
    placeOfGeo(device && fieldsOf(device.geo), lookups) ?? placeOfGeo(user && fieldsOf(user.geo), lookups)
  if (given?.country) return given
  const ip = addressOf(device)
  const looked = ip === null ? null : (lookups.locate?.(ip) ?? null)
  if (given === null) return looked ?? NOWHERE
  if (looked === null) return given
  // There is only a position: the address may tell the country around it.
  return { ...looked, lat: given.lat ?? looked.lat, lon: given.lon ?? looked.lon }
}

/** The visitor's address as the exchange saw it. */
export function addressOf(device: Fields | null): string | null {
  if (!device) return null
  const text = textOf(device.ip, 64) ?? textOf(device.ipv6, 64)
  // A masked address, such as 192.0.2.x, still distinguishes visitors.
  return text && (readAddress(text) ?? text)
}

function placeOfGeo(geo: Fields | null, lookups: GeoLookups): IpPlace | null {
  if (!geo) return null
  const regionText = textOf(geo.region, LONGEST_NAME)
  const cityText = textOf(geo.city, LONGEST_NAME)
  const named = countryOf(geo.country, lookups) ?? countryOfRegion(regionText, lookups)
  // The country distinguishes codes from names: "PARIS" is the code of a place in Panama only if the country is Panama.
  const coded = cityText === null ? null : lookups.cityFromLocode(cityText, named ?? undefined)
  const country = named ?? coded?.country ?? null
  const position = positionOf(geo)
  if (country === null && position === null) return null
  const region = country && regionText ? lookups.regionCode(country, regionText) : null
  return {
    country,
    region: region ?? coded?.region ?? null,
    city: (coded ? coded.city : country && cityText && lookups.foldName(cityText)) || null,
    lat: position?.lat ?? null,
    lon: position?.lon ?? null,
  }
}

function countryOf(value: unknown, lookups: GeoLookups): string | null {
  const text = textOf(value, 3)
  // ASCII only: in upper case, a sharp s would become SS, which is South Sudan.
  if (text === null || !COUNTRY.test(text)) return null
  const code = text.toUpperCase()
  if (code.length === 3) return lookups.alpha2FromAlpha3(code) ?? null
  // The specification requires alpha-3, but some exchanges send alpha-2, which is unambiguous.
  return (lookups.isCountry?.(code) ?? true) ? code : null
}

/** `CA-ON` contains its country. */
function countryOfRegion(text: string | null, lookups: GeoLookups): string | null {
  const match = text === null ? null : FULL_REGION.exec(text)
  return match ? countryOf(match[1], lookups) : null
}

function positionOf(geo: Fields): { lat: number; lon: number } | null {
  const lat = numberOf(geo.lat)
  const lon = numberOf(geo.lon)
  if (lat === null || lon === null || Math.abs(lat) > 90 || Math.abs(lon) > 180) return null
  return { lat, lon }
}
