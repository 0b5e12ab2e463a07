// What a campaign can cost at most: its daily budget on each day that it runs, and no more than its total.

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

interface Plan {
  start: number | null
  end: number | null
  /** Null: nothing usable was typed. */
  daily: number | null
  total: number | null
}

/** `days` null: the total is less than the daily budgets together. Null as long as it cannot be said. */
export function mostCost(
  { start, end, daily, total }: Plan,
  timeZone: string,
): { amount: number; days: number | null } | null {
  if (start === null || end === null || daily === null) return null
  const days = daysOf(start, end, timeZone)
  if (days === 0) return null
  const sum = Math.round(daily * 100 * days) / 100
  return total !== null && total < sum ? { amount: total, days: null } : { amount: sum, days }
}
