// Maps the regions of iso3166-2-db (names in many languages, GeoNames admin1 codes, but codes of an older edition) to
// the ISO 3166-2 codes of the package iso-3166: by hand, by code, by name, in this order. Later editions gave old codes
// to other regions (Iran), so there an existing code proves nothing.
import { iso31662 } from 'iso-3166'
import { ADMIN_BY_HAND, CITY_BY_HAND, REGION_BY_HAND, RENUMBERED, SPANNING } from './crosswalk-by-hand.mjs'
import { foldText } from './fold.mjs'

const GENERIC = new Set(
  `administrative area autonome autonomous autonoma canton city co comunidad comunitat community council
  county de del departamento department departement der des di district distrito division do e emirate et
  federal foral governorate i judet kraj krai kray and la le maakond metropolitan
  municipality municipal national novads oblast oblysy of okrug parish pradesh
  prefecture principado provincia province provinsi qu rayon regierungsbezirk region regione respublika
  republic sheng shi state special territory the und union velayat viloyati voivodeship
  wilaya y zizhiqu zhuangzu huizu uygur unitary authority capital`.split(/\s+/),
)

/** The words of a region's name that distinguish it from its neighbours, in a fixed order. */
function core(text) {
  const words = foldText(text).split(' ')
  const telling = words.filter(word => !GENERIC.has(word))
  return (telling.length > 0 ? telling : words).sort().join(' ')
}

const isoByCountry = new Map()
for (const entry of iso31662) {
  const country = entry.code.slice(0, 2)
  const list = isoByCountry.get(country) ?? []
  list.push({ code: entry.code.slice(3), name: entry.name, top: entry.parent === country })
  isoByCountry.set(country, list)
}

function byName(country, names) {
  const wanted = new Set(names.map(core))
  const hits = (isoByCountry.get(country) ?? []).filter(iso =>
    [iso.name, ...iso.name.split(/[,(]/)].some(name => foldText(name) !== '' && wanted.has(core(name))),
  )
  const top = hits.filter(hit => hit.top)
  const best = top.length > 0 ? top : hits
  return best.length === 1 ? best[0].code : null
}

export function namesOf(region) {
  return [...new Set([region.name, ...Object.values(region.names ?? {})].filter(Boolean))]
}

/** The ISO 3166-2 code of one region of iso3166-2-db, or null if it has none today. */
export function resolveRegion(country, region) {
  const hand = REGION_BY_HAND[`${country}-${region.iso}`]
  if (hand !== undefined) return hand
  if (!RENUMBERED.has(country) && isIso(country, region.iso)) return region.iso
  return byName(country, namesOf(region))
}

export function isIso(country, code) {
  return (isoByCountry.get(country) ?? []).some(iso => iso.code === code)
}

/** A function from a GeoNames city to its ISO 3166-2 code, or null. */
export function cityResolver(db) {
  const table = new Map()
  for (const [country, entry] of Object.entries(db)) {
    for (const region of entry.regions ?? []) {
      const code = resolveRegion(country, region)
      if (code && region.admin) table.set(`${country}/${region.admin}`, code)
    }
  }
  for (const [admin, code] of Object.entries(ADMIN_BY_HAND)) table.set(admin, code)
  return city => {
    const admin = `${city.country}/${city.adminCode}`
    const byCity = CITY_BY_HAND[`${city.country}/${city.name}`]
    if (byCity && (SPANNING.has(admin) || !table.has(admin))) return byCity
    if (SPANNING.has(admin)) return null
    const code = table.get(admin) ?? null
    return code && isIso(city.country, code) ? code : null
  }
}
