// The names of the rows of a breakdown: places and categories by name instead of code, unknown values in words.

import * as format from '../format/format.ts'
import { placeLabel } from '../personas/place-name.ts'
import type { CategoryName } from '../words/categories.ts'
import { named, t } from '../words/words.ts'
import type { Dimension } from './subject.ts'

/** Names of the API with a special meaning. */
const MARKS: Record<string, 'stats.other' | 'stats.unknown' | 'stats.inApps' | 'stats.onSites'> = {
  '(other)': 'stats.other',
  unknown: 'stats.unknown',
  '(app)': 'stats.inApps',
  '(web)': 'stats.onSites',
}

/** `label`: the English words for the code, if the API has any. */
export function nameInWords(
  dimension: Dimension,
  { name, label }: { name: string; label?: string },
  categoryName: CategoryName,
): string {
  const mark = MARKS[name]
  if (mark) return t(mark)
  switch (dimension) {
    case 'country':
      return format.countryName(name)
    case 'region':
    case 'city':
      return placeLabel({ value: name, label: label ?? name })
    case 'category':
      return categoryName(name, label ?? name)
    case 'os':
      return name === 'other' ? t('stats.other') : name
    case 'size':
      return name.replace('x', ' × ')
    case 'hour':
      return `${name.padStart(2, '0')}:00`
    case 'device':
    case 'gender':
    case 'age':
      return named(dimension, name)
    default:
      return name
  }
}
