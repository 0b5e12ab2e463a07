// Sources as the page reads and changes them.

import { queryOptions, useQueryClient } from '@tanstack/react-query'
import type { SeenSource } from '../../src/manage/sources/contract.ts'
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

/** Reads the sources again after a change. */
export function useReadAgain(): () => Promise<void> {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: sourcesQuery.queryKey })
}

/** Both the app and this person of its staff need the right. */
export function useMayManage(): boolean {
  const { app } = useSession()
  return useMay().rights && app?.sources === true
}
