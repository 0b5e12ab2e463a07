// One campaign: its personas, statistics, settings and what was changed.

import { Button, Switch, Tabs } from '@mantine/core'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { Confirm } from '../form/confirm.tsx'
import { PeriodPicker } from '../period/period-picker.tsx'
import { PersonaTable } from '../personas/persona-table.tsx'
import { useCuid } from '../session/session.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.ts'
import { PageHead } from '../shell/page-head.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { StatusBadge } from '../shell/status-badge.tsx'
import { t } from '../words/words.ts'
import { useCampaign, useDeleteCampaign, useSwitchCampaigns } from './data.ts'
import { EditCampaign } from './edit-campaign.tsx'
import { History } from './history.tsx'

const Figures = lazy(async () => ({ default: (await import('../stats/subject-stats.tsx')).SubjectStats }))
const TABS = ['personas', 'statistics', 'settings', 'history']

export function CampaignPage() {
  const cuid = useCuid()
  const { cid } = useParams({ from: '/inside/customer/campaigns/$cid' })
  const { tab = 'personas' } = useSearch({ from: '/inside/customer/campaigns/$cid' })
  const campaign = useCampaign(cuid, cid)
  const switching = useSwitchCampaigns(cuid)
  const removing = useDeleteCampaign(cuid)
  const [asking, setAsking] = useState(false)
  const navigate = useNavigate()
  const notice = useNotice()
  if (campaign.isPending) return <Waiting />
  if (campaign.error) return <Refused error={campaign.error} onRetry={() => campaign.refetch()} />
  const { name, status, enabled } = campaign.data
  const shown = TABS.includes(tab) ? tab : 'personas'
  return (
    <>
      <PageHead
        title={name}
        badge={<StatusBadge status={status} />}
        crumbs={[{ name: t('campaigns.title'), to: '/campaigns' }]}
      >
        <Switch
          label={t('campaigns.deliver')}
          checked={enabled}
          disabled={status === 'ended'}
          onChange={event =>
            switching.mutate(
              { cids: [cid], enabled: event.currentTarget.checked },
              { onError: notice.refused },
            )
          }
        />
        {(shown === 'personas' || shown === 'statistics') && <PeriodPicker />}
        <Button
          variant="default"
          leftSection={<Icon name="trash" size={16} />}
          onClick={() => setAsking(true)}
        >
          {t('form.delete')}
        </Button>
      </PageHead>
      <Tabs
        value={shown}
        keepMounted={false}
        onChange={next =>
          navigate({ to: '.', search: before => ({ ...before, tab: next ?? undefined }), replace: true })
        }
      >
        <Tabs.List mb="lg">
          <Tabs.Tab value="personas">{t('personas.title')}</Tabs.Tab>
          <Tabs.Tab value="statistics">{t('shell.statistics')}</Tabs.Tab>
          <Tabs.Tab value="settings">{t('campaigns.settings')}</Tabs.Tab>
          <Tabs.Tab value="history">{t('campaigns.history')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="personas">
          <PersonaTable cuid={cuid} cid={cid} />
        </Tabs.Panel>
        <Tabs.Panel value="statistics">
          <Suspense fallback={<Waiting />}>
            <Figures subject={{ id: cid, kind: 'campaign', cid }} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <EditCampaign key={campaign.data.updated} cuid={cuid} campaign={campaign.data} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <History cuid={cuid} cid={cid} />
        </Tabs.Panel>
      </Tabs>
      <Confirm
        opened={asking}
        title={t('campaigns.deleteTitle', { name })}
        about={t('campaigns.deleteAbout')}
        action={t('form.delete')}
        busy={removing.isPending}
        error={removing.error}
        onConfirm={() => removing.mutate(cid, { onSuccess: () => navigate({ to: '/campaigns' }) })}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
