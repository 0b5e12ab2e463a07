// Today so far, as it happens.

import { Group, SimpleGrid, Text } from '@mantine/core'
import { useCuid } from '../session/session.ts'
import { useOnline } from '../shell/offline.tsx'
import { Panel } from '../shell/panel.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import { METRICS, metricName, readMetric, write } from './figures.ts'
import { useLiveFigures } from './live.ts'
import type { FiguresQuery } from './use-figures.ts'

export function LivePanel({ figures }: { figures: FiguresQuery }) {
  const isLive = useLiveFigures(useCuid())
  const { data, error, refetch } = figures
  const today = data?.today
  return (
    <Panel title={t('stats.live')} actions={<LiveMark isLive={isLive} />}>
      {!data && !error && <Waiting height={120} />}
      {!data && error && <Refused error={error} onRetry={() => refetch()} />}
      {today && (
        <SimpleGrid cols={3} spacing="sm">
          {METRICS.map(metric => (
            <div key={metric}>
              <Text size="xs" c="dimmed">
                {metricName(metric)}
              </Text>
              <Text fw="var(--strong)">{write(metric, readMetric(metric, today))}</Text>
            </div>
          ))}
        </SimpleGrid>
      )}
    </Panel>
  )
}

/** Grey when the browser is offline or the service cannot be reached. */
export function LiveMark({ isLive }: { isLive: boolean }) {
  const on = useOnline() && isLive
  return (
    <Group gap={6}>
      <span className="live-dot" data-off={!on || undefined} aria-hidden="true" />
      <Text size="xs" c="dimmed">
        {t(on ? 'stats.liveMark' : 'stats.notLive')}
      </Text>
    </Group>
  )
}
