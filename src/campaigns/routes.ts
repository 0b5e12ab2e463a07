// Campaign and flight endpoints, each to its verb.

import type { Db } from '../platform/database.ts'
import { type Api, withEtag } from '../platform/http/api.ts'
import {
  type CampaignParts,
  createCampaign,
  deleteCampaign,
  editCampaign,
  findCampaign,
  listCampaigns,
  type ShownCampaign,
  setEnabled,
  show,
} from './campaigns.ts'
import type { Campaign, Flight, HistoryEntry } from './contract.ts'
import * as contract from './contract.ts'
import {
  createFlight,
  deleteFlight,
  editFlight,
  type FoundFlight,
  findFlight,
  listFlights,
} from './flights.ts'
import { listHistory } from './history.ts'

interface At {
  db: Db
  cuid: number
  params: Record<string, string>
}

export function campaignRoutes(api: Api, parts: CampaignParts): void {
  const find = (call: At) => findCampaign(call.db, call.cuid, call.params.cid!)
  const answer = async (shown: Promise<ShownCampaign>) => {
    const { campaign, etag } = await shown
    return withEtag(campaign, etag)
  }

  api.bind(contract.createCampaign, {
    handle: call => answer(createCampaign(call.db, call.caller, call.cuid, call.body, parts)),
  })
  api.bindList(contract.listCampaigns, {
    idOf: (campaign: Campaign) => campaign.cid,
    page: call => (after, limit) => listCampaigns(call.db, call.cuid, after, limit, parts),
  })
  api.bind(contract.readCampaign, {
    find,
    handle: call => answer(show(call.db, call.found, parts)),
  })
  api.bind(contract.editCampaign, {
    find,
    handle: ({ db, caller, found, body, ifMatch }) =>
      answer(editCampaign(db, caller, found.campaign.cid, body, ifMatch, parts)),
  })
  api.bind(contract.pauseCampaign, {
    find,
    handle: ({ db, caller, found, ifMatch }) =>
      answer(setEnabled(db, caller, found.campaign.cid, false, ifMatch, parts)),
  })
  api.bind(contract.resumeCampaign, {
    find,
    handle: ({ db, caller, found, ifMatch }) =>
      answer(setEnabled(db, caller, found.campaign.cid, true, ifMatch, parts)),
  })
  api.bind(contract.deleteCampaign, {
    find,
    handle: ({ db, caller, found, ifMatch }) =>
      deleteCampaign(db, caller, found.campaign.cid, ifMatch, parts),
  })
  api.bindList(contract.readCampaignHistory, {
    find,
    idOf: (entry: HistoryEntry) => entry.id,
    page: call => (after, limit) => listHistory(call.db, call.caller, call.found.campaign.cid, after, limit),
  })
  flightRoutes(api, parts)
}

function flightRoutes(api: Api, { clock }: CampaignParts): void {
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
    handle: ({ db, caller, found, body }) =>
      answer(createFlight(db, caller, found.campaign.cid, body, clock)),
  })
  api.bindList(contract.listFlights, {
    find: findParent,
    idOf: (flight: Flight) => flight.fid,
    page: call => (after, limit) => listFlights(call.db, call.found.campaign.cid, after, limit),
  })
  api.bind(contract.readFlight, {
    find,
    handle: async ({ found }) => withEtag(found.flight, found.etag),
  })
  api.bind(contract.editFlight, {
    find,
    handle: ({ db, caller, found, body, ifMatch }) =>
      answer(editFlight(db, caller, found.flight, body, ifMatch, clock)),
  })
  api.bind(contract.deleteFlight, {
    find,
    handle: ({ db, caller, found, ifMatch }) => deleteFlight(db, caller, found.flight, ifMatch, clock),
  })
}
