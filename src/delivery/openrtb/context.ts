// What parsing a bid request needs to know of us, and the reasons for which a well-formed request gets no bid.

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
  lookups: GeoLookups & { isBot?(ua: string): boolean }
}

/** Why a single imp cannot be served. */
export type SlotRefusal =
  | 'no_imp_id'
  | 'no_banner'
  | 'no_size'
  | 'banner_type_blocked'
  | 'block_list_too_long'
  | 'insecure'
  | 'floor_currency'
  | 'private_auction'

/** Why the whole request gets no bid before any campaign is looked at. */
export type RequestRefusal =
  | SlotRefusal
  | 'seat_not_allowed'
  | 'currency'
  | 'too_little_time'
  | 'bot'
  | 'category_allow_list'
