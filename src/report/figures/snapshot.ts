// Reads all figures that a page shows of a period from one state of the database. They agree to the last micro, even
// while events are being counted.

import { invalidField } from '../../kernel/errors/problem.ts'
import { type Clock, nowSeconds } from '../../kernel/time/clock.ts'
import type { Day } from '../../kernel/time/day.ts'
import type { Database, Db } from '../../platform/database.ts'
import { breakdown, dimensionsOf } from './breakdown.ts'
import { dayStart } from './buckets.ts'
import type { Dimension, Figures } from './contract.ts'
import { readToday } from './live.ts'
import { beginSnapshot } from './queries.ts'
import {
  checked,
  filtered,
  type Period,
  type SeriesQuestion,
  type Subject,
  summary,
  timeseries,
} from './report.ts'
import { type Span, sameHours } from './same-hours.ts'
import { openZone, type Zone } from './zone.ts'

export interface FiguresQuestion extends SeriesQuestion {
  previousStart?: number
  previousEnd?: number
  dimension?: Dimension
  limit?: number
  filtered?: boolean
  today?: boolean
}

interface Parts {
  clock: Clock
  /** The customer's zone. */
  zone: Zone
  today: Day
}

export function figuresAtOnce(
  db: Database,
  subject: Subject,
  question: FiguresQuestion,
  parts: Parts,
): Promise<Figures> {
  checked(question)
  const { start, end, dimension, limit } = question
  if (dimension !== undefined && !dimensionsOf(subject).includes(dimension)) {
    const allowed = dimensionsOf(subject)
    throw invalidField('?dimension', 'not_an_option_for', { allowed, subject: subject.kind })
  }
  if (dimension !== undefined || question.filtered) mustBeWholeDays(question, parts.zone)
  const before = beforeOf(question)
  if (question.today && subject.kind !== 'customer') {
    throw invalidField('?today', 'customers_only')
  }
  return db.transaction(async tx => {
    await beginSnapshot(tx)
    const asOf = nowSeconds(parts.clock)
    const whole = await figuresOf(tx, subject, question, parts)
    const result: Figures = { id: subject.id, asOf, ...whole }
    if (before) result.previous = await compared(tx, subject, question, before, parts, asOf)
    const period = { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) }
    if (dimension !== undefined) {
      const rows = await breakdown(
        tx,
        subject,
        dimension,
        { ...period, ...(limit ? { limit } : {}) },
        parts.zone,
      )
      result.breakdown = rows.breakdown
    }
    if (question.filtered) result.filtered = (await filtered(tx, subject, period, parts.zone)).filtered
    if (question.today) {
      result.today = (await readToday(tx, subject.id, parts.today)).totals
    }
    return result
  })
}

function beforeOf({ previousStart, previousEnd, start }: FiguresQuestion): Span | null {
  if (previousStart === undefined) return null
  if (start === undefined || previousStart > start)
    throw invalidField('?previousStart', 'previous_after_start')
  const endS = previousEnd ?? start
  if (previousStart > endS) throw invalidField('?previousStart', 'start_after_end')
  return { startS: previousStart, endS }
}

async function compared(
  tx: Db,
  subject: Subject,
  question: FiguresQuestion,
  before: Span,
  parts: Parts,
  asOf: number,
) {
  const { start, end = Number.POSITIVE_INFINITY, tz } = question
  const zone = (tz === undefined ? null : openZone(tz)) ?? parts.zone
  const until = sameHours({ startS: start!, endS: end }, before, asOf, zone)
  const figures = await figuresOf(
    tx,
    subject,
    { ...question, start: before.startS, end: until.beforeS },
    parts,
  )
  const { id: _, ...soFar } = await summary(tx, subject, { start: start!, end: until.nowS })
  return { ...figures, end: until.beforeS, until: until.nowS, soFar }
}

async function figuresOf(tx: Db, subject: Subject, question: FiguresQuestion, parts: Parts) {
  const { id: _, ...figures } = await summary(tx, subject, question)
  if (question.interval === undefined) return { summary: figures }
  return { summary: figures, timeseries: (await timeseries(tx, subject, question, parts)).timeseries }
}

/** Figures kept by day cannot be given for a part of a day without contradicting the summary. */
function mustBeWholeDays({ start, end }: Period, zone: Zone): void {
  for (const [name, timeS] of [
    ['start', start],
    ['end', end],
  ] as const) {
    if (timeS !== undefined && dayStart(zone, timeS) !== timeS) {
      throw invalidField(`?${name}`, 'not_a_day_start')
    }
  }
}
