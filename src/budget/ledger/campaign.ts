// A campaign as the ledger sees it: its budget, cap, flights and hours come from the catalog, its pace from its ads.

import type { Calendar, Day } from '../../kernel/time/day.ts'
import type { Hours } from '../../kernel/time/hours.ts'
import { monthOf, nextMonth, startOfMonth } from '../../kernel/time/months.ts'
import { DAY_MS } from '../../kernel/time/units.ts'
import type { LiveCampaign } from '../live.ts'
import {
  activeMs,
  createPace,
  type Left,
  mergeFlights,
  type Pace,
  plan,
  type Span,
} from '../pacing/pacing.ts'
import type { Line } from '../shares/share.ts'
import type { Account } from './books.ts'
import { createExpectedClicks, type ExpectedClicks } from './expected-clicks.ts'

export interface Campaign {
  enabled: boolean
  dailySpendMicros: number
  /** Its total and monthly budget, and what its customer has paid in advance; null: no limit. */
  totalMicros: number | null
  monthlyMicros: number | null
  creditedMicros: number | null
  /** The price of an impression; or of a click, if clicks are paid for. */
  priceMicros: number
  isByClick: boolean
  clicks: ExpectedClicks
  freq: number
  even: boolean
  flights: Span[]
  /** Null: always. */
  hours: Hours | null
  /** Flights that have a total of their own, in order. */
  payers: Payer[]
  /** Which of them pays now, and from when to when. */
  paying: Span & { payer: number }
  /** See partsOf() and partOfFlight(); null: not computed since the last edit. */
  parts: { dayKey: number; life: Part; month: Part } | null
  partOfFlight: { dayKey: number; payer: number; part: number } | null
  /** Its budget and cap are for the days of this calendar. */
  calendar: Calendar
  pace: Pace
  /** The account used last: on the hot path, today's. */
  account: Account | null
}

export interface Payer extends Span {
  fid: number
  totalMicros: number
}

const NOBODY = { payer: 0, startMs: Number.NEGATIVE_INFINITY, endMs: Number.POSITIVE_INFINITY }

export function createCampaign(calendar: Calendar): Campaign {
  return {
    enabled: false,
    dailySpendMicros: 0,
    totalMicros: null,
    monthlyMicros: null,
    creditedMicros: null,
    priceMicros: 0,
    isByClick: false,
    clicks: createExpectedClicks(),
    freq: 0,
    even: true,
    flights: [],
    hours: null,
    payers: [],
    paying: NOBODY,
    parts: null,
    partOfFlight: null,
    calendar,
    pace: createPace(),
    account: null,
  }
}

/** Returns true if the even line starts over. */
export function editCampaign(campaign: Campaign, live: LiveCampaign): boolean {
  const was = planKey(campaign)
  campaign.enabled = live.enabled && !live.frozen
  campaign.dailySpendMicros = live.dailySpendMicros
  campaign.totalMicros = live.totalSpendMicros ?? null
  campaign.monthlyMicros = live.monthlySpendMicros ?? null
  campaign.creditedMicros = live.creditedMicros ?? null
  campaign.priceMicros = live.cpcMicros ?? Math.ceil(live.cpmMicros / 1000)
  campaign.isByClick = live.cpcMicros !== undefined
  campaign.freq = live.freq
  campaign.even = live.pacing === 'even'
  campaign.flights = mergeFlights(live.flights)
  campaign.hours = live.hours
  campaign.payers = payersOf(live)
  campaign.paying = NOBODY
  if (campaign.payers.length > 0) campaign.paying = payingAt(campaign.payers, 0)
  campaign.parts = null
  campaign.partOfFlight = null
  campaign.pace.stale = true
  return planKey(campaign) !== was
}

/** What the even line depends on. */
function planKey(campaign: Campaign): string {
  const { enabled, even, dailySpendMicros, totalMicros, monthlyMicros, flights, payers, hours } = campaign
  const open = hours && [hours.week, hours.calendar.zone]
  return JSON.stringify([enabled, even, dailySpendMicros, totalMicros, monthlyMicros, flights, payers, open])
}

