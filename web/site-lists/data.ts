// Site lists as the page reads and changes them.

import { queryOptions, useQueryClient } from '@tanstack/react-query'
import type { ListedSites } from '../../src/manage/site-lists/contract.ts'
import { api } from '../api/client.ts'

export type { ListedSites }

export const siteListsQuery = queryOptions({
  queryKey: ['site-lists'],
  queryFn: () => api.listSiteLists(),
})

/** Reads the lists again after a change. */
export function useListsAgain(): () => Promise<void> {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: siteListsQuery.queryKey })
}
