// SQL of banners and uploads. Every read that may lead to a write goes through persona and campaign, so that nothing
// under a deleted object exists.

import type { Finding } from '../../kernel/errors/finding.ts'
import type { Db } from '../../platform/database.ts'
import type { Page } from '../noun.ts'
import type { LeadingSomewhere } from './click-url.ts'
import { ABOVE_BANNER, type AboveBanner } from './click-url-queries.ts'
import type { Banner } from './contract.ts'

export interface BannerFields {
  name: string
  creative_url: string
  click_url: string | null
  /** Null: as for its campaign, else for its customer. */
  click_parameters: string | null
  weight: number
  declared_width: number | null
  declared_height: number | null
  width: number | null
  height: number | null
  type: string | null
  bytes: number | null
  animated: boolean
  creative_name: string | null
  status: Banner['status']
  /** The messages of the findings. Rows of an older version, before findings existed, have only these. */
  reasons: string[]
  findings: Finding[]
  awaits_website: boolean
  /** When it began to wait for a person, still pending; null: it does not wait for one. */
  awaits_person_since: Date | null
  review_round: number
  enabled: boolean
  external_id: string | null
  metadata: Record<string, string>
}

export interface BannerRow extends BannerFields {
  bid: number
  pid: number
  cid: number
  above: AboveBanner
  version: number
  created_at: Date
  updated_at: Date
}

const OWN = `bid, pid, name, creative_url, click_url, click_parameters, weight, declared_width, declared_height, width, height, type, bytes,
  animated, creative_name, status, reasons, findings, awaits_website, awaits_person_since, review_round, enabled, external_id,
  metadata, version, created_at, updated_at`
const COLUMNS = `${OWN.replaceAll(/(\w+)/g, 'b.$1')}, p.cid, ${ABOVE_BANNER} as above`
const ABOVE = 'join persona p on p.pid = b.pid join campaign c on c.cid = p.cid'
const ABOVE_THERE = 'p.deleted_at is null and c.deleted_at is null'

export interface NewBannerRow {
  name: string
  creativeUrl: string
  clickUrl: string | null
  clickParameters: string | null
  weight: number
  width: number | null
  height: number | null
  enabled: boolean
  externalId: string | null
  metadata: Record<string, string>
}

const INSERT = `with p as (
    select p.pid, p.cid from persona p join campaign c using (cid)
    where p.pid = $1 and ${ABOVE_THERE} for share
  ), b as (
    insert into banner (pid, created_at, updated_at, status, name, creative_url, click_url,
      declared_width, declared_height, width, height, enabled, external_id, metadata, click_parameters, weight)
    select pid, $2::timestamptz, $2::timestamptz, 'pending', $3::text, $4::text, $5::text,
      $6::integer, $7::integer, $6::integer, $7::integer, $8::boolean, $9::text, $10::jsonb, $11::text, $12::smallint from p
    returning ${OWN}
  )
  select ${COLUMNS} from b join p using (pid)`

/**
 * Null if the persona no longer exists. The shared locks make a deletion of the persona or the campaign wait, so that
 * no banner is created under a deleted one.
 */
export function insertBanner(db: Db, pid: number, banner: NewBannerRow, now: Date) {
  const { name, creativeUrl, clickUrl, width, height, enabled, externalId, metadata } = banner
  return db.row<BannerRow>(INSERT, [
    ...[pid, now, name, creativeUrl, clickUrl, width, height, enabled, externalId],
    JSON.stringify(metadata),
    banner.clickParameters,
    banner.weight,
  ])
}

const COPIED = `creative_url, click_url, click_parameters, weight, declared_width, declared_height, width, height, type, bytes, animated,
  creative_name, status, reasons, findings, awaits_website, enabled, metadata`

/** Copies a banner to another persona, with the result of its review; null if either no longer exists. */
export function insertCopy(
  db: Db,
  bid: number,
  { pid, name, keepsId }: { pid: number; name: string; keepsId: boolean },
  now: Date,
) {
  return db.row<BannerRow>(
    `with p as (
       select p.pid, p.cid from persona p join campaign c using (cid)
       where p.pid = $2 and ${ABOVE_THERE} for share
     ), b as (
       insert into banner (pid, name, created_at, updated_at, external_id, ${COPIED})
       select p.pid, $3::text, $4::timestamptz, $4::timestamptz, case when $5::boolean then source.external_id end,
         ${COPIED.replaceAll(/(\w+)/g, 'source.$1')}
       from p, banner source where source.bid = $1 and source.deleted_at is null
       returning ${OWN}
     )
     select ${COLUMNS} from b join p using (pid)`,
    [bid, pid, name, now, keepsId],
  )
}

