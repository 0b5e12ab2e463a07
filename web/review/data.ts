// The queue of banners that wait for a person, as its page reads and changes it.

import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { QueuedBanner } from '../../src/manage/banners/by-hand/contract.ts'
import { api, MarqueeError } from '../api/client.ts'

export type { QueuedBanner }

/** As many as one call reads; the rest follows when these are decided. */
export const QUEUE_PAGE = 100
const LOOK_AGAIN_MS = 60_000

export const queueQuery = queryOptions({
  queryKey: ['review'],
  queryFn: () => api.listQueue({ limit: QUEUE_PAGE }),
  refetchInterval: LOOK_AGAIN_MS,
})

/** With a `reason` the banner is rejected, without one it is approved. */
export function useDecideBanner() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ banner: { bid, round }, reason }: { banner: QueuedBanner; reason?: string }) =>
      reason === undefined
        ? api.approveBanner({ bid, body: { round } })
        : api.rejectBanner({ bid, body: { round, reason } }),
    onSuccess: ({ bid }) => {
      const left = client.getQueryData(queueQuery.queryKey)?.filter(item => item.bid !== bid)
      client.setQueryData(queueQuery.queryKey, left)
      client.invalidateQueries({ queryKey: ['cockpit'] })
      if (left?.length === 0) client.invalidateQueries({ queryKey: queueQuery.queryKey })
    },
    // Somebody else was faster: the remaining queue is read again.
    onError: error => {
      if (error instanceof MarqueeError && (error.status === 409 || error.status === 404))
        client.invalidateQueries({ queryKey: queueQuery.queryKey })
    },
  })
}
