// A customer's health in the cockpit, from its standing and details: the reason with its values, and what an even day
// would have spent.

import type { Calendar } from '../../kernel/time/day.ts'
import { createHours, isOpenAt, openMs } from '../../kernel/time/hours.ts'
import { DAY_MS } from '../../kernel/time/units.ts'
import { buysNothing } from '../../manage/campaigns/status.ts'
import { DAYS, type Health, type HealthCode } from './contract.ts'
import type { RunRow } from './page-queries.ts'
import type { FactsRow } from './queries.ts'
import type { Standing } from './standing.ts'

/**
 * Below these parts of an even day, a customer is slow or far behind. In the first part of a day that means nothing.
 */
const SLOW = 0.75
const VERY_SLOW = 0.5
const FIRST_PART = 0.1

export interface Times {
  calendar: Calendar
  nowMs: number
  runs: readonly RunRow[]
}

export interface Looked extends Times {
  lastDay: string | null
  refusal: string | null
}

/** Codes that are shown with the last day of delivery. */
const WITH_LAST_DAY: readonly HealthCode[] = [
  'balance_spent',
  'nothing_to_show',
  'stalled',
  'nothing_delivered',
  'frozen',
  'access_off',
  'paused',
  'no_campaign',
]

const IS_STALLED: readonly HealthCode[] = ['stalled', 'some_stalled']
/** Codes that are shown with the number of campaigns. */
const OF_CAMPAIGNS: readonly HealthCode[] = ['some_cannot_show', 'nothing_to_show', ...IS_STALLED]

export function healthOf(
  { facts: row, level, code: found }: Standing,
  looked: Looked,
  evenMicros: number,
): Health {
  const code = found === 'delivers' ? howItDelivers(row, looked, evenMicros) : found
  return {
    level,
    code,
    since: WITH_LAST_DAY.includes(code) ? looked.lastDay : null,
    until: code === 'balance_ends' ? lastsUntil(row) : null,
    at: code === 'scheduled' ? row.next_s : null,
    count: countOf(code, row),
    of: OF_CAMPAIGNS.includes(code) ? row.running : null,
    reason: code === 'refused' ? looked.refusal : IS_STALLED.includes(code) ? row.stalled_code : null,
  }
}

function countOf(code: HealthCode, row: FactsRow): number | null {
  const { refused, waiting, running, showing, stalled } = row
  if (code === 'refused') return refused
  if (IS_STALLED.includes(code)) return stalled
  if (code === 'banners_waiting') return waiting
  return code === 'some_cannot_show' || code === 'nothing_to_show' ? running - showing : null
}

function howItDelivers(row: FactsRow, looked: Times, evenMicros: number): HealthCode {
  const { budget, spend_today, cheapest } = row
  if (spend_today > 0 && buysNothing(budget - spend_today, cheapest)) return 'budget_spent'
  if (looked.runs.every(run => !isOpen(run, looked))) return 'off_hours'
  // What has never been delivered may have begun a moment ago.
  if (spend_today === 0 && (row.late_imps === 0 || evenMicros < budget * FIRST_PART)) return 'ready'
  if (evenMicros < budget * FIRST_PART || spend_today >= evenMicros * SLOW) return 'delivers'
  return spend_today < evenMicros * VERY_SLOW ? 'very_slow' : 'slow'
}

/** Whether it can be far behind at all; only then its hours are looked up. */
export function mayLagFar({ facts, code }: Standing): boolean {
  return code === 'delivers' && facts.spend_today < facts.budget * VERY_SLOW
}

export function lagsFar({ facts }: Standing, looked: Times, evenMicros: number): boolean {
  return howItDelivers(facts, looked, evenMicros) === 'very_slow'
}

function isOpen({ hours }: RunRow, { calendar, nowMs }: Times): boolean {
  return isOpenAt(hours && createHours(hours, calendar), nowMs)
}

/** The day until which the balance lasts at the average spend of the days before today. */
function lastsUntil({ balance, spend, spend_today, today }: FactsRow): string | null {
  const aDay = (spend - spend_today) / (DAYS - 1)
  if (balance === null || aDay <= 0) return null
  return dayAfter(today, Math.floor(balance / aDay))
}

/** Adds calendar days, without clocks. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
}

/**
 * What all campaigns together would have spent of their daily budgets by now, if they spent evenly over today's open
 * hours.
 */
export function evenMicrosOf({ runs, calendar, nowMs }: Times): number {
  const day = calendar.dayAt(nowMs)
  let sum = 0
  for (const { hours, start_s, end_s, micros } of runs) {
    const week = hours && createHours(hours, calendar)
    const fromMs = Math.max(day.startMs, start_s * 1000)
    const allMs = openMs(week, fromMs, Math.min(day.endMs, end_s * 1000))
    if (allMs > 0) sum += Math.round((micros * openMs(week, fromMs, nowMs)) / allMs)
  }
  return sum
}
