// The most that the campaign can cost: one line under the budget and the dates, or a card beside the form.

import { Text } from '@mantine/core'
import { integer, money } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { t } from '../words/words.ts'
import { amountOf, monthsIn } from './budget-draft.ts'
import type { CampaignDraft } from './draft.ts'
import { mostOfMonths } from './months.ts'
import { mostCost } from './most-cost.ts'

/** Null while it is not known yet. `how` null: the total is the limit. */
export function useMostCost(
  draft: CampaignDraft,
): { amount: string; how: { daily: string; days: string; count: number } | null } | null {
  const timezone = useZone()
  const daily = amountOf(draft.dailySpend)
  const months = monthsIn(draft, timezone)
  const total =
    months.length > 0 && daily !== null ? mostOfMonths(months, daily, timezone) : amountOf(draft.totalSpend)
  const most = mostCost({ ...draft, daily, total }, timezone)
  if (most === null || daily === null) return null
  const how = most.days === null ? null : { daily: money(daily), days: integer(most.days), count: most.days }
  return { amount: money(most.amount), how }
}

export function MostCost({ draft }: { draft: CampaignDraft }) {
  const most = useMostCost(draft)
  if (most === null) return null
  const { amount, how } = most
  return (
    <Text size="sm" c="dimmed">
      {how === null ? t('campaigns.mostByTotal', { amount }) : t('campaigns.mostByDays', { ...how, amount })}
    </Text>
  )
}
