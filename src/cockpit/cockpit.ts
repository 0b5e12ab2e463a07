// The verbs of the cockpit: all customers of an app with their health, those that need a person first; campaigns found
// by a text; and the issues of all customers. Everything is of the moment of the call.

import { setImmediate } from 'node:timers/promises'
import { type IssueParts, listIssues } from '../issues/issues.ts'
import { calendarOf } from '../kernel/day.ts'
import { fromMicros } from '../kernel/money.ts'
import { containsText } from '../kernel/text.ts'
import type { Db } from '../platform/database.ts'
import {
  type Cockpit,
  type CockpitCustomer,
  type CustomerIssues,
  DAYS,
  type Filter,
  type FoundCampaign,
  type HealthCode,
} from './contract.ts'
import { dayAfter, evenMicrosOf, healthOf, type Looked, TROUBLE } from './health.ts'
import {
  selectDays,
  selectFound,
  selectLastDays,
  selectNames,
  selectRefusals,
  selectRunning,
  selectRuns,
} from './page-queries.ts'
import { type CockpitScope, type StandingRow, type Sums, selectStanding, selectUntil } from './queries.ts'

export interface CockpitAsked {
  filter?: Filter
  q?: string
  limit?: number
  after?: number
}

const USUAL_LIMIT = 100
const USUAL_CUSTOMERS = 50
const NAMES_A_PAGE = 1000
/** A text that fits so many campaigns is no search any more: their customers are those of the first of them. */
const MOST_FOUND = 10_000
const QUARTER_MS = 900_000
/** Has delivered: its last day says when it stopped. */
const TELLS_NO_LAST_DAY: readonly HealthCode[] = ['delivers', 'scheduled', 'refused', 'balance_low']

export async function readCockpit(
  db: Db,
  scope: CockpitScope,
  asked: CockpitAsked,
  { clock, timeZone }: IssueParts,
): Promise<Cockpit> {
  const nowMs = clock.nowMs()
  const { filter = null, after = null, limit = USUAL_LIMIT } = asked
  const found = asked.q === undefined ? null : await findCustomers(db, scope, asked.q)
  const question = { now: new Date(nowMs), timeZone, found, filter, after, limit }
  const untilMs = Math.floor(nowMs / QUARTER_MS) * QUARTER_MS
  const [{ sums, wanted, page }, until] = await Promise.all([
    selectStanding(db, scope, question),
    selectUntil(db, scope, { until: new Date(untilMs), timeZone }),
  ])
  const shown = page.slice(0, limit)
  return {
    asOf: Math.floor(nowMs / 1000),
    strip: {
      ...stripOf(sums),
      until: untilMs / 1000,
      todayUntil: fromMicros(until.today),
      yesterdayUntil: fromMicros(until.yesterday),
    },
    groups: { attention: wanted.attention, delivers: wanted.delivers, idle: wanted.idle },
    total: {
      customers: wanted.customers,
      spendToday: fromMicros(wanted.spend_today),
      budgetToday: fromMicros(wanted.budget),
      spend: fromMicros(wanted.spend),
      imps: wanted.imps,
      clicks: wanted.clicks,
      balance: fromMicros(wanted.balance),
    },
    customers: await withDetails(db, shown, nowMs),
    next: page.length > limit ? shown.at(-1)!.cuid : null,
  }
}

function stripOf(sums: Sums) {
  return {
    spendToday: fromMicros(sums.spend_today),
    problems: sums.problems,
    warnings: sums.warnings,
    balanceLow: sums.balance_low,
    balanceSpent: sums.balance_spent,
    banners: sums.banners,
    bannersSince: sums.banners_since_s,
    proposals: sums.proposals,
    idle: sums.idle,
  }
}

