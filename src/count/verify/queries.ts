// SQL of verification: each check compares two sums of the same thing and returns the rows in which they differ, the
// largest first. The database makes the sums, so only differences are transferred.

import type { Db } from '../../platform/database.ts'

export interface Difference {
  /** Null: the difference is of a customer. */
  cid: number | null
  cuid?: number | null
  /** yyyy-mm-dd on the customer's clocks; null: not of a single day. */
  day: string | null
  what: string
  left: number
  right: number
}

/** Lets all checks read one state of the database for as long as they take. */
export async function beginVerification(tx: Db, longestMs: number): Promise<void> {
  await tx.run('set transaction isolation level repeatable read read only')
  for (const setting of ['statement_timeout', 'idle_in_transaction_session_timeout'])
    await tx.run(`set local ${setting} = ${longestMs}`)
}

export interface Since {
  /** The first day whose impressions all still have their events. */
  imps: string
  /** The same for clicks, which may come long after their ad. */
  clicks: string
  actions: string
}

/** The days that can be compared: events older than their retention are gone, but their figures stay. */
export async function selectSince(tx: Db, zone: string, clickWindowS: number): Promise<Since> {
  const row = await tx.row<Since>(
    `with oldest as (
       select (select min(served_at(ad)) from event) as event, (select min(at) from action) as action,
         (select min(day) from rollup_customer) as figure
     ), days as (
       select (event at time zone $1)::date as event, (action at time zone $1)::date as action,
         figure is null or figure >= (event at time zone $1)::date as is_whole from oldest
     )
     select case when is_whole then date '1970-01-01' else event + partial end::text as imps,
       case when is_whole then date '1970-01-01'
         else event + partial + ceil($2::float8 / 86400)::integer end::text as clicks,
       coalesce(case when is_whole then date '1970-01-01' else action + partial end, date '1970-01-01')::text as actions
     from days, (
       select case when exists (select from customer where timezone is not null or timezone_before is not null)
         then 2 else 1 end as partial
     ) p`,
    [zone, clickWindowS],
  )
  return row!
}

const COUNTED = `count(*) filter (where kind = 'i') as imps, count(*) filter (where kind = 'v') as views,
  count(*) filter (where kind = 'c') as clicks, count(*) filter (where kind = 'a') as actions,
  coalesce(sum(spend_micros), 0) as spend, coalesce(sum(value_micros), 0) as value`
const SUMMED = `sum(imps) as imps, sum(views) as views, sum(clicks) as clicks, sum(actions) as actions,
  sum(spend_micros) as spend, 0 as value`

/** $1 is the deployment's zone. Days are the customer's. */
const dayOf = (at: string) =>
  `case when z.cid is null then (${at} at time zone $1)::date else day_at(z.timezone, z.timezone_before, ${at}, $1) end`
/** The campaigns whose customers have, or had, a zone of their own. */
const ZONED = `left join (
    select c.cid, u.timezone, u.timezone_before from campaign c join customer u using (cuid)
    where u.timezone is not null or u.timezone_before is not null
  ) z`
const EVENTS = `
  select cid, ${dayOf('at')} as day, kind, spend_micros, 0 as value_micros from event ${ZONED} using (cid)
  union all
  select cid, ${dayOf('at')}, 'a', 0, value_micros from action ${ZONED} using (cid)`
const FRESH = `select cid, day, kind, spend_micros, 0 as value_micros from fresh
  union all select cid, day, null, 0, value_micros from fresh_value`

/** Compares each figure of a campaign and day as its own row, from the day `from` on. */
const differing = (left: string, right: string, from: string) => `
  select cid, day::text as day, what, coalesce(l, 0)::bigint as "left", coalesce(r, 0)::bigint as "right"
  from (select cid, day, ${SUMS_OF('l')} from (${left}) l group by cid, day) a
    full join (select cid, day, ${SUMS_OF('r')} from (${right}) r group by cid, day) b using (cid, day)
    cross join lateral (values ('imps', l_imps, r_imps, $2::date), ('views', l_views, r_views, $2::date),
      ('spendMicros', l_spend, r_spend, case when exists (select from campaign where cpc_micros is not null)
        then $3::date else $2::date end), ('clicks', l_clicks, r_clicks, $3::date),
      ('actions', l_actions, r_actions, $4::date), ('valueMicros', l_value, r_value, $4::date)) as v(what, l, r, since)
  where day >= since and day >= ${from} and coalesce(l, 0) <> coalesce(r, 0)
  order by abs(coalesce(l, 0) - coalesce(r, 0)) desc, cid, day, what limit $5`

function SUMS_OF(side: string): string {
  return ['imps', 'views', 'clicks', 'actions', 'spend', 'value']
    .map(name => `sum(${name}) as ${side}_${name}`)
    .join(', ')
}

const counted = (rows: string) => `select cid, day, ${COUNTED} from (${rows}) c group by cid, day`
const withFresh = (figures: string) => `${figures} union all ${counted(FRESH)}`
/** Older rollups may be packed. */
const RECENT = `(now() at time zone $1)::date - 7`

