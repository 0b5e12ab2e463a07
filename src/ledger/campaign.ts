// A campaign as the ledger sees it: its budget, cap and flights from the catalog, its pace from what happened.

import type { LiveCampaign } from '../catalog/live.ts'
import type { Day } from '../kernel/day.ts'
import { activeMs, createPace, mergeFlights, type Pace, plan, type Span } from '../pacing/pacing.ts'
import type { Line } from '../shares/share.ts'
import type { Account } from './books.ts'

export interface Campaign {
  enabled: boolean
  dailySpendMicros: number
  /** The most of its whole life, and what its customer has paid in advance; null: no limit. */
  totalMicros: number | null
  creditedMicros: number | null
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
    totalMicros: null,
    creditedMicros: null,
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
  campaign.totalMicros = live.totalSpendMicros ?? null
  campaign.creditedMicros = live.creditedMicros ?? null
  campaign.priceMicros = Math.ceil(live.cpmMicros / 1000)
  campaign.freq = live.freq
  campaign.even = live.pacing === 'even'
  campaign.flights = mergeFlights(live.flights)
  campaign.pace.stale = true
  return planKey(campaign) !== was
}

/** What the even line depends on. */
function planKey({ enabled, even, dailySpendMicros, totalMicros, flights }: Campaign): string {
  return JSON.stringify([enabled, even, dailySpendMicros, totalMicros, flights])
}

/** It has limits above its day. */
export function isPooled({ totalMicros, creditedMicros }: Campaign): boolean {
  return totalMicros !== null || creditedMicros !== null
}

/** All limits of a campaign that money is granted within. */
export function limitsOf({ dailySpendMicros, totalMicros, creditedMicros }: Campaign): number[] {
  return [
    dailySpendMicros,
    totalMicros ?? Number.POSITIVE_INFINITY,
    creditedMicros ?? Number.POSITIVE_INFINITY,
  ]
}

/**
 * What an even plan spends today: an even part of what the life of the campaign has left, and no more than a day may.
 * Money that earlier days did not spend is spread over the days that are left.
 */
function plannedMicros(campaign: Campaign, account: Account | undefined, day: Day): number {
  const { dailySpendMicros, flights } = campaign
  const lifeMicros = account?.share.lifeMicros ?? null
  if (campaign.totalMicros === null || lifeMicros === null) return dailySpendMicros
  const lifeMs = activeMs(flights, day.startMs, flights.at(-1)?.endMs ?? day.endMs)
  if (lifeMs === 0) return Math.min(dailySpendMicros, Math.max(0, lifeMicros))
  const part = activeMs(flights, day.startMs, day.endMs) / lifeMs
  return Math.min(dailySpendMicros, Math.max(0, lifeMicros) * Math.min(1, part))
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
  const { pace, flights } = campaign
  const dayMicros = plannedMicros(campaign, account, day)
  const spentMicros = account.spentMicros + othersSpentMicros
  const leftMs = activeMs(flights, nowMs, day.endMs)
  account.share.line ??= { fromMs: nowMs, spentMicros }
  const left = {
    unspentMicros: dayMicros - spentMicros,
    reservedMicros: account.reservedMicros + others.reservedMicros,
    activeMs: leftMs,
    aheadMicros: spentMicros - dueMicros(flights, dayMicros, account.share.line, day, leftMs),
    others,
    nodes,
  }
  plan(pace, left, priceMicros, nowMs)
}

/** What the even line wants to be spent when the campaign may still deliver for `leftMs`. */
function dueMicros(flights: Span[], dayMicros: number, line: Line, day: Day, leftMs: number): number {
  const wholeMs = activeMs(flights, line.fromMs, day.endMs)
  if (wholeMs === 0) return dayMicros
  return line.spentMicros + (dayMicros - line.spentMicros) * (1 - leftMs / wholeMs)
}

/** How far behind its plan, as a part of the day's budget; negative: ahead. */
export function paceLagOf(campaign: Campaign, account: Account | undefined, day: Day, nowMs: number): number {
  const spentMicros = account ? account.spentMicros + account.share.othersSpentMicros : 0
  const reservedMicros = account ? account.reservedMicros + account.share.others.reservedMicros : 0
  const yieldRatio = campaign.even ? campaign.pace.yieldRatio : 1
  const dayMicros = plannedMicros(campaign, account, day)
  return evenPaceLagOf(campaign, dayMicros, spentMicros, reservedMicros * yieldRatio, day, nowMs)
}

/** The same of plain numbers: the day's budget, what is spent, and what is held and will be. */
export function evenPaceLagOf(
  campaign: Campaign,
  dayMicros: number,
  spentMicros: number,
  soonMicros: number,
  day: Day,
  nowMs: number,
): number {
  if (dayMicros === 0) return 0
  const spentRatio = (spentMicros + soonMicros) / dayMicros
  // As soon as possible means: all of it is due from the start.
  if (!campaign.even) return 1 - spentRatio
  const wholeMs = activeMs(campaign.flights, day.startMs, day.endMs)
  if (wholeMs === 0) return 0
  const dueRatio = activeMs(campaign.flights, day.startMs, nowMs) / wholeMs
  return dueRatio - spentRatio
}
