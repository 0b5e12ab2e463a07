// A campaign as the ledger sees it: its budget, cap and flights from the catalog, its pace from what happened.

import type { LiveCampaign } from '../catalog/live.ts'
import type { Day } from '../kernel/day.ts'
import type { Account } from './books.ts'
import { activeMs, createPace, mergeFlights, type Pace, plan, type Span } from './pacing.ts'

export interface Campaign {
  enabled: boolean
  dailySpendMicros: number
  /** One impression. */
  priceMicros: number
  freq: number
  even: boolean
  flights: Span[]
  pace: Pace
  /** The account used last: on the hot path today's. */
  account: Account | null
}

export function createCampaign(): Campaign {
  return {
    enabled: false,
    dailySpendMicros: 0,
    priceMicros: 0,
    freq: 0,
    even: true,
    flights: [],
    pace: createPace(),
    account: null,
  }
}

export function editCampaign(campaign: Campaign, live: LiveCampaign): void {
  campaign.enabled = live.enabled
  campaign.dailySpendMicros = live.dailySpendMicros
  campaign.priceMicros = Math.ceil(live.cpmMicros / 1000)
  campaign.freq = live.freq
  campaign.even = live.pacing === 'even'
  campaign.flights = mergeFlights(live.flights)
  campaign.pace.stale = true
}

/** One plan for all nodes: each sees what all have spent, hold and are offered, and so comes to the same chance. */
export function replan(
  campaign: Campaign,
  account: Account,
  day: Day,
  priceMicros: number,
  nowMs: number,
): void {
  const { others, othersSpentMicros, nodes } = account.portion
  const left = {
    unspentMicros: campaign.dailySpendMicros - account.spentMicros - othersSpentMicros,
    reservedMicros: account.reservedMicros + others.reservedMicros,
    activeMs: activeMs(campaign.flights, nowMs, day.endMs),
    others,
    nodes,
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
  const spentMicros = account ? account.spentMicros + account.portion.othersSpentMicros : 0
  const reservedMicros = account ? account.reservedMicros + account.portion.others.reservedMicros : 0
  // As soon as possible means: all of it is due from the start.
  if (!campaign.even) return 1 - (spentMicros + reservedMicros) / campaign.dailySpendMicros
  const wholeMs = activeMs(campaign.flights, day.startMs, day.endMs)
  if (wholeMs === 0) return 0
  const dueShare = activeMs(campaign.flights, day.startMs, nowMs) / wholeMs
  return dueShare - (spentMicros + reservedMicros * campaign.pace.yieldShare) / campaign.dailySpendMicros
}
