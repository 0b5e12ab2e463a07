// One line under the budget and the dates: what the campaign can cost at most.

import { Text } from '@mantine/core'
import { integer, money } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { t } from '../words/words.ts'
import { amountOf, monthsIn } from './budget-fields.tsx'
import type { CampaignDraft } from './fields.tsx'
import { mostOfMonths } from './months.ts'
import { mostCost } from './most-cost.ts'

export function MostCost({ draft }: { draft: CampaignDraft }) {
  const timezone = useZone()
  const daily = amountOf(draft.dailySpend)
  const months = monthsIn(draft, timezone)
  const total =
    months.length > 0 && daily !== null ? mostOfMonths(months, daily, timezone) : amountOf(draft.totalSpend)
  const most = mostCost({ ...draft, daily, total }, timezone)
  if (most === null || daily === null) return null
  const amount = money(most.amount)
  return (
    <Text size="sm" c="dimmed">
      {most.days === null
        ? t('campaigns.mostByTotal', { amount })
        : t('campaigns.mostByDays', {
            daily: money(daily),
            days: integer(most.days),
            count: most.days,
            amount,
          })}
    </Text>
  )
}
