// The columns of figures that every table of campaigns, personas and banners ends with, and where they come from.

import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { api } from '../api/client.ts'
import type { Period } from '../period/period.ts'
import type { Column } from '../table/column.ts'
import { type Figures, METRICS, metricName, NO_FIGURES, sumFigures, write } from './figures.ts'

const WIDTHS = { spend: 118, imps: 124, clicks: 92, ctr: 86, actions: 104, cnvr: 104 }

/** Null: not known (yet). */
export interface WithFigures {
  figures: Figures | null
}

export function figureColumns<Row extends WithFigures>(): Column<Row>[] {
  return METRICS.map(metric => ({
    id: metric,
    title: metricName(metric),
    value: row => row.figures?.[metric] ?? null,
    cell: row => (row.figures ? write(metric, row.figures[metric]) : '–'),
    total: rows =>
      rows.some(row => row.figures)
        ? write(metric, sumFigures(rows.map(row => row.figures ?? NO_FIGURES))[metric])
        : '–',
    numeric: true,
    width: WIDTHS[metric],
  }))
}

export type Dimension = 'campaign' | 'persona' | 'banner'

/** Figures of all children of something, by their id, in one question. What was never seen has zeros. */
export function useChildFigures(cuid: number, id: number, dimension: Dimension, period: Period) {
  const { startS, endS } = period
  const query = useQuery({
    queryKey: ['figures', cuid, id, dimension, startS, endS],
    queryFn: () => api.readBreakdown({ cuid, id, dimension, start: startS, end: endS, limit: 10_000 }),
    select: ({ breakdown }) => new Map(breakdown.map(row => [row.id ?? 0, row as Figures])),
    placeholderData: before => before,
  })
  const { data, error } = query
  const figuresOf = useCallback(
    (child: number): Figures | null => (data ? (data.get(child) ?? NO_FIGURES) : null),
    [data],
  )
  return { figuresOf, error }
}
