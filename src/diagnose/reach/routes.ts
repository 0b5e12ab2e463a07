// The endpoint that estimates the reach of an audience, and its verb.

import { readTraffic } from '../../deliver/sample/traffic.ts'
import type { Api } from '../../http/api.ts'
import { MICROS_PER_UNIT } from '../../kernel/money.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Calendar } from '../../kernel/time/day.ts'
import { createHours, weekOf } from '../../kernel/time/hours.ts'
import { declaredFor } from '../../manage/attributes/wanted.ts'
import { calendarOfCustomer } from '../../manage/campaigns/campaigns.ts'
import { checkHours } from '../../manage/campaigns/fields.ts'
import { toTargeting } from '../../manage/personas/matched-form.ts'
import { audienceOf } from '../../manage/personas/rules.ts'
import * as contract from './contract.ts'
import { reachOf } from './reach.ts'

const DAY_HOURS = 24

/** `calendar` is the deployment's, for customers without a zone of their own. */
export function reachRoutes(api: Api, { clock, calendar }: { clock: Clock; calendar: Calendar }): void {
  api.bind(contract.estimateReach, {
    handle: async ({ db, cuid, body, caller }) => {
      const declared = await declaredFor(db, caller, body.attributes)
      const targeting = toTargeting(audienceOf(body, declared), caller.appId)
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
