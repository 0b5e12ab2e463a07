// What a source asks of the ads that it shows: the least price of a thousand impressions, for some sizes of their own,
// and what it refuses: categories and advertisers.

import { type FieldError, fieldError } from '../../kernel/errors/field-error.ts'
import { invalidInput } from '../../kernel/errors/problem.ts'
import { fromMicros, toMicros } from '../../kernel/money.ts'
import { AD_SIZES, isAllowedSize, sizeTexts } from '../reference/ad-sizes.ts'
import { isIabCode } from '../reference/iab.ts'
import type { SourceTerms } from './contract.ts'
import { siteOf } from './domain.ts'
import type { SourceRefusals, SourceRow } from './queries.ts'

export interface SourceFloors {
  /** For sizes without one of their own. */
  micros: number
  /** By size, such as `300x250`. */
  bySize: ReadonlyMap<string, number>
}

export type StoredTerms = Pick<SourceRow, 'floor_micros' | 'size_floors' | 'refuses'>

export const NO_TERMS: StoredTerms = { floor_micros: null, size_floors: null, refuses: null }

/** As stored: what is not given stays as it is, and null clears it. Throws a 400 that names what is wrong. */
export function storedTerms(given: SourceTerms, current: StoredTerms = NO_TERMS): StoredTerms {
  const { floorCpm, floorCpmBySize, refuses } = given
  const faults: FieldError[] = []
  const terms = {
    floor_micros: floorCpm === undefined ? current.floor_micros : floorCpm && toMicros(floorCpm),
    size_floors: floorCpmBySize === undefined ? current.size_floors : sizeFloors(floorCpmBySize, faults),
    refuses: refuses === undefined ? current.refuses : refusals(refuses, faults),
  }
  if (faults.length > 0) throw invalidInput(faults)
  return terms
}

function sizeFloors(given: SourceTerms['floorCpmBySize'], faults: FieldError[]): StoredTerms['size_floors'] {
  const floors: Record<string, number> = {}
  for (const [n, { size, cpm }] of (given ?? []).entries()) {
    const [width = 0, height = 0] = size.split('x').map(Number)
    const isSize = /^[0-9]{1,5}x[0-9]{1,5}$/.test(size)
    if (!isSize) faults.push(fieldError(`/floorCpmBySize/${n}/size`, 'not_a_size'))
    else if (!isAllowedSize(width, height)) {
      const allowed = sizeTexts(AD_SIZES)
      faults.push(fieldError(`/floorCpmBySize/${n}/size`, 'size_not_allowed', { width, height, allowed }))
    } else floors[`${width}x${height}`] = toMicros(cpm)!
  }
  return Object.keys(floors).length === 0 ? null : floors
}

function refusals(given: SourceTerms['refuses'], faults: FieldError[]): SourceRefusals | null {
  const { categories = [], advertisers = [] } = given ?? {}
  for (const [n, value] of categories.entries())
    if (!isIabCode(value)) faults.push(fieldError(`/refuses/categories/${n}`, 'unknown_category', { value }))
  const domains = advertisers.map(siteOf)
  for (const [n, domain] of domains.entries())
    if (domain === null) faults.push(fieldError(`/refuses/advertisers/${n}`, 'not_a_domain'))
  if (categories.length + advertisers.length === 0) return null
  return {
    categories: [...new Set(categories)],
    advertisers: [...new Set(domains.filter(domain => domain !== null))],
  }
}

/** As delivery reads them; what is not restricted is left out. */
export function termsIn({ floor_micros: micros, size_floors, refuses }: StoredTerms): {
  floors?: SourceFloors
  refuses?: SourceRefusals
} {
  const hasFloors = micros !== null || size_floors !== null
  return {
    ...(hasFloors
      ? { floors: { micros: micros ?? 0, bySize: new Map(Object.entries(size_floors ?? {})) } }
      : {}),
    ...(refuses === null ? {} : { refuses }),
  }
}

/** As the API shows them. */
export function shownTerms({ floors, refuses }: { floors?: SourceFloors; refuses?: SourceRefusals }) {
  return {
    floorCpm: floors && floors.micros > 0 ? fromMicros(floors.micros) : null,
    floorCpmBySize: [...(floors?.bySize ?? [])].map(([size, micros]) => ({ size, cpm: fromMicros(micros) })),
    refuses: refuses ?? { categories: [], advertisers: [] },
  }
}
