// Campaigns as the pages read and change them. A change is shown at once where the answer is the new object.

import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Campaign, CampaignEdit } from '../../src/campaigns/contract.ts'
import { api, type Tagged, tagged } from '../api/client.ts'

export type { Campaign, CampaignEdit }

export const campaignsQuery = (cuid: number) =>
  queryOptions({ queryKey: ['campaigns', cuid], queryFn: () => api.listCampaigns({ cuid }) })
export const campaignQuery = (cuid: number, cid: number) =>
  queryOptions({
    queryKey: ['campaign', cuid, cid],
    queryFn: () => tagged(api.withMeta.readCampaign({ cuid, cid })),
  })

export const useCampaigns = (cuid: number) => useQuery(campaignsQuery(cuid))
export const useCampaign = (cuid: number, cid: number) => useQuery(campaignQuery(cuid, cid))

/** Puts changed campaigns into every list and page that shows them. */
export function useKeepCampaign(cuid: number) {
  const client = useQueryClient()
  return (...changed: Tagged<Campaign>[]) => {
    const byId = new Map<number, Campaign>(changed.map(campaign => [campaign.cid, campaign]))
    client.setQueryData(campaignsQuery(cuid).queryKey, list => list?.map(old => byId.get(old.cid) ?? old))
    for (const campaign of changed) client.setQueryData(campaignQuery(cuid, campaign.cid).queryKey, campaign)
    client.invalidateQueries({ queryKey: ['issues', cuid] })
    // The flight it was born with follows its dates.
    client.invalidateQueries({ queryKey: ['flights', cuid] })
  }
}

export interface SwitchInput {
  cids: readonly number[]
  enabled: boolean
}

/** Asked for in parallel, a few at a time: the API has no call for many. */
const AT_ONCE = 6

export function useSwitchCampaigns(cuid: number) {
  const keep = useKeepCampaign(cuid)
  return useMutation({
    mutationFn: async ({ cids, enabled }: SwitchInput) => {
      const changed: Tagged<Campaign>[] = []
      for (let at = 0; at < cids.length; at += AT_ONCE) {
        const some = cids.slice(at, at + AT_ONCE)
        const change = enabled ? api.withMeta.resumeCampaign : api.withMeta.pauseCampaign
        changed.push(...(await Promise.all(some.map(cid => tagged(change({ cuid, cid }))))))
        keep(...changed)
      }
      return changed
    },
  })
}

export function useDeleteCampaign(cuid: number) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (cid: number) => api.deleteCampaign({ cuid, cid }),
    onSuccess: ({ cid }) => {
      client.setQueryData(campaignsQuery(cuid).queryKey, list => list?.filter(old => old.cid !== cid))
      client.removeQueries({ queryKey: ['campaign', cuid, cid] })
    },
  })
}