function payersOf({ flights }: LiveCampaign): Payer[] {
  const payers: Payer[] = []
  for (const { fid, startS, endS, totalSpendMicros } of flights)
    if (totalSpendMicros !== undefined)
      payers.push({ fid, startMs: startS * 1000, endMs: endS * 1000, totalMicros: totalSpendMicros })
  return payers.sort((a, b) => a.startMs - b.startMs)
}

/** The flight whose total pays at `nowMs`; 0: the campaign alone pays. */
export function payerAt(campaign: Campaign, nowMs: number): number {
  const { paying } = campaign
  if (nowMs >= paying.startMs && nowMs < paying.endMs) return paying.payer
  campaign.paying = payingAt(campaign.payers, nowMs)
  return campaign.paying.payer
}

/** The flight that pays at `nowMs` and its span; or payer 0 and the time between two flights. */
function payingAt(payers: readonly Payer[], nowMs: number): Campaign['paying'] {
  let startMs = Number.NEGATIVE_INFINITY
  for (const flight of payers) {
    if (nowMs < flight.startMs) return { payer: 0, startMs, endMs: flight.startMs }
    if (nowMs < flight.endMs) return { payer: flight.fid, startMs: flight.startMs, endMs: flight.endMs }
    startMs = flight.endMs
  }
  return { payer: 0, startMs, endMs: Number.POSITIVE_INFINITY }
}

/** Its last flight is over. */
export function hasEnded({ flights }: Campaign, nowMs: number): boolean {
  return nowMs >= (flights.at(-1)?.endMs ?? 0)
}

/** It has limits besides its daily budget. */
export function isPooled({ totalMicros, monthlyMicros, creditedMicros, payers }: Campaign): boolean {
  return totalMicros !== null || monthlyMicros !== null || creditedMicros !== null || payers.length > 0
}

/** All limits within which a campaign is granted money while `payer` pays. */
export function limitsOf(
  { dailySpendMicros, totalMicros, monthlyMicros, creditedMicros, payers }: Campaign,
  payer: number,
): number[] {
  const flight = payer === 0 ? undefined : payers.find(({ fid }) => fid === payer)
  return [
    dailySpendMicros,
    totalMicros ?? Number.POSITIVE_INFINITY,
    monthlyMicros ?? Number.POSITIVE_INFINITY,
    creditedMicros ?? Number.POSITIVE_INFINITY,
    flight?.totalMicros ?? Number.POSITIVE_INFINITY,
  ]
}

/**
 * What an even plan spends today: an even part of what the campaign has left of its total and of its month, at most the
 * daily budget. Money that earlier days did not spend is spread over the remaining days; what later days cannot take is
 * for today.
 */
function plannedMicros(campaign: Campaign, account: Account | undefined, day: Day): number {
  const { dailySpendMicros, totalMicros, monthlyMicros } = campaign
  if ((totalMicros === null && monthlyMicros === null) || !account) return dailySpendMicros
  const { life, month } = partsOf(campaign, day)
  const { lifeMicros, monthMicros } = account.share
  return Math.min(
    dailySpendMicros,
    totalMicros === null ? dailySpendMicros : evenly(lifeMicros, life),
    monthlyMicros === null ? dailySpendMicros : evenly(monthMicros, month),
  )
}

/** Null: it is not known yet what is left. */
function evenly(leftMicros: number | null, { part, laterMicros }: Part): number {
  if (leftMicros === null) return Number.POSITIVE_INFINITY
  return Math.max(0, leftMicros * part, leftMicros - laterMicros)
}

/** Today's part of the time that is left from the start of the day, and the most that the later days can take. */
interface Part {
  part: number
  laterMicros: number
}

/** Of the campaign's life, and of its month. Computed once per day. */
function partsOf(campaign: Campaign, day: Day): { life: Part; month: Part } {
  if (campaign.parts?.dayKey === day.key) return campaign.parts
  const endMs = campaign.flights.at(-1)?.endMs ?? day.endMs
  const monthEndMs = startOfMonth(campaign.calendar, nextMonth(monthOf(day.key)))
  const life = partUntil(campaign, day, endMs)
  campaign.parts = { dayKey: day.key, life, month: partUntil(campaign, day, Math.min(endMs, monthEndMs)) }
  return campaign.parts
}

