// Whether a transaction keeps to ceilings, checked right before its commit by what is stored then. The binding check of
// a customer is made by one transaction at a time, until its commit: two changes that fit alone but not together cannot
// both pass. Only what costs more is checked, so what was above a ceiling before can still be edited and lowered.

import { type Ceiling, type StoredCeilings, shownValue } from '../kernel/ceilings.ts'
import { costsMore, type Priced } from '../kernel/costs-more.ts'
import { daysTouched } from '../kernel/day.ts'
import { toMicros } from '../kernel/money.ts'
import { type Problem, refusal } from '../kernel/problem.ts'
import { calendarIn } from '../kernel/zones.ts'
import { zonesOf } from './customer-zones.ts'
import type { Db } from './database.ts'

export interface PricedChange {
  noun: string
  /** Of the campaign or flight itself. */
  id: number
  cid: number | null
  at: Date
  before: object | null
  after: object | null
  /** How many came into being at once, if not one. */
  objects?: number
}

/** Whose ceilings they are: of the customer, or of the pair or member with this key. */
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
  const today = { at, key: calendar.dayAt(at.getTime()).key, zone: calendar.zoneAt(at.getTime()) }
  const campaigns = dearer.length === 0 ? [] : await selectPriced(tx, dearer, today.key, all)
  for (const one of all) {
    for (const campaign of campaigns) checkCampaign(one, campaign, today)
    checkIncrease(one, dearer)
    if (one.ceilings.dailySpendAll !== undefined && campaigns.some(({ enabled }) => enabled))
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

/** Of the customer. */
interface Today {
  at: Date
  key: number
  zone: string
}

interface PricedRow {
  cid: number
  enabled: boolean
  start_s: number
  end_s: number
  daily: number
  total: number | null
  cpm: number
  cpc: number | null
  /** What it has ever spent, and what nodes hold to spend; and of that, of today's budget. */
  ever: number
  of_today: number
}

function checkCampaign(one: Ceiled, campaign: PricedRow, today: Today): void {
  const { daily, total, cpm, cpc } = campaign
  refuseAbove(one, 'dailySpend', daily)
  const byDays = Math.max(byLength(campaign), byWhatIsSpent(campaign, today))
  refuseAbove(one, 'totalSpend', Math.min(total ?? byDays, byDays))
  if (cpc === null) refuseAbove(one, 'cpm', cpm)
  else refuseAbove(one, 'cpc', cpc)
}

/**
 * A campaign without a total can spend its daily budget on every day that it touches, which is one more than its
 * length, as it may begin and end in the middle of one.
 */
function byLength({ start_s, end_s, daily }: PricedRow): number {
  return (Math.ceil((end_s - start_s) / 86_400) + 1) * daily
}

/** Dates and budgets may have been others before: what was spent by them counts, and all that can still be. */
function byWhatIsSpent({ start_s, end_s, daily, ever, of_today }: PricedRow, { at, zone }: Today): number {
  const nowS = Math.floor(at.getTime() / 1000)
  const days = daysTouched(zone, Math.max(start_s, nowS), end_s)
  const isToday = days > 0 && daysTouched(zone, nowS, Math.max(start_s, nowS) + 1) === 1
  return ever - of_today + Math.max(of_today, isToday ? daily : 0) + (isToday ? days - 1 : days) * daily
}

function refuseAbove(one: Ceiled, ceiling: Ceiling, asked: number): void {
  const max = one.ceilings[ceiling]
  if (max !== undefined && asked > max)
    throw exceeded(one, ceiling, shownValue(ceiling, max), shownValue(ceiling, asked))
}

const RAISED = ['dailySpend', 'totalSpend', 'cpm', 'cpc'] as const

/** From the first state in the transaction to the last: several operations of a bulk call are one change. */
function checkIncrease(one: Ceiled, changes: readonly PricedChange[]): void {
  const percent = one.ceilings.increasePercent
  if (percent === undefined) return
  for (const change of changes) {
    const same = changes.filter(({ noun, id }) => noun === change.noun && id === change.id)
    const before = same[0]!.before as Priced | null
    const after = same.at(-1)!.after as Priced | null
    if (before === null || after === null) continue
    for (const field of RAISED) {
      const was = before[field]
      const is = after[field]
      if (was == null) continue
      // Without a total there is no end to it.
      if (is == null && field !== 'totalSpend') continue
      const raised = is == null ? Number.POSITIVE_INFINITY : (toMicros(is)! / toMicros(was)! - 1) * 100
      if (raised > percent + 1e-9)
        throw exceeded(one, 'increasePercent', percent, Number.isFinite(raised) ? Math.ceil(raised) : null)
    }
  }
}

function exceeded({ whose }: Ceiled, ceiling: Ceiling, max: number, asked: number | null): Problem {
  return asked === null
    ? refusal('total_not_removable', { whose, ceiling, max })
    : refusal('ceiling_exceeded', { whose, ceiling, max, asked })
}

/** Until the end of the transaction; nothing else waits for it. */
function lockCeilings(tx: Db, cuid: number) {
  return tx.row("select pg_advisory_xact_lock(hashtextextended('ceilings of ' || $1, 0))", [String(cuid)])
}

/** One statement: what is billed is counted in the same transaction, so nothing is seen twice or not at all. */
function selectPriced(tx: Db, dearer: PricedChange[], day: number, all: Ceiled[]) {
  const isForLife = all.some(({ ceilings }) => ceilings.totalSpend !== undefined)
  return tx.rows<PricedRow>(
    `select c.cid, c.enabled, extract(epoch from c.start_at)::float8 as start_s,
       extract(epoch from c.end_at)::float8 as end_s, c.daily_spend_micros as daily, c.total_spend_micros as total,
       c.cpm_micros as cpm, c.cpc_micros as cpc, coalesce(spent.ever, 0)::float8 as ever,
       coalesce((select b.granted_micros from budget b where b.day = $2 and b.cid = c.cid), 0) as of_today
     from campaign c
       left join lateral (
         select sum(micros) as ever from (
           select spend_micros as micros from rollup where id = c.cid
           union all select spend_micros from rollup_unpacked where id = c.cid
           union all select spend_micros from fresh where cuid = c.cuid and cid = c.cid
           union all select granted_micros - billed_micros from share where day = any(book_days()) and cid = c.cid
         ) parts
       ) spent on $3
     where c.cid = any($1::bigint[]) and c.deleted_at is null order by c.cid`,
    [[...new Set(dearer.map(({ cid }) => cid!))], day, isForLife],
  )
}

/** What was spent today counts, by whatever is paused, lowered, over or gone by now; and what is still out. */
async function sumDailySpend(tx: Db, cuid: number, { at, key }: Today): Promise<number> {
  const row = await tx.row<{ sum: number }>(
    `select coalesce(sum(greatest(
         case when c.enabled and c.deleted_at is null and c.end_at > $2 then c.daily_spend_micros else 0 end,
         coalesce(b.granted_micros, 0))), 0)::float8 as sum
     from campaign c left join budget b on b.day = $3 and b.cid = c.cid where c.cuid = $1`,
    [cuid, at, key],
  )
  return row!.sum
}

/** Counts them, and tells how many there are in this hour: rolled back with what was written. */
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
