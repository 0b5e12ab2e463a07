// The statement of a customer: the balance before a period, the entries in it, and the balance after it. The closing
// balance is computed from the entries, so they always add up. Several accounts follow each other: each ends at zero.
// A period without one, of a customer that pays afterwards, has its spend by day.

import { zonesOf } from '../../changes/customer-zones.ts'
import { fieldError } from '../../kernel/errors/field-error.ts'
import { invalidField, invalidInput } from '../../kernel/errors/problem.ts'
import { fromMicros } from '../../kernel/money.ts'
import { type Clock, toSeconds } from '../../kernel/time/clock.ts'
import type { Calendar } from '../../kernel/time/day.ts'
import { monthOf, nextMonth, startOfMonth } from '../../kernel/time/months.ts'
import { calendarIn } from '../../kernel/time/zones.ts'
import type { Customer } from '../../manage/customers/contract.ts'
import type { Db } from '../../platform/database.ts'
import { type AccountEntry, MAX_ENTRIES, type Statement } from './contract.ts'
import { hasAccount, type LineRow, selectLines, selectSpends } from './queries.ts'

export interface StatementQuestion {
  month?: string
  from?: number
  to?: number
}

export interface StatementParts {
  clock: Clock
  currency: string
  /** The deployment's zone, for customers without one of their own. */
  timeZone: string
}

interface Period {
  from: number
  to: number
  /** The period's part of the statement's number. */
  name: string
}

export async function statement(
  db: Db,
  customer: Customer,
  question: StatementQuestion,
  { clock, currency, timeZone }: StatementParts,
  most = MAX_ENTRIES,
): Promise<Statement> {
  const { cuid, company, externalId, metadata } = customer
  const calendar = calendarIn(await zonesOf(db, cuid), timeZone)
  const { from, to, name } = periodOf(question, calendar, clock.nowMs())
  const bounds = {
    from: new Date(from * 1000),
    to: new Date(to * 1000),
    fromDay: calendar.dayAt(from * 1000).key,
    toDay: calendar.dayAt(to * 1000).key,
  }
  // Who pays afterwards has no balance: each statement begins at zero, and ends with what is to be paid.
  const select = (await hasAccount(db, cuid, bounds)) ? selectLines : selectSpends
  const rows = await select(db, cuid, bounds, most + 1)
  const openingMicros = rows.find(row => row.is_opening)?.micros ?? 0
  const lines = rows.filter(row => !row.is_opening)
  if (lines.length > most) throw invalidField('?from', 'too_many_rows', { max: most })
  const entries = lines.map(line => toEntry(line, calendar)).sort(byTime)
  const closing = lines.reduce((sum, line) => sum + line.micros, openingMicros)
  return {
    number: `${cuid}-${name}`,
    cuid,
    company,
    externalId,
    metadata,
    from,
    to,
    timezone: calendar.zoneAt(to * 1000 - 1),
    currency,
    opening: fromMicros(openingMicros),
    entries,
    closing: fromMicros(closing),
  }
}

function periodOf({ month, from, to }: StatementQuestion, calendar: Calendar, nowMs: number): Period {
  if (month !== undefined && (from !== undefined || to !== undefined)) {
    throw invalidInput([fieldError('?month', 'not_together', { field: 'from' })])
  }
  if (from === undefined && to === undefined) {
    return periodOfMonth(
      month ? Number(month.replace('-', '')) : monthOf(calendar.dayAt(nowMs).key),
      calendar,
    )
  }
  if (from === undefined) throw invalidInput([fieldError('?from', 'given_together', { field: 'to' })])
  if (to === undefined) throw invalidInput([fieldError('?to', 'given_together', { field: 'from' })])
  if (to <= from) throw invalidField('?from', 'start_after_end')
  return { from, to, name: `${from}-${to}` }
}

/** `month`: such as 202611. */
function periodOfMonth(month: number, calendar: Calendar): Period {
  const beginS = (of: number) => Math.max(0, startOfMonth(calendar, of) / 1000)
  return { from: beginS(month), to: beginS(nextMonth(month)), name: String(month) }
}

function toEntry(line: LineRow, calendar: Calendar): AccountEntry {
  const { kind, micros, reference, note, cid, day } = line
  return {
    time: timeOf(line, calendar),
    kind,
    amount: fromMicros(micros),
    ...(reference === null ? {} : { reference }),
    ...(note === null ? {} : { note }),
    ...(cid === null ? {} : { cid }),
    ...(day === null ? {} : { day: dateOf(day) }),
  }
}

/** If the account ended within a day, the spend of that day is dated by the end of the account. */
function timeOf({ at, day, ended_at }: LineRow, calendar: Calendar): number {
  if (day === null) return toSeconds(at!)
  const lastS = Math.max(0, endMsOf(day, calendar) / 1000 - 1)
  return ended_at === null ? lastS : Math.min(lastS, toSeconds(ended_at))
}

/** An earlier zone of the customer may have had a day that this one skipped. */
function endMsOf(day: number, calendar: Calendar): number {
  const known = calendar.dayOfKey(day)
  return (
    known?.endMs ?? Date.UTC(Math.floor(day / 10_000), (Math.floor(day / 100) % 100) - 1, (day % 100) + 1)
  )
}

function dateOf(day: number): string {
  return String(day).replace(/(..)(..)$/, '-$1-$2')
}

/**
 * Within the same second: payments first, then spend, then the rest at the end of the account. Otherwise in their
 * order.
 */
function byTime(a: AccountEntry, b: AccountEntry): number {
  return a.time - b.time || rankOf(a) - rankOf(b)
}

function rankOf({ kind, reference }: AccountEntry): number {
  return kind === 'spend' ? 1 : reference === undefined ? 2 : 0
}
