// The cells of a campaign in a list, for rows and cards: its name with status and dates beneath it, and today's money
// against its budget.

import type { ReactNode } from 'react'
import * as format from '../format/format.ts'
import { Meter } from '../overview/meter.tsx'
import { nowMs } from '../sandbox/clock.ts'
import type { WithFigures } from '../stats/figure-columns.ts'
import { largestOf, type Measure } from '../table/widths.ts'
import { t } from '../words/words.ts'
import { statusText } from './campaign-status.tsx'
import type { Campaign } from './data.ts'
import { BudgetButton, type EditBudget } from './inline-budget.tsx'

export interface CampaignRow extends Campaign, WithFigures {
  /** Null while it loads. */
  spentToday: number | null
}

/** The part of a campaign's day that is over. */
export type EvenPart = (row: Campaign) => number

const STATES: Record<Campaign['status'], string> = {
  running: 'green',
  scheduled: 'gray',
  paused: 'gray',
  ended: 'gray',
  off_hours: 'blue',
  spent: 'orange',
  incomplete: 'orange',
  frozen: 'red',
}

/** `name`: a link. */
export function NameCell({ row, name, zone }: { row: Campaign; name: ReactNode; zone: string }) {
  return (
    <span className="two-lines">
      {name}
      <span className="state" data-state={STATES[row.status]}>
        <span className="state-words">
          {statusText(row)} · <span>{whenOf(row, zone)}</span>
        </span>
      </span>
    </span>
  )
}

function whenOf({ resumes, start, end }: Campaign, zone: string): string {
  if (resumes !== null) {
    return t('campaigns.goesOn', { time: format.shortTime(resumes, zone) })
  }
  return isOfThisYear(start, zone) && isOfThisYear(end - 1, zone)
    ? `${format.shortDay(start, zone)} – ${format.shortDay(end - 1, zone)}`
    : format.rowDays(start, end, zone)
}

const isOfThisYear = (unixS: number, zone: string) =>
  format.year(unixS, zone) === format.year(Math.floor(nowMs() / 1000), zone)

/** Statuses with spend to show for today; campaigns of other statuses cannot spend their budget. */
const HAS_TODAY: readonly Campaign['status'][] = ['running', 'spent', 'off_hours', 'paused']

interface TodayCellProps {
  row: CampaignRow
  even: EvenPart | null
  /** Undefined: the reader may not change the budget. */
  onBudget: EditBudget | undefined
}

export function TodayCell({ row, even, onBudget }: TodayCellProps) {
  const { status, dailySpend, spentToday, hours } = row
  const budget = (text: string) =>
    onBudget ? <BudgetButton campaign={row} onEdit={onBudget} text={text} /> : <span>{text}</span>
  if (spentToday === null || !(HAS_TODAY.includes(status) || spentToday > 0)) {
    return (
      <span className="today">
        <span className="today-line">
          {budget(t('campaigns.aDay', { amount: format.money(dailySpend) }))}
        </span>
      </span>
    )
  }
  // Only a campaign that delivers all day has an even line.
  const isEven = status === 'running' && hours === null && even !== null
  return (
    <span className="today">
      <span className="today-line">
        <span>{format.money(spentToday)}</span>
        {budget(t('overview.ofBudget', { budget: format.money(dailySpend) }))}
      </span>
      <Meter spent={spentToday} budget={dailySpend} {...(isEven ? { even: even(row) } : {})} />
    </span>
  )
}

/** Pixels between the two amounts, and for the pencil. */
const BESIDE_PX = 6 + 19

/** Pixels for the largest of both amounts side by side. */
export function todayPx(rows: readonly CampaignRow[], measure: Measure): number {
  const most = (figure: (row: CampaignRow) => number) => {
    const row = largestOf(rows, figure)
    return format.money(row ? figure(row) : 0)
  }
  const budget = t('overview.ofBudget', { budget: most(row => row.dailySpend) })
  return measure(most(row => row.spentToday ?? 0)) + measure(budget, 's') + BESIDE_PX
}
