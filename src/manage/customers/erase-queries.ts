// SQL of erasure: every place where a deleted customer can be identified as a person. Each statement changes at most
// `limit` rows and finds only those that are still to be done, so that it may be repeated and run in parallel.

import type { Db } from '../../platform/database.ts'

/** Replaces a name that must not be empty. */
export const ERASED = 'erased'

export interface ErasableRow {
  cuid: number
  app_id: number
  email: string
  email_key: string
  deleted_at: Date | null
  erased_at: Date | null
  erasure_due_at: Date | null
}

/** Others that restore or erase the same customer wait. `appId` null: any app. */
export function lockErasable(tx: Db, appId: number | null, cuid: number) {
  return tx.row<ErasableRow>(
    `select cuid, app_id, email, email_key, deleted_at, erased_at, erasure_due_at from customer
     where cuid = $1 and ($2::bigint is null or app_id = $2) for update`,
    [cuid, appId],
  )
}

export interface ErasedRow {
  cuid: number
  created_at: Date
  erased_at: Date
}

export function selectErased(db: Db) {
  return db.rows<ErasedRow>(
    'select cuid, created_at, erased_at from customer where erased_at is not null order by cuid',
  )
}

export interface KnownRow {
  cuid: number
  created_at: Date
  deleted_at: Date | null
  erased_at: Date | null
}

export function selectKnown(db: Db, cuids: number[]) {
  return db.rows<KnownRow>(
    'select cuid, created_at, deleted_at, erased_at from customer where cuid = any($1::bigint[])',
    [cuids],
  )
}

/** Blanks the customer's own row. Its time zone stays, because it divides its figures into days. */
export function blankCustomer(tx: Db, cuid: number, now: Date) {
  return tx.run(
    `update customer set company = '${ERASED}', email = '', email_key = '', name = null, address = null,
       country = null, city = null, zip = null, state = null, phone = null, website = null, language = null,
       click_parameters = null, external_id = null, metadata = '{}', api_access = false, updated_at = $2, version = version + 1,
       erased_at = $2, erasure_due_at = $2
     where cuid = $1`,
    [cuid, now],
  )
}

/**
 * The addresses of the customer and its members, former ones and former members too, in the form in which they are
 * compared. Not those of people who also work for another customer of the app, or for the app itself.
 */
export async function selectAddresses(tx: Db, { cuid, app_id }: ErasableRow): Promise<string[]> {
  const rows = await tx.rows<{ key: string }>(
    `select key from (
         select email_key as key from customer where cuid = $1
         union select email_key from member where cuid = $1
       ) own
     where not exists (
         select from member o join customer c using (cuid)
         where o.email_key = key and o.cuid <> $1 and o.removed_at is null and c.app_id = $2)
       and not exists (
         select from staff s where s.app_id = $2 and s.email_key = key and s.removed_at is null)`,
    [cuid, app_id],
  )
  return rows.map(({ key }) => key)
}

/** Deletes what gives access as this customer or as its people, and its settings: a few rows each. */
export async function deleteAccess(
  tx: Db,
  { cuid, app_id }: ErasableRow,
  addresses: readonly string[],
): Promise<void> {
  await tx.run('delete from sso_ticket where cuid = $1', [cuid])
  await tx.run('delete from agent_code where cuid = $1', [cuid])
  await tx.run(
    `delete from passcode where cuid in (select $1::bigint union all select mid from member where cuid = $1)`,
    [cuid],
  )
  await tx.run('delete from console_session where cuid = $1', [cuid])
  await tx.run('delete from console_session where person = any($1::text[]) and app_id = $2', [
    addresses,
    app_id,
  ])
  await tx.run('update console_session set opened_cuid = null where opened_cuid = $1', [cuid])
  await tx.run('delete from passkey where person = any($1::text[]) and app_id = $2', [addresses, app_id])
  await tx.run('delete from mail_choice where cuid = $1', [cuid])
  await tx.run('delete from mail_day where cuid = $1', [cuid])
  await tx.run('delete from action_test where cuid = $1', [cuid])
  const mailboxes = addresses.flatMap(key =>
    ['api', 'console', 'invitation'].map(by => `${app_id} ${by} ${key}`),
  )
  await tx.run(
    `delete from mail_allowance where address = any($1::text[])
       or exists (select from unnest($1::text[]) mailbox where starts_with(address, mailbox || ' '))`,
    [[...mailboxes, `${cuid} invitations`]],
  )
}

/** $1: the customer, $2: how many rows. */
type Step = (db: Db, cuid: number, limit: number) => Promise<number>

const step =
  (text: string): Step =>
  (db, cuid, limit) =>
    db.run(text, [cuid, limit])

