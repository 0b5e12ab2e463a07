// Whether a transaction keeps to the ceilings, checked right before its commit against what is stored then. Final
// checks of one customer run one at a time, each until its commit, so two changes that fit alone but not together
// cannot both pass. Only changes that cost more are checked, so a campaign above a ceiling can still be edited and
// lowered.

import { type Ceiling, type StoredCeilings, shownValue } from '../kernel/ceilings.ts'
import { BUDGET_FIELDS, costsMore, type Priced } from '../kernel/costs-more.ts'
import { type Problem, refusal } from '../kernel/errors/problem.ts'
import { toMicros } from '../kernel/money.ts'
import { type Calendar, daysTouched } from '../kernel/time/day.ts'
import { monthsTouched } from '../kernel/time/months.ts'
import { calendarIn } from '../kernel/time/zones.ts'
import type { Db } from '../platform/database.ts'
import { zonesOf } from './customer-zones.ts'

export interface PricedChange {
  noun: string
  /** The id of the campaign or flight itself. */
  id: number
  cid: number | null
  at: Date
  before: object | null
  after: object | null
  /** Prices that it had before and does not use now. */
  aside?: Priced
  /** How many objects were created at once, if not one. */
  objects?: number
}

/** Ceilings and their owner: the customer, or the pair or member with this key. */
export interface Ceiled {
  whose: 'customer' | 'pair' | 'member'
  owner: string
  ceilings: StoredCeilings
}

export async function checkCeilings(
  tx: Db,
  {
    cuid,
    changes,
    all,
    ownZone,
    isFinal,
  }: { cuid: number; changes: readonly PricedChange[]; all: Ceiled[]; ownZone: string; isFinal: boolean },
): Promise<void> {
  if (all.length === 0) return
  const dearer = changes.filter(isDearer)
  const areCounted = all.some(({ ceilings }) => ceilings.writesPerHour !== undefined)
  if (dearer.length === 0 && !areCounted) return
  if (isFinal) await lockCeilings(tx, cuid)
  const { at } = changes[0]!
  const calendar = calendarIn(await zonesOf(tx, cuid), ownZone)
  const today = { at, key: calendar.dayAt(at.getTime()).key, calendar }
  const campaigns = dearer.length === 0 ? [] : await selectPriced(tx, dearer, today.key, all)
  for (const one of all) {
    for (const campaign of campaigns) checkCampaign(one, campaign, today)
    checkIncrease(one, changes)
    if (one.ceilings.dailySpendAll !== undefined && campaigns.some(({ is_spending }) => is_spending))
      refuseAbove(one, 'dailySpendAll', await sumDailySpend(tx, cuid, today))
    if (one.ceilings.writesPerHour !== undefined && isFinal)
      refuseAbove(one, 'writesPerHour', await countWrites(tx, one.owner, countObjects(changes), at))
  }
}

function countObjects(changes: readonly PricedChange[]): number {
  return changes.reduce((sum, { objects = 1 }) => sum + objects, 0)
}

export function isDearer({ noun, before, after }: Pick<PricedChange, 'noun' | 'before' | 'after'>): boolean {
  return (
    (noun === 'campaign' || noun === 'flight') &&
    costsMore(noun, before as Priced | null, after as Priced | null)
  )
}

/** Today in the customer's calendar. */
interface Today {
  at: Date
  key: number
  /** With a change of the zone that is to come. */
  calendar: Calendar
}

interface PricedRow {
  cid: number
  is_spending: boolean
  start_s: number
  end_s: number
  daily: number
  monthly: number | null
  total: number | null
  cpm: number
  cpc: number | null
  /** All it has spent, plus what nodes hold to spend; and the parts of that from today's budget and the month's. */
  ever: number
  of_today: number
  of_month: number
}

