// Connects the dialects of ad requests to delivery: OpenRTB for exchanges, tags for pages.

import { randomFillSync } from 'node:crypto'
import { createRandomIds } from '../count/tracking/ad.ts'
import type { Dialects } from '../deliver/decide/dialects.ts'
import { bidRoute } from '../deliver/openrtb/route.ts'
import { siteBidRoute } from '../deliver/openrtb/site-route.ts'
import { tagRoutes, tagRoutesWithoutAds } from '../deliver/tags/route.ts'
import { clientAddressBy } from '../platform/client-address.ts'

const COOKIE_ID_BYTES = 16

export const DIALECTS: Dialects = {
  routes: ({ config, ...parts }) => {
    const bidParts = { ...parts, seat: config.SEAT, currency: config.CURRENCY }
    const pageParts = {
      clientAddress: clientAddressBy(config.TRUST_PROXY),
      newCookieId: createRandomIds(COOKIE_ID_BYTES, pool => randomFillSync(pool)),
    }
    return [
      bidRoute(bidParts),
      siteBidRoute({ ...bidParts, ...pageParts }),
      ...tagRoutes({ ...parts, ...pageParts }),
    ]
  },
  waiting: tagRoutesWithoutAds,
}