const BY_CUSTOMER = `select cid, day, ${SUMMED} from rollup_customer group by cid, day
  union all select name, day, 0, 0, 0, 0, 0, value_micros from rollup_value_dimension where dimension = 'g'`
const BY_QUARTER = `select id as cid, ${dayOf('quarter')} as day, ${SUMMED}
  from rollup ${ZONED} on z.cid = rollup.id where id in (select cid from leaf) group by 1, 2
  union all select id, ${dayOf('quarter')}, 0, 0, 0, 0, 0, value_micros
  from rollup_value ${ZONED} on z.cid = rollup_value.id where id in (select cid from leaf)`
/** A leaf's sums by device, the dimension with the fewest rows. */
const BY_DIMENSION = `select l.cid, d.day, ${SUMMED} from rollup_dimension d join leaf l on l.leaf = d.id
  where d.dimension = 'd' group by 1, 2
  union all select l.cid, d.day, 0, 0, 0, 0, 0, d.value_micros
  from rollup_value_dimension d join leaf l on l.leaf = d.id where d.dimension = 'd'`

export const COMPARISONS = {
  /** What `GET /report` and a customer's breakdowns show. */
  statements: differing(counted(EVENTS), withFresh(BY_CUSTOMER), `date '1970-01-01'`),
  /** What summaries and time series show. */
  summaries: differing(withFresh(BY_CUSTOMER), withFresh(BY_QUARTER), RECENT),
  breakdowns: differing(withFresh(BY_CUSTOMER), withFresh(BY_DIMENSION), RECENT),
}

export function selectDifferences(
  tx: Db,
  comparison: keyof typeof COMPARISONS,
  zone: string,
  { imps, clicks, actions }: Since,
  most: number,
) {
  return tx.rows<Difference>(COMPARISONS[comparison], [zone, imps, clicks, actions, most])
}

/** Compares what was billed to shares with the impressions and clicks of the days that shares still have. */
export function selectUnpaid(tx: Db, most: number) {
  return tx.rows<Difference>(
    `select cid, to_date(day::text, 'YYYYMMDD')::text as day, 'spendMicros' as what, coalesce(e.micros, 0)::bigint as "left",
       coalesce(s.spent_micros, 0)::bigint as "right"
     from (
       select cid, budget_day as day, sum(spend_micros) as micros from event
       where spend_micros > 0 and budget_day in (select distinct day from share) group by 1, 2
     ) e full join budget_day s using (cid, day)
     where coalesce(e.micros, 0) <> coalesce(s.spent_micros, 0)
     order by abs(coalesce(e.micros, 0) - coalesce(s.spent_micros, 0)) desc, cid, day limit $1`,
    [most],
  )
}

/** Compares what nodes were granted with their budgets; also finds exceeded budgets. */
export function selectOvergranted(tx: Db, most: number) {
  return tx.rows<Difference>(
    `select cid, to_date(day::text, 'YYYYMMDD')::text as day, 'grantedMicros' as what,
       coalesce(b.granted_micros, 0)::bigint as "left", coalesce(s.granted, 0)::bigint as "right"
     from budget b full join (
       select day, cid, sum(granted_micros) as granted, sum(billed_micros) as billed from share group by 1, 2
     ) s using (day, cid)
     where coalesce(b.granted_micros, 0) <> coalesce(s.granted, 0) or s.billed > b.limit_micros
     order by cid, day limit $1`,
    [most],
  )
}

/** Events and fresh rows whose leaf is missing or belongs to another campaign. */
export function selectLost(tx: Db, most: number) {
  return tx.rows<Difference>(
    `select cid, null as day, what, rows::bigint as "left", 0::bigint as "right" from (
       select cid, 'events without a leaf' as what, sum(n) as rows
       from (select cid, leaf, count(*) as n from event group by 1, 2) e
       where not exists (select from leaf l where l.leaf = e.leaf and l.cid = e.cid) group by cid
       union all
       select cid, 'fresh rows without a leaf', sum(n)
       from (select cid, leaf, count(*) as n from fresh group by 1, 2) f
       where not exists (select from leaf l where l.leaf = f.leaf and l.cid = f.cid) group by cid
     ) lost order by rows desc, cid limit $1`,
    [most],
  )
}

const NAME = 'verified'

/** Whether this is a replica, or configured as read-only. */
export async function isReadOnly(db: Db): Promise<boolean> {
  const row = await db.row<{ yes: boolean }>(`select current_setting('transaction_read_only') = 'on' as yes`)
  return row!.yes
}

export function noteVerified(db: Db, outcome: string) {
  return db.run(
    `insert into deployment (name, value, updated_at) values ('${NAME}', $1, now())
     on conflict (name) do update set value = excluded.value, updated_at = now()`,
    [outcome],
  )
}

/** When a verification last found that everything agrees. */
export async function selectVerifiedAt(db: Db): Promise<Date | null> {
  const row = await db.row<{ at: Date }>(
    `select updated_at as at from deployment where name = '${NAME}' and value = 'agree'`,
  )
  return row?.at ?? null
}
