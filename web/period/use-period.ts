// The period of the page, from its address: days of the customer, as for budgets and breakdowns.

import { useNavigate, useSearch } from '@tanstack/react-router'
import { createContext, useContext, useMemo } from 'react'
import { nowMs, useSandboxTime } from '../sandbox/clock.ts'
import { type Session, useSession } from '../session/session.ts'
import { type Period, type PeriodSearch, periodOf, readPeriodSearch } from './period.ts'

export function usePeriod(): Period {
  const timezone = useZone()
  const search = useSearch({ strict: false }) as Record<string, unknown>
  const key = JSON.stringify(readPeriodSearch(search))
  const sandboxS = useSandboxTime()
  // A new minute is not a new period: the same period keeps the same queries.
  return useMemo(
    () => periodOf(JSON.parse(key) as PeriodSearch, timezone, sandboxS ?? Math.floor(nowMs() / 1000)),
    [key, timezone, sandboxS],
  )
}

/** The customer that a page of staff is about; undefined: none, or not known yet. */
export const CustomerOfPage = createContext<
  Pick<NonNullable<Session['customer']>, 'timezone' | 'timezonePending'> | undefined
>(undefined)

/** The zone of everything on the page: the customer's, or the deployment's on pages about many customers. */
export function useZone(): string {
  const { customer: own, timezone } = useSession()
  const customer = useContext(CustomerOfPage) ?? own
  const pending = customer?.timezonePending
  const isDue = pending && pending.from <= nowMs() / 1000
  return (isDue ? pending.timezone : customer?.timezone) ?? timezone
}

export function useSetPeriod(): (next: PeriodSearch) => void {
  const navigate = useNavigate()
  return next =>
    void navigate({
      to: '.',
      search: (before: Record<string, unknown>) => {
        // Another period is compared in the same way.
        const { range: _range, from: _from, to: _to, ...rest } = before
        return (next.against === undefined ? { ...rest, ...next } : { ...before, ...next }) as never
      },
      replace: true,
    })
}
