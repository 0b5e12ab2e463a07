// A campaign as the ledger sees it: its budget, cap and flights from the catalog, its pace from what happened.

import type { LiveCampaign } from '../catalog/live.ts'
import type { Day } from '../kernel/day.ts'
import type { Account } from './books.ts'
import { activeMs, createPace, mergeFlights, type Pace, plan, type Span } from './pacing.ts'

export interface Campaign {
  dailySpendMicros: number
  freq: number
  even: boolean
  flights: Span[]
  pace: Pace
  /** The account used last: on the hot path today's. */
  account: Account | null
}

export function createCampaign(): Campaign {
  return { dailySpendMicros: 0, freq: 0, even: true, flights: [], pace: createPace(), account: null }
}

export function editCampaign(campaign: Campaign, live: LiveCampaign): void {
  campaign.dailySpendMicros = live.dailySpendMicros
  campaign.freq = live.freq
  campaign.even = live.pacing === 'even'
  campaign.flights = mergeFlights(live.flights)
  campaign.pace.stale = true
}

export function replan(
  campaign: Campaign,
  account: Account,
  day: Day,
  priceMicros: number,
  nowMs: number,
): void {
  const left = {
    unspentMicros: account.dailySpendMicros - account.spentMicros,
    reservedMicros: account.reservedMicros,
    activeMs: activeMs(campaign.flights, nowMs, day.endMs),
  }
  plan(campaign.pace, left, priceMicros, nowMs)
}

/** How far behind its plan, as a share of the day's budget; negative: ahead. */
export function behindShare(
  campaign: Campaign,
  account: Account | undefined,
  day: Day,
  nowMs: number,
): number {
  if (campaign.dailySpendMicros === 0) return 0
  const spentMicros = account?.spentMicros ?? 0
  const reservedMicros = account?.reservedMicros ?? 0
  // As soon as possible means: all of it is due from the start.
  if (!campaign.even) return 1 - (spentMicros + reservedMicros) / campaign.dailySpendMicros
  const wholeMs = activeMs(campaign.flights, day.startMs, day.endMs)
  if (wholeMs === 0) return 0
  const dueShare = activeMs(campaign.flights, day.startMs, nowMs) / wholeMs
  return dueShare - (spentMicros + reservedMicros * campaign.pace.yieldShare) / campaign.dailySpendMicros
}
