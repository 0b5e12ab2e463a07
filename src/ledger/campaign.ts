// A campaign as the ledger sees it: its budget, cap, flights and hours from the catalog, its pace from what happened.

import type { LiveCampaign } from '../catalog/live.ts'
import type { Calendar, Day } from '../kernel/day.ts'
import type { Hours } from '../kernel/hours.ts'
import { activeMs, createPace, mergeFlights, type Pace, plan, type Span } from '../pacing/pacing.ts'
import type { Line } from '../shares/share.ts'
import type { Account } from './books.ts'
import { createExpectedClicks, type ExpectedClicks } from './expected-clicks.ts'

export interface Campaign {
  enabled: boolean
  dailySpendMicros: number
  /** The most of its whole life, and what its customer has paid in advance; null: no limit. */
  totalMicros: number | null
  creditedMicros: number | null
  /** One impression; or one click, if clicks are paid for. */
  priceMicros: number
  isByClick: boolean
  clicks: ExpectedClicks
  freq: number
  even: boolean
  flights: Span[]
  /** Null: always. */
  hours: Hours | null
  /** See below; null: not known since the last edit. */
  partOfLife: { dayKey: number; part: number } | null
  /** Whose days its budget and cap are for. */
  calendar: Calendar
  pace: Pace
  /** The account used last: on the hot path today's. */
  account: Account | null
}

export function createCampaign(calendar: Calendar): Campaign {
  return {
    enabled: false,
    dailySpendMicros: 0,
    totalMicros: null,
    creditedMicros: null,
    priceMicros: 0,
    isByClick: false,
    clicks: createExpectedClicks(),
    freq: 0,
    even: true,
    flights: [],
    hours: null,
    partOfLife: null,
    calendar,
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
  campaign.priceMicros = live.cpcMicros ?? Math.ceil(live.cpmMicros / 1000)
  campaign.isByClick = live.cpcMicros !== undefined
  campaign.freq = live.freq
  campaign.even = live.pacing === 'even'
  campaign.flights = mergeFlights(live.flights)
  campaign.hours = live.hours
  campaign.partOfLife = null
  campaign.pace.stale = true
  return planKey(campaign) !== was
}

/** What the even line depends on. */
function planKey(campaign: Campaign): string {
  const { enabled, even, dailySpendMicros, totalMicros, flights, hours } = campaign
  const open = hours && [hours.week, hours.calendar.zone]
  return JSON.stringify([enabled, even, dailySpendMicros, totalMicros, flights, open])
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
  const { dailySpendMicros } = campaign
  const lifeMicros = account?.share.lifeMicros ?? null
  if (campaign.totalMicros === null || lifeMicros === null) return dailySpendMicros
  return Math.min(dailySpendMicros, Math.max(0, lifeMicros) * partOfLife(campaign, day))
}

/** Which part of the time that the campaign has left from the start of the day on is today. Found once per day. */
function partOfLife(campaign: Campaign, day: Day): number {
  const { flights, hours } = campaign
  if (campaign.partOfLife?.dayKey === day.key) return campaign.partOfLife.part
  const lifeMs = activeMs(flights, day.startMs, flights.at(-1)?.endMs ?? day.endMs, hours)
  const part = lifeMs === 0 ? 1 : Math.min(1, activeMs(flights, day.startMs, day.endMs, hours) / lifeMs)
  campaign.partOfLife = { dayKey: day.key, part }
  return part
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
  const { pace, flights, hours } = campaign
  const dayMicros = plannedMicros(campaign, account, day)
  const spentMicros = account.spentMicros + othersSpentMicros
  const leftMs = activeMs(flights, nowMs, day.endMs, hours)
  account.share.line ??= { fromMs: nowMs, spentMicros }
  const left = {
    unspentMicros: dayMicros - spentMicros,
    reservedMicros: account.reservedMicros + others.reservedMicros,
    activeMs: leftMs,
    aheadMicros: spentMicros - dueMicros(campaign, dayMicros, account.share.line, day, leftMs),
    others,
    nodes,
  }
  plan(pace, left, priceMicros, nowMs)
}

/** What the even line wants to be spent when the campaign may still deliver for `leftMs`. */
function dueMicros(campaign: Campaign, dayMicros: number, line: Line, day: Day, leftMs: number): number {
  const wholeMs = activeMs(campaign.flights, line.fromMs, day.endMs, campaign.hours)
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
  const { flights, hours } = campaign
  const wholeMs = activeMs(flights, day.startMs, day.endMs, hours)
  if (wholeMs === 0) return 0
  const dueRatio = activeMs(flights, day.startMs, nowMs, hours) / wholeMs
  return dueRatio - spentRatio
}
