// SQL of actions: the clicks and impressions that they are credited to, tests, limits and retention. Each counter is
// tested and increased in a single statement.

import { HOUR_MS } from '../../kernel/time/units.ts'
import type { Db } from '../../platform/database.ts'
import { firstAdOf, type UserHash } from '../tracking/ad.ts'
import type { ActionRefusal } from './contract.ts'

export interface CreditRow {
  /** See readAdKey(). */
  ad: string
  at_ms: number
  cuid: number
  cid: number
  fid: number
  pid: number
  bid: number
  /** 0 and `?` mean unknown. */
  place_hash: number
  locality: number
  audience: number
  device: string
  os: string
  country: number
}

export interface ClickRow extends CreditRow {
  /** The browser that clicked: see `browserMark`. Null: unknown. */
  browser: number | null
  /** Whether its ad was counted as an impression. */
  was_seen: boolean
}

const CREDIT = `ad, floor(extract(epoch from at) * 1000)::bigint as at_ms, cuid, e.cid, fid, pid, bid, place_hash,
  locality, audience, device, os, country`

/** `ad` is made by `adKeyOf`. */
export function selectClick(db: Db, ad: string) {
  return db.row<ClickRow>(
    `select ${CREDIT}, case when user_hi = 0 and user_lo <> 0 then user_lo end as browser,
       exists (select from event i where i.ad = $1::uuid and i.kind = 'i') as was_seen
     from event e join leaf using (leaf) where ad = $1::uuid and kind = 'c'`,
    [ad],
  )
}

export interface SeenWindow {
  fromMs: number
  toMs: number
  /** No ad seen in this window was served earlier. */
  servedFromMs: number
}

/** The latest impression of each customer seen by any of these users within (fromMs, toMs]; the latest first. */
export function selectLatestImpressions(db: Db, users: UserHash[], window: SeenWindow, cuid: number | null) {
  const { fromMs, toMs, servedFromMs } = window
  const firstHour = Math.floor(fromMs / HOUR_MS)
  const hours = Array.from({ length: Math.floor(toMs / HOUR_MS) - firstHour + 1 }, (_, i) => firstHour + i)
  return db.rows<CreditRow>(
    `select * from (
       select distinct on (cuid) ${CREDIT} from event e join leaf using (leaf)
       where kind = 'i' and (user_lo <> 0 or user_hi <> 0) and user_lo = any($1::integer[])
         and (user_hi, user_lo) in (select * from unnest($2::integer[], $1::integer[]))
         and hour_number(at) = any($3::integer[])
         and at > to_timestamp($4 / 1000.0::numeric) and at <= to_timestamp($5 / 1000.0::numeric)
         and ad >= $6::uuid and ($7::bigint is null or cuid = $7)
       order by cuid, at desc limit 100
     ) latest order by at_ms desc`,
    [
      users.map(user => user.lo | 0),
      users.map(user => user.hi | 0),
      hours,
      fromMs,
      toMs,
      firstAdOf(servedFromMs),
      cuid,
    ],
  )
}

/** Each name of a customer's actions with the time of the latest; uses the index, however many actions there are. */
export function selectLastActions(db: Db, cuid: number) {
  return db.rows<{ name: string; last: Date }>(
    `with recursive names as (
       (select name from action where cuid = $1 order by name limit 1)
       union all
       select (select a.name from action a where a.cuid = $1 and a.name > n.name order by a.name limit 1)
       from names n where n.name is not null
     ), known as (select name from names where name is not null limit 200)
     select name, (select max(at) from action a where a.cuid = $1 and a.name = known.name) as last
     from known order by last desc, name`,
    [cuid],
  )
}

export interface TestRow {
  at: Date
  name: string
  by_pixel: boolean
  reason: ActionRefusal | null
}

export function selectTest(db: Db, cuid: number) {
  return db.row<TestRow>('select at, name, by_pixel, reason from action_test where cuid = $1', [cuid])
}

/** Writes at most one pixel test per second, because anyone can load a pixel. */
export function upsertTest(
  db: Db,
  cuid: number,
  test: { at: Date; name: string; byPixel: boolean; reason: ActionRefusal | null },
) {
  return db.run(
    `insert into action_test as known (cuid, at, name, by_pixel, reason) values ($1, $2, $3, $4, $5)
     on conflict (cuid) do update set at = excluded.at, name = excluded.name, by_pixel = excluded.by_pixel,
       reason = excluded.reason
     where excluded.at >= known.at + interval '1 second' or not (excluded.by_pixel and known.by_pixel)`,
    [cuid, test.at, test.name, test.byPixel, test.reason],
  )
}

