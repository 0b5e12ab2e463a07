// Today's totals as they change: one stream for all who show them, opened again when it ends.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { LiveTotals } from '../../src/stats/contract.ts'
import { api } from '../api/client.ts'

export function useLive(cuid: number) {
  const client = useQueryClient()
  const query = useQuery<LiveTotals>({
    queryKey: ['live', cuid],
    // The stream fills it: nobody asks besides.
    queryFn: () => Promise.reject(new Error('only by stream')),
    enabled: false,
  })
  useEffect(() => {
    const stream = new EventSource(api.urlOf('readLive', { cuid }))
    stream.addEventListener('totals', event => {
      client.setQueryData(['live', cuid], JSON.parse((event as MessageEvent<string>).data) as LiveTotals)
    })
    return () => stream.close()
  }, [client, cuid])
  return query.data
}
