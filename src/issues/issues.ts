// The one verb of issues: what keeps a customer's campaigns, or one of them, from delivering.

import type { Clock } from '../kernel/clock.ts'
import type { Calendar } from '../kernel/day.ts'
import { type Finding, finding, storedFindings, unknownCity } from '../kernel/finding.ts'
import type { Db } from '../platform/database.ts'
import type { Issue, IssueCode } from './contract.ts'
import { type IssueRow, selectIssues } from './queries.ts'

const MAX_ISSUES = 200

/** `cid`: of this campaign only; null: of all. */
export async function listIssues(
  db: Db,
  { cuid, cid }: { cuid: number; cid: number | null },
  clock: Clock,
  calendar: Calendar,
): Promise<Issue[]> {
  const nowMs = clock.nowMs()
  const day = calendar.dayAt(nowMs).key
  return (await selectIssues(db, { cuid, cid, now: new Date(nowMs), day, limit: MAX_ISSUES })).map(toIssue)
}

function toIssue({ reasons, facts, ...issue }: IssueRow): Issue {
  const findings = findingsOf(issue.code, reasons, facts)
  return { ...issue, reasons: findings.map(({ message }) => message), findings }
}

/** `facts` is what the statement found out about such an issue: see queries.ts. */
function findingsOf(code: IssueCode, reasons: string[], facts: unknown): Finding[] {
  const [first = 0, second = 0] = facts as number[]
  switch (code) {
    case 'banner_rejected':
    case 'banner_pending':
      return storedFindings(reasons, facts as Finding[])
    case 'place_unknown':
      return (facts as { place: string; suggestion: string | null }[]).map(unknownCity)
    case 'ads_unseen':
      return [finding(code, { served: first, seen: second })]
    case 'too_many_unseen':
    case 'visitor_share':
      return [finding(code, { ads: first })]
    case 'too_many_seen':
    case 'other_visitor':
      return [finding(code, { imps: first })]
    default:
      return []
  }
}
