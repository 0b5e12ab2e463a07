// Writes src/manage/reference/data/locodes.tsv: UN/LOCODE → state and city, for the ports and harbour cities of the package
// sea-ports that are also in cities.tsv. Run after build-cities.mjs, see README.md beside this file.
import { readFileSync, writeFileSync } from 'node:fs'
import { foldName } from './fold.mjs'
import { argument, readJson } from './input.mjs'

const ports = readJson(argument(0, 'the path of sea-ports/lib/ports.json'))
const data = new URL('../../src/manage/reference/data/', import.meta.url)
const NEAR_KM = 60

const lines = file => readFileSync(new URL(file, data), 'utf8').trimEnd().split('\n')

const cities = new Map()
for (const line of lines('cities.tsv')) {
  const [country, region, name, lat, lon] = line.split('\t')
  const key = `${country}/${foldName(name)}`
  cities.set(key, [...(cities.get(key) ?? []), { region, name, lat: Number(lat), lon: Number(lon) }])
}

/** 'Mumbai (ex Bombay)' and 'Jakarta, Java' contain more than the name. */
function formsOf(name) {
  const [before, inside] = name.split(/[(),]/)
  return [name, before, (inside ?? '').replace(/^ *ex /, '')].filter(form => foldName(form) !== '')
}

function distanceKm(city, [lon, lat]) {
  const radians = Math.PI / 180
  const x = (lon - city.lon) * radians * Math.cos(((lat + city.lat) / 2) * radians)
  return 6371 * Math.hypot(x, (lat - city.lat) * radians)
}

// The source warns that some coordinates are wrong: the name must match and the place must be near. Without
// coordinates, the country must have only one city of that name.
function cityOf(code, port) {
  const names = [port.city, port.name, ...(port.alias ?? [])].filter(Boolean).flatMap(formsOf)
  for (const name of names) {
    const same = cities.get(`${code.slice(0, 2)}/${foldName(name)}`) ?? []
    if (!port.coordinates && same.length === 1) return same[0]
    const near = same.find(city => port.coordinates && distanceKm(city, port.coordinates) <= NEAR_KM)
    if (near) return near
  }
  return null
}

const rows = []
let unmatched = 0
for (const [code, port] of Object.entries(ports)) {
  const city = /^[A-Z]{2}[A-Z2-9]{3}$/.test(code) ? cityOf(code, port) : null
  if (city) rows.push(`${code}\t${city.region}\t${city.name}`)
  else unmatched++
}
writeFileSync(new URL('locodes.tsv', data), `${rows.sort().join('\n')}\n`)
console.log(`locodes.tsv: ${rows.length} codes; ${unmatched} ports match none of our cities`)
