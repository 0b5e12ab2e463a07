// Where an address is, by the built-in database and by a database of the operator.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { testLookups } from '../../../test/support/ad-context.ts'
import { openIpGeo } from './ip-geo.ts'

const folder = mkdtempSync(join(tmpdir(), 'ip-geo-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Value = string | number | Value[] | { [key: string]: Value }

/** A database with one node: addresses whose first bit is 0 have the record, all others have none. */
function databaseOf(ipVersion: 4 | 6, record: Value, name: string): string {
  const none = 1
  const found = 1 + 16
  const tree = Buffer.from([0, 0, found, 0, 0, none])
  const metadata = {
    node_count: 1,
    record_size: 24,
    ip_version: ipVersion,
    database_type: 'test',
    languages: [],
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1,
    description: {},
  }
  const path = join(folder, name)
  const parts = [tree, Buffer.alloc(16), encode(record), Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')]
  writeFileSync(path, Buffer.concat([...parts, encode(metadata)]))
  return path
}

function encode(value: Value): Buffer {
  if (typeof value === 'string')
    return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)])
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([control(6, 4), bytes])
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleBE(value)
    return Buffer.concat([control(3, 8), bytes])
  }
  if (Array.isArray(value)) return Buffer.concat([control(11, value.length), ...value.map(encode)])
  const entries = Object.entries(value)
  return Buffer.concat([control(7, entries.length), ...entries.flatMap(([k, v]) => [encode(k), encode(v)])])
}

function control(type: number, size: number): Buffer {
  const first = Math.min(size, 29)
  const rest = size < 29 ? [] : [size - 29]
  return type < 8 ? Buffer.from([(type << 5) | first, ...rest]) : Buffer.from([first, type - 7, ...rest])
}

const FLAT = {
  country_code: 'CA',
  state1: 'Ontario',
  city: 'Toronto (Old Toronto)',
  latitude: '43.65',
  longitude: -79.38,
}
const NESTED = {
  country: { iso_code: 'CA' },
  subdivisions: [{ iso_code: 'ON', names: { en: 'Ontario' } }],
  city: { names: { en: 'Toronto' } },
  location: { latitude: 43.65, longitude: -79.38 },
}
const NESTED_WITHOUT_CODE = { ...NESTED, subdivisions: [{ names: { en: 'Ontario' } }] }
const TORONTO = { country: 'CA', region: 'ON', city: 'toronto', lat: 43.65, lon: -79.38 }

describe('where an address is', () => {
  const byCountry = openIpGeo([], testLookups())

  test('the country comes from the built-in database, for IPv4, IPv6 and IPv4 inside IPv6', () => {
    const nothingElse = { region: null, city: null, lat: null, lon: null }
    expect(byCountry('8.8.8.8')).toEqual({ country: 'US', ...nothingElse })
    expect(byCountry('2001:4860:4860::8888')).toEqual({ country: 'US', ...nothingElse })
    expect(byCountry('::ffff:8.8.8.8')).toEqual({ country: 'US', ...nothingElse })
    expect(byCountry('194.25.0.60')?.country).toBe('DE')
  })

  test.each([
    '10.0.0.1',
    '127.0.0.1',
    '192.168.1.1',
    '169.254.1.1',
    '::1',
    'fe80::1',
    'fd00::1',
    '0.0.0.0',
    '100.64.0.1',
  ])('the private address %s has no place', ip => expect(byCountry(ip)).toBeNull())

  test.each(['', 'nonsense', '300.1.1.1', '8.8.8.8, 1.1.1.1', '1'.repeat(1000)])('%s is not an address', ip =>
    expect(byCountry(ip)).toBeNull(),
  )

  test.each([
    ['flat', FLAT],
    ['nested', NESTED],
    ['nested without code', NESTED_WITHOUT_CODE],
  ])('a %s city database gives region, city and position', (name, record) => {
    const locate = openIpGeo([databaseOf(6, record, `${name}.mmdb`)], testLookups())
    expect(locate('2001:db9::1')).toEqual(TORONTO)
  })

  test('a city database for IPv4 is not used for IPv6; if it has no entry, only the country is known', () => {
    const locate = openIpGeo([databaseOf(4, FLAT, 'v4.mmdb')], testLookups())
    expect(locate('8.8.8.8')).toEqual(TORONTO)
    // The database would answer, but a private address is nowhere.
    for (const ip of ['10.0.0.1', '127.0.0.1', '100.64.0.1']) expect(locate(ip)).toBeNull()
    expect(locate('2001:4860:4860::8888')).toMatchObject({ country: 'US', city: null })
    expect(locate('194.25.0.60')).toMatchObject({ country: 'DE', city: null })
  })

  test('a record in another layout is ignored', () => {
    const locate = openIpGeo([databaseOf(4, { asn: 15169 }, 'asn.mmdb')], testLookups())
    expect(locate('8.8.8.8')).toMatchObject({ country: 'US' })
  })

  test('a file that is not a database stops the start', () => {
    const path = join(folder, 'broken.mmdb')
    writeFileSync(path, 'not a database')
    expect(() => openIpGeo([path], testLookups())).toThrow()
    expect(() => openIpGeo([join(folder, 'absent.mmdb')], testLookups())).toThrow()
  })
})
