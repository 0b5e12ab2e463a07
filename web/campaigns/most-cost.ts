// What a campaign can cost at most: its daily budget on each day that it runs, and no more than its total.

import { readNumber } from '../form/number.ts'
import { integer, money } from '../format/format.ts'
import { t } from '../words/words.ts'

const DAY_MS = 86_400_000

/** The calendar days of a zone that a run touches. */
export function daysOf(startS: number, endS: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  const dateMs = (timeS: number) => Date.parse(`${format.format(timeS * 1000)}T00:00:00Z`)
  return endS <= startS ? 0 : Math.round((dateMs(endS - 1) - dateMs(startS)) / DAY_MS) + 1
}

interface Costs {
  start: number | null
  end: number | null
  /** As they were typed. */
  dailySpend: string
  totalSpend: string
}

/** Null as long as it cannot be said. */
export function mostCost({ start, end, dailySpend, totalSpend }: Costs, timeZone: string): string | null {
  const [daily, total] = [amountOf(dailySpend), amountOf(totalSpend)]
  if (start === null || end === null || daily === null) return null
  const days = daysOf(start, end, timeZone)
  if (days === 0) return null
  const sum = Math.round(daily * 100 * days) / 100
  if (total !== null && total < sum) return t('campaigns.mostByTotal', { amount: money(total) })
  return t('campaigns.mostByDays', {
    daily: money(daily),
    days: integer(days),
    count: days,
    amount: money(sum),
  })
}

function amountOf(typed: string): number | null {
  const read = readNumber(typed, 2)
  return 'value' in read && read.value > 0 ? read.value : null
}
