// Names of places without a call to the API: `CA-ON-Toronto` → `Toronto, ON, Canada`. Countries are in the reader's
// language.

import { countryName } from '../format/format.ts'
import { t } from '../words/words.ts'

const EVERYWHERE = '*'

export function placeName(code: string): string {
  if (code === EVERYWHERE) return t('personas.everywhere')
  const [country = '', region, ...city] = code.split('-')
  return [city.join('-'), region, countryName(country)].filter(Boolean).join(', ')
}

/** A place that was found: its own name as it is written there, its country in the reader's language. */
export function placeLabel({ value, label }: { value: string; label: string }): string {
  if (value === EVERYWHERE) return placeName(value)
  const country = countryName(value.split('-', 1)[0]!)
  const parts = label.split(', ')
  return [...parts.slice(0, -1), country].join(', ')
}
