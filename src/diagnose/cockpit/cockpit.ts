// The verbs of the cockpit: all customers of an app with their health, those that need a person first; campaigns found
// by a text; and the issues of all customers. All figures are of the moment of the call, or of an earlier answer if
// `asOf` asks for it.

import { refusedSources } from '../../count/tracking/source-outcomes.ts'
import { fromMicros } from '../../kernel/money.ts'
import { containsText, searchedFor } from '../../kernel/text.ts'
import { calendarOf } from '../../kernel/time/day.ts'
import type { Db } from '../../platform/database.ts'
import { type IssueParts, listIssues } from '../issues/issues.ts'
import {
  type Cockpit,
  type CockpitCustomer,
  type CustomerIssues,
  DAYS,
  type Filter,
  type FoundCampaign,
  type HealthCode,
} from './contract.ts'
import { dayAfter, evenMicrosOf, healthOf, type Looked } from './health.ts'
import {
  groupBy,
  selectDays,
  selectFound,
  selectLastDays,
  selectRefusals,
  selectRunning,
  selectRuns,
} from './page-queries.ts'
import { type Picture, type Pictures, secondOf, takePicture, textsOf } from './pictures.ts'
import { type CockpitScope, TROUBLE } from './queries.ts'
import { countOf, FITS, filtered, type Standing, sumOf } from './standing.ts'

export interface CockpitAsked {
  filter?: Filter
  q?: string
  cuid?: number
  limit?: number
  after?: number
  asOf?: number
}

const USUAL_LIMIT = 100
const USUAL_CUSTOMERS = 50
/** A page of issues ends with the customer that reaches this number, because one answer is made and checked at once. */
const ENOUGH_ISSUES = 1_000
/** A text that matches so many campaigns is no longer a search: only the customers of the first campaigns are found. */
const MOST_FOUND = 10_000
/** Codes without a last day: the customer delivers, or its last day would say nothing. */
const TELLS_NO_LAST_DAY: readonly HealthCode[] = ['delivers', 'scheduled', 'refused', 'balance_low']

export async function readCockpit(
  db: Db,
  all: CockpitScope,
  asked: CockpitAsked,
  { clock, timeZone }: Omit<IssueParts, 'openAds'>,
  pictures: Pictures,
): Promise<Cockpit> {
  const { filter = null, after, limit = USUAL_LIMIT, q, asOf } = asked
  const scope = asked.cuid === undefined ? all : only(all, asked.cuid)
  let picture = asOf === undefined ? null : pictures.find(scope, asOf)
  if (picture === null) {
    picture = await takePicture(db, scope, { now: new Date(clock.nowMs()), timeZone })
    pictures.keep(scope, picture)
  }
  const { standings } = picture
  const wanted = filtered(q === undefined ? standings : await find(db, scope, picture, q), filter)
  const rest = after === undefined ? wanted : wantedAfter(wanted, standings, after)
  const shown = rest.slice(0, limit)
  return {
    asOf: secondOf(picture),
    strip: stripOf(picture),
    // Of the whole deployment, which is more than somebody may see who works for some customers.
    refusedSources: scope.cuids === null ? await refusedSources(db, picture.nowMs) : [],
    groups: {
      attention: countOf(wanted, ({ level }) => level === 'problem' || level === 'warning'),
      delivers: countOf(wanted, ({ level }) => level === 'ok'),
      idle: countOf(wanted, FITS.idle),
    },
    total: {
      customers: wanted.length,
      spendToday: fromMicros(sumOf(wanted, one => one.spend_today)),
      budgetToday: fromMicros(sumOf(wanted, one => one.budget)),
      spend: fromMicros(sumOf(wanted, one => one.spend)),
      imps: sumOf(wanted, one => one.imps),
      clicks: sumOf(wanted, one => one.clicks),
      balance: fromMicros(sumOf(wanted, one => one.balance ?? 0)),
    },
    customers: await withDetails(db, shown, picture.nowMs),
    next: rest.length > limit ? shown.at(-1)!.facts.cuid : null,
  }
}

/** One customer, if the caller sees it. */
function only({ appId, cuids }: CockpitScope, cuid: number): CockpitScope {
  return { appId, cuids: cuids === null || cuids.includes(cuid) ? [cuid] : [] }
}

