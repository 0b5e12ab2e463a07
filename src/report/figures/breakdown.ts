// Figures by one dimension: rollups to answers. Every breakdown sums to the summary of its days; unknown values appear
// as `unknown`. (By action, only the actions do, because impressions have no action.)

import { ALL_AGES, ALL_COUNTRIES, ALL_DEVICES, ALL_GENDERS, ALL_OSES } from '../../count/tracking/codes.ts'
import { refusal } from '../../kernel/errors/problem.ts'
import { parseId } from '../../kernel/id.ts'
import { placeLabel } from '../../manage/reference/geo.ts'
import { iabCodes, iabName } from '../../manage/reference/iab.ts'
import type { Db } from '../../platform/database.ts'
import {
  type Code,
  type CodedDimension,
  type NamedRow,
  selectNames,
  sumActions,
  sumCoded,
  sumHours,
  sumLocalities,
  sumOwn,
  sumParts,
  sumPlaces,
  sumSizes,
  UNKNOWN,
} from './breakdown-queries.ts'
import { type Breakdown, DIMENSIONS, type Dimension, OTHER } from './contract.ts'
import { ratio, withFigures } from './figures.ts'
import type { Bounds } from './queries.ts'
import { checked, days, type Period, type Subject } from './report.ts'
import type { Zone } from './zone.ts'

const DEFAULT_ROWS = 1000

type BreakdownRow = Breakdown['breakdown'][number]

/** What the id of a row stands for. */
interface Named {
  name: string
  id?: number
  deleted?: true
}

const CODES: Record<CodedDimension, Code[]> = {
  os: ALL_OSES,
  device: ALL_DEVICES,
  country: ALL_COUNTRIES,
  category: iabCodes().map((name, at) => ({ code: at + 1, name })),
  age: ALL_AGES,
  gender: ALL_GENDERS,
}

/** Only a customer is broken down by campaign; all other dimensions exist for every subject. */
export function dimensionsOf({ kind }: Subject): readonly Dimension[] {
  return kind === 'customer' ? DIMENSIONS : DIMENSIONS.filter(name => name !== 'campaign')
}

export function readDimension(text: string, subject: Subject): Dimension {
  const possible = dimensionsOf(subject)
  const dimension = possible.find(name => name === text)
  if (!dimension) throw refusal('no_such_breakdown', { possible: [...possible] })
  return dimension
}

export async function breakdown(
  db: Db,
  subject: Subject,
  dimension: Dimension,
  { limit = DEFAULT_ROWS, ...period }: Period & { limit?: number },
  zone: Zone,
): Promise<Breakdown> {
  const rows = await rowsOf(db, subject, dimension, days(checked(period), zone), limit, zone)
  const names = isById(dimension) ? await namesOf(db, dimension, rows) : null
  const measure = dimension === 'action' ? 'actions' : 'imps'
  const whole = rows.reduce((sum, row) => sum + row[measure], 0)
  return {
    id: subject.id,
    dimension,
    breakdown: rows.map(row => {
      const shown = withFigures(named(dimension, row, names?.get(row.name)), row) as BreakdownRow
      shown.share = ratio(row[measure], whole)
      return shown
    }),
  }
}

function named(dimension: Dimension, { name }: NamedRow, known: Named | undefined) {
  const shown: Partial<BreakdownRow> = { name: known?.name ?? name ?? OTHER }
  if (known?.id !== undefined) shown.id = known.id
  if (known?.deleted) shown.deleted = true
  const label = labelOf(dimension, name)
  if (label !== null) shown.label = label
  return shown
}

function rowsOf(
  db: Db,
  subject: Subject,
  dimension: Dimension,
  bounds: Bounds,
  limit: number,
  zone: Zone,
): Promise<NamedRow[]> {
  if (dimension === 'hour') return sumHours(db, subject, bounds, limit, zone.name)
  if (dimension === 'campaign' || (subject.kind === 'customer' && dimension === 'persona'))
    return sumOwn(db, subject.id, dimension, bounds, limit)
  if (dimension === 'banner' || dimension === 'persona')
    return sumParts(db, subject, dimension, bounds, limit)
  if (dimension === 'domain' || dimension === 'app') return sumPlaces(db, subject, dimension, bounds, limit)
  if (dimension === 'region' || dimension === 'city')
    return sumLocalities(db, subject, dimension, bounds, limit)
  if (dimension === 'size') return sumSizes(db, subject, bounds, limit)
  if (dimension === 'action') return sumActions(db, subject, bounds, limit)
  return sumCoded(db, subject, dimension, bounds, limit, CODES[dimension])
}

export function isById(dimension: Dimension): dimension is 'banner' | 'persona' | 'campaign' {
  return dimension === 'banner' || dimension === 'persona' || dimension === 'campaign'
}

/** The names of banners, personas and campaigns, which the rollups store as ids. */
async function namesOf(db: Db, noun: 'banner' | 'persona' | 'campaign', rows: NamedRow[]) {
  const ids = rows.flatMap(row => (row.name === null ? [] : (parseId(row.name) ?? [])))
  const found = await selectNames(db, noun, ids)
  const names = new Map<string | null, Named>(
    found.map(({ id, name, deleted }) => [String(id), { name, id, ...(deleted ? { deleted } : {}) }]),
  )
  // Events that lost their leaf count only for their campaign and customer: see fold/lost-leaves.ts.
  return names.set('0', { name: UNKNOWN })
}

/** The name of a code, for dimensions whose codes people do not read. */
function labelOf(dimension: Dimension, name: string | null): string | null {
  if (name === null || !LABELLED.includes(dimension)) return null
  return dimension === 'category' ? iabName(name) : placeLabel(name)
}
const LABELLED: readonly Dimension[] = ['region', 'city', 'category']
