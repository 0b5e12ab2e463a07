// What parsing a bid request needs to know about us.

import type { GeoLookups } from '../audience/lookups.ts'
import type { UserSecrets } from '../audience/user.ts'

export interface BidContext {
  /** The name that exchanges know us by. */
  seat: string
  /** ISO 4217, the currency of the deployment. */
  currency: string
  /** Whether the links that we build are https. */
  publicUrlIsHttps: boolean
  nowMs: number
  /** A request that leaves us less time than this, its way included, is not answered with a bid. */
  leastTmaxMs: number
  /** Our id in the IAB's Global Vendor List; null: not registered, purposes alone are checked. */
  tcfVendorId: number | null
  secrets: UserSecrets
  lookups: GeoLookups
}
