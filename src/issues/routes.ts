// The issues endpoint, to its verb.

import type { Clock } from '../kernel/clock.ts'
import { calendarOf } from '../kernel/day.ts'
import type { Api } from '../platform/http/api.ts'
import * as contract from './contract.ts'
import { listIssues } from './issues.ts'

export function issueRoutes(api: Api, { clock, timeZone }: { clock: Clock; timeZone: string }): void {
  const calendar = calendarOf(timeZone)
  api.bind(contract.listIssues, { handle: call => listIssues(call.db, call.cuid, clock, calendar) })
}