/** Steps that find rows by the customer. Pairs come after the idempotency answers, which are found through them. */
export const OF_CUSTOMER: Step[] = [
  step(
    `delete from member where mid = any(array(select mid from member where cuid = $1 order by mid limit $2))`,
  ),
  step(`delete from webhook_delivery where did = any(array(
      select d.did from webhook_delivery d
      where (d.body::jsonb #>> '{data,cuid}')::bigint = $1 order by d.did limit $2 for update))`),
  step(`delete from mail where mail_id = any(array(
      select mail_id from mail where cuid = $1 order by mail_id limit $2 for update))`),
  step(`delete from landing_page where cuid = $1 and page_key = any(array(
      select page_key from landing_page where cuid = $1 order by page_key limit $2 for update))`),
  step(`delete from note where nid = any(array(
      select nid from note where cuid = $1 order by nid limit $2 for update))`),
  step(`delete from saved_view where vid = any(array(
      select vid from saved_view where cuid = $1 order by vid limit $2 for update))`),
  step(`delete from job where job_id = any(array(
      select job_id from job where cuid = $1 order by job_id limit $2 for update))`),
  step(`delete from proposal where proposal_id = any(array(
      select proposal_id from proposal where cuid = $1 order by proposal_id limit $2 for update))`),
  step(`delete from creative_upload where cuid = $1 and name = any(array(
      select name from creative_upload where cuid = $1 order by name limit $2 for update))`),
  step(`delete from idempotency where ctid = any(array(
      select ctid from idempotency where owner = any(array(select key from credential where cuid = $1)) limit $2))`),
  // Answers of the app's calls. The app's keys stay taken, so that a late repetition does not create the customer
  // again.
  step(`update idempotency set answer = null where ctid = any(array(
      select ctid from idempotency where cuid = $1 and answer is not null limit $2))`),
  step(`delete from credential where key = any(array(
      select key from credential where cuid = $1 order by key limit $2 for update))`),
  // Entries of accounts stay, but their notes may name somebody.
  step(`update account_entry set note = null where entry_id = any(array(
      select entry_id from account_entry where cuid = $1 and note is not null order by entry_id limit $2))`),
  step(`delete from audit where audit_id = any(array(
      select audit_id from audit where cuid = $1 and cid is null and action <> 'erase' order by audit_id limit $2))`),
]

export function selectCids(db: Db, cuid: number, after: number, limit: number) {
  const part = (gone: string) =>
    `(select cid from campaign where cuid = $1 and cid > $2 and deleted_at is ${gone} order by cid limit $3)`
  return db.rows<{ cid: number }>(`${part('null')} union all ${part('not null')} order by cid limit $3`, [
    cuid,
    after,
    limit,
  ])
}

/** Joins the same query for deleted and for other rows: each kind has its own index. */
const both = (part: (gone: string) => string) => `${part('null')} union all ${part('not null')}`

const KEPT = "external_id is not null or metadata <> '{}'"
const UNKEPT = "external_id = null, metadata = '{}'"

/** $1: campaign ids, $2: how many rows. */
const beneath = (text: string) => (db: Db, cids: number[], limit: number) => db.run(text, [cids, limit])

const PERSONAS = both(
  gone => `select pid from persona where cid = any($1::bigint[]) and deleted_at is ${gone}`,
)

/** Steps that find rows by campaigns. They remove names, addresses and places, and keep what figures are summed by. */
export const OF_CAMPAIGNS = [
  beneath(`delete from audit where audit_id = any(array(
      select audit_id from audit where cid = any($1::bigint[]) order by audit_id limit $2))`),
  beneath(`update flight set name = '${ERASED}' where fid = any(array(
      ${both(
        gone => `select fid from flight
          where cid = any($1::bigint[]) and deleted_at is ${gone} and name <> '${ERASED}'`,
      )} limit $2))`),
  beneath(`update persona set name = '${ERASED}', geo = '{"geos": []}', unknown_places = '[]',
      attributes = '{}', unseen_values = '[]', ${UNKEPT}
    where pid = any(array(
      ${both(
        gone => `select pid from persona where cid = any($1::bigint[]) and deleted_at is ${gone}
          and (name <> '${ERASED}' or geo <> '{"geos": []}' or unknown_places <> '[]'
            or attributes <> '{}' or unseen_values <> '[]' or ${KEPT})`,
      )} limit $2))`),
  beneath(`update banner set name = '${ERASED}', creative_url = '', click_url = null, click_parameters = null, creative_name = null,
      reasons = '{}', findings = '[]', awaits_website = false, ${UNKEPT}
    where bid = any(array(
      select b.bid from (${PERSONAS}) p cross join lateral (
        ${both(
          gone => `select bid from banner where pid = p.pid and deleted_at is ${gone}
            and (name <> '${ERASED}' or creative_url <> '' or click_url is not null or click_parameters is not null or creative_name is not null
              or reasons <> '{}' or findings <> '[]' or awaits_website or ${KEPT})`,
        )}
      ) b limit $2))`),
  beneath(`update campaign set name = '${ERASED}', click_parameters = null, ${UNKEPT}
    where cid = any(array(
      select cid from campaign
      where cid = any($1::bigint[]) and (name <> '${ERASED}' or click_parameters is not null or ${KEPT}) limit $2))`),
]

/**
 * Reads a page of conversions in the order of their keys, which may contain order numbers, blanks those, and returns
 * the last key of the page; null if the page was empty. Rows are locked in the order of their ids, which never change,
 * so that two runs at once wait for each other but never deadlock.
 */
export async function blankOrders(
  db: Db,
  cuid: number,
  after: string,
  limit: number,
): Promise<string | null> {
  const row = await db.row<{ last: string | null }>(
    `with page as materialized (
       select action_id, dedupe from action where cuid = $1 and dedupe > $2 order by dedupe limit $3
     ), locked as materialized (
       select a.action_id from page join action a on a.action_id = page.action_id
       where page.dedupe not like 'e:%' order by a.action_id for update of a
     ), blanked as (
       update action a set dedupe = 'e:' || a.action_id from locked where a.action_id = locked.action_id
     )
     select max(dedupe) as last from page`,
    [cuid, after, limit],
  )
  return row!.last
}

/** `at` null: nothing is left to look for. */
export function setErasureDue(db: Db, cuid: number, at: Date | null) {
  return db.run('update customer set erasure_due_at = $2 where cuid = $1 and erased_at is not null', [
    cuid,
    at,
  ])
}

export function selectDueErasures(db: Db, now: Date, limit: number) {
  return db.rows<{ cuid: number; erased_at: Date }>(
    `select cuid, erased_at from customer where erasure_due_at <= $1 order by erasure_due_at limit $2`,
    [now, limit],
  )
}
