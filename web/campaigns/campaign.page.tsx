// One campaign: its banners, personas, flights, statistics, settings and history.

import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import type { Tagged } from '../api/client.ts'
import { FlightTable } from '../flights/flight-table.tsx'
import { Confirm } from '../form/confirm.tsx'
import { DeliverSwitch } from '../form/deliver-switch.tsx'
import { EditForm } from '../form/edit-form.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { type Deed, MoreMenu } from '../form/more-menu.tsx'
import { writeNumber } from '../form/number.ts'
import { type Editing, useEdit } from '../form/use-edit.ts'
import { PeriodPicker } from '../period/period-picker.tsx'
import { PersonaTable } from '../personas/persona-table.tsx'
import { useMay } from '../session/may.ts'
import { useCuid } from '../session/session.ts'
import { Gone, isGone } from '../shell/not-found.tsx'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { PageTabs, shownTab } from '../shell/page-tabs.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { useAddressState } from '../table/address-state.ts'
import { t } from '../words/words.ts'
import { LongCampaignStatus } from './campaign-status.tsx'
import {
  type Campaign,
  useCampaign,
  useCampaignCalls,
  useCopyCampaign,
  useDeleteCampaign,
  useRestoreCampaign,
  useSwitchCampaigns,
} from './data.ts'
import { bodyOf, type CampaignDraft, draftOf } from './draft.ts'
import { CampaignFields } from './fields.tsx'
import { History } from './history.tsx'
import { useUnusual } from './unusual.tsx'

const Banners = lazy(async () => ({ default: (await import('./campaign-banners.tsx')).CampaignBanners }))
const Figures = lazy(async () => ({ default: (await import('../stats/subject-stats.tsx')).SubjectStats }))
const TABS = ['banners', 'personas', 'flights', 'statistics', 'settings', 'history']

export function CampaignPage() {
  const cuid = useCuid()
  const { cid } = useParams({ from: '/inside/customer/campaigns/$cid' })
  const { tab } = useSearch({ from: '/inside/customer/campaigns/$cid' })
  const campaign = useCampaign(cuid, cid)
  const switching = useSwitchCampaigns(cuid)
  const notice = useNotice()
  if (campaign.isPending) return <Waiting />
  if (isGone(campaign.error)) return <Gone to="/campaigns" word={t('campaigns.title')} />
  if (!campaign.data) return <Refused error={campaign.error} onRetry={() => campaign.refetch()} />
  const { name, status, enabled } = campaign.data
  const shown = shownTab(TABS, tab)
  return (
    <>
      <PageHead
        title={name}
        badge={
          <>
            <DeliverSwitch
              label={t('campaigns.deliver')}
              isBare
              checked={enabled}
              disabled={status === 'ended'}
              onChange={next => switching.mutate({ cids: [cid], enabled: next }, { onError: notice.refused })}
            />
            <LongCampaignStatus campaign={campaign.data} />
          </>
        }
        menu={<CampaignMenu campaign={campaign.data} />}
        crumbs={[{ name: t('campaigns.title'), to: '/campaigns' }]}
      >
        {['banners', 'personas', 'statistics'].includes(shown) && <PeriodPicker />}
      </PageHead>
      <PageTabs shown={shown} tabs={tabsOf(cuid, campaign.data)} />
    </>
  )
}

/** What is rarely done to a campaign: copy it, look at its history, delete it. */
function CampaignMenu({ campaign: { cuid, cid, name } }: { campaign: Campaign }) {
  const removing = useDeleteCampaign(cuid)
  const restore = useRestoreCampaign(cuid)
  const copying = useCopyCampaign(cuid)
  const navigate = useNavigate()
  const notice = useNotice()
  const may = useMay()
  const [isAsking, setAsking] = useState(false)
  const leave = () => {
    navigate({ to: '/campaigns' })
    notice.undo(t('campaigns.deleted', { name }), () =>
      restore(cid).then(() => navigate({ to: '/campaigns/$cid', params: { cid } })),
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
  const edits = (deed: Deed) => (may.edit ? [deed] : [])
  const showHistory = () => navigate({ to: '/campaigns/$cid', params: { cid }, search: { tab: 'history' } })
  const deeds: Deed[] = [
    ...edits({ icon: 'copy', word: t('copy.do'), isBusy: copying.isPending, onDo: copy }),
    { icon: 'clock', word: t('campaigns.history'), onDo: showHistory },
    ...edits({ icon: 'trash', word: t('form.delete'), isGrave: true, onDo: () => setAsking(true) }),
  ]
  return (
    <>
      <MoreMenu deeds={deeds} />
      <Confirm
        opened={isAsking}
        title={t('campaigns.deleteTitle', { name })}
        about={t('campaigns.deleteAbout')}
        action={t('form.delete')}
        busy={removing.isPending}
        error={removing.error}
        onConfirm={() => removing.mutate(cid, { onSuccess: leave })}
        onClose={() => setAsking(false)}
      />
    </>
  )
}

function tabsOf(cuid: number, campaign: Tagged<Campaign>) {
  const { cid } = campaign
  return [
    {
      value: 'banners',
      label: t('banners.title'),
      content: (
        <Suspense fallback={<Waiting />}>
          <Banners campaign={campaign} />
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
      content: <FlightTable campaign={campaign} />,
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
      content: <EditCampaign key={cid} cuid={cuid} campaign={campaign} />,
    },
    {
      value: 'history',
      label: t('campaigns.history'),
      content: <History cuid={cuid} cid={cid} />,
    },
  ]
}

/** The form that changes the settings of a campaign. */
function EditCampaign({ cuid, campaign }: { cuid: number; campaign: Tagged<Campaign> }) {
  const { cid } = campaign
  const edit = useEdit({ current: campaign, draftOf, bodyOf, ...useCampaignCalls(cuid, cid) })
  const errors = useFieldErrors(edit.body)
  useTriedPrice(edit.setDraft)
  const unusual = useUnusual(cuid, t('form.save'))
  const save = async () =>
    (await unusual.isMeant(bodyOf(edit.draft).dailySpend, campaign.dailySpend)) && edit.save()
  return (
    <EditForm title={t('campaigns.settings')} errors={errors} edit={{ ...edit, save }}>
      <CampaignFields draft={edit.draft} errors={errors} onChange={edit.setDraft} all />
      {unusual.question}
    </EditForm>
  )
}

/** Fills in the price that a link proposes, once. Nothing is saved by it. */
function useTriedPrice(setDraft: Editing<CampaignDraft>['setDraft']): void {
  const [tried, setTried] = useAddressState('cpm')
  useEffect(() => {
    const cpm = Number(tried)
    if (tried === undefined || !(cpm > 0)) return
    setDraft(draft => ({ ...draft, pricing: 'cpm', cpm: writeNumber(cpm, 2) }))
    setTried(undefined)
  }, [tried, setDraft, setTried])
}
