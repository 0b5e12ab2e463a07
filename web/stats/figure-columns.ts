// The columns of figures at the end of every table of campaigns, personas and banners, and where they come from.

import { useMemo } from 'react'
import type { Column } from '../table/column.ts'
import { t } from '../words/words.ts'
import {
  type Figures,
  METRICS,
  type Metric,
  MONEY_METRICS,
  metricName,
  NO_FIGURES,
  readMetric,
  sumFigures,
  write,
} from './figures.ts'
import { useFigures } from './use-figures.ts'

const WIDTHS: Record<Metric, number> = {
  spend: 118,
  imps: 124,
  views: 100,
  cpm: 136,
  clicks: 92,
  ctr: 86,
  cpc: 118,
  actions: 104,
  cnvr: 104,
  cpa: 126,
  value: 118,
  roas: 118,
  vpa: 136,
}

/** Null: not known (yet). */
export interface WithFigures {
  figures: Figures | null
}

export function figureColumns<Row extends WithFigures>(order: readonly Metric[] = METRICS): Column<Row>[] {
  const inRow = (metric: Metric, row: WithFigures) => (row.figures ? readMetric(metric, row.figures) : null)
  return order.map(metric => ({
    id: metric,
    title: metricName(metric),
    value: row => inRow(metric, row),
    cell: row => write(metric, inRow(metric, row)),
    total: rows =>
      rows.some(row => row.figures)
        ? write(metric, readMetric(metric, sumFigures(rows.map(row => row.figures ?? NO_FIGURES))))
        : '–',
    numeric: true,
    money: MONEY_METRICS.includes(metric),
    figure: true,
    width: WIDTHS[metric],
  }))
}

/** A part of the sum that has no row in the table. */
export interface Rest extends WithFigures {
  name: string
}

const CHILDREN = 10_000

/** The figures of all children of an object by their id, and their sum. Children without figures have zeros. */
export function useChildFigures(
  id: number,
  dimension: 'campaign' | 'persona' | 'banner',
  listed: readonly number[] | undefined,
  /** Also asks for today's figures of a customer. */
  today = false,
) {
  const query = useFigures(id, { dimension, limit: CHILDREN, ...(today ? { today } : {}) })
  const { data } = query
  return useMemo(() => {
    const rows = data?.breakdown
    const byId = new Map(rows?.map(row => [row.id, row as Figures]))
    // Below the largest children, the answer has only a sum: the figures of one of those are unknown, not zero.
    const none = rows?.some(row => row.id === undefined && !row.deleted) ? null : NO_FIGURES
    const figuresOf = (child: number): Figures | null => (rows ? (byId.get(child) ?? none) : null)
    const known = new Set(listed)
    const unlisted = listed && rows ? rows.filter(row => row.id === undefined || !known.has(row.id)) : []
    const rest: Rest[] = []
    const deleted = unlisted.filter(row => row.deleted)
    const others = unlisted.filter(row => !row.deleted)
    if (deleted.length > 0) rest.push({ name: t(`stats.deleted.${dimension}`), figures: sumFigures(deleted) })
    if (others.length > 0) rest.push({ name: t('stats.other'), figures: sumFigures(others) })
    return { figuresOf, rest, query }
  }, [data, listed, dimension, query])
}
