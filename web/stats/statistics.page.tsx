// Statistics of everything the customer runs.

import { PeriodPicker } from '../period/period-picker.tsx'
import { useCuid } from '../session/session.ts'
import { PageHead } from '../shell/page-head.tsx'
import { t } from '../words/words.ts'
import { SubjectStats } from './subject-stats.tsx'

export function StatisticsPage() {
  const cuid = useCuid()
  return (
    <>
      <PageHead title={t('shell.statistics')}>
        <PeriodPicker />
      </PageHead>
      <SubjectStats subject={{ id: cuid, kind: 'customer' }} />
    </>
  )
}
