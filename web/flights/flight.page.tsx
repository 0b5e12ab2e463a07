// One flight: its period, and its statistics.

import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useCampaign } from '../campaigns/data.ts'
import { DeleteButton } from '../form/delete-button.tsx'
import { PeriodPicker } from '../period/period-picker.tsx'
import { nowMs } from '../sandbox/clock.ts'
import { useCuid } from '../session/session.ts'
import { PageHead } from '../shell/page-head.tsx'
import { PageTabs, shownTab } from '../shell/page-tabs.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { StatusBadge } from '../shell/status-badge.tsx'
import { t } from '../words/words.ts'
import { useDeleteFlight, useFlights } from './data.ts'
import { EditFlight } from './edit-flight.tsx'
import { flightStatus } from './flight-status.ts'

const Figures = lazy(async () => ({ default: (await import('../stats/subject-stats.tsx')).SubjectStats }))
const TABS = ['settings', 'statistics']

export function FlightPage() {
  const cuid = useCuid()
  const { cid, fid } = useParams({ from: '/inside/customer/campaigns/$cid/flights/$fid' })
  const { tab } = useSearch({ from: '/inside/customer/campaigns/$cid/flights/$fid' })
  const campaign = useCampaign(cuid, cid)
  const flights = useFlights(cuid, cid)
  const removing = useDeleteFlight(cuid, cid)
  const navigate = useNavigate()
  if (campaign.isPending || flights.isPending) return <Waiting />
  if (!campaign.data) return <Refused error={campaign.error} onRetry={() => campaign.refetch()} />
  if (!flights.data) return <Refused error={flights.error} onRetry={() => flights.refetch()} />
  const flight = flights.data.find(one => one.fid === fid)
  if (!flight) return <Nothing icon="calendar" title={t('flights.notFound')} />
  const shown = shownTab(TABS, tab)
  const leave = () => navigate({ to: '/campaigns/$cid', params: { cid }, search: { tab: 'flights' } })
  const contents = [
    {
      value: 'settings',
      label: t('campaigns.settings'),
      content: <EditFlight key={fid} campaign={campaign.data} flight={flight} flights={flights.data} />,
    },
    {
      value: 'statistics',
      label: t('shell.statistics'),
      content: (
        <Suspense fallback={<Waiting />}>
          <Figures subject={{ id: fid, kind: 'flight', cid }} />
        </Suspense>
      ),
    },
  ]
  return (
    <>
      <PageHead
        title={flight.name}
        badge={<StatusBadge status={flightStatus(flight, flights.data, campaign.data, nowMs() / 1000)} />}
        crumbs={[
          { name: t('campaigns.title'), to: '/campaigns' },
          { name: campaign.data.name, to: `/campaigns/${cid}`, tab: 'flights' },
        ]}
      >
        {shown === 'statistics' && <PeriodPicker />}
        {!flight.default && (
          <DeleteButton
            title={t('flights.deleteTitle', { name: flight.name })}
            about={t('flights.deleteAbout')}
            busy={removing.isPending}
            error={removing.error}
            onConfirm={() => removing.mutateAsync(fid).then(leave, () => {})}
          />
        )}
      </PageHead>
      <PageTabs shown={shown} tabs={contents} />
    </>
  )
}
