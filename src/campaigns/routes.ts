// Campaign endpoints, each to its verb.

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
import type { Campaign } from './contract.ts'
import * as contract from './contract.ts'

interface AtCampaign {
  db: Parameters<typeof findCampaign>[0]
  cuid: number
  params: Record<string, string>
}

export function campaignRoutes(api: Api, parts: CampaignParts): void {
  const find = (call: AtCampaign) => findCampaign(call.db, call.cuid, call.params.cid!)
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
}
