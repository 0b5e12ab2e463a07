// SQL of tracking: the keys that sign links, and the events that actions are credited to.

import type { Db } from '../platform/database.ts'
import type { ActionRefusal } from './actions.ts'
import type { UserHash } from './ad.ts'

export interface SigningKeyRow {
  key_id: number
  secret: Buffer
  created_at: Date
}

export function selectSigningKeys(db: Db) {
  return db.rows<SigningKeyRow>('select key_id, secret, created_at from signing_key order by key_id')
}

/** Of several processes that rotate at once, one adds the key. */
export function insertSigningKey(db: Db, row: SigningKeyRow) {
  return db.run(
    'insert into signing_key (key_id, secret, created_at) values ($1, $2, $3) on conflict do nothing',
    [row.key_id, row.secret, row.created_at],
  )
}

export function deleteSigningKeys(db: Db, createdBefore: Date) {
  return db.run('delete from signing_key where created_at < $1', [createdBefore])
}

export interface CreditRow {
  /** See readAdKey(). */
  ad: string
  at_ms: number
  cuid: number
  cid: number
  fid: number
  pid: number
  bid: number
  /** 0 and `?`: unknown. */
  place_hash: number
  locality: number
  audience: number
  device: string
  os: string
  country: number
}

export interface ClickRow extends CreditRow {
  /** Of the browser that clicked: see visitor.ts. Null: not known. */
  browser: number | null
  /** Its ad was counted as an impression. */
  was_seen: boolean
}

const CREDIT = `ad, floor(extract(epoch from at) * 1000)::bigint as at_ms, cuid, e.cid, fid, pid, bid, place_hash,
  locality, audience, device, os, country`

/** `ad`: as adKeyOf() makes it. */
export function selectClick(db: Db, ad: string) {
  return db.row<ClickRow>(
    `select ${CREDIT}, case when user_hi = 0 and user_lo <> 0 then user_lo end as browser,
       exists (select from event i where i.ad = $1::uuid and i.kind = 'i') as was_seen
     from event e join leaf using (leaf) where ad = $1::uuid and kind = 'c'`,
    [ad],
  )
}

export interface ViewWindow {
  fromMs: number
  toMs: number
  /** No ad that was seen then was served earlier. */
  servedFromMs: number
}

const HOUR_MS = 3_600_000

/** Of each customer the latest view by any of these users, within (fromMs, toMs]; the latest first. */
export function selectLatestViews(db: Db, users: UserHash[], window: ViewWindow, cuid: number | null) {
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

/** The first key of an ad that was served then. */
export function firstAdOf(servedMs: number): string {
  const servedS = Math.max(0, Math.floor(servedMs / 1000))
  return servedS.toString(16).padStart(8, '0').padEnd(32, '0')
}

/** Each name that actions had, with the time of the latest; by the index, however many there are. */
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

/** At most one per second: anybody can load a pixel. */
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

export interface ServedRow {
  cid: number
  day: number
  served: number
  seen: number
}

export function addServed(db: Db, rows: ServedRow[]) {
  return db.run(
    `insert into served_day as known (cid, day, served, seen)
     select * from unnest($1::bigint[], $2::integer[], $3::bigint[], $4::bigint[])
     on conflict (cid, day) do update
       set served = known.served + excluded.served, seen = known.seen + excluded.seen`,
    [
      rows.map(row => row.cid),
      rows.map(row => row.day),
      rows.map(row => row.served),
      rows.map(row => row.seen),
    ],
  )
}

export function deleteServedBefore(db: Db, day: number) {
  return db.run('delete from served_day where day < $1', [day])
}

export async function isCustomer(db: Db, cuid: number): Promise<boolean> {
  const row = await db.row('select 1 as known from customer where cuid = $1 and deleted_at is null', [cuid])
  return row !== null
}
