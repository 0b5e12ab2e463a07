// Whether a change of a campaign or flight lets more money be spent, or lets it be spent sooner. Changes of what is
// shown and whom it reaches do not count, because budgets and prices stay as they were.

/** What limits the money of a campaign or flight; null: no limit. */
export const BUDGET_FIELDS = ['dailySpend', 'monthlySpend', 'totalSpend'] as const
export type BudgetField = (typeof BUDGET_FIELDS)[number]

/** The fields of a campaign or flight that decide about money. */
export interface Priced {
  enabled?: boolean
  dailySpend?: number
  monthlySpend?: number | null
  totalSpend?: number | null
  cpm?: number
  cpc?: number | null
  start?: number
  end?: number
}

/** `before` is null if it was created or restored; `after` is null if it was deleted. */
export function costsMore(noun: 'campaign' | 'flight', before: Priced | null, after: Priced | null): boolean {
  if (before === null) return true
  // Deleting a flight may leave its campaign all of its dates.
  if (after === null) return noun === 'flight'
  return (
    (before.enabled === false && after.enabled === true) ||
    (after.dailySpend ?? 0) > (before.dailySpend ?? 0) ||
    limitOf(after.monthlySpend) > limitOf(before.monthlySpend) ||
    limitOf(after.totalSpend) > limitOf(before.totalSpend) ||
    (after.cpm ?? 0) > (before.cpm ?? 0) ||
    (after.cpc ?? 0) > (before.cpc ?? 0) ||
    isByClick(before) !== isByClick(after) ||
    (after.start ?? 0) < (before.start ?? 0) ||
    (after.end ?? 0) > (before.end ?? 0)
  )
}

const isByClick = ({ cpc }: Priced) => cpc !== null && cpc !== undefined
const limitOf = (total: number | null | undefined) => total ?? Number.POSITIVE_INFINITY
