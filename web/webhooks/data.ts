// Webhooks and their log as the pages read and change them. Pending deliveries are polled until they are sent.

import { queryOptions, useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { SENT, type Webhook, type WebhookDelivery } from '../../src/notify/webhooks/contract.ts'
import { api, type Tagged, tagged } from '../api/client.ts'
import { nowMs } from '../sandbox/clock.ts'

export type { Webhook, WebhookDelivery }
export type EventType = Exclude<keyof typeof SENT, 'webhook.test'>

/** The events that can be chosen; a test is sent on request. */
export const EVENT_TYPES = (Object.keys(SENT) as (keyof typeof SENT)[]).filter(
  type => type !== 'webhook.test',
)

const POLL_MS = 1000
/** A delivery due later than this is not polled. A delivery that is being sent is postponed by a minute. */
const SOON_S = 90
/** Only the first few: a receiver that is down leaves many pending. */
const WATCHED = 5

export const webhooksQuery = queryOptions({ queryKey: ['webhooks'], queryFn: () => api.listWebhooks() })
export const webhookQuery = (wid: number) =>
  queryOptions({ queryKey: ['webhook', wid], queryFn: () => tagged(api.withMeta.readWebhook({ wid })) })
export const deliveriesQuery = (wid: number) =>
  queryOptions({
    queryKey: ['deliveries', wid],
    queryFn: () => api.listWebhookDeliveries({ wid }),
    staleTime: 0,
  })

export function useKeepWebhook() {
  const client = useQueryClient()
  return (changed: Tagged<Webhook>) => {
    client.setQueryData(webhooksQuery.queryKey, list =>
      list?.map(old => (old.wid === changed.wid ? changed : old)),
    )
    client.setQueryData(webhookQuery(changed.wid).queryKey, changed)
  }
}

export function useSwitchWebhook() {
  const client = useQueryClient()
  const keep = useKeepWebhook()
  return useMutation({
    mutationFn: ({ wid, enabled }: { wid: number; enabled: boolean }) =>
      tagged(api.withMeta.editWebhook({ wid, body: { enabled } })),
    onSuccess: changed => {
      keep(changed)
      // Waiting deliveries were dropped.
      client.invalidateQueries({ queryKey: deliveriesQuery(changed.wid).queryKey })
    },
  })
}

export function useDeleteWebhook() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (wid: number) => api.deleteWebhook({ wid }),
    onSuccess: ({ wid }) => {
      client.setQueryData(webhooksQuery.queryKey, list => list?.filter(old => old.wid !== wid))
      client.removeQueries({ queryKey: webhookQuery(wid).queryKey })
      client.removeQueries({ queryKey: deliveriesQuery(wid).queryKey })
    },
  })
}

/** Puts a new or changed entry into the log. */
function useKeepDelivery(wid: number) {
  const client = useQueryClient()
  return (changed: WebhookDelivery) =>
    client.setQueryData(deliveriesQuery(wid).queryKey, list =>
      list?.some(old => old.did === changed.did)
        ? list.map(old => (old.did === changed.did ? changed : old))
        : list && [...list, changed],
    )
}

/** Shown at once, and read again, because a log that is loading right now does not contain it. */
function useKeepSent(wid: number) {
  const client = useQueryClient()
  const keep = useKeepDelivery(wid)
  return (sent: WebhookDelivery) => {
    keep(sent)
    client.invalidateQueries({ queryKey: deliveriesQuery(wid).queryKey })
  }
}

export function useTestWebhook(wid: number) {
  const onSuccess = useKeepSent(wid)
  return useMutation({ mutationFn: () => api.testWebhook({ wid }), onSuccess })
}

export function useRetryDelivery(wid: number) {
  const onSuccess = useKeepSent(wid)
  return useMutation({ mutationFn: (did: number) => api.retryWebhookDelivery({ wid, did }), onSuccess })
}

/** The log, which is updated while deliveries are being sent. */
export function useDeliveries(wid: number) {
  const keep = useKeepDelivery(wid)
  const log = useQuery(deliveriesQuery(wid))
  useNewFailures(wid, log.data)
  const soonS = nowMs() / 1000 + SOON_S
  const due = (log.data ?? []).filter(entry => entry.next !== null && entry.next < soonS)
  useQueries({
    queries: due.slice(-WATCHED).map(({ did }) => ({
      queryKey: ['delivery', wid, did],
      queryFn: async () => {
        const entry = await api.readWebhookDelivery({ wid, did })
        keep(entry)
        return entry
      },
      refetchInterval: POLL_MS,
      gcTime: 0,
    })),
  })
  return log
}

/** An answer of 410 has switched the webhook off, so it is read again, whichever call reported the failure. */
function useNewFailures(wid: number, log: readonly WebhookDelivery[] | undefined): void {
  const client = useQueryClient()
  const known = useRef<number | null>(null)
  const failures = log?.filter(({ state }) => state === 'failed').length ?? null
  useEffect(() => {
    if (known.current !== null && failures !== null && failures > known.current) {
      client.invalidateQueries({ queryKey: webhookQuery(wid).queryKey })
      client.invalidateQueries({ queryKey: webhooksQuery.queryKey })
    }
    known.current = failures
  }, [client, wid, failures])
}

/** The name that people know it by. */
export function webhookName({ description, url }: Webhook): string {
  return description ?? url
}
