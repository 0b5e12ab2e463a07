// One line under the budget and the dates: what the campaign can cost at most.

import { Text } from '@mantine/core'
import { readNumber } from '../form/number.ts'
import { integer, money } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { t } from '../words/words.ts'
import type { CampaignDraft } from './fields.tsx'
import { mostCost } from './most-cost.ts'

export function MostCost({ draft }: { draft: CampaignDraft }) {
  const timezone = useZone()
  const daily = amountOf(draft.dailySpend)
  const most = mostCost({ ...draft, daily, total: amountOf(draft.totalSpend) }, timezone)
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

function amountOf(typed: string): number | null {
  const read = readNumber(typed, 2)
  return 'value' in read && read.value > 0 ? read.value : null
}
