// Today so far, as it happens.

import { Group, SimpleGrid, Text } from '@mantine/core'
import { useCuid } from '../session/session.ts'
import { useOnline } from '../shell/offline.tsx'
import { Panel } from '../shell/panel.tsx'
import { Waiting } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import { METRICS, metricName, write } from './figures.ts'
import { useLive } from './live.ts'

export function LivePanel() {
  const live = useLive(useCuid())
  return (
    <Panel title={t('stats.live')} actions={<LiveMark />}>
      {!live && <Waiting height={120} />}
      {live && (
        <SimpleGrid cols={2} spacing="sm">
          {METRICS.map(metric => (
            <div key={metric}>
              <Text size="xs" c="dimmed">
                {metricName(metric)}
              </Text>
              <Text fw={650}>{write(metric, live[metric])}</Text>
            </div>
          ))}
        </SimpleGrid>
      )}
    </Panel>
  )
}

export function LiveMark() {
  const online = useOnline()
  return (
    <Group gap={6}>
      <span className="live-dot" data-off={!online || undefined} aria-hidden="true" />
      <Text size="xs" c="dimmed">
        {t(online ? 'stats.liveMark' : 'stats.notLive')}
      </Text>
    </Group>
  )
}
