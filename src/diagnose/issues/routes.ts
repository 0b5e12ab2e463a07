// The issues endpoints and their verb.

import type { Api } from '../../http/api.ts'
import { findCampaign } from '../../manage/campaigns/campaigns.ts'
import * as contract from './contract.ts'
import { type IssueParts, listIssues } from './issues.ts'

export function issueRoutes(api: Api, parts: IssueParts): void {
  api.bind(contract.listIssues, {
    handle: ({ db, cuid }) => listIssues(db, { cuid, cid: null }, parts),
  })
  api.bind(contract.listCampaignIssues, {
    find: call => findCampaign(call.db, call, call.params),
    handle: ({ db, cuid, found }) => listIssues(db, { cuid, cid: found.campaign.cid }, parts),
  })
}
