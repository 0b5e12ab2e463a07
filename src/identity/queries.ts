// SQL of apps, pairs, passcodes and tickets. Attempts are counted in single statements, so parallel guesses count too.

import type { StoredCeilings } from '../kernel/ceilings.ts'
import type { Role, Scope } from '../kernel/permissions.ts'
import type { Db } from '../platform/database.ts'

export interface AppRow {
  app_id: number
  name: string
  platform_url: string | null
  may_passcode: boolean
  may_nopasscode: boolean
  may_sources: boolean
  review: 'automatic' | 'manual'
  created_at: Date
  revoked_at: Date | null
  brand_title: string | null
  brand_color: string | null
  brand_logo_hash: string | null
}

export interface CredentialRow {
  token_hash: Buffer
  app_id: number
  cuid: number | null
  may_passcode: boolean
  may_nopasscode: boolean
  may_sources: boolean
  api_access: boolean | null
  scope: Scope
  cids: number[] | null
  /** For a super pair: only these customers. */
  cuids: number[] | null
  used_at: Date | null
  /** The networks that a customer's pair was used from, as hashes in hex. */
  networks: string[] | null
  /** The role of the person that an agent acts for; null for a pair that belongs to nobody in particular. */
  role: Role | null
}

const APP = `app_id, name, platform_url, may_passcode, may_nopasscode, may_sources, review, created_at, revoked_at,
  brand_title, brand_color, brand_logo_hash`

export type NewAppRow = Pick<
  AppRow,
  'name' | 'platform_url' | 'may_passcode' | 'may_nopasscode' | 'may_sources' | 'review' | 'created_at'
>

export function insertApp(db: Db, app: NewAppRow) {
  return db.row<AppRow>(
    `insert into app (name, platform_url, may_passcode, may_nopasscode, created_at, may_sources, review)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (name) do nothing returning ${APP}`,
    [
      ...[app.name, app.platform_url, app.may_passcode, app.may_nopasscode, app.created_at],
      ...[app.may_sources, app.review],
    ],
  )
}

export function selectApps(db: Db) {
  return db.rows<AppRow>(`select ${APP} from app order by app_id`)
}

export function selectApp(db: Db, appId: number) {
  return db.row<AppRow>(`select ${APP} from app where app_id = $1`, [appId])
}

export function selectAppByName(db: Db, name: string) {
  return db.row<AppRow>(`select ${APP} from app where name = $1`, [name])
}

export interface BrandRow {
  title: string | null
  color: string | null
}

export function updateBrand(db: Db, appId: number, brand: BrandRow) {
  return db.run('update app set brand_title = $2, brand_color = $3 where app_id = $1', [
    appId,
    brand.title,
    brand.color,
  ])
}

export function updateLogo(db: Db, appId: number, logo: Buffer | null, hash: string | null) {
  return db.run('update app set brand_logo = $2, brand_logo_hash = $3 where app_id = $1', [appId, logo, hash])
}

export function selectLogo(db: Db, hash: string) {
  return db.row<{ brand_logo: Buffer }>('select brand_logo from app where brand_logo_hash = $1 limit 1', [
    hash,
  ])
}

export function selectOriginsOf(db: Db, appId: number) {
  return db.row<{ origins: string[] }>('select to_jsonb(origins) as origins from app where app_id = $1', [
    appId,
  ])
}

export function updateOrigins(db: Db, appId: number, origins: readonly string[]) {
  return db.run('update app set origins = $2 where app_id = $1', [appId, origins])
}

/** Those of all living apps. */
export function selectOrigins(db: Db) {
  return db.rows<{ app_id: number; origin: string }>(
    'select app_id, unnest(origins) as origin from app where revoked_at is null',
  )
}

