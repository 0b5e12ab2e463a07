// States and provinces by ISO 3166-2, with an English name for display and the other names that people and location
// databases use. Codes are given without their country: 'ON', not 'CA-ON'.
import { readFileSync } from 'node:fs'
import { iso31662 } from 'iso-3166'
import { foldText } from './fold.ts'
import { nearest } from './near.ts'

export interface Region {
  country: string
  code: string
  name: string
  /** Folded: the displayed name and the standard's name. */
  names: string[]
  /** Folded: its other names, in several languages. */
  otherNames: string[]
}

interface CountryRegions {
  byCode: Map<string, Region>
  byName: Map<string, Region>
}

let loaded: Map<string, CountryRegions> | undefined

function table(): Map<string, CountryRegions> {
  loaded ??= load()
  return loaded
}

function load(): Map<string, CountryRegions> {
  const extra = new Map<string, { shown: string; others: string[] }>()
  const text = readFileSync(new URL('./data/regions.tsv', import.meta.url), 'utf8')
  for (const line of text.trimEnd().split('\n')) {
    const [code, shown, others] = line.split('\t') as [string, string, string]
    extra.set(code, { shown, others: others === '' ? [] : others.split('|') })
  }
  const countries = new Map<string, CountryRegions>()
  for (const entry of iso31662) {
    const country = entry.code.slice(0, 2)
    const more = extra.get(entry.code)
    const name = more?.shown ?? inPlainOrder(entry.name)
    const names = [...new Set([foldText(name), foldText(entry.name)])]
    const region = { country, code: entry.code.slice(3), name, names, otherNames: more?.others ?? [] }
    const regions = countries.get(country) ?? { byCode: new Map(), byName: new Map() }
    regions.byCode.set(region.code, region)
    countries.set(country, regions)
  }
  for (const { byCode, byName } of countries.values()) indexNames(byCode, byName)
  return countries
}

/** 'London, City of' → 'City of London'; also removes remarks in brackets. */
function inPlainOrder(name: string): string {
  const parts = name.replace(/ ?\([^()]*\)/g, '').split(', ')
  const [head, tail] = parts
  const turned = parts.length === 2 && /^(?:The|County|City of)$/.test(tail!)
  return turned ? `${tail} ${head}` : parts.join(', ')
}

/** The standard's name and the displayed name take precedence; another name that two regions share names neither. */
function indexNames(byCode: Map<string, Region>, byName: Map<string, Region>): void {
  for (const region of byCode.values()) {
    for (const name of region.names) if (!byName.has(name)) byName.set(name, region)
  }
  const ambiguous = new Set<string>()
  const others = new Map<string, Region>()
  for (const region of byCode.values()) {
    for (const name of region.otherNames) {
      if (others.has(name)) ambiguous.add(name)
      others.set(name, region)
    }
  }
  for (const [name, region] of others) if (!ambiguous.has(name) && !byName.has(name)) byName.set(name, region)
}

export function regionsOf(country: string): Region[] {
  return [...(table().get(country)?.byCode.values() ?? [])]
}

export function allRegions(): Region[] {
  return [...table().values()].flatMap(({ byCode }) => [...byCode.values()])
}

export function regionName(country: string, code: string): string | null {
  return table().get(country)?.byCode.get(code)?.name ?? null
}

const CODE = /^[A-Za-z0-9]{1,3}$/
const FULL_CODE = /^([A-Za-z]{2})-([A-Za-z0-9]{1,3})$/

/** 'on' → 'ON' if the country has such a state; accepts only codes. */
export function knownRegionCode(country: string, code: string): string | null {
  if (!CODE.test(code)) return null
  const upper = code.toUpperCase()
  return table().get(country)?.byCode.has(upper) ? upper : null
}

/** The code of a state given as 'ON', 'CA-ON' or by a name ('Ontario'); null if the country has no such state. */
export function regionCode(country: string, nameOrCode: string): string | null {
  const text = nameOrCode.trim()
  const full = FULL_CODE.exec(text)
  if (full && full[1]!.toUpperCase() === country) {
    const code = knownRegionCode(country, full[2]!)
    if (code) return code
  }
  const code = knownRegionCode(country, text)
  if (code) return code
  const folded = foldText(text)
  return folded === '' ? null : (table().get(country)?.byName.get(folded)?.code ?? null)
}

const MIN_PREFIX = 3

/** The region that was probably meant by a wrong code or name, or null. */
export function regionLike(country: string, text: string): Region | null {
  const regions = table().get(country)
  const folded = foldText(text)
  if (!regions || folded === '') return null
  const exact = regionCode(country, text)
  if (exact) return regions.byCode.get(exact)!
  const near = nearest(folded, regions.byName, ([name]) => name, 1)[0]
  if (near) return near[1]
  if (folded.length < MIN_PREFIX) return null
  for (const [name, region] of regions.byName) if (name.startsWith(folded)) return region
  return null
}

/** The only region of any country with that name; null if there are none or several. */
export function regionNamedAnywhere(text: string): Region | null {
  const folded = foldText(text)
  if (folded === '') return null
  const found = [...table().values()].flatMap(({ byName }) => byName.get(folded) ?? [])
  return found.length === 1 ? found[0]! : null
}
