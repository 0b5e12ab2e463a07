// A place code for a person, without asking anybody: `CA-ON-Toronto` → `Toronto, ON, Canada`.

import { countryName } from '../format/format.ts'

export function placeName(code: string): string {
  const [country = '', region, ...city] = code.split('-')
  return [city.join('-'), region, countryName(country)].filter(Boolean).join(', ')
}