function checkCampaign(one: Ceiled, campaign: PricedRow, today: Today): void {
  const { daily, monthly, total, cpm, cpc } = campaign
  refuseAbove(one, 'dailySpend', daily)
  const byDays = Math.max(
    byLength(campaign),
    byWhatIsSpent(campaign, daysTouched, campaign.of_today, daily, today),
  )
  const byMonths =
    monthly === null ? byDays : byWhatIsSpent(campaign, monthsTouched, campaign.of_month, monthly, today)
  refuseAbove(one, 'totalSpend', Math.min(total ?? byDays, byDays, byMonths))
  if (cpc === null) refuseAbove(one, 'cpm', cpm)
  else refuseAbove(one, 'cpc', cpc)
}

/**
 * A campaign without a total can spend its daily budget on every day that it touches. It may begin and end in the
 * middle of a day, so these are one more than its length in days.
 */
function byLength({ start_s, end_s, daily }: PricedRow): number {
  return (Math.ceil((end_s - start_s) / 86_400) + 1) * daily
}

/**
 * Dates and budgets may have been different before, so this counts what was spent, plus all that can still be spent on
 * the days, or in the months, that are `touched`. `ofThis`: what this one has spent.
 */
function byWhatIsSpent(
  { start_s, end_s, ever }: PricedRow,
  touched: typeof daysTouched,
  ofThis: number,
  most: number,
  { at, calendar }: Today,
): number {
  const nowS = Math.floor(at.getTime() / 1000)
  const count = touched(calendar, Math.max(start_s, nowS), end_s)
  const isThis = count > 0 && touched(calendar, nowS, Math.max(start_s, nowS) + 1) === 1
  return ever - ofThis + Math.max(ofThis, isThis ? most : 0) + (isThis ? count - 1 : count) * most
}

function refuseAbove(one: Ceiled, ceiling: Ceiling, asked: number): void {
  const max = one.ceilings[ceiling]
  if (max !== undefined && asked > max)
    throw exceeded(one, ceiling, shownValue(ceiling, max), shownValue(ceiling, asked))
}

const RAISED = [...BUDGET_FIELDS, 'cpm', 'cpc'] as const

/**
 * Compares the first state in the transaction with the last: several operations of a bulk call are one change. A
 * restored object is compared with what it was, and a price that is used again with the last one of its kind.
 */
function checkIncrease(one: Ceiled, changes: readonly PricedChange[]): void {
  const percent = one.ceilings.increasePercent
  if (percent === undefined) return
  for (const same of byObject(changes).values()) {
    const before = same.flatMap(({ before, after }) => [before, after]).find(state => state !== null)
    const after = same.at(-1)!.after as Priced | null
    if (!before || after === null) continue
    const aside = same.find(({ aside }) => aside?.cpc !== undefined)?.aside
    for (const field of RAISED) {
      const was = (before as Priced)[field] ?? aside?.[field]
      const is = after[field]
      if (was == null) continue
      // Without it there is no limit, so the increase is infinite.
      if (is == null && field !== 'monthlySpend' && field !== 'totalSpend') continue
      const raised = is == null ? Number.POSITIVE_INFINITY : (toMicros(is)! / toMicros(was)! - 1) * 100
      if (raised > percent + 1e-9)
        throw exceeded(one, 'increasePercent', percent, Number.isFinite(raised) ? Math.ceil(raised) : null)
    }
  }
}

function byObject(changes: readonly PricedChange[]): Map<number, PricedChange[]> {
  const objects = new Map<number, PricedChange[]>()
  for (const change of changes) {
    if (change.noun !== 'campaign' && change.noun !== 'flight') continue
    const same = objects.get(change.id)
    if (same) same.push(change)
    else objects.set(change.id, [change])
  }
  return objects
}

function exceeded({ whose }: Ceiled, ceiling: Ceiling, max: number, asked: number | null): Problem {
  return asked === null
    ? refusal('total_not_removable', { whose, ceiling, max })
    : refusal('ceiling_exceeded', { whose, ceiling, max, asked })
}

