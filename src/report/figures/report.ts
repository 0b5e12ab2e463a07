// Rollups to answers: summary, time series and filtered calls (breakdown.ts has the breakdowns). Reads no events, so
// that an answer costs the same however many there are.

import { invalidField, notFound } from '../../kernel/errors/problem.ts'
import { parseId } from '../../kernel/id.ts'
import { type Clock, fromSeconds, nowSeconds, toSeconds } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import { bucketsOf, DAY_S, dateOf, type Interval, QUARTER_S } from './buckets.ts'
import { type Filtered, MAX_BUCKETS, type Summary, type Timeseries } from './contract.ts'
import { add, figuresOf, NOTHING, withFigures } from './figures.ts'
import {
  type Bounds,
  selectOwner,
  selectSpan,
  selectSubject,
  sumFiltered,
  sumRollup,
  sumRollupByBucket,
} from './queries.ts'
import { openZone, type Zone } from './zone.ts'

/** What figures are about. */
export interface Subject {
  id: number
  kind: 'customer' | 'campaign' | 'flight' | 'persona' | 'banner'
  /** The campaign; null for a customer. */
  cid: number | null
  /** The campaign's dates; for a customer, from its creation on. */
  startS: number
  endS: number
}

/** The subject of raw events: a campaign, or something beneath one. */
export type SubjectOfCampaign = Subject & { kind: Exclude<Subject['kind'], 'customer'>; cid: number }

/** A half-open interval in Unix seconds. */
export interface Period {
  start?: number
  end?: number
}

export interface SeriesQuestion extends Period {
  interval?: Interval
  tz?: string
}

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

export async function summary(db: Db, subject: Subject, period: Period): Promise<Summary> {
  return { id: subject.id, ...figuresOf(await sumRollup(db, subject, quarters(checked(period)))) }
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
  if (!zone) throw invalidField('?tz', 'not_a_time_zone')
  checked(question)
  const { startS, endS } = await spanOf(db, subject, question, nowSeconds(clock))
  const starts = bucketsOf({ zone, interval, startS, endS }, MAX_BUCKETS)
  if (!starts) throw invalidField('?interval', 'too_many_buckets', { max: MAX_BUCKETS })
  if (starts.length === 0) return { id, timeseries: [] }
  const counts = starts.map(() => NOTHING)
  const bounds = quarters({ start: startS, end: endS })
  for (const row of await sumRollupByBucket(db, subject, bounds, starts)) {
    const index = Math.max(row.bucket - 1, 0)
    counts[index] = add(counts[index]!, row)
  }
  return { id, timeseries: starts.map((date, index) => withFigures({ date }, counts[index]!)) }
}

/** By default nothing is left out: not what came after the end, nor before a start that was moved. */
async function spanOf(db: Db, subject: Subject, { start, end }: Period, nowS: number) {
  const until = Math.min(subject.endS, nowS)
  if (start !== undefined && end !== undefined) return { startS: start, endS: end }
  const { first, last } = await selectSpan(db, subject)
  return {
    startS: start ?? Math.min(subject.startS, first === null ? subject.startS : first * QUARTER_S),
    endS: end ?? Math.max(until, last === null ? until : last * QUARTER_S + 1),
  }
}

export async function filtered(db: Db, { id }: Subject, period: Period, zone: Zone): Promise<Filtered> {
  return { id, filtered: await sumFiltered(db, id, days(checked(period), zone)) }
}

export function checked<P extends Period>(period: P): P {
  if (period.start !== undefined && period.end !== undefined && period.start > period.end) {
    throw invalidField('?start', 'start_after_end')
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

/** All days of the zone that the period touches. */
export function days({ start, end }: Period, zone: Zone): Bounds {
  if (start !== undefined && start === end) return NEVER
  return {
    from: start === undefined ? ALWAYS.from : dateOf(zone, start),
    to: end === undefined ? ALWAYS.to : dateAfter(dateOf(zone, Math.max(end - 1, 0))),
  }
}

function dateAfter(date: string): string {
  return new Date(Date.parse(date) + DAY_S * 1000).toISOString().slice(0, 10)
}
