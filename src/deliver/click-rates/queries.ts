// SQL for click rates, which a worker computes from events and rollups, and every delivering process reads.

import { ofLeaf, valueOfBanner } from '../../count/fold/figures-queries.ts'
import type { Db } from '../../platform/database.ts'
import type { BannerRow, UsualRow } from './rates.ts'

/** Whether any persona takes the best of its banners. */
export async function isAnyBest(db: Db): Promise<boolean> {
  return (
    (await db.row("select pid from persona where rotation = 'best' and deleted_at is null limit 1")) !== null
  )
}

/** Whether any campaign is paid by click; otherwise no usual rates are learned. */
export async function isAnyByClick(db: Db, now: Date): Promise<boolean> {
  const row = await db.row(
    'select cid from campaign where cpc_micros is not null and deleted_at is null and end_at > $1 limit 1',
    [now],
  )
  return row !== null
}

const NAME = 'click_rates'

/** The time until which ads are in `click_rate`; null: none are. Locked until the transaction ends. */
export async function lockLearned(tx: Db): Promise<Date | null> {
  await tx.run(
    `insert into deployment (name, value, updated_at) values ('${NAME}', '', now()) on conflict do nothing`,
  )
  const row = await tx.row<{ value: string }>(
    `select value from deployment where name = '${NAME}' for update`,
  )
  return row!.value === '' ? null : new Date(row!.value)
}

/** When the oldest ad with an event was served; null: there is none. */
export async function selectFirstServed(tx: Db): Promise<Date | null> {
  const row = await tx.row<{ at: Date | null }>(
    'select served_at((select ad from event order by ad limit 1)) as at',
  )
  return row!.at
}

export function noteLearned(tx: Db, until: Date) {
  return tx.run(`update deployment set value = $1, updated_at = now() where name = '${NAME}'`, [
    until.toISOString(),
  ])
}

/** Adds the ads from `fromAd` up to `toAd`, which were served on one UTC day. */
export function addUsual(tx: Db, day: Date, fromAd: string, toAd: string) {
  return tx.run(
    `insert into click_rate as r (day, source_id, width, height, imps, clicks)
     select ($1::timestamptz at time zone 'UTC')::date, e.source_id, b.width, b.height, sum(e.imps), sum(e.clicks)
     from (
       select source_id, leaf, count(*) filter (where kind = 'i') as imps, count(*) filter (where kind = 'c') as clicks
       from event where ad >= $2::uuid and ad < $3::uuid and kind in ('i', 'c') group by source_id, leaf
     ) e join leaf l on l.leaf = e.leaf join banner b on b.bid = l.bid
     where b.width is not null and b.height is not null
     group by e.source_id, b.width, b.height order by 2, 3, 4
     on conflict (day, source_id, width, height) do update set imps = r.imps + excluded.imps,
       clicks = r.clicks + excluded.clicks`,
    [day, fromAd, toAd],
  )
}

export function deleteUsualBefore(db: Db, day: Date) {
  return db.run(`delete from click_rate where day < ($1::timestamptz at time zone 'UTC')::date`, [day])
}

/** A page of the campaigns whose banners are compared: they are paid by click, or a persona takes the best. */
export function selectCompared(db: Db, now: Date, after: number, limit: number) {
  return db.rows<{ cid: number }>(
    `select cid from (
       (select cid from campaign
        where cpc_micros is not null and deleted_at is null and end_at > $1 and cid > $2 order by cid limit $3)
       union
       (select p.cid from persona p cross join lateral (
          select from campaign c where c.cid = p.cid and c.deleted_at is null and c.end_at > $1 offset 0
        ) c where p.rotation = 'best' and p.deleted_at is null and p.cid > $2 order by p.cid limit $3)
     ) compared order by cid limit $3`,
    [now, after, limit],
  )
}

/** Writes the figures of these campaigns' banners, from the sums of their leaves: one row per leaf, device and day. */
export function upsertBanners(db: Db, cids: number[], since: Date, now: Date) {
  return db.run(
    `insert into banner_rate (bid, imps, clicks, actions, value_micros, updated_at)
     select l.bid, coalesce(sum(d.imps), 0), coalesce(sum(d.clicks), 0), coalesce(sum(d.actions), 0),
       coalesce((${valueOfBanner('l.bid', '$2::timestamptz')}), 0), $3
     from unnest($1::bigint[]) as c(cid) cross join lateral (select leaf, bid from leaf where leaf.cid = c.cid offset 0) l
       cross join lateral (select * from ${ofLeaf('l.leaf', '$2::date')}) d
     group by l.bid order by l.bid
     on conflict (bid) do update set imps = excluded.imps, clicks = excluded.clicks, actions = excluded.actions,
       value_micros = excluded.value_micros, updated_at = excluded.updated_at`,
    [cids, since, now],
  )
}

export function deleteBannersBefore(db: Db, before: Date) {
  return db.run('delete from banner_rate where updated_at < $1', [before])
}

/** The usual rates with the most impressions, so that the result stays small. */
export function selectUsual(db: Db, since: Date, limit: number) {
  return db.rows<UsualRow>(
    `select source_id as "sourceId", width, height, sum(imps)::bigint as imps, sum(clicks)::bigint as clicks
     from click_rate where day >= ($1::timestamptz at time zone 'UTC')::date
     group by source_id, width, height order by sum(imps) desc limit $2`,
    [since, limit],
  )
}

const BANNER = 'bid, imps, clicks, actions, value_micros as value'

export function selectBanners(db: Db, limit: number) {
  return db.rows<BannerRow>(`select ${BANNER} from banner_rate order by imps desc limit $1`, [limit])
}

export function selectBannersOf(db: Db, bids: number[]) {
  return db.rows<BannerRow>(`select ${BANNER} from banner_rate where bid = any($1)`, [bids])
}

/** The usual rates of some sizes, for an explanation. */
export function selectUsualOf(db: Db, since: Date, widths: number[], heights: number[]) {
  return db.rows<UsualRow>(
    `select source_id as "sourceId", width, height, sum(imps)::bigint as imps, sum(clicks)::bigint as clicks
     from click_rate where day >= ($1::timestamptz at time zone 'UTC')::date
       and (width, height) in (select * from unnest($2::integer[], $3::integer[]))
     group by source_id, width, height`,
    [since, widths, heights],
  )
}
