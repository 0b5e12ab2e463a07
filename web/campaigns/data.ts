// Campaigns as the pages read and change them. Where the answer is the new object, a change is shown at once.

import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Campaign, CampaignEdit } from '../../src/manage/campaigns/contract.ts'
import { api, type Tagged, tagged } from '../api/client.ts'
import { copyName } from '../bulk/copy-name.ts'
import { type BulkOperation, refusalOf, runBulk } from '../bulk/run.ts'
import { useSwitchMany } from '../bulk/switch.ts'
import { useNotice } from '../shell/notice.tsx'

export type { Campaign, CampaignEdit }

/**
 * A status changes by itself, for example when a budget is spent or a review ends. The page must not show the old one.
 */
const LIST_AGAIN_MS = 60_000
const LOOK_AGAIN_MS = 20_000
const IN_REVIEW_MS = 5_000

const isInReview = ({ missing }: Campaign) => missing.includes('banner_pending')

export const campaignsQuery = (cuid: number) =>
  queryOptions({
    queryKey: ['campaigns', cuid],
    queryFn: () => api.listCampaigns({ cuid }),
    refetchInterval: ({ state }) => (state.data?.some(isInReview) ? IN_REVIEW_MS : LIST_AGAIN_MS),
  })
export const campaignQuery = (cuid: number, cid: number) =>
  queryOptions({
    queryKey: ['campaign', cuid, cid],
    queryFn: () => tagged(api.withMeta.readCampaign({ cuid, cid })),
    refetchInterval: ({ state }) => (state.data && isInReview(state.data) ? IN_REVIEW_MS : LOOK_AGAIN_MS),
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
    // The flight that the campaign was born with follows its dates.
    client.invalidateQueries({ queryKey: ['flights', cuid] })
  }
}

/** How an editor of a campaign reads it again, writes over the version that was shown, and keeps the answer. */
export function useCampaignCalls(cuid: number, cid: number) {
  return {
    read: () => tagged(api.withMeta.readCampaign({ cuid, cid })),
    write: (changes: object, ifMatch: string | undefined) =>
      tagged(api.withMeta.editCampaign({ cuid, cid, body: changes as CampaignEdit }, { ifMatch })),
    keep: useKeepCampaign(cuid),
  }
}

export interface SwitchInput {
  cids: readonly number[]
  enabled: boolean
}

/** Reads all campaigns again after a bulk change, a creation or a deletion. */
export function useCampaignsAnew(cuid: number) {
  const client = useQueryClient()
  return () => {
    for (const what of ['campaigns', 'campaign', 'issues', 'flights']) {
      client.invalidateQueries({ queryKey: [what, cuid] })
    }
  }
}

export function useSwitchCampaigns(cuid: number) {
  const keep = useKeepCampaign(cuid)
  const anew = useCampaignsAnew(cuid)
  const switchMany = useSwitchMany<Campaign>(cuid, { keep: changed => keep(...changed), anew })
  return useMutation({
    mutationFn: ({ cids, enabled }: SwitchInput) => {
      const op = enabled ? ('resumeCampaign' as const) : ('pauseCampaign' as const)
      return switchMany(cids.map(cid => ({ op, cid })))
    },
  })
}

export function useCopyCampaign(cuid: number) {
  const anew = useCampaignsAnew(cuid)
  return useMutation({
    mutationFn: ({ cid, name }: Pick<Campaign, 'cid' | 'name'>) =>
      api.copyCampaign({ cuid, cid, body: { name: copyName(name) } }),
    onSuccess: anew,
  })
}

/** Works even after the page that deleted the campaign is gone. */
export function useRestoreCampaign(cuid: number) {
  const anew = useCampaignsAnew(cuid)
  return async (cid: number) => {
    await api.restoreCampaign({ cuid, cid })
    anew()
  }
}

export function useDeleteCampaign(cuid: number) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (cid: number) => api.deleteCampaign({ cuid, cid }),
    onSuccess: ({ cid }) => {
      client.setQueryData(campaignsQuery(cuid).queryKey, list => list?.filter(old => old.cid !== cid))
      client.removeQueries({ queryKey: ['campaign', cuid, cid] })
      client.invalidateQueries({ queryKey: ['issues', cuid] })
    },
  })
}

/** Runs an operation for each campaign and reports refusals. Resolves to the ids in the successful answers. */
function useForEach(cuid: number) {
  const anew = useCampaignsAnew(cuid)
  const notice = useNotice()
  return async (operations: readonly BulkOperation[]): Promise<number[]> => {
    const results = await runBulk(cuid, operations, { atOnce: 100 }).finally(anew)
    const refusals = results.flatMap(result => refusalOf(result, 'UTC') ?? [])
    if (refusals.length > 0) notice.someRefused(refusals)
    return results.flatMap(({ answer }) => (answer ? [(answer as { cid: number }).cid] : []))
  }
}

/** Resolves to the ids of the copies. */
export function useCopyMany(cuid: number) {
  const forEach = useForEach(cuid)
  return useMutation({
    mutationFn: (chosen: readonly Campaign[]) =>
      forEach(chosen.map(({ cid, name }) => ({ op: 'copyCampaign', cid, body: { name: copyName(name) } }))),
  })
}

/** Deletes or restores campaigns; resolves to the ids of those changed. */
export function useDeleteMany(cuid: number) {
  const forEach = useForEach(cuid)
  return useMutation({
    mutationFn: ({ cids, back = false }: { cids: readonly number[]; back?: boolean }) =>
      forEach(cids.map(cid => ({ op: back ? 'restoreCampaign' : 'deleteCampaign', cid }))),
  })
}
