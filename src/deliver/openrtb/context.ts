// What parsing a bid request needs to know about us.

import type { GeoLookups } from '../audience/lookups.ts'
import type { UserSecrets } from '../audience/user.ts'
import type { AttributeSource } from './attributes.ts'

export interface BidContext {
  /** The name by which exchanges know us. */
  seat: string
  /** ISO 4217, the currency of the deployment. */
  currency: string
  /** Whether the links that we build are https. */
  publicUrlIsHttps: boolean
  nowMs: number
  /** A request that leaves us less time than this, including the way back, gets no bid. */
  leastTmaxMs: number
  /** Our id in the IAB's Global Vendor List; null: we are not registered, so only purposes are checked. */
  tcfVendorId: number | null
  secrets: UserSecrets
  lookups: GeoLookups
  /** Missing: nothing is read. */
  attributes?: AttributeSource
}
