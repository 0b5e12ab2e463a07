// The one verb of issues: what keeps a customer's campaigns, or one of them, from delivering.

import type { Clock } from '../kernel/clock.ts'
import type { Calendar } from '../kernel/day.ts'
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

function toIssue({ counts, ...issue }: IssueRow): Issue {
  const words = ISSUE_WORDS[issue.code]
  return words ? { ...issue, reasons: [words(...counts.map(shown))] } : issue
}

/** The console translates these sentences. */
export const ISSUE_WORDS: Partial<Record<IssueCode, (...counts: string[]) => string>> = {
  ads_unseen: (served, seen) => `${seen} of ${served} ads served today were seen.`,
  too_many_unseen: ads => `${ads} ads were not served today: one address had too many unseen ads.`,
  too_many_seen: imps =>
    `${imps} impressions were not billed today: one address had too many within an hour.`,
  visitor_share: ads =>
    `${ads} ads were not served or billed today: one address, or its network, had its part of the day’s budget.`,
  other_visitor: imps =>
    `${imps} impressions were not counted today: they came from visitors who had not asked for those ads.`,
}

function shown(count: number): string {
  return count.toLocaleString('en')
}
