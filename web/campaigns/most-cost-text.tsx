// The most that the campaign can cost: one line under the budget and the dates, or a card beside the form.

import { Text } from '@mantine/core'
import { integer, money } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { t } from '../words/words.ts'
import { amountOf } from './budget-draft.ts'
import type { CampaignDraft } from './draft.ts'
import { type MostCost as Most, mostCost } from './most-cost.ts'

interface MostCostWords {
  by: Most['by']
  amount: string
  daily: string
  monthly: string
  days: string
  count: number
}

/** Null while it is not known yet. */
export function useMostCost(draft: CampaignDraft): MostCostWords | null {
  const timezone = useZone()
  const daily = amountOf(draft.dailySpend)
  const monthly = amountOf(draft.monthlySpend)
  const most = mostCost({ ...draft, daily, monthly, total: amountOf(draft.totalSpend) }, timezone)
  if (most === null || daily === null) return null
  const { amount, days, by } = most
  return {
    ...{ by, amount: money(amount), daily: money(daily), monthly: money(monthly ?? 0) },
    ...{ days: integer(days), count: days },
  }
}

const WORDS = {
  days: 'campaigns.mostByDays',
  months: 'campaigns.mostByMonths',
  total: 'campaigns.mostByTotal',
} as const

export function MostCost({ draft }: { draft: CampaignDraft }) {
  const most = useMostCost(draft)
  if (most === null) return null
  const { by, ...words } = most
  return (
    <Text size="sm" c="dimmed">
      {t(WORDS[by], words)}
    </Text>
  )
}
