// The first page: today's money, what needs a person, then the period's figures and its best banners.

import { lazy, Suspense } from 'react'
import { useCampaigns } from '../campaigns/data.ts'
import { NewCampaignButton } from '../campaigns/new-campaign-button.tsx'
import { PeriodPicker } from '../period/period-picker.tsx'
import { useZone } from '../period/use-period.ts'
import { unixToWall } from '../period/zone.ts'
import { nowMs } from '../sandbox/clock.ts'
import { useCuid, useSession } from '../session/session.ts'
import { PageHead } from '../shell/page-head.tsx'
import { Waiting } from '../shell/states.tsx'
import { ChartPanel, useChartChoice } from '../stats/chart-panel.tsx'
import { useFigures } from '../stats/use-figures.ts'
import { t } from '../words/words.ts'
import { Attention, useIssues } from './attention.tsx'
import { Today } from './today.tsx'

const BestBanners = lazy(async () => ({ default: (await import('./best-banners.tsx')).BestBanners }))
const FirstVisit = lazy(async () => ({ default: (await import('../empty/first-visit.tsx')).FirstVisit }))
/** The banners that were shown most. Others would hardly be among the best. */
const MOST_SHOWN = 200

export function OverviewPage() {
  const cuid = useCuid()
  const { customer, person } = useSession()
  const campaigns = useCampaigns(cuid)
  const choice = useChartChoice()
  const figures = useFigures(cuid, {
    interval: choice.interval,
    previous: true,
    today: true,
    dimension: 'banner',
    limit: MOST_SHOWN,
  })
  // What is below the issues is not seen before their number is known: nothing moves under the reader's finger.
  const issues = useIssues(cuid)
  const isMoving = issues.isPending && issues.failureCount === 0
  const greeting = useGreeting(person ? person.name : (customer?.name ?? customer?.company ?? null))
  if (campaigns.data?.length === 0) {
    return (
      <Suspense fallback={<Waiting />}>
        <FirstVisit />
      </Suspense>
    )
  }
  return (
    <>
      <PageHead title={greeting}>
        <PeriodPicker />
        <NewCampaignButton />
      </PageHead>
      <Today cuid={cuid} figures={figures} campaigns={campaigns.data} error={campaigns.error} />
      <Attention cuid={cuid} campaigns={campaigns.data} />
      <div style={{ visibility: isMoving ? 'hidden' : undefined }}>
        <ChartPanel figures={figures} choice={choice} notesOf={{ cuid, cid: null }} />
      </div>
      {figures.data?.breakdown?.length && campaigns.data ? (
        <Suspense>
          <BestBanners cuid={cuid} figures={figures.data} campaigns={campaigns.data} />
        </Suspense>
      ) : null}
    </>
  )
}

const NOON = 12
const EVENING = 18

/** By the customer's clock. A person without a name is not greeted by somebody else's. */
function useGreeting(name: string | null): string {
  const hour = Number(unixToWall(nowMs() / 1000, useZone()).slice(11, 13))
  const part = hour < NOON ? 'morning' : hour < EVENING ? 'afternoon' : 'evening'
  return name === null ? t(`overview.${part}.noName`) : t(`overview.${part}`, { name })
}
