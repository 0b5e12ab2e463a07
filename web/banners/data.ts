// Banners as the pages read and change them. While a banner is in review, its page polls for the verdict.

import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Banner } from '../../src/manage/banners/contract.ts'
import { api, type Tagged, tagged } from '../api/client.ts'
import { copyName } from '../bulk/copy-name.ts'
import { useSwitchMany } from '../bulk/switch.ts'
import { readCampaignsAgain } from '../campaigns/status-again.ts'

export type { Banner }

const REVIEW_POLL_MS = 1000

export const bannersQuery = (cuid: number, cid: number, pid: number) =>
  queryOptions({
    queryKey: ['banners', cuid, cid, pid],
    queryFn: () => api.listBanners({ cuid, cid, pid }),
    refetchInterval: ({ state }) => (state.data?.some(isPending) ? REVIEW_POLL_MS : false),
  })
/** The banners of all personas of a campaign. */
export const campaignBannersQuery = (cuid: number, cid: number) =>
  queryOptions({
    queryKey: ['banners', cuid, cid, 'all'],
    queryFn: () => api.listAllBanners({ cuid, cid }),
    refetchInterval: ({ state }) => (state.data?.some(isPending) ? REVIEW_POLL_MS : false),
  })
export const bannerQuery = (cuid: number, cid: number, pid: number, bid: number) =>
  queryOptions({
    queryKey: ['banner', cuid, cid, pid, bid],
    queryFn: () => tagged(api.withMeta.readBanner({ cuid, cid, pid, bid })),
    refetchInterval: ({ state }) => (state.data && isPending(state.data) ? REVIEW_POLL_MS : false),
  })

function isPending(banner: Banner): boolean {
  return banner.status === 'pending'
}

export const useBanners = (cuid: number, cid: number, pid: number) => useQuery(bannersQuery(cuid, cid, pid))
export const useCampaignBanners = (cuid: number, cid: number) => useQuery(campaignBannersQuery(cuid, cid))
export const useBanner = (cuid: number, cid: number, pid: number, bid: number) =>
  useQuery(bannerQuery(cuid, cid, pid, bid))

/** Puts changed banners into their pages and the list around them. */
export function useKeepBanner(cuid: number, cid: number, pid: number) {
  const client = useQueryClient()
  return (...changed: Tagged<Banner>[]) => {
    const byId = new Map<number, Banner>(changed.map(banner => [banner.bid, banner]))
    for (const banner of changed)
      client.setQueryData(bannerQuery(cuid, cid, pid, banner.bid).queryKey, banner)
    for (const { queryKey } of [bannersQuery(cuid, cid, pid), campaignBannersQuery(cuid, cid)]) {
      client.setQueryData<Banner[]>(queryKey, list => list?.map(old => byId.get(old.bid) ?? old))
    }
    readCampaignsAgain(client, cuid)
  }
}

export function useSwitchBanners(cuid: number, cid: number, pid: number) {
  const keep = useKeepBanner(cuid, cid, pid)
  const anew = useBannersAnew(cuid, cid)
  const switchMany = useSwitchMany<Banner>(cuid, { keep: changed => keep(...changed), anew })
  return useMutation({
    mutationFn: ({ bids, enabled }: { bids: readonly number[]; enabled: boolean }) => {
      const op = enabled ? ('resumeBanner' as const) : ('pauseBanner' as const)
      return switchMany(bids.map(bid => ({ op, cid, pid, bid })))
    },
  })
}

/** Reads the banners of a persona again, the lists that they are in, and what depends on them. */
export function useBannersAnew(cuid: number, cid: number) {
  const client = useQueryClient()
  return () => {
    client.invalidateQueries({ queryKey: ['banners', cuid, cid] })
    readCampaignsAgain(client, cuid)
  }
}

export function useCopyBanner(cuid: number, cid: number, pid: number) {
  const anew = useBannersAnew(cuid, cid)
  return useMutation({
    mutationFn: ({ bid, name }: Pick<Banner, 'bid' | 'name'>) =>
      api.copyBanner({ cuid, cid, pid, bid, body: { name: copyName(name) } }),
    onSuccess: anew,
  })
}

/** Works even after the page that deleted the banner is gone. */
export function useRestoreBanner(cuid: number, cid: number, pid: number) {
  const anew = useBannersAnew(cuid, cid)
  return async (bid: number) => {
    await api.restoreBanner({ cuid, cid, pid, bid })
    anew()
  }
}

export function useDeleteBanner(cuid: number, cid: number, pid: number) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (bid: number) => api.deleteBanner({ cuid, cid, pid, bid }),
    onSuccess: ({ bid }) => {
      for (const { queryKey } of [bannersQuery(cuid, cid, pid), campaignBannersQuery(cuid, cid)]) {
        client.setQueryData<Banner[]>(queryKey, list => list?.filter(old => old.bid !== bid))
      }
      client.removeQueries({ queryKey: ['banner', cuid, cid, pid, bid] })
      readCampaignsAgain(client, cuid)
    },
  })
}

export function sizeOf(banner: { width: number | null; height: number | null }): string {
  return banner.width && banner.height ? `${banner.width} × ${banner.height}` : '–'
}