export function updateApp(db: Db, app: AppRow) {
  return db.run(
    `update app set platform_url = $2, may_passcode = $3, may_nopasscode = $4, revoked_at = $5, may_sources = $6,
       review = $7 where app_id = $1`,
    [
      ...[app.app_id, app.platform_url, app.may_passcode, app.may_nopasscode, app.revoked_at],
      ...[app.may_sources, app.review],
    ],
  )
}

export function insertCredential(
  db: Db,
  row: {
    key: string
    tokenHash: Buffer
    appId: number
    cuid: number | null
    byApp: boolean
    createdAt: Date
    expiresAt: Date | null
    name?: string | null
    scope?: Scope
    cids?: number[] | null
    ceilings?: StoredCeilings | null
    createdBy?: string | null
    cuids?: readonly number[] | null
    mid?: number | null
  },
) {
  const { name = null, scope = 'all', cids = null, ceilings = null, createdBy = null, cuids = null } = row
  return db.run(
    `insert into credential (key, token_hash, app_id, cuid, by_app, created_at, expires_at, name, scope, cids, created_by,
       ceilings, cuids, mid)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      ...[row.key, row.tokenHash, row.appId, row.cuid, row.byApp, row.createdAt, row.expiresAt],
      ...[name, scope, cids, createdBy, ceilings && JSON.stringify(ceilings), cuids, row.mid ?? null],
    ],
  )
}

/** Records that a pair was used. */
export function touchCredential(db: Db, key: string, now: Date) {
  return db.run(
    `insert into credential_use (key, used_at) values ($1, $2)
     on conflict (key) do update set used_at = greatest(credential_use.used_at, excluded.used_at)`,
    [key, now],
  )
}

/** Selects those of these campaigns that the customer has. */
export async function selectOwnCids(db: Db, cuid: number, cids: readonly number[]): Promise<Set<number>> {
  const rows = await db.rows<{ cid: number }>(
    'select cid from campaign where cid = any($1::bigint[]) and cuid = $2 and deleted_at is null',
    [cids, cuid],
  )
  return new Set(rows.map(({ cid }) => cid))
}

/** A pair that is valid now, with the rights of its owner. That of an agent ends with the seat of its person. */
export function selectCredential(db: Db, key: string, now: Date) {
  return db.row<CredentialRow>(
    `select c.token_hash, c.app_id, c.cuid, a.may_passcode, a.may_nopasscode, a.may_sources, u.api_access,
       c.scope, to_jsonb(c.cids) as cids, to_jsonb(c.cuids) as cuids, m.role,
       (select used_at from credential_use where key = c.key) as used_at,
       (select jsonb_agg(encode(network, 'hex')) from credential_network where key = c.key) as networks
     from credential c join app a using (app_id) left join customer u on u.cuid = c.cuid
       left join member m on m.mid = c.mid and m.cuid = c.cuid and m.removed_at is null
     where c.key = $1 and c.revoked_at is null and (c.expires_at is null or c.expires_at > $2)
       and a.revoked_at is null and u.deleted_at is null and (c.mid is null or m.mid is not null)`,
    [key, now],
  )
}

export interface AnyCredentialRow {
  token_hash: Buffer
  cuid: number | null
  expires_at: Date | null
  /** The pair, its app or its customer was revoked or deleted. */
  is_revoked: boolean
}

/** A pair whether it is valid or not, to say why it is not. */
export function selectAnyCredential(db: Db, key: string) {
  return db.row<AnyCredentialRow>(
    `select c.token_hash, c.cuid, c.expires_at,
       (c.revoked_at is not null or a.revoked_at is not null or u.deleted_at is not null) as is_revoked
     from credential c join app a using (app_id) left join customer u on u.cuid = c.cuid where c.key = $1`,
    [key],
  )
}

export interface PairRow {
  key: string
  by_app: boolean
  created_at: Date
  expires_at: Date
  name: string | null
  scope: Scope
  cids: number[] | null
  ceilings: StoredCeilings | null
  created_by: string | null
  used_at: Date | null
  /** Of an agent: the person that it acts for, and the id of the program. */
  mid: number | null
  email: string | null
  client_id: string | null
}

/** The valid pairs of a customer, oldest first. */
export function selectPairs(db: Db, cuid: number, now: Date) {
  return db.rows<PairRow>(
    `select c.key, c.by_app, c.created_at, c.expires_at, c.name, c.scope, to_jsonb(c.cids) as cids, c.ceilings,
       c.created_by, (select used_at from credential_use u where u.key = c.key) as used_at, c.mid, m.email,
       (select client_id from agent_grant g where g.key = c.key) as client_id
     from credential c left join member m on m.mid = c.mid and m.cuid = c.cuid and m.removed_at is null
     where c.cuid = $1 and c.revoked_at is null and c.expires_at > $2 and (c.mid is null or m.mid is not null)
     order by c.created_at, c.key`,
    [cuid, now],
  )
}

/** The app of a customer, deleted or not. */
export async function selectAppOf(db: Db, cuid: number): Promise<number | null> {
  const row = await db.row<{ app_id: number }>('select app_id from customer where cuid = $1', [cuid])
  return row?.app_id ?? null
}

/** The names of these members of a customer, removed or not. */
export function selectMemberNames(db: Db, cuid: number, mids: readonly number[]) {
  return db.rows<{ mid: number; name: string | null; email: string }>(
    'select mid, name, email from member where mid = any($2::bigint[]) and cuid = $1',
    [cuid, mids],
  )
}

/** The names of these pairs of a customer, valid or not, and whom agents act for. */
export function selectPairNames(db: Db, cuid: number, keys: readonly string[]) {
  return db.rows<{ key: string; name: string | null; email: string | null }>(
    `select c.key, c.name, m.email from credential c left join member m on m.mid = c.mid and m.cuid = c.cuid
     where c.key = any($2::text[]) and c.cuid = $1`,
    [cuid, keys],
  )
}

export function revokePair(db: Db, cuid: number, key: string, now: Date) {
  return db.run(
    `update credential set revoked_at = $3
     where key = $2 and cuid = $1 and revoked_at is null and expires_at > $3`,
    [cuid, key, now],
  )
}

/** Serialises issuing pairs to one customer, so that the limit on valid pairs is exact. */
export function lockCustomer(db: Db, cuid: number) {
  return db.row('select 1 from customer where cuid = $1 for update', [cuid])
}

/**
 * Keeps the newest `keep` valid pairs of a kind and revokes the others; deletes all but the newest `remember`. Kinds
 * are those of the customer, those of its app, and the agents of each person (`mid`).
 */
export async function revokeOldCredentials(
  db: Db,
  { cuid, byApp, mid = null }: { cuid: number; byApp: boolean; mid?: number | null },
  { keep, remember }: { keep: number; remember: number },
  now: Date,
): Promise<void> {
  const kind = 'cuid = $1 and by_app = $2 and mid is not distinct from $3'
  await db.run(
    `update credential set revoked_at = $5
     where ${kind} and revoked_at is null and expires_at > $5 and key not in (
       select key from credential where ${kind} and revoked_at is null and expires_at > $5
       order by created_at desc, key limit $4)`,
    [cuid, byApp, mid, keep, now],
  )
  await db.run(
    `delete from credential where ${kind} and key not in (
       select key from credential where ${kind} order by created_at desc, key limit $4)`,
    [cuid, byApp, mid, remember],
  )
}

/** The app that a customer belongs to; null if there is no such customer. */
export function selectCustomerAccess(db: Db, cuid: number) {
  return db.row<{ app_id: number; api_access: boolean }>(
    'select app_id, api_access from customer where cuid = $1 and deleted_at is null',
    [cuid],
  )
}

/** The owner of a passcode (a customer or a member, in the older column `cuid`), and where it was requested. */
export interface PasscodeKey {
  ownerId: number
  channel: 'api' | 'console'
  /** Empty unless requested in the console. */
  requestHash: Buffer
}

export function upsertPasscode(
  db: Db,
  { ownerId, channel, requestHash }: PasscodeKey,
  row: { codeHash: Buffer; salt: Buffer; expiresAt: Date },
) {
  return db.run(
    `insert into passcode (cuid, channel, request_hash, code_hash, salt, expires_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (cuid, channel, request_hash) do update
       set code_hash = $4, salt = $5, expires_at = $6, tries = 0`,
    [ownerId, channel, requestHash, row.codeHash, row.salt, row.expiresAt],
  )
}

/** Uses one attempt of a valid passcode: at most `maxTries` succeed in all, even in parallel. */
export function takeTry(db: Db, { ownerId, channel, requestHash }: PasscodeKey, maxTries: number, now: Date) {
  return db.row<{ code_hash: Buffer; salt: Buffer }>(
    `update passcode set tries = tries + 1
     where cuid = $1 and channel = $2 and request_hash = $3 and tries < $4 and expires_at > $5
     returning code_hash, salt`,
    [ownerId, channel, requestHash, maxTries, now],
  )
}

/** Uses a passcode up; if two calls do so at once, only one gets true. */
export async function deletePasscode(
  db: Db,
  { ownerId, channel, requestHash }: PasscodeKey,
  codeHash: Buffer,
): Promise<boolean> {
  const deleted = await db.run(
    'delete from passcode where cuid = $1 and channel = $2 and request_hash = $3 and code_hash = $4',
    [ownerId, channel, requestHash, codeHash],
  )
  return deleted === 1
}

/** Records an email to an address, unless `max` were sent since `since`; exact even for parallel requests. */
export function takeMailAllowance(db: Db, address: string, max: number, since: Date, now: Date) {
  return db.row(
    `insert into mail_allowance as m (address, sent) values ($1, array[$4::timestamptz])
     on conflict (address) do update
       set sent = array(select t from unnest(m.sent) t where t > $3) || $4::timestamptz
       where (select count(*) from unnest(m.sent) t where t > $3) < $2
     returning 1`,
    [address, max, since, now],
  )
}

export function selectMailTimes(db: Db, address: string) {
  return db.row<{ sent: Date[] }>('select sent from mail_allowance where address = $1', [address])
}

export function insertTicket(
  db: Db,
  row: { ticketHash: Buffer; appId: number; cuid: number; expiresAt: Date },
) {
  return db.run('insert into sso_ticket (ticket_hash, app_id, cuid, expires_at) values ($1, $2, $3, $4)', [
    row.ticketHash,
    row.appId,
    row.cuid,
    row.expiresAt,
  ])
}

/** The customer that a ticket would sign in; does not use the ticket up. */
export function selectTicket(db: Db, ticketHash: Buffer, now: Date) {
  return db.row<{ app_id: number; cuid: number }>(
    'select app_id, cuid from sso_ticket where ticket_hash = $1 and expires_at > $2',
    [ticketHash, now],
  )
}

/** Uses a ticket up: it works only once. */
export function takeTicket(db: Db, ticketHash: Buffer) {
  return db.row<{ app_id: number; cuid: number; expires_at: Date }>(
    'delete from sso_ticket where ticket_hash = $1 returning app_id, cuid, expires_at',
    [ticketHash],
  )
}

export async function deleteExpired(db: Db, now: Date): Promise<void> {
  await db.run('delete from sso_ticket where expires_at < $1', [now])
  await db.run('delete from passcode where expires_at < $1', [now])
  await db.run("delete from credential where expires_at < $1::timestamptz - interval '30 days'", [now])
  await db.run("delete from writes_in_hour where hour < $1::timestamptz - interval '2 hours'", [now])
  await db.run(
    "delete from mail_allowance where not exists (select from unnest(sent) t where t > $1::timestamptz - interval '1 hour')",
    [now],
  )
}
