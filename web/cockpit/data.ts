// The cockpit as its page reads it: page by page, and looked at again every minute while few pages are open.

import { infiniteQueryOptions } from '@tanstack/react-query'
import type { Cockpit, CockpitCustomer, Filter } from '../../src/cockpit/contract.ts'
import { api } from '../api/client.ts'

export type { Cockpit, CockpitCustomer, Filter }

const AGAIN_MS = 60_000
/** More than these are not read again by themselves. */
const FEW_PAGES = 3
const MOST_A_CALL = 1000

export interface Asked {
  filter?: Filter
  q?: string
}

export const cockpitQuery = (asked: Asked) =>
  infiniteQueryOptions({
    queryKey: ['cockpit', asked],
    queryFn: ({ pageParam }) =>
      api.readCockpit({ ...asked, ...(pageParam === null ? {} : { after: pageParam }) }),
    initialPageParam: null as number | null,
    getNextPageParam: (last: Cockpit) => last.next,
    placeholderData: before => before,
    refetchInterval: query => ((query.state.data?.pages.length ?? 0) <= FEW_PAGES ? AGAIN_MS : false),
  })

/** All of them, for a file. */
export async function everyCustomer(asked: Asked): Promise<CockpitCustomer[]> {
  const customers: CockpitCustomer[] = []
  let after: number | null = null
  do {
    const page: Cockpit = await api.readCockpit({ ...asked, limit: MOST_A_CALL, ...(after ? { after } : {}) })
    customers.push(...page.customers)
    after = page.next
  } while (after !== null)
  return customers
}

/** The groups of the page, by what is to be done. */
export const GROUPS = ['attention', 'delivers', 'idle'] as const
export type Group = (typeof GROUPS)[number]

export function groupOf({ health }: CockpitCustomer): Group {
  if (health.level === 'problem' || health.level === 'warning') return 'attention'
  return health.level === 'ok' ? 'delivers' : 'idle'
}

export const clickRate = ({ imps, clicks }: { imps: number; clicks: number }) =>
  imps > 0 ? clicks / imps : null
