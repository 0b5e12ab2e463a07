// Whether a transaction keeps to ceilings, checked right before its commit by what is stored then. The binding check of
// a customer is made by one transaction at a time, until its commit: two changes that fit alone but not together cannot
// both pass. Only what costs more is checked, so what was above a ceiling before can still be edited and lowered.

import { type Ceiling, type StoredCeilings, shownValue } from '../kernel/ceilings.ts'
import { costsMore, type Priced } from '../kernel/costs-more.ts'
import { toMicros } from '../kernel/money.ts'
import { type Problem, refusal } from '../kernel/problem.ts'
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
    isFinal,
  }: { cuid: number; changes: readonly PricedChange[]; all: Ceiled[]; isFinal: boolean },
): Promise<void> {
  if (all.length === 0) return
  const dearer = changes.filter(isDearer)
  const areCounted = all.some(({ ceilings }) => ceilings.writesPerHour !== undefined)
  if (dearer.length === 0 && !areCounted) return
  if (isFinal) await lockCeilings(tx, cuid)
  const campaigns =
    dearer.length === 0 ? [] : await selectPriced(tx, [...new Set(dearer.map(({ cid }) => cid!))])
  const { at } = changes[0]!
  for (const one of all) {
    for (const campaign of campaigns) checkCampaign(one, campaign)
    checkIncrease(one, dearer)
    if (one.ceilings.dailySpendAll !== undefined && campaigns.some(({ enabled }) => enabled))
      refuseAbove(one, 'dailySpendAll', await sumDailySpend(tx, cuid, at))
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

interface PricedRow {
  cid: number
  enabled: boolean
  daily: number
  /** The most that it can spend from its start to its end. */
  life: number
  cpm: number
  cpc: number | null
}

function checkCampaign(one: Ceiled, { daily, life, cpm, cpc }: PricedRow): void {
  refuseAbove(one, 'dailySpend', daily)
  refuseAbove(one, 'totalSpend', life)
  if (cpc === null) refuseAbove(one, 'cpm', cpm)
  else refuseAbove(one, 'cpc', cpc)
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

/**
 * A campaign without a total can spend its daily budget on every day that it touches, which is one more than its
 * length, as it may begin and end in the middle of one.
 */
function selectPriced(tx: Db, cids: number[]) {
  return tx.rows<PricedRow>(
    `select cid, enabled, daily_spend_micros as daily, cpm_micros as cpm, cpc_micros as cpc,
       least(total_spend_micros::numeric,
         (ceil(extract(epoch from end_at - start_at) / 86400) + 1) * daily_spend_micros)::float8 as life
     from campaign where cid = any($1::bigint[]) and deleted_at is null order by cid`,
    [cids],
  )
}

async function sumDailySpend(tx: Db, cuid: number, now: Date): Promise<number> {
  const row = await tx.row<{ sum: number }>(
    `select coalesce(sum(daily_spend_micros), 0)::float8 as sum from campaign
     where cuid = $1 and enabled and deleted_at is null and end_at > $2`,
    [cuid, now],
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