export async function isCustomer(db: Db, cuid: number): Promise<boolean> {
  const row = await db.row('select 1 as known from customer where cuid = $1 and deleted_at is null', [cuid])
  return row !== null
}

export interface NameWish {
  cuid: number
  /** See `actionHashOf`. */
  hash: number
  byPixel: boolean
  /** In days since 1970. */
  day: number
  most: number
  mostByPixel: number
  /** The most new names by pixel per day. */
  mostToday: number
}

/** False if the name is new and there is no room for it, or if another call added it at the same moment. */
export async function takeName(db: Db, wish: NameWish): Promise<boolean> {
  const { cuid, hash, byPixel, day, most, mostByPixel, mostToday } = wish
  const row = await db.row<{ is_known: boolean }>(
    `with known as (
       select from action_names where cuid = $1 and (names @> array[$2::bigint] or by_pixel @> array[$2::bigint])
     ),
     taken as (
       insert into action_names as k (cuid, names, by_pixel, day, today)
       select $1, $3::bigint[], $4::bigint[], $5, cardinality($4::bigint[]) where not exists (select from known)
       on conflict (cuid) do update set names = k.names || excluded.names, by_pixel = k.by_pixel || excluded.by_pixel,
         day = excluded.day, today = case when k.day = excluded.day then k.today else 0 end + excluded.today
       where not (k.names || k.by_pixel) @> array[$2::bigint]
         and cardinality(k.names) + cardinality(k.by_pixel) < $6
         and (cardinality(excluded.by_pixel) = 0
           or (cardinality(k.by_pixel) < $7 and (k.day <> excluded.day or k.today < $8)))
       returning cuid
     )
     select exists (select from known) or exists (select from taken) as is_known`,
    [cuid, hash, byPixel ? [] : [hash], byPixel ? [hash] : [], day, most, mostByPixel, mostToday],
  )
  return row!.is_known
}

/** Takes one of the names that pixels may report for an ad; false if none is left. `ad` is made by `adKeyOf`. */
export async function takeClickName(db: Db, ad: string, hash: number, most: number): Promise<boolean> {
  const row = await db.row<{ is_taken: boolean }>(
    `with known as (select from action_click where ad = $1::uuid and names @> array[$2::bigint]),
     taken as (
       insert into action_click as k (ad, names)
       select $1::uuid, array[$2::bigint] where not exists (select from known)
       on conflict (ad) do update set names = k.names || excluded.names
       where not k.names @> excluded.names and cardinality(k.names) < $3
       returning ad
     )
     select exists (select from known) or exists (select from taken) as is_taken`,
    [ad, hash, most],
  )
  return row!.is_taken
}

/** Whether an older version counted it, which did not tell pixels from servers. */
export async function wasCountedBefore(db: Db, cuid: number, dedupe: string): Promise<boolean> {
  const row = await db.row('select from action where cuid = $1 and dedupe = $2 and by_pixel is null', [
    cuid,
    dedupe,
  ])
  return row !== null
}

export interface GoneAction {
  cuid: number
  name: string
}

/** Deletes at most `most` actions that happened, and whose ads were served, before this moment; oldest first. */
export function deleteActionsBefore(db: Db, before: Date, most: number) {
  return db.rows<GoneAction>(
    `delete from action where action_id = any(array(
       select action_id from action where at < $1 and served_at < $1 order by at limit $2 for update skip locked
     )) returning cuid, name`,
    [before, most],
  )
}

/** Forgets a name that no action has any more, so that it counts as new again. */
export function forgetName(db: Db, { cuid, name }: GoneAction, hash: number) {
  return db.run(
    `update action_names set names = array_remove(names, $3::bigint), by_pixel = array_remove(by_pixel, $3::bigint)
     where cuid = $1 and not exists (select from action where cuid = $1 and name = $2)`,
    [cuid, name, hash],
  )
}

/** `ad`: the first key that is kept. */
export function deleteClicksBefore(db: Db, ad: string, most: number) {
  return db.run(
    `delete from action_click where ad = any(array(
       select ad from action_click where ad < $1::uuid order by ad limit $2 for update skip locked
     ))`,
    [ad, most],
  )
}

/** The total value of a customer's actions between two moments. */
export async function sumValues(db: Db, cuid: number, from: Date, to: Date): Promise<number> {
  const row = await db.row<{ sum: number }>(
    `select coalesce(sum(value_micros), 0)::float8 as sum from (
       select value_micros from rollup_value where id = $1 and quarter between $2 and $3
       union all
       select value_micros from fresh_value
       where cuid = $1 and quarter between quarter_number($2) and quarter_number($3)
     ) valued`,
    [cuid, from, to],
  )
  return row!.sum
}
