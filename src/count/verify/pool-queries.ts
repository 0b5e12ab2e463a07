// SQL that verifies limits above days: compares what pools say was granted with shares and figures, and what accounts
// say with figures. As in queries.ts, only differences are returned.

import type { Db } from '../../platform/database.ts'
import type { Difference } from './queries.ts'

/** What shares hold of each pool. */
const HELD = `select id, sum(granted_micros) as granted, sum(granted_micros - billed_micros) as unbilled
  from share cross join unnest(pools) as id where pools <> '{}' group by id`

/** A total: everything its campaign has spent, plus what shares hold of it. */
const TOTALS = `
  select p.id as cid, null::bigint as cuid, null::text as day, 'grantedMicros of the total' as what,
    p.granted_micros as l, coalesce(h.unbilled, 0) + s.micros as r, true as is_exact
  from pool p join campaign c on c.cid = p.id left join held h on h.id = p.id
    cross join lateral (
      select coalesce(sum(micros), 0) as micros from spent_ever(c.cuid, c.cid)
    ) s`

/** A month: what its closed days were billed, plus what shares hold of it. */
const MONTHS = `
  select -p.id / 10000, null::bigint, null::text, 'grantedMicros of the month', p.granted_micros,
    coalesce(h.granted, 0) + coalesce((
      select sum(micros) from month_spend m where m.cid = -p.id / 10000 and m.month % 10000 = -p.id % 10000), 0), true
  from pool p left join held h on h.id = p.id where p.id < 0`

/** A flight's total must be at least this. If it was set while the flight ran, ads billed to others may count too. */
const FLIGHTS = `
  select f.cid, null::bigint, null::text, 'grantedMicros of the flight ' || f.fid, p.granted_micros,
    coalesce(h.unbilled, 0) + s.micros, false
  from pool p join flight f on f.fid = p.id join campaign c on c.cid = f.cid left join held h on h.id = p.id
    cross join lateral (
      select coalesce(sum(micros), 0) as micros from flight_spent_ever(c.cuid, c.cid, f.fid)
    ) s`

/** A balance: what its account spent on closed days, plus everything that shares hold of it. */
const BALANCES = `
  select null::bigint, p.id, null::text, 'grantedMicros of the balance', p.granted_micros,
    coalesce(h.granted, 0) + coalesce((
      select sum(micros) from account_spend s where s.cuid = p.id and s.account_no = p.account_no), 0), true
  from pool p left join held h on h.id = p.id where p.account_no is not null
  union all
  select null::bigint, p.id, null::text, 'creditedMicros', p.limit_micros, coalesce((
    select sum(amount_micros) from account_entry e where e.cuid = p.id and e.account_no = p.account_no), 0), true
  from pool p where p.account_no is not null`

/** Compares what pools say was granted, and the limits of balances. */
export function selectWrongPools(tx: Db, most: number) {
  return tx.rows<Difference>(
    `with held as materialized (${HELD})
     select cid, cuid, day, what, l::bigint as "left", r::bigint as "right"
     from (${TOTALS} union all ${MONTHS} union all ${FLIGHTS} union all ${BALANCES}) d
     where case when is_exact then l <> r else l < r end order by abs(l - r) desc, cid, cuid limit $1`,
    [most],
  )
}

/** $1 is the deployment's zone. */
const dayOf = (at: string) => `to_char(day_at(u.timezone, u.timezone_before, ${at}, $1), 'YYYYMMDD')::integer`

/**
 * Compares what accounts spent per day with the figures, only for days that are completely within an account. On its
 * first day others were billed too, and so may be on its last day and for ads of the day before.
 */
export function selectWrongAccounts(tx: Db, zone: string, most: number) {
  return tx.rows<Difference>(
    `with spans as materialized (
       select a.cuid, a.account_no, ${dayOf('a.began_at')} as first_day,
         case when a.ended_at is null then 99999999 else ${dayOf(`(a.ended_at - interval '1 day')`)} end as last_day
       from account a join customer u using (cuid)
     ),
     spends as (
       select cuid, account_no, cid, day, micros from account_spend
       union all
       select p.id, p.account_no, s.cid, s.day, s.billed_micros
       from share s cross join unnest(s.pools) as pooled(id) join pool p on p.id = pooled.id
       where s.pools <> '{}' and p.account_no is not null
     ),
     billed as (
       select s.cid, s.day, sum(s.micros) as micros from spends s join spans a using (cuid, account_no)
       where s.day > a.first_day and s.day < a.last_day group by 1, 2
     ),
     figures as (
       select f.cid, f.day, sum(f.micros) as micros from (
         select cuid, cid, to_char(day, 'YYYYMMDD')::integer as day, spend_micros as micros from rollup_customer
         where cuid in (select cuid from spans)
         union all
         select cuid, cid, to_char(day, 'YYYYMMDD')::integer, spend_micros from fresh
         where cuid in (select cuid from spans)
       ) f join spans a on a.cuid = f.cuid and f.day > a.first_day and f.day < a.last_day group by 1, 2
     )
     select cid, to_date(day::text, 'YYYYMMDD')::text as day, 'spendMicros' as what,
       coalesce(b.micros, 0)::bigint as "left", coalesce(f.micros, 0)::bigint as "right"
     from billed b full join figures f using (cid, day)
     where coalesce(b.micros, 0) <> coalesce(f.micros, 0)
     order by abs(coalesce(b.micros, 0) - coalesce(f.micros, 0)) desc, cid, day limit $2`,
    [zone, most],
  )
}
