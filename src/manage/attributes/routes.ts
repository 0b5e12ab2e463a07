// Endpoints of attributes, each with its verb.

import { type Api, upserted, withEtag } from '../../http/api.ts'
import type { AppCaller, Caller } from '../../kernel/caller.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import {
  deleteAttribute,
  findAttribute,
  listAttributeChanges,
  listAttributes,
  listTargetable,
  presentAttribute,
  putAttribute,
} from './attributes.ts'
import type { AttributeChange } from './contract.ts'
import * as contract from './contract.ts'

export function attributeRoutes(api: Api, { clock }: { clock: Clock }): void {
  /** The gate lets in only super pairs and staff. */
  const app = (call: { caller: unknown }) => call.caller as AppCaller
  const declaring = (call: { caller: unknown; ifMatch: string | null; query: Record<string, unknown> }) => ({
    caller: app(call),
    clock,
    ifMatch: call.ifMatch,
    force: call.query.force === true,
  })

  api.bind(contract.listAttributes, { handle: call => listAttributes(call.db, app(call)) })
  api.bind(contract.readAttribute, {
    find: call => findAttribute(call.db, app(call), call.params.key!),
    handle: async ({ found }) => withEtag(found.attribute, found.etag),
  })
  api.bind(contract.putAttribute, {
    present: call => presentAttribute(call.db, app(call), call.params.key!),
    handle: async call => {
      const { found, created } = await putAttribute(call.db, declaring(call), call.params.key!, call.body)
      return upserted(found.attribute, found.etag, created)
    },
  })
  api.bind(contract.deleteAttribute, {
    find: call => findAttribute(call.db, app(call), call.params.key!),
    handle: call => deleteAttribute(call.db, declaring(call), call.params.key!),
  })
  api.bindList(contract.readAttributeHistory, {
    idOf: (change: AttributeChange) => change.id,
    page: call => (after, limit) => listAttributeChanges(call.db, app(call), after, limit),
  })
  api.bind(contract.listTargetable, {
    handle: call => {
      const { appId, level } = call.caller as Caller
      return listTargetable(call.db, appId, level === 'app')
    },
  })
}