function partUntil(campaign: Campaign, day: Day, endMs: number): Part {
  const { flights, hours, dailySpendMicros } = campaign
  const wholeMs = activeMs(flights, day.startMs, endMs, hours)
  const part = wholeMs === 0 ? 1 : Math.min(1, activeMs(flights, day.startMs, day.endMs, hours) / wholeMs)
  const byDays = daysBetween(day.endMs, endMs) * dailySpendMicros
  return { part, laterMicros: Math.min(byDays, mostIn(campaign, day.endMs, endMs)) }
}

const daysBetween = (fromMs: number, toMs: number) => Math.max(0, Math.ceil((toMs - fromMs) / DAY_MS))

/** The most that the totals of flights allow in [fromMs, toMs); infinite if no total limits some of that time. */
function mostIn({ flights, payers, hours }: Campaign, fromMs: number, toMs: number): number {
  let freeMs = activeMs(flights, fromMs, toMs, hours)
  let micros = 0
  let paidToMs = fromMs
  for (const { startMs, endMs, totalMicros } of payers) {
    const span = { startMs: Math.max(startMs, paidToMs), endMs }
    const ms = activeMs([span], fromMs, toMs, hours)
    paidToMs = Math.max(paidToMs, endMs)
    if (ms <= 0) continue
    freeMs -= ms
    micros += totalMicros * (ms / activeMs([{ startMs, endMs }], startMs, endMs, hours))
  }
  return freeMs > 0 ? Number.POSITIVE_INFINITY : micros
}

/** One plan for all nodes: each sees what all have spent, reserved and been offered, and computes the same chance. */
export function replan(
  campaign: Campaign,
  account: Account,
  day: Day,
  priceMicros: number,
  nowMs: number,
): void {
  const { others, othersSpentMicros, nodes } = account.share
  const { pace, flights, hours } = campaign
  const ofFlight = flightPlan(campaign, account, day, nowMs)
  const dayMicros = plannedMicros(campaign, account, day)
  const spentMicros = account.spentMicros + othersSpentMicros
  const leftMs = activeMs(flights, nowMs, day.endMs, hours)
  account.share.line ??= { fromMs: nowMs, spentMicros }
  const ofDay = {
    unspentMicros: dayMicros - spentMicros,
    reservedMicros: account.reservedMicros + others.reservedMicros,
    activeMs: leftMs,
    aheadMicros: spentMicros - dueMicros(campaign, dayMicros, account.share.line, day, leftMs),
  }
  const ofNow = nowPlan(campaign, ofDay, day, nowMs)
  const slower = ofFlight && isSlower(ofFlight, ofNow) ? ofFlight : ofNow
  plan(pace, { ...slower, others, nodes }, priceMicros, nowMs)
}

type Rest = Pick<Left, 'unspentMicros' | 'reservedMicros' | 'activeMs' | 'aheadMicros'>
type Speed = Pick<Left, 'unspentMicros' | 'activeMs'>

function isSlower(one: Speed, other: Speed): boolean {
  return one.unspentMicros * other.activeMs < other.unspentMicros * one.activeMs
}

/** The plan of the day; or what is due before the next flight begins, because later flights today cannot take it. */
function nowPlan(campaign: Campaign, ofDay: Rest, day: Day, nowMs: number): Rest {
  if (campaign.payers.length === 0) return ofDay
  payerAt(campaign, nowMs)
  const { endMs } = campaign.paying
  if (endMs >= day.endMs) return ofDay
  const unspentMicros = ofDay.unspentMicros - mostIn(campaign, endMs, day.endMs)
  const soon = { unspentMicros, activeMs: activeMs(campaign.flights, nowMs, endMs, campaign.hours) }
  return isSlower(ofDay, soon) ? { ...soon, reservedMicros: ofDay.reservedMicros, aheadMicros: 0 } : ofDay
}

