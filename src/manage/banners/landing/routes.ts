// Binds the endpoints of landing pages to their verbs.

import type { Api } from '../../../http/api.ts'
import type { Db } from '../../../platform/database.ts'
import type { PathIds } from '../../noun.ts'
import { findBanner } from '../banners.ts'
import * as contract from './contract.ts'
import { checkLandingPage, type LandingParts, readLandingPage } from './landing.ts'

export function landingRoutes(api: Api, parts: LandingParts): void {
  const find = (call: { db: Db; cuid: number; params: PathIds }) => findBanner(call.db, call, call.params)

  api.bind(contract.readLandingPage, {
    find,
    handle: call => readLandingPage(call.db, call.found.banner.bid),
  })
  api.bind(contract.checkLandingPage, {
    find,
    ownTransactions: true,
    handle: call => checkLandingPage(call.database, call.found.banner.bid, parts),
  })
}
