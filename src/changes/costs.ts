// The most that a transaction adds to what can be spent, from now to the end of what it changed: the daily budget on
// each day touched, or the monthly one in each month or a total where that is smaller. What was already spent is
// ignored, so the figure is never too low and does not grow by itself.

import { toMicros } from '../kernel/money.ts'
import { daysTouched } from '../kernel/time/day.ts'
import { monthsTouched } from '../kernel/time/months.ts'
import { calendarIn } from '../kernel/time/zones.ts'
import type { Db } from '../platform/database.ts'
import { IS_SPENDING, type PricedChange } from './ceilings.ts'
import { zonesOf } from './customer-zones.ts'
import type { Tx } from './tx.ts'

interface Run {
  /** The flight; 0: the whole campaign. */
  id: number
  startS: number
  endS: number
  totalMicros: number
}

interface Plan {
  dailyMicros: number
  monthlyMicros: number
  totalMicros: number
  runs: Run[]
}

/** The most that one run can cost: by its days, by its months, and by its total. */
interface Most {
  byDays: number
  byMonths: number
  byTotal: number
}

/** How many days, or months, a run still touches. */
type Touched = Record<'days' | 'months', (run: Run) => number>

/** The largest amount that can be stored: a daily budget at its limit for thousands of years would be more. */
const MOST_MICROS = 9e18
const NOTHING: Plan = { dailyMicros: 0, monthlyMicros: 0, totalMicros: 0, runs: [] }

/** In micros. `ownZone`: the deployment's time zone. */
export async function costsAtMost(tx: Tx, ownZone: string): Promise<number> {
  const priced = tx.notes.filter(({ noun }) => noun === 'campaign' || noun === 'flight')
  const [first] = priced
  if (!first) return 0
  const calendar = calendarIn(await zonesOf(tx, first.cuid), ownZone)
  const nowS = Math.floor(first.at.getTime() / 1000)
  const touched: Touched = {
    days: ({ startS, endS }) => daysTouched(calendar, Math.max(startS, nowS), endS),
    months: ({ startS, endS }) => monthsTouched(calendar, Math.max(startS, nowS), endS),
  }
  const campaigns = await selectPlanned(tx, [...new Set(priced.map(({ cid }) => cid!))])
  const all = campaigns.reduce((sum, row) => {
    const after = planNow(row)
    const before = planBefore(
      row,
      priced.filter(({ cid }) => cid === row.cid),
    )
    return sum + more(before, after, touched)
  }, 0)
  return Math.min(all, MOST_MICROS)
}

function more(before: Plan, after: Plan, touched: Touched): number {
  const mostOf = (run: Run, { dailyMicros, monthlyMicros }: Plan): Most => ({
    byDays: touched.days(run) * dailyMicros,
    byMonths: touched.months(run) * monthlyMicros || 0,
    byTotal: run.totalMicros,
  })
  const byRuns = after.runs.map(run => {
    const was = runsReplacedBy(run, before).map(earlier => mostOf(earlier, before))
    return [difference(sumOf(was), mostOf(run, after)), leastOf(mostOf(run, after))] as const
  })
  const sum = (values: number[]) => values.reduce((all, value) => all + value, 0)
  const isRaised = after.totalMicros > before.totalMicros
  const raisedBy = isRaised ? after.totalMicros - before.totalMicros : 0
  const wanted = Math.max(sum(byRuns.map(([extra]) => extra)), raisedBy)
  return Math.min(wanted, sum(byRuns.map(([, most]) => most)), after.totalMicros)
}

/** The runs that could spend the same money before: the same flight, the campaign at that time, or all its flights. */
function runsReplacedBy(run: Run, { runs }: Plan): Run[] {
  const same = runs.find(({ id }) => id === run.id)
  if (same) return [same]
  const whole = runs.find(({ id }) => id === 0)
  if (whole)
    return [{ ...whole, startS: Math.max(run.startS, whole.startS), endS: Math.min(run.endS, whole.endS) }]
  // It is not known how much of a total was left, so flights with a total are left out.
  return run.id === 0 ? runs.filter(({ totalMicros }) => totalMicros === Number.POSITIVE_INFINITY) : []
}

