// Webhook endpoints, each bound to its verb.

import { type Api, withEtag } from '../../http/api.ts'
import type { AppCaller } from '../../kernel/caller.ts'
import type { Db } from '../../platform/database.ts'
import type { Webhook, WebhookDelivery } from './contract.ts'
import * as contract from './contract.ts'
import { findDelivery, listDeliveries, retryDelivery, sendTest } from './deliveries.ts'
import {
  createWebhook,
  deleteWebhook,
  editWebhook,
  findWebhook,
  listWebhooks,
  rotateSecret,
  type WebhookParts,
} from './webhooks.ts'

interface At {
  db: Db
  caller: unknown
  params: Record<string, string>
}

export function webhookRoutes(api: Api, parts: WebhookParts): void {
  const { clock } = parts
  /** The gate admits only super pairs. */
  const app = (call: { caller: unknown }) => call.caller as AppCaller
  const find = (call: At) => findWebhook(call.db, app(call), call.params.wid!)
  const findEntry = async (call: At) => {
    const { webhook } = await find(call)
    return findDelivery(call.db, webhook, call.params.did!)
  }

  api.bind(contract.createWebhook, {
    stillThere: (call, { wid }) => findWebhook(call.db, app(call), String(wid)),
    handle: async call => {
      const { webhook, etag } = await createWebhook(call.db, app(call), call.body, parts)
      return withEtag(webhook, etag)
    },
  })
  api.bindList(contract.listWebhooks, {
    idOf: (webhook: Webhook) => webhook.wid,
    page: call => (after, limit) => listWebhooks(call.db, app(call), after, limit),
  })
  api.bind(contract.readWebhook, {
    find,
    handle: async ({ found }) => withEtag(found.webhook, found.etag),
  })
  api.bind(contract.editWebhook, {
    find,
    present: async ({ found }) => found.webhook,
    handle: async ({ db, found, body, ifMatch }) => {
      const { webhook, etag } = await editWebhook(db, found.webhook.wid, body, ifMatch, parts)
      return withEtag(webhook, etag)
    },
  })
  api.bind(contract.deleteWebhook, {
    find,
    handle: ({ db, found, ifMatch }) => deleteWebhook(db, found.webhook.wid, ifMatch),
  })
  api.bind(contract.rotateWebhookSecret, {
    find,
    handle: ({ db, found }) => rotateSecret(db, found.webhook.wid, clock),
  })
  api.bind(contract.testWebhook, {
    find,
    handle: ({ db, found }) => sendTest(db, found.webhook, clock),
  })
  api.bindList(contract.listWebhookDeliveries, {
    find,
    idOf: (delivery: WebhookDelivery) => delivery.did,
    page: call => (after, limit) => listDeliveries(call.db, call.found.webhook.wid, after, limit),
  })
  api.bind(contract.readWebhookDelivery, {
    find: findEntry,
    handle: async ({ found }) => found,
  })
  api.bind(contract.retryWebhookDelivery, {
    find: findEntry,
    handle: ({ db, found }) => retryDelivery(db, found, clock),
  })
}
