// The figures of the period, large, each with its change to the period before where that is known.

import { Box, Paper, SimpleGrid, Skeleton, Text } from '@mantine/core'
import * as format from '../format/format.ts'
import { Refused } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import { type Figures, METRICS, metricName, sumFigures, write } from './figures.ts'

interface FigureCardsProps {
  /** Parts that add up; null while nothing is known. */
  figures: readonly (Figures | null)[] | null
  previous?: readonly Figures[]
  error?: Error | null
}

export function FigureCards({ figures, previous, error }: FigureCardsProps) {
  if (error) return <Problem error={error} />
  if (figures === null) return null
  const known = figures.filter(part => part !== null)
  const sum = known.length === figures.length ? sumFigures(known) : null
  const before = previous ? sumFigures(previous) : null
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="md" mb="lg" component="dl" style={{ marginTop: 0 }}>
      {METRICS.map(metric => (
        <Paper key={metric} p="md">
          <Text size="sm" c="dimmed" component="dt">
            {metricName(metric)}
          </Text>
          <Box component="dd" m={0} mt={2}>
            <Text fz={22} fw={680} lh={1.3}>
              {sum ? (
                write(metric, sum[metric])
              ) : (
                <Skeleton component="span" display="inline-block" h={18} w={80} />
              )}
            </Text>
            {sum && before && <Change now={sum[metric]} before={before[metric]} />}
          </Box>
        </Paper>
      ))}
    </SimpleGrid>
  )
}

function Problem({ error }: { error: Error }) {
  return (
    <div style={{ marginBottom: 20 }}>
      <Refused error={error} />
    </div>
  )
}

function Change({ now, before }: { now: number; before: number }) {
  const ratio = before === 0 ? 0 : (now - before) / before
  const colour = ratio > 0 ? 'var(--good)' : ratio < 0 ? 'var(--bad)' : 'var(--mantine-color-dimmed)'
  return (
    <Text size="xs" fw={600} component="span" style={{ color: colour }}>
      {before === 0 ? '–' : format.change(ratio)}{' '}
      <span className="visually-hidden">{t('stats.toPrevious')}</span>
    </Text>
  )
}
