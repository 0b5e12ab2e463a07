// Rollups to answers: summary, time series, breakdown and what was filtered. Reads no events, so that an answer costs
// the same however many there are.

import { type Clock, fromSeconds, nowSeconds, toSeconds } from '../kernel/clock.ts'
import { parseId } from '../kernel/id.ts'
import { invalidField, notFound } from '../kernel/problem.ts'
import type { Db } from '../platform/database.ts'
import { bucketsOf, DAY_S, dateOf, type Interval, QUARTER_S } from './buckets.ts'
import {
  type Breakdown,
  DIMENSIONS,
  type Dimension,
  type Filtered,
  MAX_BUCKETS,
  OTHER,
  type Summary,
  type Timeseries,
} from './contract.ts'
import { add, figuresOf, NOTHING, ratio } from './figures.ts'
import {
  type Bounds,
  type NamedRow,
  selectNames,
  selectOwner,
  selectSubject,
  sumCampaigns,
  sumDimension,
  sumFiltered,
  sumRollup,
  sumRollupByBucket,
} from './queries.ts'
import { openZone, type Zone } from './zone.ts'

/** What figures are asked of. */
export interface Subject {
  id: number
  kind: 'customer' | 'campaign' | 'flight' | 'persona' | 'banner'
  /** Of a customer: none. */
  cid: number | null
  /** The campaign's dates; of a customer: since it was created. */
  startS: number
  endS: number
}

/** What raw events can be asked of: a campaign, or something beneath one. */
export type SubjectOfCampaign = Subject & { kind: Exclude<Subject['kind'], 'customer'>; cid: number }

/** Unix seconds, half open. */
export interface Period {
  start?: number
  end?: number
}

export interface SeriesQuestion extends Period {
  interval?: Interval
  tz?: string
}

const DEFAULT_ROWS = 1000
const ALWAYS: Bounds = { from: '-infinity', to: 'infinity' }
const NEVER: Bounds = { from: '-infinity', to: '-infinity' }

export async function findSubject(db: Db, cuid: number, idText: string): Promise<Subject> {
  const id = parseId(idText)
  if (id === cuid) return customerSubject(db, cuid)
  const row = id === null ? null : await selectSubject(db, cuid, id)
  if (!row) throw notFound('campaign, flight, persona or banner')
  return {
    id: row.id,
    kind: row.kind,
    cid: row.cid,
    startS: toSeconds(row.start_at),
    endS: toSeconds(row.end_at),
  }
}

export async function findSubjectOfCampaign(
  db: Db,
  cuid: number,
  idText: string,
): Promise<SubjectOfCampaign> {
  const subject = await findSubject(db, cuid, idText)
  if (subject.cid === null) throw notFound('campaign, flight, persona or banner')
  return subject as SubjectOfCampaign
}

async function customerSubject(db: Db, cuid: number): Promise<Subject> {
  const row = await selectOwner(db, cuid)
  if (!row) throw notFound('customer')
  return {
    id: cuid,
    kind: 'customer',
    cid: null,
    startS: toSeconds(row.created_at),
    endS: Number.MAX_SAFE_INTEGER,
  }
}

/** A customer's figures are broken down by campaign, and those of a campaign or beneath it by everything else. */
export function readDimension(text: string, { kind }: Subject): Dimension {
  const possible = DIMENSIONS.filter(name => (name === 'campaign') === (kind === 'customer'))
  const dimension = possible.find(name => name === text)
  if (!dimension) throw notFound(`this breakdown (there are ${possible.join(', ')})`)
  return dimension
}

export async function summary(db: Db, { id }: Subject, period: Period): Promise<Summary> {
  return { id, ...figuresOf(await sumRollup(db, id, quarters(checked(period)))) }
}

