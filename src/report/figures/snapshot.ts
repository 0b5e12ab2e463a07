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
import type { Zone } from './zone.ts'

export interface FiguresQuestion extends SeriesQuestion {
  previousStart?: number
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
  const { previousStart, start, end, dimension, limit } = question
  if (dimension !== undefined && !dimensionsOf(subject).includes(dimension)) {
    const allowed = dimensionsOf(subject)
    throw invalidField('?dimension', 'not_an_option_for', { allowed, subject: subject.kind })
  }
  if (dimension !== undefined || question.filtered) mustBeWholeDays(question, parts.zone)
  if (previousStart !== undefined && (start === undefined || previousStart > start)) {
    throw invalidField('?previousStart', 'previous_after_start')
  }
  if (question.today && subject.kind !== 'customer') {
    throw invalidField('?today', 'customers_only')
  }
  return db.transaction(async tx => {
    await beginSnapshot(tx)
    const asOf = nowSeconds(parts.clock)
    const whole = await figuresOf(tx, subject, question, parts)
    const result: Figures = { id: subject.id, asOf, ...whole }
    if (previousStart !== undefined) {
      const before = { ...question, start: previousStart, end: start! }
      result.previous = await figuresOf(tx, subject, before, parts)
    }
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
