// What may be served, as the data plane sees it: plain values, no database, no dates as strings.
// The catalog builds these from campaigns, personas and banners; delivery only reads them.

import type { Hours } from '../kernel/hours.ts'
import type { Zones } from '../kernel/zones.ts'
import type { Targeting } from '../personas/targeting.ts'

export interface LiveFlight {
  fid: number
  startS: number
  endS: number
  /** The most of its whole life; none: as much as its campaign has. */
  totalSpendMicros?: number
}

export interface LiveCampaign {
  cid: number
  cuid: number
  /** False while the campaign is paused or its customer's API access is off. */
  enabled: boolean
  /** Its customer is frozen: it stays in memory, and nothing of it is served. */
  frozen?: boolean
  /** The flights it delivers in: its own if it has any, else the born one. Half open, Unix seconds. */
  flights: LiveFlight[]
  /** Impressions per user per day; 0: no cap. */
  freq: number
  dailySpendMicros: number
  /** The most of its whole life; none: as much as its days have. */
  totalSpendMicros?: number
  /** What its customer has paid in advance; none: it pays afterwards. */
  creditedMicros?: number
  /** Price of 1,000 impressions, or the highest bid; not used where clicks are paid for. */
  cpmMicros: number
  /** Price of a click; none: impressions are paid for. */
  cpcMicros?: number
  /** IAB codes of what is advertised. */
  category: string[]
  pacing: 'even' | 'asap'
  /** The hours of the week in which it delivers; null: always. */
  hours: Hours | null
  /** Its customer's, whose days its budget and cap are for. Absent: the deployment's. */
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
  /** Path of our own copy, `/creative/<hash>.<type>`. */
  imagePath: string
  clickUrl: string
  /** Registrable host of the click URL, lower case, without www. */
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
  banners: LiveBanner[]
}
