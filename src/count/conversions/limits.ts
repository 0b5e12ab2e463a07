// Keeps strangers with a pixel from flooding an advertiser's figures: ten names per click, only names that the customer
// knows or a few new ones per day, and a limited number of actions per visitor address and hour. The database counts
// the first two in single statements, so they hold for all processes together. Values are limited for everybody, so
// that the sum of a day can be stored.

import { DAY_MS } from '../../kernel/time/units.ts'
import type { Config } from '../../platform/config.ts'
import type { Db } from '../../platform/database.ts'
import { rangesOf } from '../../platform/network.ts'
import { adKeyOf } from '../tracking/ad.ts'
import type { CreditedAd } from '../tracking/event.ts'
import { createHourly } from '../tracking/hourly.ts'
import type { ActionRefusal } from './contract.ts'
import { actionHashOf } from './name-hash.ts'
import { sumValues, takeClickName, takeName } from './queries.ts'
import type { ReportedAction } from './reported.ts'

export interface ActionLimits {
  /** Null: the action may be counted. Asked once per action, when everything else about it is right. */
  admit(db: Db, action: ReportedAction, ad: CreditedAd, nowMs: number): Promise<ActionRefusal | null>
  /** Returns an action that was not counted after all. */
  giveBack(action: ReportedAction, nowMs: number): void
  /** Whether the customer knows this name now; a server's call makes it known. */
  takeName(db: Db, cuid: number, name: string, byPixel: boolean, nowMs: number): Promise<boolean>
}

export interface ActionLimitOptions {
  /** The most distinct names of one customer; pixels may add half of them. */
  names: number
  /** The most new names that pixels may add per day. */
  newNamesPerDay: number
  /** The highest value by pixel, in currency units; 0: no limit. */
  valueByPixel: number
  /** The most actions per visitor address that are counted by pixel; 0: no limit. */
  perVisitorAndHour: number
}

export const NAMES_PER_CLICK = 10
const MAX_VISITORS = 100_000
/** Smaller values are not checked: it would take hundreds of millions of them in a day to reach the limit. */
const LARGE_MICROS = 10_000_000_000
/** The most value from 2 days before to 2 days after. Twice as much can be stored, because many may arrive at once. */
export const MOST_VALUE_MICROS = 4e18
export const AROUND_MS = 2 * DAY_MS

export function actionLimitsBy(config: Config): ActionLimits {
  return createActionLimits({
    names: config.ACTION_NAMES,
    newNamesPerDay: config.ACTION_NEW_NAMES,
    valueByPixel: config.PIXEL_VALUE,
    perVisitorAndHour: config.VISITOR_ACTIONS,
  })
}

export function createActionLimits(options: ActionLimitOptions): ActionLimits {
  const mostByPixelMicros = options.valueByPixel * 1_000_000 || Number.POSITIVE_INFINITY
  const visitors = createHourly(options.perVisitorAndHour, MAX_VISITORS)

  async function nameIsKnown(db: Db, cuid: number, name: string, byPixel: boolean, nowMs: number) {
    const wish = {
      cuid,
      hash: actionHashOf(name),
      byPixel,
      day: Math.floor(nowMs / DAY_MS),
      most: options.names,
      mostByPixel: Math.floor(options.names / 2),
      mostToday: options.newNamesPerDay,
    }
    // Another call may have added the same name at the same time; then the second try finds it.
    return (await takeName(db, wish)) || (await takeName(db, wish))
  }

  async function hasRoomFor(db: Db, { valueMicros, atMs }: ReportedAction, cuid: number): Promise<boolean> {
    if (valueMicros === null || valueMicros < LARGE_MICROS) return true
    const valued = await sumValues(db, cuid, new Date(atMs - AROUND_MS), new Date(atMs + AROUND_MS))
    return valued + valueMicros <= MOST_VALUE_MICROS
  }

  return {
    takeName: nameIsKnown,
    async admit(db, action, ad, nowMs) {
      const { pixel, name } = action
      if (pixel && (action.valueMicros ?? 0) > mostByPixelMicros) return 'value_too_high'
      if (!(await hasRoomFor(db, action, ad.cuid))) return 'value_quota'
      if (pixel && !visitors.take(rangesOf(pixel.address), nowMs)) return 'too_many_actions'
      const refusal = !(await nameIsKnown(db, ad.cuid, name, pixel !== null, nowMs))
        ? 'name_quota'
        : pixel && !(await takeClickName(db, adKeyOf(ad), actionHashOf(name), NAMES_PER_CLICK))
          ? 'too_many_names'
          : null
      if (refusal) this.giveBack(action, nowMs)
      return refusal
    },
    giveBack({ pixel }, nowMs) {
      if (pixel) visitors.giveBack(rangesOf(pixel.address), nowMs)
    },
  }
}
