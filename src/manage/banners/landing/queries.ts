// SQL of landing pages: one row for each address of a customer, whichever of its banners lead there.

import type { Finding } from '../../../kernel/errors/finding.ts'
import type { Db } from '../../../platform/database.ts'
import { MOST_PAGES } from './contract.ts'
import { pageKeyOf } from './key-queries.ts'

const PAGE_KEY = pageKeyOf(
  'coalesce(b.click_url, u.website)',
  'coalesce(b.click_parameters, o.click_parameters, u.click_parameters)',
)
const ABOVE = `join persona q on q.pid = b.pid join campaign o on o.cid = q.cid join customer u on u.cuid = o.cuid`
const IS_SHOWN = `b.deleted_at is null and b.enabled and b.status = 'approved' and q.deleted_at is null and q.enabled
  and coalesce(b.click_url, u.website) is not null`
const isRunning = (now: string) =>
  `o.enabled and o.deleted_at is null and o.start_at <= ${now} and o.end_at > ${now} and u.deleted_at is null
   and u.api_access and u.frozen_at is null`

export interface PageRow {
  cuid: number
  page_key: string
  bid: number
  checked_at: Date | null
  failures: number
  findings: Finding[]
  since: Date | null
}

const COLUMNS = 'cuid, page_key, bid, checked_at, failures, findings, since'

/** Null: it leads nowhere, or was not noticed yet. */
export function selectPageOf(db: Db, bid: number) {
  return db.row<PageRow>(
    `select ${COLUMNS.replaceAll(/(\w+)/g, 'l.$1')} from banner b ${ABOVE}
     join landing_page l on l.cuid = u.cuid and l.page_key = ${PAGE_KEY} where b.bid = $1`,
    [bid],
  )
}

/** Notices the page of one banner, whose campaign need not run. */
export function noticePageOf(db: Db, bid: number, now: Date) {
  return db.row<PageRow>(
    `insert into landing_page as l (cuid, page_key, bid, seen_at, next_at)
     select u.cuid, ${PAGE_KEY}, b.bid, $2::timestamptz, $2::timestamptz + interval '1 day'
     from banner b ${ABOVE} where b.bid = $1 and coalesce(b.click_url, u.website) is not null
     on conflict (cuid, page_key) do update set seen_at = greatest(l.seen_at, excluded.seen_at) returning ${COLUMNS}`,
    [bid, now],
  )
}

const NAME = 'landing_pages'

/** True for one process, once in this time. */
export async function isTimeToNotice(db: Db, now: Date, everyMs: number): Promise<boolean> {
  await db.run(
    `insert into deployment (name, value, updated_at) values ('${NAME}', 'epoch', now()) on conflict do nothing`,
  )
  const claimed = await db.run(
    `update deployment set value = $1::timestamptz::text, updated_at = now()
     where name = '${NAME}' and value::timestamptz <= $1::timestamptz - $2::float8 * interval '1 ms'`,
    [now, everyMs],
  )
  return claimed === 1
}

export function selectRunning(db: Db, now: Date, after: number, limit: number) {
  return db.rows<{ cid: number }>(
    `select cid from campaign where enabled and deleted_at is null and start_at <= $1 and end_at > $1 and cid > $2
     order by cid limit $3`,
    [now, after, limit],
  )
}

/** Notices the pages of these campaigns, new ones up to the most of a customer. */
export function noticePages(db: Db, cids: number[], now: Date) {
  return db.run(
    `with page as (
       select cuid, page_key, min(bid) as bid, row_number() over (partition by cuid order by min(bid)) as nth
       from (
         select u.cuid, ${PAGE_KEY} as page_key, b.bid
         from unnest($1::bigint[]) as running(cid) join campaign o on o.cid = running.cid
           join customer u on u.cuid = o.cuid join persona q on q.cid = o.cid join banner b on b.pid = q.pid
         where ${IS_SHOWN} and ${isRunning('$2')}
       ) led group by cuid, page_key
     )
     insert into landing_page as l (cuid, page_key, bid, seen_at, next_at)
     select cuid, page_key, bid, $2, $2 from page
     where exists (select from landing_page k where k.cuid = page.cuid and k.page_key = page.page_key)
       or nth + (select count(*) from landing_page k where k.cuid = page.cuid) <= ${MOST_PAGES}
     order by cuid, page_key
     on conflict (cuid, page_key) do update set seen_at = excluded.seen_at, bid = excluded.bid`,
    [cids, now],
  )
}

/** Forgets pages to which no running campaign has led for a while. */
export function deleteUnseen(db: Db, before: Date) {
  return db.run('delete from landing_page where seen_at < $1', [before])
}

/** Pages that are due: until `againAt` no other process takes them. */
export function claimDue(db: Db, now: Date, againAt: Date, limit: number) {
  return db.rows<PageRow>(
    `update landing_page l set next_at = $2
     from (
       select cuid, page_key from landing_page where next_at <= $1 order by next_at limit $3 for update skip locked
     ) due
     where l.cuid = due.cuid and l.page_key = due.page_key returning ${COLUMNS.replaceAll(/(\w+)/g, 'l.$1')}`,
    [now, againAt, limit],
  )
}

export function lockPage(db: Db, { cuid, page_key }: Pick<PageRow, 'cuid' | 'page_key'>) {
  return db.row<PageRow>(`select ${COLUMNS} from landing_page where cuid = $1 and page_key = $2 for update`, [
    cuid,
    page_key,
  ])
}

export function updatePage(db: Db, page: PageRow, nextAt: Date) {
  return db.run(
    `update landing_page set checked_at = $3, failures = $4, findings = $5, since = $6, next_at = $7
     where cuid = $1 and page_key = $2`,
    [
      ...[page.cuid, page.page_key, page.checked_at, page.failures, JSON.stringify(page.findings)],
      ...[page.since, nextAt],
    ],
  )
}

/** Banners of running campaigns that lead to this page. */
export function selectLeading(db: Db, { cuid, page_key }: PageRow, now: Date, limit: number) {
  return db.rows<{ cid: number; pid: number; bid: number }>(
    `select o.cid, q.pid, b.bid from customer u join campaign o on o.cuid = u.cuid join persona q on q.cid = o.cid
       join banner b on b.pid = q.pid
     where u.cuid = $1 and ${IS_SHOWN} and ${isRunning('$3')} and ${PAGE_KEY} = $2 order by b.bid limit $4`,
    [cuid, page_key, now, limit],
  )
}
