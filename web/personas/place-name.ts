// Names of places: `CA-ON-Toronto` → `Toronto, Ontario, Canada`. Countries are in the reader's language.

import { countryName } from '../format/format.ts'
import { t } from '../words/words.ts'
import type { StateName } from './state-names.ts'

const EVERYWHERE = '*'

export function placeName(code: string, stateName: StateName = () => undefined): string {
  if (code === EVERYWHERE) return t('personas.everywhere')
  const [country = '', region, ...city] = code.split('-')
  const state = region && (stateName(`${country}-${region}`) ?? region)
  return [city.join('-'), state, countryName(country)].filter(Boolean).join(', ')
}

/** The label of a found place: its name as it is written there, its country in the reader's language. */
export function placeLabel({ value, label }: { value: string; label: string }): string {
  if (value === EVERYWHERE) return t('personas.everywhere')
  const country = countryName(value.split('-', 1)[0]!)
  const parts = label.split(', ')
  return [...parts.slice(0, -1), country].join(', ')
}
