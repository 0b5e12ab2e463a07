// One entry of the log: every attempt, the receiver's answer or the error, and when it is sent next.

import { Code, Group, Stack, Table, Text } from '@mantine/core'
import type { WebhookAttempt } from '../../src/notify/webhooks/contract.ts'
import { Dialog } from '../form/dialog.tsx'
import { dateTime } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { StatusBadge } from '../shell/status-badge.tsx'
import { named, t } from '../words/words.ts'
import type { WebhookDelivery } from './data.ts'

/** The word "pending" means in review for a banner; a pending delivery is waiting. */
export function statusOf({ state }: WebhookDelivery): string {
  return state === 'pending' ? 'waiting' : state
}

export function answerOf({ status, error }: WebhookAttempt): string {
  if (status !== null) return t('webhooks.status', { status })
  return error ?? t('webhooks.noAnswer')
}

interface DeliveryDetailsProps {
  /** Null if none is shown. */
  delivery: WebhookDelivery | null
  onClose: () => void
}

export function DeliveryDetails({ delivery, onClose }: DeliveryDetailsProps) {
  return (
    <Dialog
      opened={delivery !== null}
      onClose={onClose}
      size="lg"
      title={delivery ? named('event', delivery.type) : ''}
    >
      {delivery && <Details delivery={delivery} />}
    </Dialog>
  )
}

function Details({ delivery }: { delivery: WebhookDelivery }) {
  const timezone = useZone()
  const { type, event, created, attempts, next } = delivery
  return (
    <Stack>
      <Group gap="sm">
        <StatusBadge status={statusOf(delivery)} />
        <Text size="sm">{dateTime(created, timezone)}</Text>
        <Code>{type}</Code>
      </Group>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        webhook-id: <Code>{event}</Code>
      </Text>
      {attempts.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('webhooks.noAttempt')}
        </Text>
      ) : (
        <Attempts attempts={attempts} timeZone={timezone} />
      )}
      {next !== null && <Text size="sm">{t('webhooks.nextAbout', { time: dateTime(next, timezone) })}</Text>}
    </Stack>
  )
}

function Attempts({ attempts, timeZone }: { attempts: readonly WebhookAttempt[]; timeZone: string }) {
  const numbered = attempts.map((attempt, index) => ({ ...attempt, number: index + 1 }))
  return (
    <Table aria-label={t('webhooks.attempts')} verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('webhooks.attemptAt')}</Table.Th>
          <Table.Th>{t('webhooks.answered')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {numbered.map(({ number, ...attempt }) => (
          <Table.Tr key={number}>
            <Table.Td style={{ whiteSpace: 'nowrap', verticalAlign: 'top' }}>
              {dateTime(attempt.at, timeZone)}
            </Table.Td>
            <Table.Td>
              {attempt.status !== null && <Text size="sm">{answerOf(attempt)}</Text>}
              {attempt.error !== null && (
                <Text
                  size={attempt.status === null ? 'sm' : 'xs'}
                  c={attempt.status === null ? undefined : 'dimmed'}
                >
                  {attempt.error}
                </Text>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
