// A campaign as the ledger sees it: its budget, cap and flights from the catalog, its pace from what happened.

import type { LiveCampaign } from '../catalog/live.ts'
import type { Day } from '../kernel/day.ts'
import { activeMs, createPace, mergeFlights, type Pace, plan, type Span } from '../pacing/pacing.ts'
import type { Line } from '../shares/share.ts'
import type { Account } from './books.ts'

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

/** True: the even line starts over. */
export function editCampaign(campaign: Campaign, live: LiveCampaign): boolean {
  const was = planKey(campaign)
  campaign.enabled = live.enabled
  campaign.dailySpendMicros = live.dailySpendMicros
  campaign.priceMicros = Math.ceil(live.cpmMicros / 1000)
  campaign.freq = live.freq
  campaign.even = live.pacing === 'even'
  campaign.flights = mergeFlights(live.flights)
  campaign.pace.stale = true
  return planKey(campaign) !== was
}

/** What the even line depends on. */
function planKey({ enabled, even, dailySpendMicros, flights }: Campaign): string {
  return JSON.stringify([enabled, even, dailySpendMicros, flights])
}

/** One plan for all nodes: each sees what all have spent, hold and are offered, and computes the same chance. */
export function replan(
  campaign: Campaign,
  account: Account,
  day: Day,
  priceMicros: number,
  nowMs: number,
): void {
  const { others, othersSpentMicros, nodes } = account.share
  const { pace, flights, dailySpendMicros } = campaign
  const spentMicros = account.spentMicros + othersSpentMicros
  const leftMs = activeMs(flights, nowMs, day.endMs)
  account.share.line ??= { fromMs: nowMs, spentMicros }
  const left = {
    unspentMicros: dailySpendMicros - spentMicros,
    reservedMicros: account.reservedMicros + others.reservedMicros,
    activeMs: leftMs,
    aheadMicros: spentMicros - dueMicros(campaign, account.share.line, day, leftMs),
    others,
    nodes,
  }
  plan(pace, left, priceMicros, nowMs)
}

/** What the even line wants to be spent when the campaign may still deliver for `leftMs`. */
function dueMicros({ flights, dailySpendMicros }: Campaign, line: Line, day: Day, leftMs: number): number {
  const wholeMs = activeMs(flights, line.fromMs, day.endMs)
  if (wholeMs === 0) return dailySpendMicros
  return line.spentMicros + (dailySpendMicros - line.spentMicros) * (1 - leftMs / wholeMs)
}

/** How far behind its plan, as a part of the day's budget; negative: ahead. */
export function paceLagOf(campaign: Campaign, account: Account | undefined, day: Day, nowMs: number): number {
  if (campaign.dailySpendMicros === 0) return 0
  const spentMicros = account ? account.spentMicros + account.share.othersSpentMicros : 0
  const reservedMicros = account ? account.reservedMicros + account.share.others.reservedMicros : 0
  const yieldRatio = campaign.even ? campaign.pace.yieldRatio : 1
  return evenPaceLagOf(campaign, spentMicros, reservedMicros * yieldRatio, day, nowMs)
}

/** The same of plain numbers: what is spent, and what is held and will be. */
export function evenPaceLagOf(
  campaign: Campaign,
  spentMicros: number,
  soonMicros: number,
  day: Day,
  nowMs: number,
): number {
  if (campaign.dailySpendMicros === 0) return 0
  const spentRatio = (spentMicros + soonMicros) / campaign.dailySpendMicros
  // As soon as possible means: all of it is due from the start.
  if (!campaign.even) return 1 - spentRatio
  const wholeMs = activeMs(campaign.flights, day.startMs, day.endMs)
  if (wholeMs === 0) return 0
  const dueRatio = activeMs(campaign.flights, day.startMs, nowMs) / wholeMs
  return dueRatio - spentRatio
}
