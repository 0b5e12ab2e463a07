// The endpoint that estimates the reach of an audience, and its verb.

import { calendarOfCustomer } from '../campaigns/campaigns.ts'
import { checkHours } from '../campaigns/fields.ts'
import { readTraffic } from '../delivery/funnel/shared.ts'
import type { Api } from '../http/api.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Calendar } from '../kernel/day.ts'
import { createHours, weekOf } from '../kernel/hours.ts'
import { MICROS_PER_UNIT } from '../kernel/money.ts'
import { audienceOf } from '../personas/rules.ts'
import { toTargeting } from '../personas/targeting.ts'
import * as contract from './contract.ts'
import { reachOf } from './reach.ts'

const DAY_HOURS = 24

/** `calendar` is the deployment's, for customers without a zone of their own. */
export function reachRoutes(api: Api, { clock, calendar }: { clock: Clock; calendar: Calendar }): void {
  api.bind(contract.estimateReach, {
    handle: async ({ db, cuid, body }) => {
      const targeting = toTargeting(audienceOf(body))
      checkHours(body.hours)
      const hours = body.hours
        ? createHours(weekOf(body.hours), await calendarOfCustomer(db, cuid, calendar))
        : null
      const cpmMicros = typeof body.cpm === 'number' ? Math.round(body.cpm * MICROS_PER_UNIT) : null
      const traffic = await readTraffic(db, DAY_HOURS, clock.nowMs())
      return reachOf({ targeting, hours, sizes: new Set(body.sizes ?? []), cpmMicros }, traffic)
    },
  })
}
