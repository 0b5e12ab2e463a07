// Sources as the page reads and changes them.

import { queryOptions, useQueryClient } from '@tanstack/react-query'
import type { SeenSource } from '../../src/sources/contract.ts'
import { api } from '../api/client.ts'
import { useMay } from '../session/may.ts'
import { useSession } from '../session/session.ts'

export type { SeenSource }

const LOOK_AGAIN_MS = 60_000

export const sourcesQuery = queryOptions({
  queryKey: ['sources'],
  queryFn: () => api.listSources(),
  refetchInterval: LOOK_AGAIN_MS,
})

/** After a change. */
export function useReadAgain(): () => Promise<void> {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: sourcesQuery.queryKey })
}

/** The app may, and so may this person of its staff. */
export function useMayManage(): boolean {
  const { app } = useSession()
  return useMay().rights && app?.sources === true
}
