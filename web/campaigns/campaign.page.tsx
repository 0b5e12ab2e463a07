// One campaign: its banners, personas, flights, statistics, settings and history.

import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { FlightTable } from '../flights/flight-table.tsx'
import { CopyButton } from '../form/copy-button.tsx'
import { DeleteButton } from '../form/delete-button.tsx'
import { DeliverSwitch } from '../form/deliver-switch.tsx'
import { PeriodPicker } from '../period/period-picker.tsx'
import { PersonaTable } from '../personas/persona-table.tsx'
import { useCuid } from '../session/session.ts'
import { Gone, isGone } from '../shell/not-found.tsx'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { PageTabs, shownTab } from '../shell/page-tabs.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import { LongCampaignStatus } from './campaign-status.tsx'
import {
  useCampaign,
  useCopyCampaign,
  useDeleteCampaign,
  useRestoreCampaign,
  useSwitchCampaigns,
} from './data.ts'
import { EditCampaign } from './edit-campaign.tsx'
import { History } from './history.tsx'

const Banners = lazy(async () => ({ default: (await import('./campaign-banners.tsx')).CampaignBanners }))
const Figures = lazy(async () => ({ default: (await import('../stats/subject-stats.tsx')).SubjectStats }))
const TABS = ['banners', 'personas', 'flights', 'statistics', 'settings', 'history']

export function CampaignPage() {
  const cuid = useCuid()
  const { cid } = useParams({ from: '/inside/customer/campaigns/$cid' })
  const { tab } = useSearch({ from: '/inside/customer/campaigns/$cid' })
  const campaign = useCampaign(cuid, cid)
  const switching = useSwitchCampaigns(cuid)
  const removing = useDeleteCampaign(cuid)
  const restore = useRestoreCampaign(cuid)
  const copying = useCopyCampaign(cuid)
  const navigate = useNavigate()
  const notice = useNotice()
  if (campaign.isPending) return <Waiting />
  if (isGone(campaign.error)) return <Gone to="/campaigns" word={t('campaigns.title')} />
  if (campaign.error) return <Refused error={campaign.error} onRetry={() => campaign.refetch()} />
  const { name, status, enabled } = campaign.data
  const shown = shownTab(TABS, tab)
  const leave = () => {
    navigate({ to: '/campaigns' })
    notice.undo(t('campaigns.deleted', { name }), () =>
      restore(cid)
        .then(() => navigate({ to: '/campaigns/$cid', params: { cid } }))
        .catch(notice.refused),
    )
  }
  const copy = () =>
    copying.mutate(
      { cid, name },
      {
        onSuccess: made => {
          notice.done(t('campaigns.copied'))
          navigate({ to: '/campaigns/$cid', params: { cid: made.cid }, search: { tab: 'settings' } })
        },
        onError: notice.refused,
      },
    )
  const contents = [
    {
      value: 'banners',
      label: t('banners.title'),
      content: (
        <Suspense fallback={<Waiting />}>
          <Banners campaign={campaign.data} />
        </Suspense>
      ),
    },
    {
      value: 'personas',
      label: t('personas.title'),
      content: <PersonaTable cuid={cuid} cid={cid} />,
    },
    {
      value: 'flights',
      label: t('flights.title'),
      content: <FlightTable campaign={campaign.data} />,
    },
    {
      value: 'statistics',
      label: t('shell.statistics'),
      content: (
        <Suspense fallback={<Waiting />}>
          <Figures subject={{ id: cid, kind: 'campaign', cid }} />
        </Suspense>
      ),
    },
    {
      value: 'settings',
      label: t('campaigns.settings'),
      content: <EditCampaign key={cid} cuid={cuid} campaign={campaign.data} />,
    },
    {
      value: 'history',
      label: t('campaigns.history'),
      content: <History cuid={cuid} cid={cid} />,
    },
  ]
  return (
    <>
      <PageHead
        title={name}
        badge={<LongCampaignStatus campaign={campaign.data} />}
        crumbs={[{ name: t('campaigns.title'), to: '/campaigns' }]}
      >
        <DeliverSwitch
          label={t('campaigns.deliver')}
          checked={enabled}
          disabled={status === 'ended'}
          onChange={next => switching.mutate({ cids: [cid], enabled: next }, { onError: notice.refused })}
        />
        {['banners', 'personas', 'statistics'].includes(shown) && <PeriodPicker />}
        <CopyButton busy={copying.isPending} onCopy={copy} />
        <DeleteButton
          title={t('campaigns.deleteTitle', { name })}
          about={t('campaigns.deleteAbout')}
          busy={removing.isPending}
          error={removing.error}
          onConfirm={() => removing.mutate(cid, { onSuccess: leave })}
        />
      </PageHead>
      <PageTabs shown={shown} tabs={contents} />
    </>
  )
}
