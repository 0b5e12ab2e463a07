// When a campaign runs: by its flights, its dates and its hours. What it is doing right now is in state-queries.ts.

import { type Hours, nextOpening } from '../../kernel/time/hours.ts'
import type { Campaign } from './contract.ts'

/** A campaign without the fields that depend on the moment. */
export type CampaignRecord = Omit<Campaign, 'status' | 'spentBy' | 'resumes' | 'missing'>

/** A half-open interval, in Unix seconds. */
export interface Run {
  startS: number
  endS: number
}

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

/** The first second from now on that is within a run and the hours; null: there is none. */
export function resumesAt(runs: readonly Run[], nowS: number, hours: Hours | null): number | null {
  for (const { startS, endS } of [...runs].sort((a, b) => a.startS - b.startS)) {
    const openMs = nextOpening(hours, Math.max(startS, nowS) * 1000, endS * 1000)
    if (openMs !== null) return openMs / 1000
  }
  return null
}

/** A budget rarely gets to exactly 0: one that buys no impression or click is spent. `price`: see state-queries.ts. */
export function buysNothing(leftMicros: number, price: number | null): boolean {
  return price !== null && leftMicros * 1000 < price
}
