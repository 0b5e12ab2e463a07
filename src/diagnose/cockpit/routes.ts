// The endpoints of the cockpit, each bound to its verb. The gate admits only super pairs and staff.

import type { Api } from '../../http/api.ts'
import type { AppCaller } from '../../kernel/caller.ts'
import { byLookup } from '../../platform/lookup-queries.ts'
import type { IssueParts } from '../issues/issues.ts'
import {
  type CockpitAsked,
  type IssuesAsked,
  listIssuesOfAll,
  readCockpit,
  searchCampaigns,
} from './cockpit.ts'
import * as contract from './contract.ts'
import { createPictures } from './pictures.ts'

export function cockpitRoutes(api: Api, parts: IssueParts): void {
  const pictures = createPictures()
  const app = (call: { caller: unknown }) => call.caller as AppCaller
  api.bind(contract.readCockpit, {
    handle: call =>
      byLookup(call.database, tx => readCockpit(tx, app(call), call.query as CockpitAsked, parts, pictures)),
  })
  api.bind(contract.searchCampaigns, {
    handle: call => {
      const { q, after, limit } = call.query as { q: string; after?: number; limit?: number }
      return byLookup(call.database, tx => searchCampaigns(tx, app(call), q, after, limit))
    },
  })
  api.bind(contract.listIssuesOfAll, {
    handle: call =>
      byLookup(call.database, tx => listIssuesOfAll(tx, app(call), call.query as IssuesAsked, parts)),
  })
}
