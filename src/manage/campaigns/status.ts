// What a campaign is doing right now: computed from its dates, flights, spend and hours at every read, never stored.

import { toMicros } from '../../kernel/money.ts'
import { type Hours, isOpenAt, nextOpening } from '../../kernel/time/hours.ts'
import type { Db } from '../../platform/database.ts'
import type { Campaign, Missing } from './contract.ts'

/** A campaign without the fields that depend on the moment. */
export type CampaignRecord = Omit<Campaign, 'status' | 'spentBy' | 'resumes' | 'missing'>

/** A half-open interval, in Unix seconds. */
export interface Run {
  startS: number
  endS: number
  /** Set for a flight with a total of its own. */
  hasTotal?: boolean
}

export interface SpentToday {
  /** What each of these campaigns of a customer has spent today, in micros. A campaign without spend has no entry. */
  (db: Db, cuid: number, cids: number[]): Promise<Map<number, number>>
  /** The day that counts as today, yyyymmdd. */
  today(db: Db, cuid: number): Promise<number>
}

/** What is left of the limits above days, in micros. Null: there is no such limit, or nothing of it was spent. */
export interface Left {
  totalMicros: number | null
  balanceMicros: number | null
}

/** The other facts that a status depends on. */
export interface Stands {
  missing: Missing[]
  hours: Hours | null
  left: Left | undefined
  /** Whether its customer is frozen. */
  isFrozen: boolean
}

const UNLIMITED: Left = { totalMicros: null, balanceMicros: null }
const UNHINDERED: Stands = { missing: [], hours: null, left: UNLIMITED, isFrozen: false }
const IMPRESSIONS_PER_CPM = 1000

/** The intervals in which a campaign may deliver, by its dates and flights. */
export function runsOf({ start, end }: Pick<CampaignRecord, 'start' | 'end'>, ownFlights: Run[]): Run[] {
  return ownFlights.length > 0 ? ownFlights : [{ startS: start, endS: end }]
}

/** The time from the first to the last second in which a campaign may deliver. */
export function spanOf(campaign: CampaignRecord, ownFlights: Run[]): Run {
  const runs = runsOf(campaign, ownFlights)
  return {
    startS: Math.min(...runs.map(run => run.startS)),
    endS: Math.max(...runs.map(run => run.endS)),
  }
}

/**
 * A campaign with its own flights delivers only in them, so they, not the campaign's dates, decide whether it is
 * scheduled, running or ended. It is spent as soon as what is left buys no impression or click, because that rarely
 * gets to exactly 0. It is running only if it lacks nothing. `spent` comes before `off_hours`, because a spent budget
 * stays spent when its hours begin. `incomplete` comes last: what is missing is shown beside any status.
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

/** The first second from now on that is within a run and the hours; null: there is none. */
export function resumesAt(runs: readonly Run[], nowS: number, hours: Hours | null): number | null {
  for (const { startS, endS } of [...runs].sort((a, b) => a.startS - b.startS)) {
    const openMs = nextOpening(hours, Math.max(startS, nowS) * 1000, endS * 1000)
    if (openMs !== null) return openMs / 1000
  }
  return null
}

/** The used-up budget that keeps a campaign from delivering; of several, the longest-lasting. Null: none. */
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
