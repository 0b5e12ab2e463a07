// The webhooks of an app, for its staff.

import { Button, Switch, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { date } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { StatusBadge } from '../shell/status-badge.tsx'
import type { Column } from '../table/column.ts'
import { ListPanel } from '../table/list-panel.tsx'
import { named, t } from '../words/words.ts'
import { useSwitchWebhook, type Webhook, webhookName, webhooksQuery } from './data.ts'
import { NewWebhook } from './new-webhook.tsx'

const idOf = (row: Webhook) => row.wid
const textOf = (row: Webhook) => `${row.url} ${row.description ?? ''} ${eventsOf(row)}`

export function WebhooksPage() {
  const webhooks = useQuery(webhooksQuery)
  const [creating, setCreating] = useState(false)
  const columns = useColumns()
  const may = useMay()
  return (
    <>
      <PageHead title={t('shell.webhooks')}>
        {may.rights && (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setCreating(true)}>
            {t('webhooks.new')}
          </Button>
        )}
      </PageHead>
      {webhooks.isPending && <Waiting height={300} />}
      {webhooks.error && <Refused error={webhooks.error} onRetry={() => webhooks.refetch()} />}
      {webhooks.data && (
        <ListPanel
          label={t('shell.webhooks')}
          rows={webhooks.data}
          columns={columns}
          idOf={idOf}
          nameOf={webhookName}
          textOf={textOf}
          sorting={{ column: 'url', descending: false }}
          fileName={t('webhooks.file')}
          empty={<Nothing icon="bell" title={t('webhooks.none')} about={t('webhooks.noneAbout')} />}
        />
      )}
      <NewWebhook opened={creating} onClose={() => setCreating(false)} />
    </>
  )
}

/** The events that a webhook receives, in a few words. */
function eventsOf({ events }: Webhook): string {
  return events.length === 0 ? t('webhooks.allEvents') : events.map(type => named('event', type)).join(', ')
}

function useColumns(): Column<Webhook>[] {
  const timezone = useZone()
  const { mutate } = useSwitchWebhook()
  const { refused } = useNotice()
  const may = useMay()
  return useMemo(
    () => [
      {
        id: 'url',
        title: t('webhooks.url'),
        value: row => row.url,
        cell: row => (
          <Link to="/webhooks/$wid" params={{ wid: row.wid }} className="strong-link">
            {row.url}
          </Link>
        ),
        width: 300,
      },
      {
        id: 'enabled',
        title: t('campaigns.onOff'),
        value: row => row.enabled,
        cell: row => (
          <Switch
            size="sm"
            aria-label={t('webhooks.enabledOf', { name: webhookName(row) })}
            checked={row.enabled}
            disabled={!may.rights}
            onChange={event =>
              mutate({ wid: row.wid, enabled: event.currentTarget.checked }, { onError: refused })
            }
          />
        ),
        width: 92,
      },
      {
        id: 'status',
        title: t('campaigns.status'),
        value: row => named('status', row.enabled ? 'on' : 'off'),
        cell: row => <StatusBadge status={row.enabled ? 'on' : 'off'} />,
        width: 92,
      },
      { id: 'description', title: t('webhooks.description'), value: row => row.description, width: 180 },
      {
        id: 'events',
        title: t('webhooks.events'),
        value: eventsOf,
        cell: row => (
          <Text size="sm" c="dimmed" component="span">
            {eventsOf(row)}
          </Text>
        ),
        width: 230,
      },
      {
        id: 'created',
        title: t('webhooks.created'),
        value: row => row.created,
        cell: row => date(row.created, timezone),
        width: 124,
      },
    ],
    [timezone, mutate, refused, may],
  )
}
