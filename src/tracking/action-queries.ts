// SQL of what limits actions, and of their retention. Counters are taken by single statements, which test and add at
// once.

import type { Db } from '../platform/database.ts'

export interface NameWish {
  cuid: number
  /** See actionHashOf(). */
  hash: number
  byPixel: boolean
  /** Days since 1970. */
  day: number
  most: number
  mostByPixel: number
  /** New ones by pixel. */
  mostToday: number
}

/** False: it is a new name, and there is no room for it; or another call has just brought it in. */
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

/** One of the names that pixels may report for an ad. False: there is none left. `ad`: as adKeyOf() makes it. */
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

/** Whether a program of before pixels and servers were told apart counted it. */
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

/** Of those that were done, and whose ads were served, before this moment: at most so many, the oldest first. */
export function deleteActionsBefore(db: Db, before: Date, most: number) {
  return db.rows<GoneAction>(
    `delete from action where action_id = any(array(
       select action_id from action where at < $1 and served_at < $1 order by at limit $2 for update skip locked
     )) returning cuid, name`,
    [before, most],
  )
}

/** A name that no action has any more is as good as new. */
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
