// SQL of the ingest. Each write is one statement, so one transaction and one trip to the database: it inserts what is
// new and adds exactly that to the rollups. Rows are touched in the order of their keys, tables always in the same
// order, so that two processes wait for each other and never deadlock.

import type { Db } from '../../platform/database.ts'

/** PostgreSQL's text form of arrays, made beforehand: `{1,2,NULL}`. */
export interface EventColumns {
  adHex: string
  kinds: string
  servedS: string
  atMs: string
  cuids: string
  cids: string
  fids: string
  pids: string
  bids: string
  sourceIds: string
  budgetDays: string
  spendMicros: string
  userHex: string
  placeHashes: string
  devices: string
  oses: string
  countries: string
}

/** The few quarters of an hour and places that the rows of a batch refer to. */
export interface Lookups {
  quarterStartsS: number[]
  days: string[]
  hours: string[]
  placeHashes: number[]
  placeKinds: string[]
  placeNames: string[]
}

export interface FilteredColumns {
  ids: number[]
  days: string[]
  reasons: string[]
  imps: number[]
  clicks: number[]
  actions: number[]
}

/** From `fresh` to one row for each combination; `$6` of each statement and what follows are the lookups. */
function sumsOf(counts: string, action: string, groupBy: string, first: number): string {
  const p = (offset: number) => `$${first + offset}`
  return `
  quarters as (
    select to_timestamp(start_s) as quarter, day, hour
    from unnest(${p(0)}::bigint[], ${p(1)}::date[], ${p(2)}::text[]) as t(start_s, day, hour)
  ),
  places as (
    select * from unnest(${p(3)}::bigint[], ${p(4)}::text[], ${p(5)}::text[]) as t(place_hash, kind, name)
  ),
  sums as materialized (
    select f.cuid, f.cid, f.fid, f.pid, f.bid, q.quarter, q.day, q.hour, p.kind as place_kind, p.name as place_name,
      f.device, f.os, f.country, ${action} as action, ${counts}
    from fresh f
    join quarters q on q.quarter = date_bin('15 minutes', f.at, 'epoch')
    left join places p on p.place_hash = f.place_hash
    group by f.cuid, f.cid, f.fid, f.pid, f.bid, q.quarter, q.day, q.hour, p.kind, p.name, f.device, f.os,
      f.country${groupBy}
  ),
  into_place as (
    insert into place (place_hash, kind, name) select place_hash, kind, name from places order by place_hash
    on conflict do nothing
  ),
  into_rollup as (
    insert into rollup as r (id, quarter, imps, clicks, actions, spend_micros)
    select i.id, quarter, sum(imps), sum(clicks), sum(actions), sum(spend_micros)
    from sums s cross join lateral (values (s.cuid), (s.cid), (s.fid), (s.pid), (s.bid)) as i(id)
    group by i.id, quarter order by i.id, quarter
    on conflict (id, quarter) do update set imps = r.imps + excluded.imps, clicks = r.clicks + excluded.clicks,
      actions = r.actions + excluded.actions, spend_micros = r.spend_micros + excluded.spend_micros
  ),
  into_dimension as (
    insert into rollup_dimension as r (id, dimension, day, name, imps, clicks, actions, spend_micros)
    select i.id, d.dimension, s.day, d.name, sum(imps), sum(clicks), sum(actions), sum(spend_micros)
    from sums s cross join lateral (values (s.cid), (s.fid), (s.pid), (s.bid)) as i(id)
    cross join lateral (values
      (s.place_kind, s.place_name), ('os', coalesce(s.os, 'unknown')), ('device', coalesce(s.device, 'unknown')),
      ('country', coalesce(s.country, 'unknown')), ('banner', s.bid::text), ('persona', s.pid::text),
      ('action', s.action), ('hour', s.hour)
    ) as d(dimension, name)
    where d.dimension is not null and d.name is not null
    group by i.id, d.dimension, s.day, d.name order by i.id, d.dimension, s.day, d.name
    on conflict (id, dimension, day, name) do update set imps = r.imps + excluded.imps,
      clicks = r.clicks + excluded.clicks, actions = r.actions + excluded.actions,
      spend_micros = r.spend_micros + excluded.spend_micros
  )`
}

const EVENT_COLUMNS = `served_at, ad_id, kind, at, cuid, cid, fid, pid, bid, source_id, budget_day, spend_micros,
      user_hash, place_hash, device, os, country`

const EVENT_COUNTS = `count(*) filter (where f.kind = 'impression') as imps,
      count(*) filter (where f.kind = 'click') as clicks, 0 as actions, sum(f.spend_micros) as spend_micros`

const INSERT_EVENTS = `
  with input as materialized (
    select n, decode(ad, 'hex') as ad_id, kind, to_timestamp(served_s) as served_at,
      to_timestamp(at_ms / 1000.0) as at, cuid, cid, fid, pid, bid, source_id, budget_day, spend_micros,
      decode(user_hex, 'hex') as user_hash, place_hash, device, os, country
    from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
      $8::bigint[], $9::bigint[], $10::bigint[], $11::integer[], $12::bigint[], $13::text[], $14::bigint[],
      $15::text[], $16::text[], $17::text[]) with ordinality
      as t(ad, kind, served_s, at_ms, cuid, cid, fid, pid, bid, source_id, budget_day, spend_micros, user_hex,
        place_hash, device, os, country, n)
  ),
  fresh as (
    insert into event (${EVENT_COLUMNS}) select ${EVENT_COLUMNS} from input order by served_at, ad_id, kind
    on conflict do nothing
    returning ad_id, kind, at, cuid, cid, fid, pid, bid, budget_day, spend_micros, place_hash, device, os, country
  ),${sumsOf(EVENT_COUNTS, 'null::text', '', 18)},
  into_budget as (
    insert into budget_day as b (cid, day, spent_micros)
    select cid, budget_day, sum(spend_micros) from fresh where kind = 'impression'
    group by cid, budget_day order by cid, budget_day
    on conflict (cid, day) do update set spent_micros = b.spent_micros + excluded.spent_micros
  )
  select n - 1 as known from input i
  where not exists (select from fresh f where f.ad_id = i.ad_id and f.kind = i.kind) order by n`

