// Binds each flight endpoint to its verb.

import type { Api } from '../../../http/api.ts'
import type { Db } from '../../../platform/database.ts'
import { bindVerbs, type PathIds, pageOf } from '../../noun.ts'
import { findCampaign, type RestoreParts, restoreOwn } from '../campaigns.ts'
import type { Flight } from './contract.ts'
import * as contract from './contract.ts'
import {
  createFlight,
  deleteFlight,
  editFlight,
  type FoundFlight,
  findFlight,
  listFlights,
} from './flights.ts'

export function flightRoutes(api: Api, parts: RestoreParts): void {
  api.bindList(contract.listFlights, {
    find: call => findCampaign(call.db, call, call.params),
    idOf: ({ fid }: Flight) => fid,
    page: call => (after, limit) =>
      listFlights(call.db, parts, call.found, { after, limit, ...pageOf(call.query, parts) }),
  })
  const endpoints = {
    create: contract.createFlight,
    read: contract.readFlight,
    edit: contract.editFlight,
    restore: contract.restoreFlight,
    remove: contract.deleteFlight,
  }
  bindVerbs(api, parts, endpoints, {
    find: async (db: Db, call: { cuid: number }, ids: PathIds) =>
      findFlight(db, await findCampaign(db, call, ids), ids),
    findAbove: findCampaign,
    show: (_db, _call, found: FoundFlight) => found,
    answer: ({ flight, etag }) => ({ body: flight, etag }),
    create: createFlight,
    edit: editFlight,
    remove: deleteFlight,
    restore: (tx, call, ids) => restoreOwn(tx, call, 'flight', ids),
  })
}
