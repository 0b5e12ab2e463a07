// The bin as its page reads it, and how each noun is restored.

import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { DeletedObject } from '../../src/manage/campaigns/bin/contract.ts'
import { api } from '../api/client.ts'

export type { DeletedObject }

export const binQuery = (cuid: number) =>
  queryOptions({
    queryKey: ['bin', cuid],
    queryFn: () => api.listDeleted({ cuid }),
    // Other pages delete objects.
    staleTime: 0,
  })

function restore(cuid: number, { noun, nounId, cid, pid }: DeletedObject): Promise<unknown> {
  if (noun === 'campaign') return api.restoreCampaign({ cuid, cid })
  if (noun === 'flight') return api.restoreFlight({ cuid, cid, fid: nounId })
  if (noun === 'persona') return api.restorePersona({ cuid, cid, pid: nounId })
  return api.restoreBanner({ cuid, cid, pid: pid!, bid: nounId })
}

export function useRestore(cuid: number) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (row: DeletedObject) => restore(cuid, row),
    // Many pages show the restored object. Objects below it that were deleted earlier now appear in the bin.
    onSettled: () => client.invalidateQueries(),
  })
}
