// The state of a day's spend: how much of the day is over, and what the day will cost at this pace.

import { addDays, dayOf, startOfDay } from '../period/zone.ts'

export interface EvenDay {
  /** The part of the day that is over. */
  share: number
  /** What would be spent by now if the day went evenly. */
  even: number
  /** How much more an even day would have spent; negative: less. */
  lag: number
  /** The approximate spend of the whole day; null early in the day. */
  byMidnight: number | null
}

/** Before this part of the day, a single click would distort the estimate. */
const MIN_SHARE = 0.1

export function evenDay(nowS: number, timeZone: string, spent: number, budget: number): EvenDay {
  const today = dayOf(nowS, timeZone)
  const [startS, endS] = [startOfDay(today, timeZone), startOfDay(addDays(today, 1), timeZone)]
  const share = (nowS - startS) / (endS - startS)
  const even = budget * share
  return {
    share,
    even,
    lag: even - spent,
    byMidnight: share < MIN_SHARE ? null : Math.min(budget, spent / share),
  }
}