const COPY_ALL = `with p as (
    select p.pid, p.cid from persona p join campaign c using (cid)
    where p.pid = $2 and ${ABOVE_THERE} for share
  ), b as (
    insert into banner (pid, name, created_at, updated_at, external_id, ${COPIED})
    select p.pid, source.name, $3::timestamptz, $3::timestamptz, source.external_id, ${COPIED.replaceAll(/(\w+)/g, 'source.$1')}
    from p, (
      select * from banner where pid = $1 and bid > $4 and deleted_at is null order by bid limit $5
    ) source order by source.bid
    returning ${OWN}
  )
  select ${COLUMNS} from b join p using (pid) order by b.bid`

/** Copies a page of a persona's banners to another persona; the new ids are in the same order. */
export function insertCopies(db: Db, from: number, into: number, now: Date, after: number, limit: number) {
  return db.rows<BannerRow>(COPY_ALL, [from, into, now, after, limit])
}

/** The last id of the page of banners after `after`; null if there is none. */
export async function lastOfPage(db: Db, pid: number, after: number, limit: number): Promise<number | null> {
  const row = await db.row<{ last: number | null }>(
    `select max(bid) as last from (
       select bid from banner where pid = $1 and bid > $2 and deleted_at is null order by bid limit $3
     ) page`,
    [pid, after, limit],
  )
  return row!.last
}

export function selectBanner(db: Db, pid: number, bid: number) {
  return db.row<BannerRow>(
    `select ${COLUMNS} from banner b join persona p using (pid)
     where b.bid = $2 and b.pid = $1 and b.deleted_at is null`,
    [pid, bid],
  )
}

export function selectBanners(db: Db, pid: number, { after, limit, since }: Page) {
  return db.rows<BannerRow & { deleted_at?: Date }>(
    `select ${COLUMNS}${since ? ', b.deleted_at' : ''} from banner b join persona p using (pid)
     where b.pid = $1 and b.bid > $2 and ${since ? 'b.deleted_at is not null and b.deleted_at > $4' : 'b.deleted_at is null'}
     order by b.bid limit $3`,
    [pid, after, limit, ...(since ? [since] : [])],
  )
}

/** Selects banners of a customer: by campaign, by ids, or both. */
export interface BannerScope {
  cid?: number | undefined
  bids?: readonly number[] | undefined
}

export function selectAllBanners(db: Db, cuid: number, { cid, bids }: BannerScope, { after, limit }: Page) {
  const values: unknown[] = [cuid, after, limit]
  const given = (value: unknown) => `$${values.push(value)}`
  const scope = [
    ...(cid === undefined ? [] : [`and c.cid = ${given(cid)}`]),
    ...(bids === undefined ? [] : [`and b.bid = any(${given(bids)}::bigint[])`]),
  ].join(' ')
  return db.rows<BannerRow>(
    `select ${COLUMNS} from banner b ${ABOVE}
     where c.cuid = $1 and b.bid > $2 and b.deleted_at is null and ${ABOVE_THERE} ${scope}
     order by b.bid limit $3`,
    values,
  )
}

export function lockBanner(db: Db, bid: number) {
  return db.row<BannerRow>(
    `select ${COLUMNS} from banner b ${ABOVE}
     where b.bid = $1 and b.deleted_at is null and ${ABOVE_THERE} for update of b`,
    [bid],
  )
}

/** The banners with this id of the app's system, locked for update. */
export function lockBannersByExternalId(db: Db, pid: number, externalId: string, limit: number) {
  return db.rows<BannerRow>(
    `select ${COLUMNS} from banner b join persona p on p.pid = b.pid
     where b.pid = $1 and b.external_id = $2 and b.deleted_at is null order by b.bid limit $3 for update of b`,
    [pid, externalId, limit],
  )
}

/** The row must be locked. */
export async function updateBanner(db: Db, row: BannerRow, now: Date): Promise<BannerRow> {
  const changed = await db.row<{ version: number; updated_at: Date }>(
    `update banner set updated_at = $2, version = version + 1, name = $3, creative_url = $4, click_url = $5,
       declared_width = $6, declared_height = $7, width = $8, height = $9, type = $10, bytes = $11, animated = $12,
       creative_name = $13, status = $14, reasons = $15, awaits_website = $16, review_round = $17, enabled = $18,
       external_id = $19, metadata = $20, findings = $21, awaits_person_since = $22, click_parameters = $23, weight = $24
     where bid = $1 returning version, updated_at`,
    [
      row.bid,
      now,
      row.name,
      row.creative_url,
      row.click_url,
      row.declared_width,
      row.declared_height,
      row.width,
      row.height,
      row.type,
      row.bytes,
      row.animated,
      row.creative_name,
      row.status,
      row.reasons,
      row.awaits_website,
      row.review_round,
      row.enabled,
      row.external_id,
      JSON.stringify(row.metadata),
      JSON.stringify(row.findings),
      row.awaits_person_since,
      row.click_parameters,
      row.weight,
    ],
  )
  return { ...row, ...changed! }
}

