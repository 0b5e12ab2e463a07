// Statistics of everything the customer runs. Before the first campaign has begun, it shows how they will look.

import { lazy } from 'react'
import { useCampaigns } from '../campaigns/data.ts'
import { PeriodPicker } from '../period/period-picker.tsx'
import { nowMs } from '../sandbox/clock.ts'
import { useCuid } from '../session/session.ts'
import { PageHead } from '../shell/page-head.tsx'
import { t } from '../words/words.ts'
import { SubjectStats } from './subject-stats.tsx'

const NoFigures = lazy(async () => ({ default: (await import('../empty/no-figures.tsx')).NoFigures }))

export function StatisticsPage() {
  const cuid = useCuid()
  const { data: campaigns } = useCampaigns(cuid)
  const hasBegun = campaigns?.some(({ start }) => start * 1000 <= nowMs()) ?? true
  const next = campaigns?.toSorted((a, b) => a.start - b.start)[0]
  return (
    <>
      <PageHead title={t('shell.statistics')}>
        <PeriodPicker />
      </PageHead>
      <SubjectStats
        subject={{ id: cuid, kind: 'customer' }}
        empty={hasBegun ? null : <NoFigures next={next} />}
      />
    </>
  )
}
