// Banners as the pages read and change them. While one is under review its page asks again until the verdict is there.

import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Banner } from '../../src/banners/contract.ts'
import { api, type Tagged, tagged } from '../api/client.ts'

export type { Banner }

const REVIEW_POLL_MS = 1000

export const bannersQuery = (cuid: number, cid: number, pid: number) =>
  queryOptions({
    queryKey: ['banners', cuid, cid, pid],
    queryFn: () => api.listBanners({ cuid, cid, pid }),
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
export const useBanner = (cuid: number, cid: number, pid: number, bid: number) =>
  useQuery(bannerQuery(cuid, cid, pid, bid))

/** Puts a changed banner into its page and the list around it. */
export function useKeepBanner(cuid: number, cid: number, pid: number) {
  const client = useQueryClient()
  return (changed: Tagged<Banner>) => {
    client.setQueryData(bannerQuery(cuid, cid, pid, changed.bid).queryKey, changed)
    client.setQueryData(bannersQuery(cuid, cid, pid).queryKey, list =>
      list?.map(old => (old.bid === changed.bid ? changed : old)),
    )
    client.invalidateQueries({ queryKey: ['issues', cuid] })
  }
}

export function useDeleteBanner(cuid: number, cid: number, pid: number) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (bid: number) => api.deleteBanner({ cuid, cid, pid, bid }),
    onSuccess: ({ bid }) => {
      client.setQueryData(bannersQuery(cuid, cid, pid).queryKey, list => list?.filter(old => old.bid !== bid))
      client.removeQueries({ queryKey: ['banner', cuid, cid, pid, bid] })
    },
  })
}

export function sizeOf(banner: { width: number | null; height: number | null }): string {
  return banner.width && banner.height ? `${banner.width} × ${banner.height}` : '–'
}