/** The customers after `after`, in the order of all, even if that one is no longer among those wanted. */
function wantedAfter(wanted: readonly Standing[], all: readonly Standing[], after: number): Standing[] {
  const past = new Set<number>()
  for (const { facts } of all) {
    past.add(facts.cuid)
    if (facts.cuid === after) return wanted.filter(one => !past.has(one.facts.cuid))
  }
  return [...wanted]
}

function stripOf({ standings, untilMs, todayUntil, yesterdayUntil }: Picture): Cockpit['strip'] {
  const waiting = standings.flatMap(({ facts }) => facts.review_since_s ?? [])
  return {
    spendToday: fromMicros(sumOf(standings, one => one.spend_today)),
    problems: countOf(standings, FITS.problems),
    warnings: countOf(standings, ({ level }) => level === 'warning'),
    balanceLow: countOf(standings, FITS.balance),
    balanceSpent: countOf(standings, ({ balanceState }) => balanceState === 'spent'),
    banners: sumOf(standings, one => one.to_review),
    bannersSince: waiting.length === 0 ? null : waiting.reduce((oldest, one) => Math.min(oldest, one)),
    proposals: sumOf(standings, one => one.proposals),
    idle: countOf(standings, FITS.idle),
    until: untilMs / 1000,
    todayUntil: fromMicros(todayUntil),
    yesterdayUntil: fromMicros(yesterdayUntil),
  }
}

async function withDetails(
  db: Db,
  standings: readonly Standing[],
  nowMs: number,
): Promise<CockpitCustomer[]> {
  if (standings.length === 0) return []
  const rows = standings.map(({ facts }) => facts)
  const cuids = rows.map(row => row.cuid)
  const first = rows.map(row => dayAfter(row.today, 1 - DAYS)).sort()[0]!
  const days = groupBy(await selectDays(db, cuids, first), row => row.cuid)
  const running = rows.filter(row => row.running > 0).map(row => row.cuid)
  const runs = groupBy(await selectRuns(db, running, new Date(nowMs)), row => row.cuid)
  const stopped = standings.filter(one => !TELLS_NO_LAST_DAY.includes(one.code)).map(one => one.facts.cuid)
  const lastDays = new Map((await selectLastDays(db, stopped)).map(row => [row.cuid, row.day]))
  const refused = standings.filter(one => one.code === 'refused').map(one => one.facts.cuid)
  const refusals = await selectRefusals(db, refused, dayAfter(first, DAYS - 2), TROUBLE)
  const reasons = new Map(refusals.map(row => [row.cuid, row.reason]))
  return standings.map(standing => {
    const { facts: row } = standing
    const looked: Looked = {
      calendar: calendarOf(row.zone),
      nowMs,
      runs: runs.get(row.cuid) ?? [],
      lastDay: lastDays.get(row.cuid) ?? null,
      refusal: reasons.get(row.cuid) ?? null,
    }
    const byDay = new Map((days.get(row.cuid) ?? []).map(({ day, micros }) => [day, micros]))
    return toCustomer(standing, looked, byDay)
  })
}

function toCustomer(standing: Standing, looked: Looked, byDay: ReadonlyMap<string, number>): CockpitCustomer {
  const { facts: row, balanceState } = standing
  const evenMicros = Math.min(row.budget, evenMicrosOf(looked))
  return {
    cuid: row.cuid,
    company: row.company,
    email: row.email,
    health: healthOf(standing, looked, evenMicros),
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
    balanceState,
    banners: row.to_review,
    proposals: row.proposals,
  }
}

/** By their own texts, and by the names of their campaigns. */
async function find(db: Db, scope: CockpitScope, picture: Picture, q: string): Promise<Standing[]> {
  const campaigns = await searchCampaigns(db, scope, q, 0, MOST_FOUND)
  const cuids = new Set(campaigns.map(({ cuid }) => cuid))
  const texts = await textsOf(picture)
  const text = searchedFor(q)
  return picture.standings.filter(({ facts }, place) => cuids.has(facts.cuid) || texts[place]!.includes(text))
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
    if (issues.length >= ENOUGH_ISSUES && cuid !== customers.at(-1)!.cuid) return { issues, next: cuid }
  }
  return { issues, next: customers.length > limit ? customers[limit - 1]!.cuid : null }
}
