// The figures of all customers of an app, by customer, campaign, day or month. It reads no events, so its cost does not
// depend on their number; it is streamed, so that a long one blocks nobody.

import { Readable } from 'node:stream'
import { fromMicros } from '../kernel/money.ts'
import { invalidField } from '../kernel/problem.ts'
import type { Db } from '../platform/database.ts'
import { csvLine } from '../stats/csv.ts'
import { add, type Counts, NOTHING } from '../stats/figures.ts'
import { checked, days, type Period } from '../stats/report.ts'
import type { Zone } from '../stats/zone.ts'
import { type Grouping, MAX_ROWS, type Report, type ReportRow } from './contract.ts'
import { type Key, type SumRow, sumByKeys } from './queries.ts'

export interface ReportQuestion extends Period {
  by?: Grouping
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
const ROWS_A_PIECE = 2000

export async function report(
  db: Db,
  appId: number,
  question: ReportQuestion,
  zone: Zone,
  maxRows = MAX_ROWS,
): Promise<Report> {
  const { by = 'customer' } = question
  const bounds = days(checked(question), zone)
  const rows = await sumByKeys(db, appId, keysOf(by), bounds, maxRows + 1)
  if (rows.length > maxRows) {
    const message = `gives more than ${maxRows} rows: ask for a shorter period or fewer groups`
    throw invalidField('?by', message)
  }
  return { by, rows: rows.map(shownRow), total: shownFigures(rows.reduce<Counts>(add, NOTHING)) }
}

export function asJson({ by, rows, total }: Report): Readable {
  return inPieces(
    rows,
    `{"by":${JSON.stringify(by)},"rows":[`,
    (piece, first) => (first ? '' : ',') + JSON.stringify(piece).slice(1, -1),
    `],"total":${JSON.stringify(total)}}`,
  )
}

export function asCsv({ by, rows }: Report): Readable {
  const columns = [
    ...keysOf(by).flatMap(key => COLUMNS[key]),
    ...(['imps', 'clicks', 'actions', 'spend', 'views'] as const),
  ]
  const line = (row: ReportRow) => csvLine(columns.map(name => cellOf(row[name])))
  return inPieces(rows, csvLine(columns), piece => piece.map(line).join(''), '')
}

function inPieces(
  rows: ReportRow[],
  head: string,
  textOf: (piece: ReportRow[], first: boolean) => string,
  tail: string,
): Readable {
  function* pieces() {
    yield head
    for (let at = 0; at < rows.length; at += ROWS_A_PIECE) {
      yield textOf(rows.slice(at, at + ROWS_A_PIECE), at === 0)
    }
    if (tail) yield tail
  }
  return Readable.from(pieces(), { objectMode: false })
}

function keysOf(by: Grouping): Key[] {
  return by.split(',').flatMap(name => KEYS[name]!)
}

function cellOf(value: ReportRow[keyof ReportRow]) {
  return typeof value === 'boolean' ? String(value) : (value ?? null)
}

function shownRow(row: SumRow): ReportRow {
  const { cuid, company, external_id, cid, campaign, is_deleted, day, month } = row
  return {
    ...(cuid === undefined ? {} : { cuid, company: company!, externalId: external_id ?? null }),
    ...(cid === undefined ? {} : { cid, campaign: campaign! }),
    ...(is_deleted === undefined ? {} : { deleted: is_deleted }),
    ...(day === undefined ? {} : { day }),
    ...(month === undefined ? {} : { month }),
    ...shownFigures(row),
  }
}

function shownFigures({ imps, views, clicks, actions, spendMicros }: Counts) {
  return { imps, views, clicks, actions, spend: fromMicros(spendMicros) }
}
