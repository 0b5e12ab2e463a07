// The cockpit as its page reads it: page by page, and read again every minute while few pages are open.

import { infiniteQueryOptions } from '@tanstack/react-query'
import type { Cockpit, CockpitCustomer, Filter } from '../../src/diagnose/cockpit/contract.ts'
import { api } from '../api/client.ts'

export type { Cockpit, CockpitCustomer, Filter }

const AGAIN_MS = 60_000
/** With more pages than these, nothing is read again automatically. */
const FEW_PAGES = 3
const MOST_A_CALL = 1000

export interface Asked {
  filter?: Filter
  q?: string
}

interface After {
  after: number
  asOf: number
}

/** The moment of the newest up-to-date answer, and when it arrived. */
export interface Seen {
  asOf: number
  atMs: number
}

/** For this long, other filters and searches use the moment that was just read, so that they are answered at once. */
const SAME_LOOK_MS = 30_000

/** `seen` belongs to the asking page. A repeated read takes the current moment. */
export const cockpitQuery = (asked: Asked, seen: { current: Seen | null }) =>
  infiniteQueryOptions({
    queryKey: ['cockpit', asked],
    queryFn: async ({ pageParam, client, queryKey }) => {
      if (pageParam !== null) return api.readCockpit({ ...asked, ...pageParam })
      const isFirstTime = client.getQueryData(queryKey) === undefined
      const look = isFirstTime && isRecent(seen.current) ? seen.current : null
      seen.current = look
      const answer = await api.readCockpit({ ...asked, ...(look && { asOf: look.asOf }) })
      if (answer.asOf !== look?.asOf) seen.current = { asOf: answer.asOf, atMs: performance.now() }
      return answer
    },
    initialPageParam: null as After | null,
    getNextPageParam: ({ next, asOf }: Cockpit) => (next === null ? null : { after: next, asOf }),
    placeholderData: before => before,
    refetchInterval: query => ((query.state.data?.pages.length ?? 0) <= FEW_PAGES ? AGAIN_MS : false),
  })

function isRecent(seen: Seen | null): seen is Seen {
  return seen !== null && performance.now() - seen.atMs < SAME_LOOK_MS
}

/** All matching customers, for a file. */
export async function everyCustomer(asked: Asked): Promise<CockpitCustomer[]> {
  const customers: CockpitCustomer[] = []
  let next: After | null = null
  do {
    const page: Cockpit = await api.readCockpit({ ...asked, limit: MOST_A_CALL, ...next })
    customers.push(...page.customers)
    next = page.next === null ? null : { after: page.next, asOf: page.asOf }
  } while (next !== null)
  return customers
}

/** The groups of the page, by what has to be done. */
export const GROUPS = ['attention', 'delivers', 'idle'] as const
export type Group = (typeof GROUPS)[number]

export function groupOf({ health }: CockpitCustomer): Group {
  if (health.level === 'problem' || health.level === 'warning') return 'attention'
  return health.level === 'ok' ? 'delivers' : 'idle'
}

export const clickRate = ({ imps, clicks }: { imps: number; clicks: number }) =>
  imps > 0 ? clicks / imps : null