/** What is left of the flight's plan for today, which is an even part of what the flight has left of its total. */
function flightPlan(
  campaign: Campaign,
  account: Account | undefined,
  day: Day,
  nowMs: number,
): (Rest & { wholeMicros: number }) | null {
  const flight = account && campaign.payers.find(({ fid }) => fid === account.payer)
  const known = account?.share.flight
  if (!flight || !known) return null
  const { hours } = campaign
  const endMs = Math.min(day.endMs, flight.endMs)
  const todayMs = activeMs([flight], day.startMs, endMs, hours)
  const laterMicros = daysBetween(day.endMs, flight.endMs) * campaign.dailySpendMicros
  const part = partOfFlight(campaign, flight, day, todayMs)
  const wholeMicros = Math.max(0, known.lifeMicros * part, known.lifeMicros - laterMicros)
  const spentMicros = account.spentMicros + known.othersSpentMicros
  const leftMs = activeMs([flight], nowMs, endMs, hours)
  const dueNow = todayMs === 0 ? wholeMicros : wholeMicros * (1 - leftMs / todayMs)
  return {
    wholeMicros,
    unspentMicros: wholeMicros - spentMicros,
    reservedMicros: account.reservedMicros + known.othersReservedMicros,
    activeMs: leftMs,
    aheadMicros: spentMicros - dueNow,
  }
}

function partOfFlight(campaign: Campaign, flight: Payer, day: Day, todayMs: number): number {
  const known = campaign.partOfFlight
  if (known?.dayKey === day.key && known.payer === flight.fid) return known.part
  const lifeMs = activeMs([flight], day.startMs, flight.endMs, campaign.hours)
  const part = lifeMs === 0 ? 1 : Math.min(1, todayMs / lifeMs)
  campaign.partOfFlight = { dayKey: day.key, payer: flight.fid, part }
  return part
}

/** What should be spent by the even line when the campaign may still deliver for `leftMs`. */
function dueMicros(campaign: Campaign, dayMicros: number, line: Line, day: Day, leftMs: number): number {
  const wholeMs = activeMs(campaign.flights, line.fromMs, day.endMs, campaign.hours)
  if (wholeMs === 0) return dayMicros
  return line.spentMicros + (dayMicros - line.spentMicros) * (1 - leftMs / wholeMs)
}

/** How far the campaign is behind its plan, as a part of the day's budget; negative: ahead. */
export function paceLagOf(campaign: Campaign, account: Account | undefined, day: Day, nowMs: number): number {
  const spentMicros = account ? account.spentMicros + account.share.othersSpentMicros : 0
  const reservedMicros = account ? account.reservedMicros + account.share.others.reservedMicros : 0
  const yieldRatio = campaign.even ? campaign.pace.yieldRatio : 1
  const dayMicros = plannedMicros(campaign, account, day)
  const soonMicros = reservedMicros * yieldRatio
  if (campaign.even && campaign.payers.length > 0) {
    const ofFlight = flightPlan(campaign, account, day, nowMs)
    const leftMs = activeMs(campaign.flights, nowMs, day.endMs, campaign.hours)
    const ofDay = { unspentMicros: dayMicros - spentMicros, reservedMicros, activeMs: leftMs, aheadMicros: 0 }
    const ofNow = nowPlan(campaign, ofDay, day, nowMs)
    if (ofFlight && ofFlight.wholeMicros > 0 && isSlower(ofFlight, ofNow))
      return -(ofFlight.aheadMicros + ofFlight.reservedMicros * yieldRatio) / ofFlight.wholeMicros
    if (ofNow !== ofDay) return lagUntilNext(campaign, ofNow, spentMicros, soonMicros, day)
  }
  return evenPaceLagOf(campaign, dayMicros, spentMicros, soonMicros, day, nowMs)
}

/** The pace lag if `ofNow` is due before the next flight begins. */
function lagUntilNext(
  { flights, hours, paying }: Campaign,
  ofNow: Speed,
  spentMicros: number,
  soonMicros: number,
  day: Day,
): number {
  const wholeMs = activeMs(flights, Math.max(day.startMs, paying.startMs), paying.endMs, hours)
  if (wholeMs === 0) return 0
  const wholeMicros = spentMicros + ofNow.unspentMicros
  return 1 - ofNow.activeMs / wholeMs - (spentMicros + soonMicros) / wholeMicros
}

/** The pace lag from plain numbers. `soonMicros`: what is reserved and will be spent. */
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
  // As soon as possible means that everything is due from the start.
  if (!campaign.even) return 1 - spentRatio
  const { flights, hours } = campaign
  const wholeMs = activeMs(flights, day.startMs, day.endMs, hours)
  if (wholeMs === 0) return 0
  const dueRatio = activeMs(flights, day.startMs, nowMs, hours) / wholeMs
  return dueRatio - spentRatio
}
