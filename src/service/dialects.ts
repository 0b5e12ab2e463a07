// The dialects that ads are asked for in, put to delivery: OpenRTB for exchanges, tags for pages.

import { randomBytes } from 'node:crypto'
import type { Dialects } from '../delivery/dialects.ts'
import { bidRoute } from '../delivery/openrtb/route.ts'
import { siteBidRoute } from '../delivery/openrtb/site-route.ts'
import { tagRoutes, tagRoutesWithoutAds } from '../delivery/tags/route.ts'
import { clientAddressBy } from '../platform/http/client-address.ts'

export const DIALECTS: Dialects = {
  routes: ({ config, ...parts }) => {
    const bidParts = { ...parts, seat: config.SEAT, currency: config.CURRENCY }
    const pageParts = {
      clientAddress: clientAddressBy(config.TRUST_PROXY),
      newCookieId: () => randomBytes(16).toString('base64url'),
    }
    return [
      bidRoute(bidParts),
      siteBidRoute({ ...bidParts, ...pageParts }),
      ...tagRoutes({ ...parts, ...pageParts }),
    ]
  },
  waiting: tagRoutesWithoutAds,
}
