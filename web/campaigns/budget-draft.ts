// What a budget in a form means: the daily budget that follows from an amount per month or in total, and the months that
// have a limit of their own.

import { readNumber, writeNumber } from '../form/number.ts'
import { month } from '../format/format.ts'
import type { BudgetDraft, CampaignDraft } from './draft.ts'
import { DAYS_OF_MONTH, dailyOfMonth, dailyOfTotal, type Month, monthsOf } from './months.ts'
import { daysOf } from './most-cost.ts'

export function amountOf(typed: string): number | null {
  const read = readNumber(typed, 2)
  return 'value' in read && read.value > 0 ? read.value : null
}

/** The draft with the daily budget that follows from the chosen one. */
export function withDaily(draft: CampaignDraft, timeZone: string): CampaignDraft {
  const { budget, start, end, hours } = draft
  if (budget.per === 'month') {
    const monthly = amountOf(budget.monthly)
    return {
      ...draft,
      dailySpend: monthly === null ? '' : writeNumber(dailyOfMonth(monthly), 2),
      totalSpend: '',
    }
  }
  if (budget.per === 'day') return draft
  const total = amountOf(draft.totalSpend)
  const days = start === null || end === null ? 0 : daysOf(start, end, timeZone, hours)
  const isKnown = total !== null && days > 0
  return { ...draft, dailySpend: isKnown ? writeNumber(dailyOfTotal(total, days), 2) : '' }
}

/** The months with a limit of their own; none unless a limit per month was chosen. */
export function monthsIn({ budget, start, end }: CampaignDraft, timeZone: string): Month[] {
  const monthly = amountOf(budget.monthly)
  if (budget.per !== 'month' || !budget.byMonth || monthly === null || start === null || end === null)
    return []
  return monthsOf(start, end, timeZone, monthly)
}

/** The flights of those months, as the API expects them. */
export function flightsIn(draft: CampaignDraft, timeZone: string) {
  return monthsIn(draft, timeZone).map(({ start, end, totalSpend }) => ({
    ...{ name: month(start, timeZone), start, end, totalSpend },
  }))
}

/** A budget of another kind. The monthly amount starts as what the daily budget costs in a month. */
export function chosen(per: BudgetDraft['per'], { budget, dailySpend }: CampaignDraft): BudgetDraft {
  const daily = amountOf(dailySpend)
  if (per !== 'month' || budget.monthly !== '' || daily === null) return { ...budget, per }
  return { ...budget, per, monthly: writeNumber(Math.round(daily * DAYS_OF_MONTH), 2) }
}
