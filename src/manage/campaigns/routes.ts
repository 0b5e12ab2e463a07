// Binds each campaign endpoint to its verb.

import type { Api } from '../../http/api.ts'
import { byExternalId } from '../../http/external-id.ts'
import { HEAVY_STEP } from '../../http/list.ts'
import { bindVerbs, filtered, pageOf } from '../noun.ts'
import {
  type CampaignFilter,
  type CampaignParts,
  createCampaign,
  deleteCampaign,
  editCampaign,
  findCampaign,
  listCampaigns,
  listOf,
  type RestoreParts,
  restoreOwn,
  setEnabled,
  show,
} from './campaigns.ts'
import type { Campaign, HistoryEntry } from './contract.ts'
import * as contract from './contract.ts'
import { listHistory } from './history.ts'
import { lockCampaignsByExternalId } from './queries.ts'

export function campaignRoutes(api: Api, parts: CampaignParts & RestoreParts): void {
  const idOf = ({ cid }: Campaign) => cid
  api.bindList(contract.listCampaigns, {
    idOf,
    page: call => {
      const { db, cuid, caller } = call
      const { status, q, externalId, deleted } = call.query as CampaignFilter & { deleted?: boolean }
      const isFiltered = status !== undefined || q !== undefined || externalId !== undefined
      const cids = caller.level === 'customer' ? caller.cids : null
      const within = cids && (({ cid }: Campaign) => cids.includes(cid))
      // The database finds what fits; it does not know the status of what is deleted.
      if (isFiltered && !deleted) {
        const page = listOf(db, cuid, { status, q, externalId }, parts, call.longRead)
        return filtered({ ...call, query: {} }, page, idOf, { within })
      }
      const page = (after: number, limit: number) =>
        listCampaigns(db, { ...parts, cuid }, { after, limit, ...pageOf(call.query, parts) })
      return filtered(call, page, idOf, { within })
    },
  })
  const endpoints = {
    read: contract.readCampaign,
    edit: contract.editCampaign,
    put: contract.putCampaign,
    pause: contract.pauseCampaign,
    resume: contract.resumeCampaign,
    restore: contract.restoreCampaign,
    remove: contract.deleteCampaign,
  }
  bindVerbs(api, parts, endpoints, {
    find: findCampaign,
    show,
    answer: ({ campaign, etag }) => ({ body: campaign, etag }),
    create: createCampaign,
    edit: editCampaign,
    setEnabled,
    remove: deleteCampaign,
    restore: (tx, call, ids) => restoreOwn(tx, call, 'campaign', ids),
    byExternal: {
      rows: byExternalId('campaign', ({ cid }) => cid!, lockCampaignsByExternalId),
      parentOf: ({ cuid }) => cuid,
      schema: contract.NewCampaign,
    },
  })
  api.bindList(contract.readCampaignHistory, {
    find: call => findCampaign(call.db, call, call.params),
    idOf: (entry: HistoryEntry) => entry.id,
    step: HEAVY_STEP,
    page: call => (after, limit) => listHistory(call.db, call.caller, call.found.campaign, after, limit),
  })
}