async function withDetails(db: Db, rows: StandingRow[], nowMs: number): Promise<CockpitCustomer[]> {
  if (rows.length === 0) return []
  const cuids = rows.map(row => row.cuid)
  const first = rows.map(row => dayAfter(row.today, 1 - DAYS)).sort()[0]!
  const days = groupBy(await selectDays(db, cuids, first), row => row.cuid)
  const running = rows.filter(row => row.running > 0).map(row => row.cuid)
  const runs = groupBy(await selectRuns(db, running, new Date(nowMs)), row => row.cuid)
  const stopped = rows.filter(row => !TELLS_NO_LAST_DAY.includes(row.code)).map(row => row.cuid)
  const lastDays = new Map((await selectLastDays(db, stopped)).map(row => [row.cuid, row.day]))
  const refused = rows.filter(row => row.code === 'refused').map(row => row.cuid)
  const refusals = await selectRefusals(db, refused, dayAfter(first, DAYS - 2), TROUBLE)
  const reasons = new Map(refusals.map(row => [row.cuid, row.reason]))
  return rows.map(row => {
    const looked: Looked = {
      calendar: calendarOf(row.zone),
      nowMs,
      runs: runs.get(row.cuid) ?? [],
      lastDay: lastDays.get(row.cuid) ?? null,
      refusal: reasons.get(row.cuid) ?? null,
    }
    const byDay = new Map((days.get(row.cuid) ?? []).map(({ day, micros }) => [day, micros]))
    return toCustomer(row, looked, byDay)
  })
}

function toCustomer(row: StandingRow, looked: Looked, byDay: ReadonlyMap<string, number>): CockpitCustomer {
  const evenMicros = Math.min(row.budget, evenMicrosOf(looked))
  return {
    cuid: row.cuid,
    company: row.company,
    email: row.email,
    health: healthOf(row, looked, evenMicros),
    spendToday: fromMicros(row.spend_today),
    budgetToday: fromMicros(row.budget),
    evenToday: fromMicros(evenMicros),
    days: Array.from({ length: DAYS }, (_, n) => {
      const micros = byDay.get(dayAfter(row.today, n + 1 - DAYS)) ?? 0
      return fromMicros(micros)
    }),
    spend: fromMicros(row.spend),
    imps: row.imps,
    clicks: row.clicks,
    balance: row.balance === null ? null : fromMicros(row.balance),
    balanceState: row.balance_state,
    banners: row.to_review,
    proposals: row.proposals,
  }
}

/** By what is written of them, and by the names of their campaigns. Names are compared here, a page at a time. */
async function findCustomers(db: Db, scope: CockpitScope, q: string): Promise<number[]> {
  const found = new Set<number>()
  let last = 0
  for (;;) {
    const names = await selectNames(db, scope, last, NAMES_A_PAGE)
    for (const { cuid, company, email, name, external_id } of names)
      if (containsText([company, email, name, external_id], q)) found.add(cuid)
    if (names.length < NAMES_A_PAGE) break
    last = names.at(-1)!.cuid
    await setImmediate()
  }
  for (const { cuid } of await searchCampaigns(db, scope, q, 0, MOST_FOUND)) found.add(cuid)
  return [...found]
}

export async function searchCampaigns(
  db: Db,
  scope: CockpitScope,
  q: string,
  after = 0,
  limit = USUAL_LIMIT,
): Promise<FoundCampaign[]> {
  const found: FoundCampaign[] = []
  let last = after
  while (found.length < limit) {
    const rows = await selectFound(db, scope, q, last, limit)
    for (const { cid, name, external_id, cuid, company, is_unknown } of rows) {
      if (is_unknown && !containsText([name, external_id], q)) continue
      found.push({ cid, name, externalId: external_id, cuid, company })
    }
    if (rows.length < limit) break
    last = rows.at(-1)!.cid
  }
  return found.slice(0, limit)
}

export interface IssuesAsked {
  code?: string
  limit?: number
  after?: number
}

export async function listIssuesOfAll(
  db: Db,
  scope: CockpitScope,
  { code, limit = USUAL_CUSTOMERS, after = 0 }: IssuesAsked,
  parts: IssueParts,
): Promise<CustomerIssues> {
  const now = new Date(parts.clock.nowMs())
  const customers = await selectRunning(db, scope, now, after, limit + 1)
  const issues: CustomerIssues['issues'] = []
  for (const { cuid, company } of customers.slice(0, limit)) {
    const own = await listIssues(db, { cuid, cid: null }, parts)
    for (const issue of own)
      if (code === undefined || issue.code === code) issues.push({ cuid, company, ...issue })
  }
  return { issues, next: customers.length > limit ? customers[limit - 1]!.cuid : null }
}

function groupBy<T>(rows: readonly T[], keyOf: (row: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group) group.push(row)
    else groups.set(keyOf(row), [row])
  }
  return groups
}
