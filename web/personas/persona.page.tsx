// One persona: its banners, its targeting, its statistics.

import { Button, Stack, Switch, Tabs } from '@mantine/core'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { BannerTable } from '../banners/banner-table.tsx'
import { Confirm } from '../form/confirm.tsx'
import { PeriodPicker } from '../period/period-picker.tsx'
import { useCuid } from '../session/session.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.ts'
import { PageHead } from '../shell/page-head.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { StatusBadge } from '../shell/status-badge.tsx'
import { t } from '../words/words.ts'
import { useDeletePersona, usePersona, useSwitchPersonas } from './data.ts'
import { EditPersona } from './edit-persona.tsx'

const Figures = lazy(async () => ({ default: (await import('../stats/subject-stats.tsx')).SubjectStats }))
const TABS = ['banners', 'targeting', 'statistics']

export function PersonaPage() {
  const cuid = useCuid()
  const { cid, pid } = useParams({ from: '/inside/customer/campaigns/$cid/personas/$pid' })
  const { tab = 'banners' } = useSearch({ from: '/inside/customer/campaigns/$cid/personas/$pid' })
  const persona = usePersona(cuid, cid, pid)
  const switching = useSwitchPersonas(cuid, cid)
  const removing = useDeletePersona(cuid, cid)
  const [asking, setAsking] = useState(false)
  const navigate = useNavigate()
  const notice = useNotice()
  if (persona.isPending) return <Waiting />
  if (persona.error) return <Refused error={persona.error} onRetry={() => persona.refetch()} />
  const { name, enabled } = persona.data
  const shown = TABS.includes(tab) ? tab : 'banners'
  return (
    <>
      <PageHead
        title={name}
        badge={<StatusBadge status={enabled ? 'on' : 'paused'} />}
        crumbs={[
          { name: t('campaigns.title'), to: '/campaigns' },
          { name: t('campaigns.one', { id: cid }), to: `/campaigns/${cid}` },
        ]}
      >
        <Switch
          label={t('personas.deliver')}
          checked={enabled}
          onChange={event =>
            switching.mutate(
              { pids: [pid], enabled: event.currentTarget.checked },
              { onError: notice.refused },
            )
          }
        />
        {shown !== 'targeting' && <PeriodPicker />}
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
          <Tabs.Tab value="banners">{t('banners.title')}</Tabs.Tab>
          <Tabs.Tab value="targeting">{t('personas.targeting')}</Tabs.Tab>
          <Tabs.Tab value="statistics">{t('shell.statistics')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="banners">
          <BannerTable cuid={cuid} cid={cid} pid={pid} />
        </Tabs.Panel>
        <Tabs.Panel value="targeting">
          <EditPersona key={persona.data.updated} cuid={cuid} persona={persona.data} />
        </Tabs.Panel>
        <Tabs.Panel value="statistics">
          <Stack>
            <Suspense fallback={<Waiting />}>
              <Figures subject={{ id: pid, kind: 'persona', cid, pid }} />
            </Suspense>
          </Stack>
        </Tabs.Panel>
      </Tabs>
      <Confirm
        opened={asking}
        title={t('personas.deleteTitle', { name })}
        about={t('personas.deleteAbout')}
        action={t('form.delete')}
        busy={removing.isPending}
        error={removing.error}
        onConfirm={() =>
          removing.mutate(pid, { onSuccess: () => navigate({ to: '/campaigns/$cid', params: { cid } }) })
        }
        onClose={() => setAsking(false)}
      />
    </>
  )
}
