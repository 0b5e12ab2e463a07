// The period of the page, from its address.

import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useSession } from '../session/session.ts'
import { type Period, type PeriodSearch, periodOf, readPeriodSearch } from './period.ts'

export function usePeriod(): Period {
  const zone = useZone()
  const search = useSearch({ strict: false }) as Record<string, unknown>
  const key = JSON.stringify(readPeriodSearch(search))
  // A new minute is no new period: the same period keeps the same questions.
  return useMemo(
    () => periodOf(JSON.parse(key) as PeriodSearch, zone, Math.floor(Date.now() / 1000)),
    [key, zone],
  )
}

/** The zone that the customer has chosen; else that of the deployment. */
export function useZone(): string {
  const { customer, timezone } = useSession()
  return customer?.timezone ?? timezone
}

export function useSetPeriod(): (next: PeriodSearch) => void {
  const navigate = useNavigate()
  return next =>
    void navigate({
      to: '.',
      search: (before: Record<string, unknown>) => {
        const { range: _range, from: _from, to: _to, tz: _tz, ...rest } = before
        return { ...rest, ...next } as never
      },
      replace: true,
    })
}
