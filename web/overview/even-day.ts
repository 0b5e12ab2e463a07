// Where a day's spend stands: how much of the day is over, and what the day comes to at this pace.

import { addDays, dayOf, startOfDay } from '../period/zone.ts'

export interface EvenDay {
  /** The part of the day that is over. */
  share: number
  /** What would be spent by now if the day went evenly. */
  even: number
  /** Money that an even day would have spent more; negative: less. */
  lag: number
  /** About what the day comes to; null while it is too young to tell. */
  byMidnight: number | null
}

/** Earlier than this a single click would promise too much. */
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
