// The issues endpoints and their verb.

import { findCampaign } from '../campaigns/campaigns.ts'
import type { Api } from '../http/api.ts'
import type { Clock } from '../kernel/clock.ts'
import { calendarOf } from '../kernel/day.ts'
import * as contract from './contract.ts'
import { listIssues } from './issues.ts'

export function issueRoutes(api: Api, { clock, timeZone }: { clock: Clock; timeZone: string }): void {
  const calendar = calendarOf(timeZone)
  api.bind(contract.listIssues, {
    handle: ({ db, cuid }) => listIssues(db, { cuid, cid: null }, clock, calendar),
  })
  api.bind(contract.listCampaignIssues, {
    find: ({ db, cuid, params }) => findCampaign(db, cuid, params.cid!),
    handle: ({ db, cuid, found }) => listIssues(db, { cuid, cid: found.campaign.cid }, clock, calendar),
  })
}
