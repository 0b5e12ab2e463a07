// The one verb of issues.

import type { Clock } from '../kernel/clock.ts'
import type { Calendar } from '../kernel/day.ts'
import type { Db } from '../platform/database.ts'
import type { Issue } from './contract.ts'
import { selectIssues } from './queries.ts'

const MAX_ISSUES = 200

export function listIssues(db: Db, cuid: number, clock: Clock, calendar: Calendar): Promise<Issue[]> {
  const nowMs = clock.nowMs()
  return selectIssues(db, cuid, new Date(nowMs), calendar.dayAt(nowMs).key, MAX_ISSUES)
}
