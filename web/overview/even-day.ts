// The state of a day's spend: what would be spent by now if each campaign went evenly from when it began, and what the
// day will cost at this pace.

import type { Campaign } from '../campaigns/data.ts'
import { addDays, dayOf, startOfDay } from '../period/zone.ts'

/** When a campaign delivers. */
type Run = Pick<Campaign, 'start' | 'end' | 'created'>

export interface EvenDay {
  /** What would be spent by now if the day went evenly. */
  even: number
  /** How much more an even day would have spent; negative: less. */
  lag: number
  /** The approximate spend of the whole day. */
  byMidnight: number
}

/** Before this part of the day, a single click would distort the estimate. */
const MIN_SHARE = 0.1

/** The part of a campaign's day that is over: it begins with the campaign, but not before that was created. */
export function partOver(nowS: number, timeZone: string, { start, end, created }: Run): number {
  const today = dayOf(nowS, timeZone)
  const fromS = Math.max(startOfDay(today, timeZone), start, created)
  const untilS = Math.min(startOfDay(addDays(today, 1), timeZone), end)
  return untilS <= nowS ? 1 : Math.max(0, (nowS - fromS) / (untilS - fromS))
}

/** Null: too little of the day is over. */
export function evenDay(
  nowS: number,
  timeZone: string,
  spent: number,
  campaigns: readonly (Run & Pick<Campaign, 'dailySpend'>)[],
): EvenDay | null {
  const sum = (amountOf: (campaign: (typeof campaigns)[number]) => number) =>
    campaigns.reduce((total, campaign) => total + amountOf(campaign), 0)
  const budget = sum(({ dailySpend }) => dailySpend)
  const even = sum(campaign => campaign.dailySpend * partOver(nowS, timeZone, campaign))
  if (even < budget * MIN_SHARE) return null
  return { even, lag: even - spent, byMidnight: Math.min(budget, (spent / even) * budget) }
}