/** Positions of those that were there before. */
export async function insertEvents(db: Db, columns: EventColumns, lookups: Lookups): Promise<number[]> {
  const rows = await db.rows<{ known: number }>(INSERT_EVENTS, [
    columns.adHex,
    columns.kinds,
    columns.servedS,
    columns.atMs,
    columns.cuids,
    columns.cids,
    columns.fids,
    columns.pids,
    columns.bids,
    columns.sourceIds,
    columns.budgetDays,
    columns.spendMicros,
    columns.userHex,
    columns.placeHashes,
    columns.devices,
    columns.oses,
    columns.countries,
    ...lookupParams(lookups),
  ])
  return rows.map(row => row.known)
}

const ACTION_COLUMNS = `cuid, dedupe, at, name, value_micros, served_at, ad_id, credited_to, cid, fid, pid, bid,
      place_hash, device, os, country`

const ACTION_COUNTS = '0 as imps, 0 as clicks, count(*) as actions, 0 as spend_micros'

const INSERT_ACTIONS = `
  with input as materialized (
    select n, cuid, dedupe, to_timestamp(at_ms / 1000.0) as at, name, value_micros,
      to_timestamp(served_s) as served_at, decode(ad, 'hex') as ad_id, credited_to, cid, fid, pid, bid, place_hash,
      device, os, country
    from rows from (json_to_recordset($1::json) as (cuid bigint, dedupe text, at_ms bigint, name text,
      value_micros bigint, served_s bigint, ad text, credited_to text, cid bigint, fid bigint, pid bigint, bid bigint,
      place_hash bigint, device text, os text, country text)) with ordinality
      as t(cuid, dedupe, at_ms, name, value_micros, served_s, ad, credited_to, cid, fid, pid, bid, place_hash, device,
        os, country, n)
  ),
  fresh as (
    insert into action (${ACTION_COLUMNS}) select ${ACTION_COLUMNS} from input order by cuid, dedupe
    on conflict (cuid, dedupe) do nothing
    returning cuid, dedupe, at, name, cid, fid, pid, bid, place_hash, device, os, country
  ),${sumsOf(ACTION_COUNTS, 'f.name', ', f.name', 2)}
  select n - 1 as known from input i
  where not exists (select from fresh f where f.cuid = i.cuid and f.dedupe = i.dedupe) order by n`

/** `actions`: JSON. Positions of those that were there before. */
export async function insertActions(db: Db, actions: string, lookups: Lookups): Promise<number[]> {
  const rows = await db.rows<{ known: number }>(INSERT_ACTIONS, [actions, ...lookupParams(lookups)])
  return rows.map(row => row.known)
}

function lookupParams(lookups: Lookups): unknown[] {
  return [
    lookups.quarterStartsS,
    lookups.days,
    lookups.hours,
    lookups.placeHashes,
    lookups.placeKinds,
    lookups.placeNames,
  ]
}

export function addFiltered(db: Db, columns: FilteredColumns) {
  return db.run(
    `insert into rollup_filtered as r (id, day, reason, imps, clicks, actions)
     select id, day, reason, sum(imps), sum(clicks), sum(actions)
     from unnest($1::bigint[], $2::date[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])
       as t(id, day, reason, imps, clicks, actions)
     group by id, day, reason order by id, day, reason
     on conflict (id, day, reason) do update set imps = r.imps + excluded.imps,
       clicks = r.clicks + excluded.clicks, actions = r.actions + excluded.actions`,
    [columns.ids, columns.days, columns.reasons, columns.imps, columns.clicks, columns.actions],
  )
}

export interface PlaceRow {
  place_hash: number
  kind: 'domain' | 'app'
  name: string
}

export function selectPlaces(db: Db, placeHashes: number[]) {
  return db.rows<PlaceRow>('select place_hash, kind, name from place where place_hash = any($1::bigint[])', [
    placeHashes,
  ])
}

const DROP_WAIT_MS = 500
const EVENT_PARTITION = /^event_[0-9]{8}$/

/** Names of the partitions, `event_20261115` for a day of UTC. */
export async function selectPartitions(db: Db): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'event'::regclass order by c.relname`,
  )
  return rows.map(row => row.name).filter(name => EVENT_PARTITION.test(name))
}

/** Made beside the table and then attached, which does not hold up those who write to it. */
export async function createPartition(tx: Db, name: string, from: string, to: string): Promise<void> {
  mustBePartition(name)
  await tx.run(`create table if not exists ${name} (like event including defaults including constraints)`)
  await tx.run(`alter table event attach partition ${name} for values from ('${from}') to ('${to}')`)
}

/** An error of its own (55P03) when the table is read all the time. */
export async function dropPartition(tx: Db, name: string): Promise<void> {
  mustBePartition(name)
  await tx.run(`set local lock_timeout = ${DROP_WAIT_MS}`)
  await tx.run(`drop table if exists ${name}`)
}

function mustBePartition(name: string): void {
  if (!EVENT_PARTITION.test(name)) throw new Error(`${name} is no partition of events`)
}
