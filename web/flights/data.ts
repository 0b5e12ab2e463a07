// Flights as the pages read and change them. A change may start or end the campaign, so the campaign is read again too.

import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Flight } from '../../src/manage/campaigns/flights/contract.ts'
import { api, tagged } from '../api/client.ts'

export type { Flight }

export const flightsQuery = (cuid: number, cid: number) =>
  queryOptions({ queryKey: ['flights', cuid, cid], queryFn: () => api.listFlights({ cuid, cid }) })

/** Includes the one that the campaign was born with; the page of a single flight uses this list too. */
export const useFlights = (cuid: number, cid: number) => useQuery(flightsQuery(cuid, cid))

/** One flight with its version, for its form. */
export const useFlight = (cuid: number, cid: number, fid: number) =>
  useQuery({
    queryKey: ['flight', cuid, cid, fid],
    queryFn: () => tagged(api.withMeta.readFlight({ cuid, cid, fid })),
  })

/** Reads again what depends on the flights of a campaign. */
function useCampaignAnew(cuid: number, cid: number) {
  const client = useQueryClient()
  return () => {
    client.invalidateQueries({ queryKey: ['campaign', cuid, cid] })
    client.invalidateQueries({ queryKey: ['campaigns', cuid] })
    client.invalidateQueries({ queryKey: ['issues', cuid] })
  }
}

/** Puts a new or changed flight into the list. */
export function useKeepFlight(cuid: number, cid: number) {
  const client = useQueryClient()
  const campaignAnew = useCampaignAnew(cuid, cid)
  return (changed: Flight) => {
    client.setQueryData(flightsQuery(cuid, cid).queryKey, (list = []) =>
      list.some(old => old.fid === changed.fid)
        ? list.map(old => (old.fid === changed.fid ? changed : old))
        : [...list, changed],
    )
    if ('etag' in changed) client.setQueryData(['flight', cuid, cid, changed.fid], changed)
    campaignAnew()
  }
}

export function useDeleteFlight(cuid: number, cid: number) {
  const client = useQueryClient()
  const campaignAnew = useCampaignAnew(cuid, cid)
  return useMutation({
    mutationFn: (fid: number) => api.deleteFlight({ cuid, cid, fid }),
    onSuccess: ({ fid }) => {
      client.setQueryData(flightsQuery(cuid, cid).queryKey, list => list?.filter(old => old.fid !== fid))
      campaignAnew()
    },
  })
}