export function setDeleted(db: Db, bid: number, deletedAt: Date) {
  return db.run('update banner set deleted_at = $2, version = version + 1 where bid = $1', [bid, deletedAt])
}

/** `by_hand`: a person decides once the image has passed the checks. */
export type ReviewRow = BannerRow & { cuid: number; website: string | null; by_hand: boolean }

const BY_HAND = `coalesce(cu.review, (select review from app where app.app_id = cu.app_id)) = 'manual'`
const REVIEWED = `${COLUMNS}, c.cuid, cu.website, ${BY_HAND} as by_hand`
const ALL_ABOVE = `${ABOVE} join customer cu on cu.cuid = c.cuid`
const ALL_ABOVE_THERE = `${ABOVE_THERE} and cu.deleted_at is null`

/** The subject of a review; null if the review is over, waits for a person or was replaced, or the banner is gone. */
export function selectForReview(db: Db, bid: number, round: number) {
  return db.row<ReviewRow>(
    `select ${REVIEWED} from banner b ${ALL_ABOVE}
     where b.bid = $1 and b.review_round = $2 and b.status = 'pending' and b.deleted_at is null
       and b.awaits_person_since is null and ${ALL_ABOVE_THERE}`,
    [bid, round],
  )
}

export function lockForReview(db: Db, bid: number, round: number) {
  return db.row<ReviewRow>(
    `select ${REVIEWED} from banner b ${ALL_ABOVE}
     where b.bid = $1 and b.review_round = $2 and b.status = 'pending' and b.deleted_at is null
       and b.awaits_person_since is null and ${ALL_ABOVE_THERE} for update of b`,
    [bid, round],
  )
}

export interface SweptRow {
  bid: number
  review_round: number
  /** Whether something must be done about it. */
  due: boolean
}

/** Selects one row, looked up by keys. With `exists`, the planner might read whole tables into a hash instead. */
const fromAbove = (what: string) => `(
  select ${what} from persona p join campaign c on c.cid = p.cid join customer cu on cu.cuid = c.cuid
  where p.pid = page.pid and ${ALL_ABOVE_THERE} limit 1
)`

/** A page of the pending banners. Those without a job are due: the job was lost, or the banner was restored. */
export function selectPending(db: Db, keyPrefix: string, after: number, limit: number) {
  return db.rows<SweptRow>(
    `with page as materialized (
       select bid, pid, review_round from banner
       where status = 'pending' and deleted_at is null and awaits_person_since is null and bid > $2
       order by bid limit $3
     )
     select bid, review_round, ${fromAbove('p.pid')} is not null and (
       select j.key from graphile_worker.jobs j
       where j.key = $1 || bid || ':' || review_round and j.attempts < j.max_attempts limit 1
     ) is null as due from page order by bid`,
    [keyPrefix, after, limit],
  )
}

/** A page of the banners rejected only for lack of a click-through; due are those whose customer has a website now. */
export function selectAwaiting(db: Db, after: number, limit: number) {
  return db.rows<SweptRow>(
    `with page as materialized (
       select bid, pid, review_round from banner
       where awaits_website and deleted_at is null and bid > $1 order by bid limit $2
     )
     select bid, review_round, ${fromAbove('cu.website')} is not null as due from page order by bid`,
    [after, limit],
  )
}

/** A page of the banners that wait for a person; due are those that no longer need one. */
export function selectAwaitingPerson(db: Db, after: number, limit: number) {
  return db.rows<SweptRow>(
    `with page as materialized (
       select bid, pid, review_round from banner
       where awaits_person_since is not null and deleted_at is null and bid > $1 order by bid limit $2
     )
     select bid, review_round, coalesce(${fromAbove(`not (${BY_HAND})`)}, false) as due from page order by bid`,
    [after, limit],
  )
}

export function lockAwaitingPerson(db: Db, bid: number) {
  return db.row<ReviewRow>(
    `select ${REVIEWED} from banner b ${ALL_ABOVE}
     where b.bid = $1 and b.status = 'pending' and b.awaits_person_since is not null and b.deleted_at is null
       and ${ALL_ABOVE_THERE} for update of b`,
    [bid],
  )
}

export function lockAwaiting(db: Db, bid: number) {
  return db.row<ReviewRow>(
    `select ${REVIEWED} from banner b ${ALL_ABOVE}
     where b.bid = $1 and b.awaits_website and b.deleted_at is null and ${ALL_ABOVE_THERE} for update of b`,
    [bid],
  )
}

/** Where a click leads, even for a banner that is deleted or not live: an ad shown yesterday still has its link. */
export function selectClickUrl(db: Db, bid: number) {
  return db.row<LeadingSomewhere>(
    `select b.bid, b.name, b.external_id, b.width, b.height, b.click_url, b.click_parameters, ${ABOVE_BANNER} as above
     from banner b where b.bid = $1`,
    [bid],
  )
}
