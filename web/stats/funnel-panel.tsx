// How far ad requests get with this persona: why it delivers as much as it does, and no more.

import { Box, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { dateTime, integer, roundPercent } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { useCuid } from '../session/session.ts'
import { Panel } from '../shell/panel.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { named, t } from '../words/words.ts'

export function FunnelPanel({ cid, pid }: { cid: number; pid: number }) {
  const cuid = useCuid()
  const timezone = useZone()
  const funnel = useQuery({
    queryKey: ['funnel', cuid, cid, pid],
    queryFn: () => api.personaFunnel({ cuid, cid, pid }),
  })
  const { requests = 0, sampled = 0, stages = [], since = 0, served = 0 } = funnel.data ?? {}
  return (
    <Panel
      title={t('stats.funnel')}
      about={since > 0 ? t('stats.funnelAbout', { since: dateTime(since, timezone) }) : undefined}
    >
      {funnel.isPending && <Waiting height={200} />}
      {funnel.error && <Refused error={funnel.error} onRetry={() => funnel.refetch()} />}
      {funnel.data && sampled === 0 && <Nothing icon="statistics" title={t('stats.noFunnel')} />}
      {sampled > 0 && (
        <>
          <Stack gap={8} component="ol" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
            <Step name={t('stats.requests')} share={1} lost={0} />
            {stages.map(({ stage, passed, refused }) => (
              <Step
                key={stage}
                name={named('stage', stage)}
                share={passed / sampled}
                lost={passed + refused > 0 ? refused / (passed + refused) : 0}
              />
            ))}
          </Stack>
          <Text size="sm" c="dimmed" mt="md">
            {t('stats.funnelSample', {
              requests: integer(requests),
              sampled: integer(sampled),
              served: integer(served),
            })}
          </Text>
        </>
      )}
    </Panel>
  )
}

interface StepProps {
  name: string
  /** The share of all requests that get this far. */
  share: number
  /** The share of those that get no further. */
  lost: number
}

function Step({ name, share, lost }: StepProps) {
  return (
    <Group component="li" gap="md" wrap="nowrap">
      <Text size="sm" w={{ base: 96, xs: 150 }} style={{ flexShrink: 0 }}>
        {name}
      </Text>
      <Box style={{ flex: 1, minWidth: 40 }}>
        <Box
          h={18}
          miw={2}
          style={{ width: `${share * 100}%`, borderRadius: 5, background: 'var(--c-spend)' }}
        />
      </Box>
      <Text size="sm" fw="var(--strong)" w={60} ta="end">
        {roundPercent(share)}
      </Text>
      <Text size="xs" c="dimmed" w={60} ta="end">
        {lost > 0 ? `−${roundPercent(lost)}` : ''}
      </Text>
    </Group>
  )
}
