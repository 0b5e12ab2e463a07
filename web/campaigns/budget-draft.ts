// What a budget in a form means: the daily budget that follows from an amount per month or in total.

import { readNumber, writeNumber } from '../form/number.ts'
import type { CampaignDraft } from './draft.ts'
import { dailyOfMonth, dailyOfTotal, daysOfMonth } from './months.ts'
import { daysOf } from './most-cost.ts'

export function amountOf(typed: string): number | null {
  const read = readNumber(typed, 2)
  return 'value' in read && read.value > 0 ? read.value : null
}

/** The draft with the daily budget that follows from the chosen one. */
export function withDaily(draft: CampaignDraft, timeZone: string): CampaignDraft {
  const { per, start, end, hours } = draft
  if (per === 'day') return draft
  const amount = amountOf(per === 'month' ? draft.monthlySpend : draft.totalSpend)
  if (per === 'month') {
    const isKnown = amount !== null && start !== null
    const dailySpend = isKnown ? writeNumber(dailyOfMonth(amount, start, timeZone), 2) : ''
    return { ...draft, dailySpend, totalSpend: '' }
  }
  const days = start === null || end === null ? 0 : daysOf(start, end, timeZone, hours)
  const isKnown = amount !== null && days > 0
  return { ...draft, dailySpend: isKnown ? writeNumber(dailyOfTotal(amount, days), 2) : '' }
}

/** A budget of another kind. The monthly amount starts as what the daily budget costs in a month. */
export function chosen(
  per: CampaignDraft['per'],
  { dailySpend, start }: CampaignDraft,
  timeZone: string,
): Partial<CampaignDraft> {
  const daily = amountOf(dailySpend)
  if (per !== 'month' || daily === null || start === null) return { per, monthlySpend: '' }
  return { per, monthlySpend: writeNumber(Math.round(daily * daysOfMonth(start, timeZone)), 2) }
}
