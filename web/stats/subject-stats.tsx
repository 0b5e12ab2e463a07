// All statistics of one subject as of one moment: figures, chart, breakdown, losses and filtered events.

import { Grid, Stack } from '@mantine/core'
import { type ReactNode, Suspense } from 'react'
import { useShown } from '../saved-views/data.ts'
import { SavedViews, SaveView } from '../saved-views/saved-views.tsx'
import { useCuid } from '../session/session.ts'
import { useAddressChoice } from '../table/address-state.ts'
import { BreakdownPanel } from './breakdown-panel.tsx'
import { ChartPanel, useChartChoice } from './chart-panel.tsx'
import { FilteredPanel } from './filtered-panel.tsx'
import { FunnelPanel } from './funnel-panel.tsx'
import { LivePanel } from './live-panel.tsx'
import { dimensionsOf, type Subject } from './subject.ts'
import { useFigures } from './use-figures.ts'

interface SubjectStatsProps {
  subject: Subject
  /** Shown instead while there are no figures at all. */
  empty?: ReactNode
}

export function SubjectStats({ subject, empty }: SubjectStatsProps) {
  const choice = useChartChoice()
  const dimensions = dimensionsOf(subject)
  const [dimension, setDimension] = useAddressChoice('dimension', dimensions, dimensions[0]!)
  const isCustomer = subject.kind === 'customer'
  const cuid = useCuid()
  // Only these have notes and saved views.
  const isWhole = isCustomer || subject.kind === 'campaign'
  const shown = useShown(dimension)
  const views = { cuid, cid: subject.cid ?? null, shown }
  const figures = useFigures(subject.id, {
    interval: choice.interval,
    previous: true,
    dimension,
    filtered: true,
    ...(isCustomer ? { today: true } : {}),
  })
  const { summary, previous } = figures.data ?? {}
  if (empty && summary?.imps === 0 && !previous?.summary.imps) return <Suspense>{empty}</Suspense>
  return (
    <div>
      <Stack gap="lg">
        {isWhole && <SavedViews {...views} />}
        <ChartPanel
          figures={figures}
          choice={choice}
          {...(isWhole ? { notesOf: { cuid, cid: subject.cid ?? null } } : {})}
        />
        <FilteredPanel figures={figures} />
        {subject.kind === 'persona' && <FunnelPanel cid={subject.cid!} pid={subject.pid!} />}
        {isWhole && <SaveView {...views} />}
        <BreakdownPanel
          figures={figures}
          dimensions={dimensions}
          dimension={dimension}
          onDimension={setDimension}
        />
        {isCustomer && (
          <Grid gap="lg">
            <Grid.Col span={{ base: 12, lg: 6 }}>
              <LivePanel figures={figures} />
            </Grid.Col>
          </Grid>
        )}
      </Stack>
    </div>
  )
}
