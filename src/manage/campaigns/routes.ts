// Binds each campaign endpoint to its verb.

import { type Api, upserted, withEtag } from '../../http/api.ts'
import { type FetchPage, HEAVY_STEP, only } from '../../http/list.ts'
import type { Db } from '../../platform/database.ts'
import { campaignKey, presentCampaign, putCampaign } from './by-external.ts'
import {
  type CampaignFilter,
  type CampaignParts,
  deleteCampaign,
  deletedOf,
  editCampaign,
  findCampaign,
  listCampaigns,
  listOf,
  type RestoreParts,
  restoreOwn,
  type ShownCampaign,
  setEnabled,
  show,
} from './campaigns.ts'
import type { Campaign, HistoryEntry } from './contract.ts'
import * as contract from './contract.ts'
import { listHistory } from './history.ts'

interface At {
  db: Db
  cuid: number
  params: Record<string, string>
}

export function campaignRoutes(api: Api, parts: CampaignParts & RestoreParts): void {
  const find = (call: At) => findCampaign(call.db, call.cuid, call.params.cid!)
  const keyOf = ({ cuid, params }: Omit<At, 'db'>) => campaignKey(cuid, params.externalId!)
  const idOf = (campaign: Campaign) => campaign.cid
  const answer = async (shown: Promise<ShownCampaign>) => {
    const { campaign, etag } = await shown
    return withEtag(campaign, etag)
  }

  api.bindList(contract.listCampaigns, {
    idOf,
    page: call => {
      const { status, q, externalId, deleted } = call.query as CampaignFilter & { deleted?: boolean }
      const hasFilter = status !== undefined || q !== undefined || externalId !== undefined
      const filter = { status, q, externalId }
      const present: FetchPage<Campaign> = hasFilter
        ? listOf(call.db, call.cuid, filter, parts, call.longRead)
        : (after, limit) => listCampaigns(call.db, call.cuid, after, limit, parts)
      const page = deleted ? deletedOf(call.db, call.cuid, filter, parts, call.longRead) : present
      const cids = call.caller.level === 'customer' ? call.caller.cids : null
      return cids === null ? page : only(page, idOf, ({ cid }) => cids.includes(cid), call.longRead)
    },
  })
  api.bind(contract.readCampaign, {
    find,
    handle: call => answer(show(call.db, call.found, parts)),
  })
  api.bind(contract.editCampaign, {
    find,
    present: async call => (await show(call.db, call.found, parts)).campaign,
    handle: ({ db, caller, found, body, ifMatch }) =>
      answer(editCampaign(db, caller, found.campaign.cid, body, ifMatch, parts)),
  })
  api.bind(contract.putCampaign, {
    present: call => presentCampaign(call.db, keyOf(call), parts),
    handle: async call => {
      const { db, caller, body, ifMatch } = call
      const { result, created } = await putCampaign(db, caller, keyOf(call), body, ifMatch, parts)
      return upserted(result.campaign, result.etag, created)
    },
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
  api.bind(contract.restoreCampaign, {
    handle: async call => {
      await restoreOwn(call.db, call.caller, call.cuid, 'campaign', call.params, parts)
      return answer(show(call.db, await find(call), parts))
    },
  })
  api.bindList(contract.readCampaignHistory, {
    find,
    idOf: (entry: HistoryEntry) => entry.id,
    step: HEAVY_STEP,
    page: call => (after, limit) => listHistory(call.db, call.caller, call.found.campaign, after, limit),
  })
}
