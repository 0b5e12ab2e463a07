// Binds each flight endpoint to its verb.

import { type Api, withEtag } from '../../../http/api.ts'
import type { Db } from '../../../platform/database.ts'
import { findCampaign, type RestoreParts, restoreOwn } from '../campaigns.ts'
import type { Flight } from './contract.ts'
import * as contract from './contract.ts'
import {
  createFlight,
  deleteFlight,
  editFlight,
  type FoundFlight,
  findFlight,
  listDeletedFlights,
  listFlights,
} from './flights.ts'

interface At {
  db: Db
  cuid: number
  params: Record<string, string>
}

export function flightRoutes(api: Api, parts: RestoreParts): void {
  const { clock } = parts
  const findParent = (call: At) => findCampaign(call.db, call.cuid, call.params.cid!)
  const find = async (call: At) => {
    const { campaign } = await findParent(call)
    return findFlight(call.db, campaign.cid, call.params.fid!)
  }
  const answer = async (shown: Promise<FoundFlight>) => {
    const { flight, etag } = await shown
    return withEtag(flight, etag)
  }

  api.bind(contract.createFlight, {
    find: findParent,
    stillThere: (call, { fid }) => find({ ...call, params: { ...call.params, fid: String(fid) } }),
    handle: ({ db, caller, found, body }) =>
      answer(createFlight(db, caller, found.campaign.cid, body, clock)),
  })
  api.bindList(contract.listFlights, {
    find: findParent,
    idOf: (flight: Flight) => flight.fid,
    page:
      ({ db, found, query }) =>
      (after, limit) =>
        query.deleted
          ? listDeletedFlights(db, found.campaign.cid, after, limit, parts)
          : listFlights(db, found.campaign.cid, after, limit),
  })
  api.bind(contract.readFlight, {
    find,
    handle: async ({ found }) => withEtag(found.flight, found.etag),
  })
  api.bind(contract.editFlight, {
    find,
    present: async ({ found }) => found.flight,
    handle: ({ db, caller, found, body, ifMatch }) =>
      answer(editFlight(db, caller, found.flight, body, ifMatch, clock)),
  })
  api.bind(contract.deleteFlight, {
    find,
    handle: ({ db, caller, found, ifMatch }) => deleteFlight(db, caller, found.flight, ifMatch, clock),
  })
  api.bind(contract.restoreFlight, {
    find: findParent,
    handle: async call => {
      await restoreOwn(call.db, call.caller, call.cuid, 'flight', call.params, parts)
      return answer(findFlight(call.db, call.found.campaign.cid, call.params.fid!))
    },
  })
}