function sumOf(all: Most[]): Most {
  if (all.length === 1) return all[0]!
  const sum = (by: 'byDays' | 'byMonths') => all.reduce((micros, most) => micros + most[by], 0)
  const byTotal = all.length === 0 ? 0 : Number.POSITIVE_INFINITY
  return { byDays: sum('byDays'), byMonths: sum('byMonths'), byTotal }
}

const leastOf = ({ byDays, byMonths, byTotal }: Most) => Math.min(byDays, byMonths, byTotal)

/**
 * Whatever was spent of a month or a total, the difference is at most that of the days, of the months or of the totals,
 * whichever is largest.
 */
function difference(before: Most, after: Most): number {
  const raised = (by: keyof Most) => (after[by] > before[by] ? after[by] - before[by] : 0)
  return Math.min(Math.max(raised('byDays'), raised('byMonths'), raised('byTotal')), leastOf(after))
}

interface PlannedRow {
  cid: number
  enabled: boolean
  is_spending: boolean
  start_s: number
  end_s: number
  daily: number
  monthly: number | null
  total: number | null
  flights: { id: number; startS: number; endS: number; totalMicros: number | null }[]
}

const limitOf = (micros: number | null | undefined) => micros ?? Number.POSITIVE_INFINITY

function planNow({ is_spending, start_s, end_s, daily, monthly, total, flights }: PlannedRow): Plan {
  if (!is_spending) return NOTHING
  const own = flights.map(flight => ({ ...flight, totalMicros: limitOf(flight.totalMicros) }))
  const runs = withWhole(own, start_s, end_s)
  return { dailyMicros: daily, monthlyMicros: limitOf(monthly), totalMicros: limitOf(total), runs }
}

function withWhole(own: Run[], startS: number, endS: number): Run[] {
  return own.length > 0 ? own : [{ id: 0, startS, endS, totalMicros: Number.POSITIVE_INFINITY }]
}

interface Shown {
  enabled: boolean
  start: number
  end: number
  dailySpend: number
  monthlySpend?: number | null
  totalSpend: number | null
}

const microsOf = (amount: number | null | undefined) =>
  amount == null ? Number.POSITIVE_INFINITY : toMicros(amount)!

/** The plan as it was before the first of these changes. */
function planBefore(row: PlannedRow, changes: PricedChange[]): Plan {
  const own = changes.find(({ noun }) => noun === 'campaign')
  const was: Shown | null = own ? (own.before as Shown | null) : null
  const wasSpending = was?.enabled || (was && row.is_spending && !row.enabled)
  if (own && !wasSpending) return NOTHING
  const noted = new Map<number, Shown | null>()
  for (const { noun, id, before } of changes)
    if (noun === 'flight' && !noted.has(id)) noted.set(id, before as Shown | null)
  const flights = row.flights
    .filter(({ id }) => !noted.has(id))
    .map(flight => ({ ...flight, totalMicros: limitOf(flight.totalMicros) }))
  for (const [id, flight] of noted)
    if (flight)
      flights.push({ id, startS: flight.start, endS: flight.end, totalMicros: microsOf(flight.totalSpend) })
  if (!was) return { ...planNow(row), runs: withWhole(flights, row.start_s, row.end_s) }
  return {
    dailyMicros: toMicros(was.dailySpend)!,
    monthlyMicros: microsOf(was.monthlySpend),
    totalMicros: microsOf(was.totalSpend),
    runs: withWhole(flights, was.start, was.end),
  }
}

function selectPlanned(tx: Db, cids: number[]) {
  return tx.rows<PlannedRow>(
    `select c.cid, c.enabled, ${IS_SPENDING} as is_spending, extract(epoch from c.start_at)::float8 as start_s,
       extract(epoch from c.end_at)::float8 as end_s, c.daily_spend_micros as daily,
       c.monthly_spend_micros as monthly, c.total_spend_micros as total,
       coalesce((select jsonb_agg(jsonb_build_object('id', f.fid, 'startS', extract(epoch from f.start_at),
           'endS', extract(epoch from f.end_at), 'totalMicros', f.total_spend_micros))
         from flight f where f.cid = c.cid and f.deleted_at is null and not f.is_default), '[]') as flights
     from campaign c where c.cid = any($1::bigint[]) and c.deleted_at is null`,
    [cids],
  )
}
