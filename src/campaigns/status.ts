// What a campaign is doing right now. Computed from its dates, flights, spend and hours at every read; never stored.

import { type Hours, isOpenAt, nextOpening } from '../kernel/hours.ts'
import { toMicros } from '../kernel/money.ts'
import type { Db } from '../platform/database.ts'
import type { Campaign, Missing } from './contract.ts'

/** A campaign without what depends on the moment. */
export type CampaignRecord = Omit<Campaign, 'status' | 'spentBy' | 'resumes' | 'missing'>

/** Half open, Unix seconds. */
export interface Run {
  startS: number
  endS: number
  /** Of a flight that has a total of its own. */
  hasTotal?: boolean
}

export interface SpentToday {
  /** What each of these campaigns of a customer has spent today, in micros; none for those without a spend. */
  (db: Db, cuid: number, cids: number[]): Promise<Map<number, number>>
  /** Which day that is, yyyymmdd. */
  today(db: Db, cuid: number): Promise<number>
}

/** What is left of the limits above days, in micros; null: there is none, or nothing was spent of it. */
export interface Left {
  totalMicros: number | null
  balanceMicros: number | null
}

/** What else decides about a status. */
export interface Stands {
  missing: Missing[]
  hours: Hours | null
  left: Left | undefined
  /** Its customer is. */
  isFrozen: boolean
}

const UNLIMITED: Left = { totalMicros: null, balanceMicros: null }
const UNHINDERED: Stands = { missing: [], hours: null, left: UNLIMITED, isFrozen: false }
const IMPRESSIONS_PER_CPM = 1000

/** When it delivers, by its dates and flights. */
export function runsOf({ start, end }: Pick<CampaignRecord, 'start' | 'end'>, ownFlights: Run[]): Run[] {
  return ownFlights.length > 0 ? ownFlights : [{ startS: start, endS: end }]
}

/** From the first second in which it may deliver to the end of the last. */
export function spanOf(campaign: CampaignRecord, ownFlights: Run[]): Run {
  const runs = runsOf(campaign, ownFlights)
  return {
    startS: Math.min(...runs.map(run => run.startS)),
    endS: Math.max(...runs.map(run => run.endS)),
  }
}

/**
 * A campaign with its own flights delivers only in them, so they, not the campaign's dates, say whether it is
 * scheduled, running or ended. It counts as spent as soon as the rest buys no impression, or no click: it rarely
 * gets to 0 exactly. It is running only when nothing is missing: it can deliver. A budget that is spent stays spent
 * when its hours begin, so that comes before them; what is missing comes last, and is shown beside any status.
 */
export function statusOf(
  campaign: CampaignRecord,
  ownFlights: Run[],
  nowS: number,
  spentMicros: number,
  { missing, hours, left, isFrozen }: Stands = UNHINDERED,
): Campaign['status'] {
  const runs = runsOf(campaign, ownFlights)
  if (runs.every(run => run.endS <= nowS)) return 'ended'
  if (!campaign.enabled) return 'paused'
  if (isFrozen) return 'frozen'
  if (!runs.some(run => run.startS <= nowS && nowS < run.endS)) return 'scheduled'
  if (spentByOf(campaign, spentMicros, left) !== null) return 'spent'
  if (!isOpenAt(hours, nowS * 1000)) return 'off_hours'
  return missing.length > 0 ? 'incomplete' : 'running'
}

/** The first second from now on that lies in a run and in the hours; null: there is none. */
export function resumesAt(runs: readonly Run[], nowS: number, hours: Hours | null): number | null {
  for (const { startS, endS } of [...runs].sort((a, b) => a.startS - b.startS)) {
    const openMs = nextOpening(hours, Math.max(startS, nowS) * 1000, endS * 1000)
    if (openMs !== null) return openMs / 1000
  }
  return null
}

/** The budget that keeps it from delivering, the one that lasts longest first; null: none does. */
export function spentByOf(
  campaign: CampaignRecord,
  spentMicros: number,
  { totalMicros, balanceMicros }: Left = UNLIMITED,
): Campaign['spentBy'] {
  const priceMicros =
    campaign.cpc === null ? toMicros(campaign.cpm)! / IMPRESSIONS_PER_CPM : toMicros(campaign.cpc)!
  if (totalMicros !== null && totalMicros < priceMicros) return 'total'
  if (balanceMicros !== null && balanceMicros < priceMicros) return 'balance'
  const dayMicros = toMicros(campaign.dailySpend)! - spentMicros
  return spentMicros > 0 && dayMicros < priceMicros ? 'day' : null
}
