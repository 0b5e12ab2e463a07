// What was changed in a campaign and everything beneath it, latest first.

import { Code, Group, Stack, Text, Timeline } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { HistoryEntry } from '../../src/campaigns/contract.ts'
import { api } from '../api/client.ts'
import { dateTime } from '../format/format.ts'
import { useSession } from '../session/session.ts'
import { Panel } from '../shell/panel.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { named, t } from '../words/words.ts'

const SHOWN = 200

export function History({ cuid, cid }: { cuid: number; cid: number }) {
  const { timezone } = useSession()
  const history = useQuery({
    queryKey: ['history', cuid, cid],
    queryFn: () => api.readCampaignHistory({ cuid, cid }),
    staleTime: 0,
  })
  if (history.isPending) return <Waiting height={240} />
  if (history.error) return <Refused error={history.error} onRetry={() => history.refetch()} />
  const entries = history.data.toReversed().slice(0, SHOWN)
  return (
    <Panel title={t('campaigns.history')}>
      {entries.length === 0 && <Nothing icon="calendar" title={t('campaigns.noHistory')} />}
      <Timeline bulletSize={14} lineWidth={2}>
        {entries.map(entry => (
          <Timeline.Item
            key={entry.id}
            title={
              <Text size="sm" fw={600}>
                {named('noun', entry.noun)} {entry.nounId}: {named('did', entry.action)}
              </Text>
            }
          >
            <Text size="xs" c="dimmed">
              {dateTime(entry.at, timezone)} · {entry.actor}
            </Text>
            <Changes entry={entry} />
          </Timeline.Item>
        ))}
      </Timeline>
    </Panel>
  )
}

function Changes({ entry }: { entry: HistoryEntry }) {
  if (!entry.before || !entry.after) return null
  const [before, after] = [entry.before, entry.after] as Record<string, unknown>[]
  const changed = Object.keys(after!).filter(
    key => key !== 'updated' && JSON.stringify(before![key]) !== JSON.stringify(after![key]),
  )
  return (
    <Stack gap={4} mt={6}>
      {changed.map(key => (
        <Group key={key} gap={6}>
          <Text size="xs" fw={600}>
            {key}
          </Text>
          <Code>{JSON.stringify(before![key])}</Code>
          <Text size="xs">→</Text>
          <Code>{JSON.stringify(after![key])}</Code>
        </Group>
      ))}
    </Stack>
  )
}
