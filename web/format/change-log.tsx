// Who changed what, newest first, each in a sentence.

import { Text, Timeline } from '@mantine/core'
import { type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { useZone } from '../period/use-period.ts'
import { Panel } from '../shell/panel.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import { dateTime } from './format.ts'

const SHOWN = 100

interface ChangeLogProps<Change> {
  /** Oldest first, as the API lists them. */
  query: UseQueryOptions<Change[], Error, Change[], string[]>
  sentenceOf: (change: Change) => string
}

export function ChangeLog<Change extends { id: number; at: number }>({
  query,
  sentenceOf,
}: ChangeLogProps<Change>) {
  const zone = useZone()
  const history = useQuery(query)
  return (
    <Panel title={t('staff.history')}>
      {history.isPending && <Waiting height={120} />}
      {history.error && <Refused error={history.error} onRetry={() => history.refetch()} />}
      {history.data?.length === 0 && <Nothing icon="calendar" title={t('staff.noHistory')} />}
      <Timeline bulletSize={14} lineWidth={2}>
        {(history.data ?? [])
          .toReversed()
          .slice(0, SHOWN)
          .map(change => (
            <Timeline.Item
              key={change.id}
              title={
                <Text size="sm" fw="var(--strong)" style={{ overflowWrap: 'anywhere' }}>
                  {sentenceOf(change)}
                </Text>
              }
            >
              <Text size="xs" c="dimmed">
                {dateTime(change.at, zone)}
              </Text>
            </Timeline.Item>
          ))}
      </Timeline>
    </Panel>
  )
}