/** Locks until the end of the transaction; nothing else waits for this lock. */
export function lockCeilings(tx: Db, cuid: number) {
  return tx.row("select pg_advisory_xact_lock(hashtextextended('ceilings of ' || $1, 0))", [String(cuid)])
}

/**
 * Enabled, or paid by click and enabled before: its ads may be clicked for weeks, and each day pays for them as far as
 * its budget allows. A campaign that has ended or was deleted pays for no more clicks. Shares are looked at because ads
 * of these days may not have been seen yet. `offset 0`: by their keys, never by reading the tables of all customers.
 */
const isSpending = (isUnfolded: string) => `(c.enabled or c.cpc_micros is not null and (
    exists (select from share s where s.day = any(book_days()) and s.cid = c.cid offset 0)
    or exists (select from rollup r where r.id = c.cid offset 0)
    or exists (select from rollup_packed p where p.id = c.cid offset 0)
    or ${isUnfolded}))`

/** For a few campaigns. */
export const IS_SPENDING = isSpending('exists (select from fresh f where f.cuid = c.cuid and f.cid = c.cid)')
/** For all campaigns of customer $1: what is not folded is read once, not once per campaign. */
const IS_SPENDING_OF_ALL = isSpending('c.cid in (select f.cid from fresh f where f.cuid = $1)')

/** One statement, because billing counts in one transaction too: nothing is seen twice or missed. */
function selectPriced(tx: Db, dearer: PricedChange[], day: number, all: Ceiled[]) {
  const isForLife = all.some(({ ceilings }) => ceilings.totalSpend !== undefined)
  return tx.rows<PricedRow>(
    `select c.cid, ${IS_SPENDING} as is_spending, extract(epoch from c.start_at)::float8 as start_s,
       extract(epoch from c.end_at)::float8 as end_s, c.daily_spend_micros as daily, c.monthly_spend_micros as monthly,
       c.total_spend_micros as total, c.cpm_micros as cpm, c.cpc_micros as cpc, coalesce(spent.ever, 0)::float8 as ever,
       coalesce((select b.granted_micros from budget b where b.day = $2 and b.cid = c.cid), 0) as of_today,
       coalesce(granted_of_month(c.cid, $2), 0) as of_month
     from campaign c
       left join lateral (
         select sum(micros) as ever from (
           select micros from spent_ever(c.cuid, c.cid)
           union all select granted_micros - billed_micros from share where day = any(book_days()) and cid = c.cid
         ) parts
       ) spent on $3
     where c.cid = any($1::bigint[]) and c.deleted_at is null order by c.cid`,
    [[...new Set(dearer.map(({ cid }) => cid!))], day, isForLife],
  )
}

/** Counts what was granted today even if its campaign was since paused, lowered, ended or deleted. */
async function sumDailySpend(tx: Db, cuid: number, { at, key }: Today): Promise<number> {
  const row = await tx.row<{ sum: number }>(
    `select coalesce(sum(greatest(
         case when c.deleted_at is null and c.end_at > $2 and ${IS_SPENDING_OF_ALL} then c.daily_spend_micros else 0 end,
         coalesce(b.granted_micros, 0))), 0)::float8 as sum
     from campaign c left join budget b on b.day = $3 and b.cid = c.cid where c.cuid = $1`,
    [cuid, at, key],
  )
  return row!.sum
}

/** Adds to the writes of this hour and returns their number; rolled back together with the change. */
async function countWrites(tx: Db, owner: string, writes: number, now: Date): Promise<number> {
  const row = await tx.row<{ writes: number }>(
    `insert into writes_in_hour as w (owner, hour, writes) values ($1, date_trunc('hour', $3::timestamptz), $2)
     on conflict (owner) do update set hour = excluded.hour,
       writes = case when w.hour = excluded.hour then w.writes else 0 end + excluded.writes
     returning writes`,
    [owner, writes, now],
  )
  return row!.writes
}
