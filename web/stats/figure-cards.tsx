// The figures of the period as cards: the spend, and for each kind of event its number, rate and unit cost.

import './chart.css'
import { Box, Group, Paper, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { Refused } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import { Delta } from './figure-tabs.tsx'
import { type Figures, type Metric, metricName, readMetric, write } from './figures.ts'
import type { Previous } from './use-figures.ts'

interface FigureCardsProps {
  /** Null while loading. */
  figures: Figures | null
  previous?: Previous | undefined
  /** The moment of the figures, as shown. */
  asOf?: string | undefined
  error?: Error | null
}

const CARDS: [Metric, ...Metric[]][] = [
  ['spend'],
  ['imps', 'views', 'cpm'],
  ['clicks', 'ctr', 'cpc'],
  ['actions', 'cnvr', 'cpa'],
]
/** Only if conversions have values. */
const WORTH: [Metric, ...Metric[]] = ['value', 'roas', 'vpa']

export function FigureCards({ figures, previous, asOf, error }: FigureCardsProps) {
  if (!figures && error) {
    return (
      <Box mb="lg">
        <Refused error={error} />
      </Box>
    )
  }
  const isWorth = (figures?.value ?? 0) + (previous?.summary.value ?? 0) > 0
  const cards = isWorth ? [...CARDS, WORTH] : CARDS
  return (
    <SimpleGrid cols={{ base: 2, lg: cards.length }} spacing="md" mb="lg">
      {cards.map(([large, ...small]) => (
        <Paper key={large} p="md">
          <Box component="dl" m={0}>
            <Text size="sm" c="dimmed" component="dt">
              {metricName(large)}
            </Text>
            <Box component="dd" m={0} mt={2}>
              <Text fz="var(--text-l)" fw="var(--strong)" lh={1.3} data-metric={large}>
                <Value metric={large} figures={figures} />
              </Text>
              {previous && <Delta metric={large} previous={previous} />}
            </Box>
            {large === 'spend' && asOf && (
              <Box component="dd" m={0} mt={6}>
                <Text size="xs" c="dimmed">
                  {t('stats.asOf', { time: asOf })}
                </Text>
              </Box>
            )}
          </Box>
          {small.length > 0 && (
            <Group component="dl" gap={2} m={0} mt={6} style={{ columnGap: 16 }}>
              {small.map(metric => (
                <Group key={metric} gap={6}>
                  <Text size="xs" c="dimmed" component="dt">
                    {metricName(metric)}
                  </Text>
                  <Text size="sm" fw="var(--strong)" component="dd" m={0} data-metric={metric}>
                    <Value metric={metric} figures={figures} />
                  </Text>
                </Group>
              ))}
            </Group>
          )}
        </Paper>
      ))}
    </SimpleGrid>
  )
}

function Value({ metric, figures }: { metric: Metric; figures: Figures | null }) {
  if (figures) return write(metric, readMetric(metric, figures))
  return <Skeleton component="span" display="inline-block" h={14} w={64} />
}
