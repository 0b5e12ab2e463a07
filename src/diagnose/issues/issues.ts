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
import type { SeenValue } from '../../manage/attributes/seen-value.ts'
import { unseenFinding } from '../../manage/attributes/wanted.ts'
import { calendarOfCustomer } from '../../manage/campaigns/campaigns.ts'
import { type Run, resumesAt } from '../../manage/campaigns/status.ts'
import type { Db } from '../../platform/database.ts'
import type { Issue, IssueCode } from './contract.ts'
import { type IssueRow, selectDailySpend, selectIssues } from './queries.ts'

const MAX_ISSUES = 200
/** They are of the customer, and each of its campaigns has them. */
const OF_ALL: ReadonlySet<IssueCode> = new Set(['frozen', 'balance_spent'])

interface Moment {
  clock: Clock
  /** The deployment's time zone. */
  timeZone: string
}

export interface IssueParts extends Moment {
  /** The most unseen ads of one address. */
  openAds: number
}

/** `cid`: only this campaign; null: all. */
interface Subject {
  cuid: number
  cid: number | null
}

export async function listIssues(
  db: Db,
  subject: Subject,
  { openAds, ...moment }: IssueParts,
): Promise<Issue[]> {
  const { rows, ...now } = await rowsOf(db, subject, moment)
  return rows.map(row => toIssue(row, { ...now, openAds }))
}

async function rowsOf(db: Db, subject: Subject, { clock, timeZone }: Moment) {
  const nowMs = clock.nowMs()
  const calendar = await calendarOfCustomer(db, subject.cuid, calendarOf(timeZone))
  const day = calendar.dayAt(nowMs).key
  const weekHour = weekHourAt(calendar, nowMs)
  const question = { ...subject, now: new Date(nowMs), day, weekHour, limit: MAX_ISSUES }
  return { rows: await selectIssues(db, question), calendar, nowMs }
}

export interface Remedy {
  code: IssueCode
  cid: number
  pid: number | null
  bid: number | null
}

/**
 * What the customer should mend first: of each campaign the issue that is first in `codes`, by the money of a day that
 * it keeps from being spent. What is about all campaigns comes once.
 */
export async function listRemedies(
  db: Db,
  cuid: number,
  { codes, limit, ...parts }: Moment & { codes: readonly IssueCode[]; limit: number },
): Promise<Remedy[]> {
  const rank = ({ code }: Remedy) => codes.indexOf(code)
  const rows = (await rowsOf(db, { cuid, cid: null }, parts)).rows.filter(row => rank(row) >= 0)
  const daily = await selectDailySpend(
    db,
    rows.map(({ cid }) => cid),
  )
  const seen = new Set<IssueCode | number>()
  const isFirst = ({ code, cid }: Remedy) => {
    const about = OF_ALL.has(code) ? code : cid
    return !seen.has(about) && seen.add(about) !== null
  }
  return rows
    .toSorted((a, b) => daily.get(b.cid)! - daily.get(a.cid)! || rank(a) - rank(b))
    .filter(isFirst)
    .slice(0, limit)
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
    case 'landing_page':
      return (facts as Finding[]).map(({ code, params }) => storedFinding(code, params))
    case 'place_unknown':
      return (facts as { place: string; suggestion: string | null }[]).map(unknownCity)
    case 'attribute_unseen':
      return (facts as (SeenValue & { gone?: true })[]).map(one =>
        one.gone ? finding('attribute_gone', { key: one.key }) : unseenFinding(one),
      )
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
