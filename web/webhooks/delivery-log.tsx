// The log of a webhook: what was sent, the result, and sending it again.

import { Anchor, Button, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { dateTime, hour } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { useMay } from '../session/may.ts'
import { useNotice } from '../shell/notice.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { StatusBadge } from '../shell/status-badge.tsx'
import type { Column } from '../table/column.ts'
import { ListPanel } from '../table/list-panel.tsx'
import { named, t } from '../words/words.ts'
import { useDeliveries, useRetryDelivery, type WebhookDelivery } from './data.ts'
import { answerOf, DeliveryDetails, statusOf } from './delivery-details.tsx'

const idOf = (row: WebhookDelivery) => row.did
const nameOf = (row: WebhookDelivery) => named('event', row.type)
const textOf = (row: WebhookDelivery) =>
  [nameOf(row), row.type, row.event, row.did, named('status', statusOf(row)), lastAnswer(row)].join(' ')

/** The last answer in a few words; empty if nothing has been sent yet. */
function lastAnswer({ attempts }: WebhookDelivery): string {
  const last = attempts.at(-1)
  return last ? answerOf(last) : ''
}

export function DeliveryLog({ wid }: { wid: number }) {
  const log = useDeliveries(wid)
  const [shown, setShown] = useState<number | null>(null)
  const columns = useColumns(wid, setShown)
  // Latest first, also within the same second: sorting keeps their order.
  const rows = useMemo(() => (log.data ?? []).toReversed(), [log.data])
  if (log.isPending) return <Waiting height={240} />
  if (!log.data) return <Refused error={log.error} onRetry={() => log.refetch()} />
  return (
    <>
      <Text size="sm" c="dimmed" mb="md">
        {t('webhooks.logAbout')}
      </Text>
      <ListPanel
        label={t('webhooks.log')}
        rows={rows}
        columns={columns}
        idOf={idOf}
        nameOf={nameOf}
        textOf={textOf}
        sorting={{ column: 'created', descending: true }}
        fileName={t('webhooks.logFile')}
        actions={
          <Button variant="default" loading={log.isRefetching} onClick={() => log.refetch()}>
            {t('webhooks.refresh')}
          </Button>
        }
        empty={<Nothing icon="bell" title={t('webhooks.logNone')} about={t('webhooks.logNoneAbout')} />}
      />
      <DeliveryDetails
        delivery={log.data.find(entry => entry.did === shown) ?? null}
        onClose={() => setShown(null)}
      />
    </>
  )
}

function useColumns(wid: number, show: (did: number) => void): Column<WebhookDelivery>[] {
  const timezone = useZone()
  const { mutate } = useRetryDelivery(wid)
  const { done, refused } = useNotice()
  const may = useMay()
  return useMemo(
    () => [
      {
        id: 'event',
        title: t('webhooks.event'),
        value: nameOf,
        cell: row => (
          <Anchor
            component="button"
            type="button"
            size="sm"
            fw="var(--strong)"
            c="inherit"
            onClick={() => show(row.did)}
          >
            {nameOf(row)}
          </Anchor>
        ),
        width: 230,
      },
      {
        id: 'state',
        title: t('webhooks.state'),
        value: row => named('status', statusOf(row)),
        cell: row => <StatusBadge status={statusOf(row)} />,
        width: 116,
      },
      {
        id: 'created',
        title: t('webhooks.happened'),
        value: row => row.created,
        cell: row => dateTime(row.created, timezone),
        width: 196,
      },
      { id: 'answer', title: t('webhooks.answer'), value: lastAnswer, width: 148 },
      {
        id: 'next',
        title: t('webhooks.next'),
        value: row => row.next,
        // The first attempt follows at once and needs no time.
        cell: row => row.next !== null && row.attempts.length > 0 && hour(row.next, timezone),
        width: 120,
      },
      {
        id: 'again',
        title: t('table.actions'),
        control: true,
        value: () => null,
        cell: row =>
          may.rights && (
            <Button
              size="xs"
              variant="default"
              aria-label={t('webhooks.againNamed', { name: `${nameOf(row)} ${row.did}` })}
              onClick={() =>
                mutate(row.did, { onSuccess: () => done(t('webhooks.sentAgain')), onError: refused })
              }
            >
              {t('webhooks.again')}
            </Button>
          ),
        width: 160,
      },
    ],
    [timezone, show, mutate, done, refused, may],
  )
}
