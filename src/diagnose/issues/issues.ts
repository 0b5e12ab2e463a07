// The one verb of issues: what keeps a customer's campaigns, or one of them, from delivering.

import {
  type Finding,
  finding,
  storedFinding,
  storedFindings,
  unknownCity,
} from '../../kernel/errors/finding.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { type Calendar, calendarOf } from '../../kernel/time/day.ts'
import { createHours, type Week, weekHourAt } from '../../kernel/time/hours.ts'
import { calendarOfCustomer } from '../../manage/campaigns/campaigns.ts'
import { type Run, resumesAt } from '../../manage/campaigns/status.ts'
import type { Db } from '../../platform/database.ts'
import type { Issue, IssueCode } from './contract.ts'
import { type IssueRow, selectIssues } from './queries.ts'

const MAX_ISSUES = 200

export interface IssueParts {
  clock: Clock
  /** The deployment's time zone. */
  timeZone: string
  /** The most unseen ads of one address. */
  openAds: number
}

/** `cid`: only this campaign; null: all. */
export async function listIssues(
  db: Db,
  { cuid, cid }: { cuid: number; cid: number | null },
  { clock, timeZone, openAds }: IssueParts,
): Promise<Issue[]> {
  const nowMs = clock.nowMs()
  const calendar = await calendarOfCustomer(db, cuid, calendarOf(timeZone))
  const day = calendar.dayAt(nowMs).key
  const weekHour = weekHourAt(calendar, nowMs)
  const question = { cuid, cid, now: new Date(nowMs), day, weekHour, limit: MAX_ISSUES }
  return (await selectIssues(db, question)).map(row => toIssue(row, { calendar, nowMs, openAds }))
}

interface Now extends Pick<IssueParts, 'openAds'> {
  calendar: Calendar
  nowMs: number
}

function toIssue({ reasons, facts, ...issue }: IssueRow, now: Now): Issue {
  const findings =
    issue.code === 'off_hours'
      ? [closedFinding(facts as Closed, now)]
      : findingsOf(issue.code, reasons, facts, now)
  return { ...issue, reasons: findings.map(({ message }) => message), findings }
}

/** `facts`: what the statement found for this issue, see queries.ts. */
function findingsOf(code: IssueCode, reasons: string[], facts: unknown, { openAds }: Now): Finding[] {
  const [first = 0, second = 0] = Array.isArray(facts) ? (facts as number[]) : []
  switch (code) {
    case 'banner_rejected':
    case 'banner_pending':
      return storedFindings(reasons, facts as Finding[])
    case 'place_unknown':
      return (facts as { place: string; suggestion: string | null }[]).map(unknownCity)
    case 'total_spent':
      return (facts as string[]).map(flight => finding('flight_spent', { flight }))
    case 'ads_unseen':
      return [finding(code, { served: first, seen: second })]
    case 'too_many_unseen':
      return [finding(code, { ads: first, max: openAds })]
    case 'visitor_share':
      return [finding(code, { ads: first })]
    case 'too_many_seen':
    case 'other_visitor':
    case 'foreign_domain':
    case 'bot':
    case 'late':
      return [finding(code, { imps: first })]
    case 'no_request_fits':
    case 'below_floors':
    case 'mostly_blocked':
    case 'mostly_capped':
    case 'mostly_outbid':
      return [storedFinding(code, facts as object)]
    default:
      return []
  }
}

/** The hours of a campaign, and its runs by date. */
interface Closed {
  week: Week
  runs: Run[]
}

function closedFinding({ week, runs }: Closed, { calendar, nowMs }: Now): Finding {
  const resumes = resumesAt(runs, Math.floor(nowMs / 1000), createHours(week, calendar))
  return resumes === null ? finding('off_hours_for_good') : finding('off_hours', { resumes })
}
