// Site list endpoints, each bound to its verb.

import { Answer, type Api, withEtag } from '../../http/api.ts'
import type { AppCaller } from '../../kernel/caller.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import * as contract from './contract.ts'
import { deleteSiteList, findSiteList, listSiteLists, putSiteList, showSiteList } from './site-lists.ts'

export function siteListRoutes(api: Api, { clock }: { clock: Clock }): void {
  /** The gate lets in only super pairs and staff. */
  const app = (call: { caller: unknown }) => call.caller as AppCaller

  api.bind(contract.listSiteLists, { handle: call => listSiteLists(call.db, app(call)) })
  api.bind(contract.readSiteList, {
    find: call => findSiteList(call.db, app(call), call.params.listKey!),
    handle: async call => withEtag(await showSiteList(call.db, app(call), call.found), call.found.etag),
  })
  api.bind(contract.putSiteList, {
    handle: async call => {
      const { db, params, body, ifMatch } = call
      const { created, ...put } = await putSiteList(db, app(call), params.listKey!, body, ifMatch, clock)
      return new Answer(
        await showSiteList(db, app(call), put),
        { etag: put.etag },
        { status: created ? 201 : 200 },
      )
    },
  })
  api.bind(contract.deleteSiteList, {
    find: call => findSiteList(call.db, app(call), call.params.listKey!),
    handle: call => deleteSiteList(call.db, app(call), call.params.listKey!, call.ifMatch),
  })
}