export async function timeseries(
  db: Db,
  subject: Subject,
  question: SeriesQuestion,
  { clock, zone: ownZone }: { clock: Clock; zone: Zone },
): Promise<Timeseries> {
  const { id } = subject
  const { interval = 'day', tz } = question
  const zone = tz === undefined ? ownZone : openZone(tz)
  if (!zone) throw invalidField('?tz', 'must be an IANA time zone such as Europe/Berlin')
  checked(question)
  const startS = question.start ?? subject.startS
  const endS = question.end ?? Math.min(subject.endS, nowSeconds(clock))
  const starts = bucketsOf({ zone, interval, startS, endS }, MAX_BUCKETS)
  if (!starts) {
    const message = `gives more than ${MAX_BUCKETS} buckets of a ${interval} between start and end`
    throw invalidField('?interval', message)
  }
  if (starts.length === 0) return { id, timeseries: [] }
  const counts = starts.map(() => NOTHING)
  for (const row of await sumRollupByBucket(db, id, quarters({ start: startS, end: endS }), starts)) {
    const index = Math.max(row.bucket - 1, 0)
    counts[index] = add(counts[index]!, row)
  }
  return { id, timeseries: starts.map((date, index) => ({ date, ...figuresOf(counts[index]!) })) }
}

export async function breakdown(
  db: Db,
  { id }: Subject,
  dimension: Dimension,
  { limit = DEFAULT_ROWS, ...period }: Period & { limit?: number },
  zone: Zone,
): Promise<Breakdown> {
  if (dimension === 'campaign') return byCampaign(db, id, period, limit)
  const rows = await sumDimension(db, id, dimension, days(checked(period), zone), limit)
  const names = dimension === 'banner' || dimension === 'persona' ? await namesOf(db, dimension, rows) : null
  const measure = dimension === 'action' ? 'actions' : 'imps'
  const whole = rows.reduce((sum, row) => sum + row[measure], 0)
  return {
    id,
    dimension,
    breakdown: rows.map(row => ({
      ...(names?.get(row.name) ?? { name: row.name ?? OTHER }),
      ...figuresOf(row),
      share: ratio(row[measure], whole),
    })),
  }
}

async function byCampaign(db: Db, cuid: number, period: Period, limit: number): Promise<Breakdown> {
  const rows = await sumCampaigns(db, cuid, quarters(checked(period)))
  const rest = rows.slice(limit).reduce((sum, row) => add(sum, row), NOTHING)
  const named = rows.slice(0, limit).map(({ id, name, ...counts }) => ({ of: { id, name }, counts }))
  const all = rows.length > limit ? [...named, { of: { name: OTHER }, counts: rest }] : named
  const whole = rows.reduce((sum, row) => sum + row.imps, 0)
  return {
    id: cuid,
    dimension: 'campaign',
    breakdown: all.map(({ of, counts }) => ({
      ...of,
      ...figuresOf(counts),
      share: ratio(counts.imps, whole),
    })),
  }
}

export async function filtered(db: Db, { id }: Subject, period: Period, zone: Zone): Promise<Filtered> {
  return { id, filtered: await sumFiltered(db, id, days(checked(period), zone)) }
}

/** Banners and personas stand in the rollups by their id. */
async function namesOf(db: Db, noun: 'banner' | 'persona', rows: NamedRow[]) {
  const ids = rows.flatMap(row => (row.name === null ? [] : (parseId(row.name) ?? [])))
  const found = await selectNames(db, noun, ids)
  return new Map<string | null, { name: string; id: number }>(
    found.map(({ id, name }) => [String(id), { name, id }]),
  )
}

export function checked<P extends Period>(period: P): P {
  if (period.start !== undefined && period.end !== undefined && period.start > period.end) {
    throw invalidField('?start', 'must not be after end')
  }
  return period
}

/** All quarters that the period touches. */
function quarters({ start, end }: Period): Bounds {
  if (start !== undefined && start === end) return NEVER
  return {
    from: start === undefined ? ALWAYS.from : fromSeconds(Math.floor(start / QUARTER_S) * QUARTER_S),
    to: end === undefined ? ALWAYS.to : fromSeconds(Math.ceil(end / QUARTER_S) * QUARTER_S),
  }
}

/** All days of the deployment's zone that the period touches. */
function days({ start, end }: Period, zone: Zone): Bounds {
  if (start !== undefined && start === end) return NEVER
  return {
    from: start === undefined ? ALWAYS.from : dateOf(zone, start),
    to: end === undefined ? ALWAYS.to : dateAfter(dateOf(zone, Math.max(end - 1, 0))),
  }
}

function dateAfter(date: string): string {
  return new Date(Date.parse(date) + DAY_S * 1000).toISOString().slice(0, 10)
}
