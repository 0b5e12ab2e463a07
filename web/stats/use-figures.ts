// The figures of a page: one call, so that every card, chart and table shows the same moment and they all change
// together.

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Dimension } from '../../src/report/figures/contract.ts'
import { api } from '../api/client.ts'
import { dayRange, hour } from '../format/format.ts'
import type { Interval, Period } from '../period/period.ts'
import { usePeriod } from '../period/use-period.ts'
import { useCuid } from '../session/session.ts'
import { t } from '../words/words.ts'

/** What a page wants in addition to the summary. */
export interface Wanted {
  interval?: Interval
  dimension?: Dimension
  limit?: number
  filtered?: boolean
  today?: boolean
  /** The figures of the period that this one is compared with. */
  previous?: boolean
}

const REFRESH_MS = 15_000

/**
 * `owner`: the customer, if not that of the session. `wanted` in the result says what the answer is for: while a new
 * answer loads, the last one stays visible.
 */
export function useFigures(id: number, wanted: Wanted, owner?: number) {
  const own = useCuid()
  const cuid = owner ?? own
  const { startS: start, endS: end, compared, tz } = usePeriod()
  const { previous, ...rest } = wanted
  const before = previous && compared ? { previousStart: compared.startS, previousEnd: compared.endS } : {}
  const question = { cuid, id, start, end, ...rest, ...before }
  return useQuery({
    queryKey: ['figures', cuid, id, question],
    queryFn: async () => ({
      wanted,
      ...(await api.readFigures(wanted.interval ? { ...question, tz } : question)),
    }),
    placeholderData: (before, query) => (query?.queryKey[2] === id ? keepPreviousData(before) : undefined),
    refetchInterval: REFRESH_MS,
  })
}

export type FiguresQuery = ReturnType<typeof useFigures>
export type PageFigures = NonNullable<FiguresQuery['data']>
export type Previous = NonNullable<PageFigures['previous']>

/** Which days the figures are compared with, and until when, if the period is not over. */
export function comparedWords({ compared, endS, tz }: Period, { until }: Previous): string {
  const days = compared ? dayRange(compared.startS, compared.endS, tz) : ''
  if (until >= endS) return t('stats.comparedWith', { days })
  return t('stats.comparedUntil', { days, time: hour(until, tz) })
}
