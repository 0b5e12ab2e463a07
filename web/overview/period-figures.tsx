// The figures of the period compared with the previous one, the chart and today's spend, all from one answer.

import { Grid } from '@mantine/core'
import type { ReactNode } from 'react'
import * as format from '../format/format.ts'
import { usePeriod, useZone } from '../period/use-period.ts'
import { ChartPanel, useChartChoice } from '../stats/chart-panel.tsx'
import { FigureCards } from '../stats/figure-cards.tsx'
import { type FiguresQuery, useFigures } from '../stats/use-figures.ts'

interface PeriodFiguresProps {
  cuid: number
  beside: (figures: FiguresQuery) => ReactNode
}

export function PeriodFigures({ cuid, beside }: PeriodFiguresProps) {
  const zone = useZone()
  const compares = usePeriod().preset !== 'all'
  const choice = useChartChoice()
  const figures = useFigures(cuid, { interval: choice.interval, previous: compares, today: true })
  const { data, error } = figures
  return (
    <>
      <FigureCards
        figures={data?.summary ?? null}
        asOf={data && format.clockIn(data.asOf, zone)}
        error={data ? null : error}
        {...(data?.previous ? { previous: data.previous.summary } : {})}
      />
      <Grid gap="lg" mb="lg">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <ChartPanel figures={figures} choice={choice} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>{beside(figures)}</Grid.Col>
      </Grid>
    </>
  )
}
