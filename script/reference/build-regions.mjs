// Writes src/manage/reference/data/regions.tsv: for ISO 3166-2 regions, an English name for display and the other names that
// people and location databases use, from iso3166-2-db. Run at development time, see README.md beside this file.
import { writeFileSync } from 'node:fs'
import { iso31662 } from 'iso-3166'
import { namesOf, resolveRegion } from './crosswalk.mjs'
import { foldText } from './fold.mjs'
import { argument, readJson } from './input.mjs'

const db = readJson(argument(0, 'the path of iso3166-2-db/data/iso3166-2.json'))
const LATIN = /^[\p{Script=Latin}\p{N}\p{P}\p{Zs}]+$/u
const KIND =
  / (province|prefecture|governorate|county|region|department|district|municipality|voivodeship|division|oblast|oblysy|emirate|parish)$/i
// 'Eastern Province' without its last word identifies nothing.
const VAGUE =
  /^((north|south|east|west|central|capital|national|upper|lower|middle|far|mid)([a-z]*|[ -][a-z]+)|autonomous.*|.* autonomous)$/i

function shownName(isoName, english) {
  if (
    !english ||
    (/^[\x20-\x7e]+$/.test(isoName) &&
      !isoName.includes(',') &&
      foldText(english).includes(foldText(isoName)))
  )
    return isoName
  const short = english.replace(KIND, '')
  return VAGUE.test(short) ? english : short
}

// Names that the source gives to the wrong region.
const WRONG = new Set([
  'BH-17/southern',
  'BH-17/southern governorate',
  'LV-DGV/daugavpils municipality',
  'MT-45/mt',
  'NZ-WTC/gisborne',
  'RU-SA/chukot',
  'TZ-30/njombe',
])

const isoName = new Map(iso31662.map(entry => [entry.code, entry.name.replace(/ ?\([^()]*\)/g, '')]))
const rows = new Map()
for (const [country, entry] of Object.entries(db)) {
  for (const region of entry.regions ?? []) {
    const found = resolveRegion(country, region)
    if (!found) continue
    const code = `${country}-${found}`
    const english = (region.names?.en ?? region.name).split(',')[0].trim()
    const shown =
      rows.get(code)?.shown ??
      shownName(isoName.get(code), LATIN.test(english) && english.length > 2 ? english : null)
    const others = rows.get(code)?.others ?? new Set()
    for (const name of namesOf(region)) {
      if (!LATIN.test(name)) continue
      for (const form of [name, name.replace(KIND, '')]) others.add(foldText(form))
    }
    rows.set(code, { shown, others })
  }
}

const lines = [...rows].sort().map(([code, { shown, others }]) => {
  others.delete(foldText(shown))
  others.delete(foldText(isoName.get(code)))
  others.delete('')
  return [
    code,
    shown,
    [...others]
      .filter(name => !WRONG.has(`${code}/${name}`))
      .sort()
      .join('|'),
  ].join('\t')
})
writeFileSync(
  new URL('../../src/manage/reference/data/regions.tsv', import.meta.url),
  `${lines.join('\n')}\n`,
)
console.log(`regions.tsv: ${lines.length} regions`)
