// Binds each endpoint of the queue to its verb. The gate lets only super pairs and staff in.

import type { Api } from '../../../http/api.ts'
import type { AppCaller } from '../../../kernel/caller.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import type { Db } from '../../../platform/database.ts'
import { approve, findOwner, listQueue, reject } from './by-hand.ts'
import type { QueuedBanner } from './contract.ts'
import * as contract from './contract.ts'

interface At {
  db: Db
  caller: unknown
  params: Record<string, string>
}

export function byHandRoutes(api: Api, { clock }: { clock: Clock }): void {
  const app = (call: { caller: unknown }) => call.caller as AppCaller
  const find = (call: At) => findOwner(call.db, app(call), call.params.bid!)

  api.bindList(contract.listQueue, {
    idOf: (banner: QueuedBanner) => banner.bid,
    page: call => (after, limit) => listQueue(call.db, app(call), after, limit, clock),
  })
  api.bind(contract.approveBanner, {
    find,
    handle: call => approve(call.db, call.found, call.body.round, app(call), clock),
  })
  api.bind(contract.rejectBanner, {
    find,
    handle: call => reject(call.db, call.found, call.body, app(call), clock),
  })
}
