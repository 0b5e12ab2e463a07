// The figures of all customers of an app, by customer, campaign, day or month. They are not read from events, so the
// cost does not depend on the number of events. The answer is streamed, so that a long one does not block others.

import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { invalidField } from '../../kernel/errors/problem.ts'
import { fromMicros } from '../../kernel/money.ts'
import type { Db } from '../../platform/database.ts'
import { csvLine } from '../figures/csv.ts'
import { add, type Counts, NOTHING } from '../figures/figures.ts'
import { checked, days, type Period } from '../figures/report.ts'
import type { Zone } from '../figures/zone.ts'
import { type Grouping, MAX_ROWS, type Report, type ReportRow } from './contract.ts'
import { countNamed, countRows, type Days, type Key, type ReportScope, sumInPieces } from './queries.ts'

export interface ReportQuestion extends Period {
  by?: Grouping
}

export interface ReportParts {
  /** The deployment's time zone. */
  zone: Zone
  currency: string
}

/** A campaign's rows name its customer too. */
const KEYS: Record<string, Key[]> = {
  customer: ['cuid'],
  campaign: ['cuid', 'cid'],
  day: ['day'],
  month: ['month'],
}
const COLUMNS: Record<Key, (keyof ReportRow)[]> = {
  cuid: ['cuid', 'company', 'externalId', 'deleted'],
  cid: ['cid', 'campaign'],
  day: ['day'],
  month: ['month'],
}
/** After the figures, so that older columns keep their places. */
const LAST_COLUMNS: Partial<Record<Key, (keyof ReportRow)[]>> = {
  cuid: ['balance', 'currency'],
  cid: ['campaignExternalId'],
}
const ROWS_A_PIECE = 1000

/** A report as its readers get it, still in pieces. */
export interface MadeReport {
  by: Grouping
  pieces: string[]
  rows: number
  total: Report['total']
}

export async function report(
  db: Db,
  scope: ReportScope,
  question: ReportQuestion,
  { zone, currency }: ReportParts,
  maxRows = MAX_ROWS,
): Promise<MadeReport> {
  const { by = 'customer' } = question
  const bounds = days(checked(question), zone)
  if (await isTooLong(db, scope, keysOf(by), bounds, maxRows)) throw tooMany(maxRows)
  const sizes = { limit: maxRows + 1, rowsAPiece: ROWS_A_PIECE, currency }
  const pieces = await sumInPieces(db, scope, keysOf(by), bounds, sizes)
  const rows = pieces.reduce((sum, piece) => sum + piece.rows, 0)
  if (rows > maxRows) throw tooMany(maxRows)
  const total = shownFigures(pieces.reduce<Counts>(add, NOTHING))
  return { by, pieces: pieces.map(({ text }) => text!), rows, total }
}

const tooMany = (max: number) => invalidField('?by', 'too_many_rows', { max })

/** Known before anything is added up; what is not folded may still be too much. By time alone there are few rows. */
async function isTooLong(
  db: Db,
  scope: ReportScope,
  keys: Key[],
  bounds: Days,
  maxRows: number,
): Promise<boolean> {
  if (!keys.includes('cuid')) return false
  const byCampaign = keys.includes('cid')
  const time = keys.find(key => key === 'day' || key === 'month') ?? null
  const isLonger = async (of: typeof time) =>
    (await countRows(db, scope, { time: of, byCampaign }, bounds, maxRows + 1)) > maxRows
  if (time !== null) return (await isLonger('day')) && (time === 'day' || isLonger('month'))
  const mayBe = (await countNamed(db, scope, { byCampaign }, maxRows + 1)) > maxRows
  return mayBe && isLonger(null)
}

export function asJson({ by, pieces, total }: MadeReport): Readable {
  return pieceByPiece(
    pieces,
    `{"by":${JSON.stringify(by)},"rows":[`,
    (text, isFirst) => (isFirst ? text : `,${text}`),
    `],"total":${JSON.stringify(total)}}`,
  )
}

export function asCsv({ by, pieces }: MadeReport): Readable {
  const columns = [
    ...keysOf(by).flatMap(key => COLUMNS[key]),
    ...(['imps', 'clicks', 'actions', 'spend', 'views'] as const),
    ...keysOf(by).flatMap(key => LAST_COLUMNS[key] ?? []),
    'value' as const,
  ]
  const line = (row: ReportRow) => csvLine(columns.map(name => cellOf(row[name])))
  const lines = (text: string) => (JSON.parse(`[${text}]`) as ReportRow[]).map(line).join('')
  return pieceByPiece(pieces, csvLine(columns), lines, '')
}

/** Yields one piece per turn of the event loop, and frees each piece once it is taken. */
function pieceByPiece(
  pieces: string[],
  head: string,
  shown: (text: string, isFirst: boolean) => string,
  tail: string,
): Readable {
  async function* texts() {
    yield head
    for (let at = 0; at < pieces.length; at++) {
      const text = pieces[at]!
      pieces[at] = ''
      yield shown(text, at === 0)
      await setImmediate()
    }
    if (tail) yield tail
  }
  return Readable.from(texts(), { objectMode: false })
}

function keysOf(by: Grouping): Key[] {
  return by.split(',').flatMap(name => KEYS[name]!)
}

function cellOf(value: ReportRow[keyof ReportRow]) {
  return typeof value === 'boolean' ? String(value) : (value ?? null)
}

function shownFigures({ imps, views, clicks, actions, spendMicros, valueMicros }: Counts) {
  return { imps, views, clicks, actions, spend: fromMicros(spendMicros), value: fromMicros(valueMicros) }
}
