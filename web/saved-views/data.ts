// Saved views as the pages read and change them, and how one is written in the address.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { NewSavedView, SavedView } from '../../src/report/saved-views/contract.ts'
import { api } from '../api/client.ts'
import { usePeriod } from '../period/use-period.ts'
import { METRICS } from '../stats/figures.ts'
import type { Dimension } from '../stats/subject.ts'
import { spendIn } from '../table/filters.tsx'

export type { NewSavedView, SavedView }

/** What a view keeps of a page. */
export type Shown = Pick<
  SavedView,
  | ('range' | 'firstDay' | 'lastDay' | 'against' | 'againstDay' | 'figure' | 'interval' | 'dimension')
  | ('q' | 'spendFrom' | 'spendTo')
>

export function useSavedViews(cuid: number): readonly SavedView[] {
  const { data = NONE } = useQuery({
    queryKey: ['saved-views', cuid],
    queryFn: () => api.listSavedViews({ cuid }),
  })
  return data
}

const NONE: readonly SavedView[] = []

export function useSavedViewCalls(cuid: number) {
  const client = useQueryClient()
  const readAgain = () => client.invalidateQueries({ queryKey: ['saved-views', cuid] })
  return {
    readAgain,
    save: useMutation({
      mutationFn: ({ body, idempotencyKey }: { body: NewSavedView; idempotencyKey: string }) =>
        api.createSavedView({ cuid, body }, { idempotencyKey }),
      onSuccess: readAgain,
    }),
    remove: useMutation({
      mutationFn: (vid: number) => api.deleteSavedView({ cuid, vid }),
      onSuccess: readAgain,
    }),
  }
}

/** The most of a search that a view keeps. */
const MAX_SEARCH = 255

const INTERVALS = ['hour', 'day', 'week', 'month'] as const

/** What this page shows. */
export function useShown(dimension: Dimension): Shown {
  const search = useSearch({ strict: false }) as Record<string, unknown>
  const { preset, firstDay, lastDay, chosen } = usePeriod()
  const isFixed = preset === 'custom'
  const amount = (name: string) => {
    const value = search[`breakdown.${name}`]
    return spendIn(value === undefined ? undefined : String(value))
  }
  const q = search['breakdown.q']
  return {
    range: isFixed ? null : preset,
    firstDay: isFixed ? firstDay : null,
    lastDay: isFixed ? lastDay : null,
    ...chosen,
    figure: METRICS.find(metric => metric === search.figure) ?? 'spend',
    interval: INTERVALS.find(interval => interval === search.by) ?? null,
    dimension,
    q: q === undefined || String(q).trim() === '' ? null : String(q).trim().slice(0, MAX_SEARCH),
    spendFrom: amount('from'),
    spendTo: amount('to'),
  }
}

/** A view as the search parameters of its page. */
export function searchOf(view: SavedView): Record<string, string | number> {
  const { range, firstDay, lastDay, against, againstDay, figure, interval, dimension } = view
  const { q, spendFrom, spendTo } = view
  return {
    ...(view.cid === null ? {} : { tab: 'statistics' }),
    ...(range ? { range } : { from: firstDay!, to: lastDay! }),
    // Said even if it is the usual one, because a link without it keeps the comparison of the page.
    against: againstDay ?? against,
    ...(figure === 'spend' ? {} : { figure }),
    ...(interval ? { by: interval } : {}),
    ...(dimension ? { dimension } : {}),
    ...(q === null ? {} : { 'breakdown.q': q }),
    ...(spendFrom === null ? {} : { 'breakdown.from': spendFrom }),
    ...(spendTo === null ? {} : { 'breakdown.to': spendTo }),
  }
}

const KEPT = [
  ...(['range', 'firstDay', 'lastDay', 'against', 'againstDay', 'figure', 'interval', 'dimension'] as const),
  ...(['q', 'spendFrom', 'spendTo'] as const),
]

/** Whether a view matches what is shown. */
export const isSame = (view: SavedView, shown: Shown) => KEPT.every(name => view[name] === shown[name])
