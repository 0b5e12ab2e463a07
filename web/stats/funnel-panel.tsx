// Where requests were lost on their way to this persona: why it delivers as much as it does, and no more.

import { Box, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { readFunnel } from '../api/later.ts'
import { integer, roundPercent } from '../format/format.ts'
import { useCuid } from '../session/session.ts'
import { Panel } from '../shell/panel.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { named, t } from '../words/words.ts'

export function FunnelPanel({ cid, pid }: { cid: number; pid: number }) {
  const cuid = useCuid()
  const funnel = useQuery({
    queryKey: ['funnel', cuid, cid, pid],
    queryFn: () => readFunnel(cuid, cid, pid),
  })
  const steps = funnel.data?.steps ?? []
  const most = steps[0]?.count ?? 0
  return (
    <Panel title={t('stats.funnel')} about={t('stats.funnelAbout')}>
      {funnel.isPending && <Waiting height={200} />}
      {funnel.error && <Refused error={funnel.error} />}
      {funnel.data && most === 0 && <Nothing icon="statistics" title={t('stats.noFunnel')} />}
      {most > 0 && (
        <Stack gap={8} component="ol" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
          {steps.map((step, index) => (
            <li key={step.name}>
              <Step name={step.name} count={step.count} most={most} before={steps[index - 1]?.count} />
            </li>
          ))}
        </Stack>
      )}
    </Panel>
  )
}

interface StepProps {
  name: string
  count: number
  most: number
  before: number | undefined
}

function Step({ name, count, most, before }: StepProps) {
  const lost = before ? (before - count) / before : 0
  return (
    <Group gap="md" wrap="nowrap">
      <Text size="sm" w={150} style={{ flexShrink: 0 }}>
        {named('funnel', name)}
      </Text>
      <Box style={{ flex: 1, minWidth: 60 }}>
        <Box
          h={20}
          miw={2}
          style={{
            width: `${(count / most) * 100}%`,
            borderRadius: 5,
            background: 'var(--mantine-color-brand-5)',
          }}
        />
      </Box>
      <Text size="sm" fw={600} w={96} ta="end">
        {integer(count)}
      </Text>
      <Text size="xs" c="dimmed" w={64} ta="end">
        {lost > 0 ? `−${roundPercent(lost)}` : ''}
      </Text>
    </Group>
  )
}
