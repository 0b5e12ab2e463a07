// SQL of customers. Every read is scoped to the app that owns the customer, and excludes deleted customers.

import type { StoredCeilings } from '../../kernel/ceilings.ts'
import type { StoredSites } from '../../kernel/sites.ts'
import type { ZoneBefore } from '../../kernel/time/zones.ts'
import type { Db } from '../../platform/database.ts'

export interface CustomerFields {
  company: string
  email: string
  name: string | null
  address: string | null
  country: string | null
  city: string | null
  zip: string | null
  state: string | null
  phone: string | null
  website: string | null
  language: 'en' | 'de' | null
  /** The newest zone; see kernel/time/zones.ts. */
  timezone: string | null
  timezone_before: ZoneBefore[] | null
  external_id: string | null
  metadata: Record<string, string>
  low_balance_micros: number | null
  /** Added to the address of each click; null: nothing. */
  click_parameters: string | null
  /** Where ads of its campaigns may be shown; null: everywhere. */
  sites: StoredSites | null
}

export interface CustomerRow extends CustomerFields {
  cuid: number
  app_id: number
  api_access: boolean
  prepaid: boolean
  /** Null: the customer is not frozen. */
  frozen_at: Date | null
  ceilings: StoredCeilings | null
  /** Null: as its app is set. */
  review: 'automatic' | 'manual' | null
  version: number
  created_at: Date
}

const COLUMNS = `cuid, app_id, company, email, name, address, country, city, zip, state, phone, website,
  language, timezone, timezone_before, external_id, metadata, low_balance_micros, click_parameters, sites, api_access,
  prepaid, frozen_at, ceilings, review,
  version, created_at`

function fieldValues(fields: CustomerFields): unknown[] {
  const { company, email, name, address, country, city, zip, state, phone, website } = fields
  const { external_id, language, timezone, timezone_before, metadata, low_balance_micros } = fields
  const { click_parameters, sites } = fields
  return [
    ...[company, email, name, address, country, city, zip, state, phone, website, external_id],
    ...[language, timezone],
    JSON.stringify(metadata),
    timezone_before && JSON.stringify(timezone_before),
    low_balance_micros,
    click_parameters,
    sites && JSON.stringify(sites),
  ]
}

/** Inserts the customer together with its first owner. Null if the address is taken within the app. */
export function insertCustomer(
  db: Db,
  appId: number,
  fields: CustomerFields,
  isPrepaid: boolean,
  emailKey: string,
  now: Date,
) {
  return db.row<CustomerRow>(
    `with made as (insert into customer (app_id, email_key, created_at, updated_at, prepaid,
       company, email, name, address, country, city, zip, state, phone, website, external_id,
       language, timezone, metadata, timezone_before, low_balance_micros, click_parameters, sites)
     values ($1, $2, $3, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)
     on conflict (app_id, email_key) where deleted_at is null do nothing
     returning ${COLUMNS}
     ), owner as (
       insert into member (cuid, email, email_key, name, role, created_at)
       select cuid, email, $2, name, 'owner', created_at from made
     ) select * from made`,
    [appId, emailKey, now, isPrepaid, ...fieldValues(fields)],
  )
}

export function selectCustomer(db: Db, appId: number, cuid: number) {
  return db.row<CustomerRow>(
    `select ${COLUMNS} from customer where cuid = $1 and app_id = $2 and deleted_at is null`,
    [cuid, appId],
  )
}

export function lockCustomer(db: Db, cuid: number) {
  return db.row<CustomerRow>(
    `select ${COLUMNS} from customer where cuid = $1 and deleted_at is null for update`,
    [cuid],
  )
}

export function selectCustomerByEmail(db: Db, appId: number, emailKey: string) {
  return db.row<CustomerRow>(
    `select ${COLUMNS} from customer where app_id = $1 and email_key = $2 and deleted_at is null`,
    [appId, emailKey],
  )
}

export function selectCustomers(db: Db, appId: number, after: number, limit: number) {
  return db.rows<CustomerRow>(
    `select ${COLUMNS} from customer
     where app_id = $1 and cuid > $2 and deleted_at is null order by cuid limit $3`,
    [appId, after, limit],
  )
}

/** Only these customers of the app. */
export function selectChosenCustomers(
  db: Db,
  appId: number,
  cuids: readonly number[],
  after: number,
  limit: number,
) {
  return db.rows<CustomerRow>(
    `select ${COLUMNS} from customer
     where cuid = any($2::bigint[]) and app_id = $1 and cuid > $3 and deleted_at is null order by cuid limit $4`,
    [appId, cuids, after, limit],
  )
}

