// What may be served, as the data plane sees it: plain values, no database, no dates as strings. The catalog builds
// these from campaigns, personas and banners; delivery only reads them.

import type { Rotation } from '../kernel/rotation.ts'
import type { SiteRules } from '../kernel/sites.ts'
import type { Hours } from '../kernel/time/hours.ts'
import type { Zones } from '../kernel/time/zones.ts'
import type { Targeting } from '../manage/personas/matched-form.ts'

export interface LiveFlight {
  fid: number
  startS: number
  endS: number
  /** Its total budget; missing: as much as its campaign has. */
  totalSpendMicros?: number
}

export interface LiveCampaign {
  cid: number
  cuid: number
  /** The app of its customer; missing: it is not known, as in tests, and has no attributes. */
  appId?: number
  /** False while the campaign is paused or its customer's API access is off. */
  enabled: boolean
  /** Its customer's company; missing: it has no name. */
  company?: string
  /** Its customer is frozen: it stays in memory, but is not served. */
  frozen?: boolean
  /** The flights in which it delivers: its own if it has any, otherwise the born one. Half open, Unix seconds. */
  flights: LiveFlight[]
  /** Impressions per user per day; 0: no cap. */
  freq: number
  dailySpendMicros: number
  /** Its total budget; missing: only its daily budget limits it. */
  totalSpendMicros?: number
  /** Its monthly budget; missing: only its daily budget and its total limit a month. */
  monthlySpendMicros?: number
  /** What its customer has paid in advance; missing: the customer pays afterwards. */
  creditedMicros?: number
  /** The price of 1,000 impressions, or the highest bid; not used where clicks are paid for. */
  cpmMicros: number
  /** The price of a click; missing: impressions are paid for. */
  cpcMicros?: number
  /** IAB codes of the advertised product. */
  category: string[]
  pacing: 'even' | 'asap'
  /** Changes with what the addresses of clicks may name. */
  clickNames?: number
  /** The hours of the week in which it delivers; null: always. */
  hours: Hours | null
  /** Where it may be shown; missing: everywhere. */
  sites?: SiteRules
  /** Its customer's time zones: budget and cap are for days in them. Missing: the deployment's. */
  zones?: Zones
}

export interface LiveBanner {
  bid: number
  pid: number
  width: number
  height: number
  /** MIME type of the approved image. */
  type: string
  animated: boolean
  /** The path of our own copy, `/creative/<hash>.<type>`. */
  imagePath: string
  clickUrl: string
  /** Missing: 1. */
  weight?: number
  /** The host of the click URL, in lower case, without www. */
  adomain: string
}

/**
 * A campaign in memory, and which of its personas may be served. Replaced in place, so that personas see edits at once.
 */
export interface LiveOrder {
  campaign: LiveCampaign
  pids: Set<number>
}

/** A persona that is on, of a campaign that is on, with at least one approved banner. */
export interface ServablePersona {
  pid: number
  order: LiveOrder
  targeting: Targeting
  /** Missing: its banners take turns evenly. */
  rotation?: Exclude<Rotation, 'even'>
  banners: LiveBanner[]
}
