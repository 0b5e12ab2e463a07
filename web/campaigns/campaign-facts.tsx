// The campaign in four figures: today's money against its budget, and what the period brought.

import { Skeleton } from '@mantine/core'
import { money } from '../format/format.ts'
import { type Figures, type Metric, readMetric, shortName, write } from '../stats/figures.ts'
import { useFigures } from '../stats/use-figures.ts'
import { t } from '../words/words.ts'
import type { Campaign } from './data.ts'

interface CampaignFactsProps {
  campaign: Campaign
  /** The figures of the period; undefined while they load. */
  figures: Figures | undefined
}

export function CampaignFacts({ campaign, figures }: CampaignFactsProps) {
  const { data } = useFigures(campaign.cuid, { today: true })
  const today = data?.today?.campaigns.find(({ cid }) => cid === campaign.cid)
  const metrics: Metric[] = ['clicks', 'cpa', figures && figures.value > 0 ? 'roas' : 'ctr']
  return (
    <dl className="facts">
      <div>
        <dt>{t('period.today')}</dt>
        <dd>
          {data ? (
            t('campaigns.spentOf', { spent: money(today?.spend ?? 0), budget: money(campaign.dailySpend) })
          ) : (
            <Skeleton h={16} my={2} w={110} />
          )}
        </dd>
      </div>
      {metrics.map(metric => (
        <div key={metric}>
          <dt>{shortName(metric)}</dt>
          <dd>{figures ? write(metric, readMetric(metric, figures)) : <Skeleton h={16} my={2} w={60} />}</dd>
        </div>
      ))}
    </dl>
  )
}