/** The customers that were deleted after `since` and not erased. `cuids`: only these; null: all. */
export function selectDeletedCustomers(
  db: Db,
  appId: number,
  cuids: readonly number[] | null,
  after: number,
  limit: number,
  since: Date,
) {
  return db.rows<CustomerRow & { deleted_at: Date }>(
    `select ${COLUMNS}, deleted_at from customer
     where app_id = $1 and cuid > $2 and deleted_at is not null and deleted_at > $4 and erased_at is null
       and ($5::bigint[] is null or cuid = any($5)) order by cuid limit $3`,
    [appId, after, limit, since, cuids],
  )
}

/** `cuids`: only these; null: all. */
export function selectCustomersByExternalId(
  db: Db,
  appId: number,
  cuids: readonly number[] | null,
  externalId: string,
  after: number,
  limit: number,
) {
  return db.rows<CustomerRow>(
    `select ${COLUMNS} from customer
     where app_id = $1 and external_id = $2 and cuid > $3 and deleted_at is null
       and ($5::bigint[] is null or cuid = any($5)) order by cuid limit $4`,
    [appId, externalId, after, limit, cuids],
  )
}

/** The customers with this id of the app's system, locked for update. `cuids`: only these; null: all. */
export function lockCustomersByExternalId(
  db: Db,
  appId: number,
  externalId: string,
  limit: number,
  cuids: readonly number[] | null,
) {
  return db.rows<CustomerRow>(
    `select ${COLUMNS} from customer
     where app_id = $1 and external_id = $2 and deleted_at is null and ($4::bigint[] is null or cuid = any($4))
     order by cuid limit $3 for update`,
    [appId, externalId, limit, cuids],
  )
}

/** Also finds a deleted customer. */
export function lockAnyCustomer(db: Db, appId: number, cuid: number) {
  return db.row<CustomerRow & { deleted_at: Date | null; erased_at: Date | null }>(
    `select ${COLUMNS}, deleted_at, erased_at from customer where cuid = $1 and app_id = $2 for update`,
    [cuid, appId],
  )
}

export function updateCustomer(db: Db, row: CustomerRow, emailKey: string, now: Date) {
  return db.row<CustomerRow>(
    `update customer set email_key = $2, updated_at = $3, api_access = $4, version = version + 1,
       prepaid = $5, company = $6, email = $7, name = $8, address = $9, country = $10, city = $11, zip = $12,
       state = $13, phone = $14, website = $15, external_id = $16,
       language = $17, timezone = $18, metadata = $19, timezone_before = $20, low_balance_micros = $21,
       click_parameters = $22, sites = $23, ceilings = $24, review = $25
     where cuid = $1 returning ${COLUMNS}`,
    [
      row.cuid,
      emailKey,
      now,
      row.api_access,
      row.prepaid,
      ...fieldValues(row),
      row.ceilings && JSON.stringify(row.ceilings),
      row.review,
    ],
  )
}

export function updateFrozen(db: Db, cuid: number, frozenAt: Date | null, now: Date) {
  return db.row<CustomerRow>(
    `update customer set frozen_at = $2, updated_at = $3, version = version + 1 where cuid = $1 returning ${COLUMNS}`,
    [cuid, frozenAt, now],
  )
}

/** For the operator: all customers of all apps, including deleted ones. */
export function selectAllCustomers(db: Db, after: number, limit: number) {
  return db.rows<CustomerRow & { app: string; deleted_at: Date | null }>(
    `select ${COLUMNS.replaceAll(/(\w+)/g, 'c.$1')}, c.deleted_at, a.name as app
     from customer c join app a using (app_id) where c.cuid > $1 order by c.cuid limit $2`,
    [after, limit],
  )
}

/** Leaves an erased customer as it is. */
export function setDeleted(db: Db, cuid: number, deletedAt: Date | null) {
  return db.run(
    `update customer set deleted_at = $2, version = version + 1
     where cuid = $1 and (deleted_at is null) = ($2::timestamptz is not null) and erased_at is null`,
    [cuid, deletedAt],
  )
}

/** Passcodes, tickets and the sessions that tickets began; those of a person end with the person's seat. */
export async function deleteWaysIn(db: Db, cuid: number): Promise<void> {
  await db.run('delete from passcode where cuid = $1', [cuid])
  await db.run('delete from sso_ticket where cuid = $1', [cuid])
  await db.run('delete from console_session where cuid = $1', [cuid])
}
