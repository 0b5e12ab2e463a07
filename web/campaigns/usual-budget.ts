// Whether a daily budget is so much more than the customer's others that it may have a digit too many.

/** Above this multiple of the usual budget, the reader is asked. */
const TIMES = 10

/** The median of the customer's daily budgets; null: it has no campaigns. */
export function usualBudget(campaigns: readonly { dailySpend: number }[]): number | null {
  const sorted = campaigns.map(({ dailySpend }) => dailySpend).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? null
}

export function isUnusual(dailySpend: number, usual: number | null): boolean {
  return usual !== null && dailySpend > TIMES * usual
}
