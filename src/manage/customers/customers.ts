// The verbs of customers: create, list, read, edit, delete, restore; and those of the operator.

import { isDeepStrictEqual } from 'node:util'
import { recordChange } from '../../changes/changes.ts'
import { customerFrozen } from '../../changes/frozen.ts'
import { recordEvent } from '../../changes/outbox.ts'
import type { Tx } from '../../changes/tx.ts'
import { isRestorable, type RestoreTimes } from '../../http/deleted.ts'
import { asRead, checkIfMatch, etagOf } from '../../http/etag.ts'
import { type IssuedPair, issueCustomerPair } from '../../identity/credentials.ts'
import { apiAccessOff } from '../../identity/gate.ts'
import { whoIs } from '../../identity/who.ts'
import type { ActorText } from '../../kernel/actor.ts'
import { emailKey, readEmail } from '../../kernel/address.ts'
import { type AppCaller, maySee } from '../../kernel/caller.ts'
import { storedCeilings } from '../../kernel/ceilings.ts'
import type { FieldError } from '../../kernel/errors/field-error.ts'
import { invalidInput, notFound, type Problem, refusal } from '../../kernel/errors/problem.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { changeZone } from '../../kernel/time/zones.ts'
import { type Db, sqlState, UNIQUE_VIOLATION } from '../../platform/database.ts'
import { type Acting, deletionIn, idIn, type Page, type PathIds, type Restoring } from '../noun.ts'
import { siteFaults, sitesOf } from '../site-lists/entries.ts'
import { checkSites } from '../site-lists/site-lists.ts'
import type { Customer, CustomerEdit, NewCustomer } from './contract.ts'
import { removeByEmail, upsertOwner } from './members/queries.ts'
import { fieldsOf, microsOf, toCustomer, zoneChange, zonesOf } from './object.ts'
import {
  type CustomerRow,
  deleteWaysIn,
  insertCustomer,
  lockAnyCustomer,
  lockCustomer,
  selectAllCustomers,
  selectChosenCustomers,
  selectCustomer,
  selectCustomerByEmail,
  selectCustomers,
  selectCustomersByExternalId,
  selectDeletedCustomers,
  setDeleted,
  updateCustomer,
  updateFrozen,
} from './queries.ts'

/** The actor of changes made on the command line. */
export const OPERATOR = 'operator'

export interface FoundCustomer {
  customer: Customer
  appId: number
  etag: string
}

/** The accounts of customers that pay in advance (src/report/accounts/). */
export interface Accounts {
  /** Called in the transaction that sets `prepaid`. */
  begin(db: Db, cuid: number, now: Date): Promise<void>
  end(db: Db, cuid: number, now: Date): Promise<void>
  /** Called when `lowBalance` was changed. */
  watchAgain(db: Db, cuid: number): Promise<void>
}

export interface CustomerVerbParts {
  clock: Clock
  accounts: Accounts
  /** Called in the transaction that creates a customer: what it is mailed from the start (src/notify/mails/). */
  beginMails(db: Db, customer: Customer, now: Date): Promise<void>
}

export interface CreateOptions extends CustomerVerbParts {
  credentialTtlSeconds: number
}

export interface EditParts extends CustomerVerbParts {
  /** The deployment's time zone, for customers without one of their own. */
  timeZone: string
}

export async function createCustomer(
  db: Db,
  { appId, key }: Pick<AppCaller, 'appId' | 'key'>,
  body: NewCustomer,
  options: CreateOptions,
): Promise<Customer & IssuedPair> {
  const { customer } = await addCustomer(db, { appId, key }, body, options)
  const owner = { appId, cuid: customer.cuid, byApp: false }
  const pair = await issueCustomerPair(db, owner, options.credentialTtlSeconds, options.clock)
  return { ...customer, ...pair }
}

/** Creates a customer without a pair. */
export async function addCustomer(
  db: Db,
  { appId, key }: Pick<AppCaller, 'appId' | 'key'>,
  body: NewCustomer,
  { clock, accounts, beginMails }: CustomerVerbParts,
): Promise<FoundCustomer> {
  const now = new Date(clock.nowMs())
  const isPrepaid = body.prepaid ?? false
  const fields = fieldsOf(body)
  refuseFaults(siteFaults(body.sites))
  await checkSites(db, appId, fields.sites)
  const row = await insertCustomer(db, appId, fields, isPrepaid, emailKey(body.email), now)
  if (!row) throw emailTaken()
  if (isPrepaid) await accounts.begin(db, row.cuid, now)
  const added = foundCustomer(row, clock)
  await beginMails(db, added.customer, now)
  const data = { ...added.customer, by: await whoIs(db, row.cuid, key) }
  await recordEvent(db, { at: now, type: 'customer.created', cuid: row.cuid, data })
  return added
}

export async function listCustomers(
  db: Db,
  { appId, cuids }: AppCaller,
  { clock, ...times }: { clock: Clock } & Restoring,
  { after, limit, since }: Page,
): Promise<Customer[]> {
  const rows: (CustomerRow & { deleted_at?: Date })[] = since
    ? await selectDeletedCustomers(db, appId, cuids, after, limit, since)
    : cuids === null
      ? await selectCustomers(db, appId, after, limit)
      : await selectChosenCustomers(db, appId, cuids, after, limit)
  return rows.map(row => ({ ...toCustomer(row, clock), ...deletionIn(row, times) }))
}

/** The customer with this email (at most one), or the customers with this `externalId`, by index lookup. */
export async function findCustomers(
  db: Db,
  { appId, cuids }: AppCaller,
  wanted: { email?: string; externalId?: string },
  { after, limit }: Page,
  clock: Clock,
): Promise<Customer[]> {
  const { email, externalId } = wanted
  if (email === undefined) {
    const rows = await selectCustomersByExternalId(db, appId, cuids, externalId!, after, limit)
    return rows.map(row => toCustomer(row, clock))
  }
  const row = await selectCustomerByEmail(db, appId, emailKey(email))
  const isWanted =
    row &&
    maySee({ cuids }, row.cuid) &&
    row.cuid > after &&
    (externalId === undefined || row.external_id === externalId)
  return isWanted ? [toCustomer(row, clock)] : []
}

/**
 * The customer of a path's `:cuid`. A customer pair may name only its own customer (otherwise 401); for an app, a
 * customer of another app does not exist (404).
 */
export async function findCustomer(
  db: Db,
  { caller, clock }: Pick<Acting, 'caller' | 'clock'>,
  ids: PathIds,
): Promise<FoundCustomer> {
  const cuid = idIn(ids, 'cuid')
  if (cuid === null) throw notFound('customer')
  if (caller.level === 'customer' && caller.cuid !== cuid) {
    throw refusal('cuid_not_allowed')
  }
  if (caller.level === 'app' && !maySee(caller, cuid)) throw notFound('customer')
  return foundCustomer(await selectCustomer(db, caller.appId, cuid), clock)
}

/** Finds a customer by email within the app. Text that is not an email address finds none. */
export async function findCustomerByEmail(
  db: Db,
  { caller, clock }: { caller: AppCaller; clock: Clock },
  email: string,
): Promise<FoundCustomer> {
  if (readEmail(email) === null) throw notFound('customer')
  const row = await selectCustomerByEmail(db, caller.appId, emailKey(email))
  return foundCustomer(row && maySee(caller, row.cuid) ? row : null, clock)
}

/** Throws 401 if the customer may not use the API: then the app may not sign it in or get credentials for it. */
export function requireApiAccess(customer: FoundCustomer): FoundCustomer {
  if (!customer.customer.apiAccess) throw apiAccessOff()
  return customer
}

export async function editCustomer(
  db: Tx,
  call: Acting & EditParts,
  { customer: { cuid } }: Pick<FoundCustomer, 'customer'>,
  edit: CustomerEdit,
): Promise<FoundCustomer> {
  const { caller, clock, accounts, ifMatch } = call
  const row = await lockCustomer(db, cuid)
  if (!row) throw notFound('customer')
  if (caller.level !== 'app') refuseAppOnly(row, edit)
  if (row.frozen_at !== null) throw customerFrozen(cuid)
  checkIfMatch(ifMatch, etagOf(row.cuid, row.version))
  const {
    apiAccess,
    prepaid,
    ceilings,
    review,
    lowBalance,
    clickParameters,
    sites,
    externalId,
    metadata,
    timezone,
    ...fields
  } = edit
  refuseFaults(siteFaults(sites))
  const changed = {
    ...row,
    ...given(fields),
    ...(timezone === undefined ? {} : changedZone(row, timezone, call)),
    external_id: externalId === undefined ? row.external_id : externalId,
    metadata: metadata === undefined ? row.metadata : (metadata ?? {}),
    low_balance_micros: lowBalance === undefined ? row.low_balance_micros : microsOf(lowBalance),
    click_parameters: clickParameters === undefined ? row.click_parameters : clickParameters,
    api_access: apiAccess ?? row.api_access,
    prepaid: prepaid ?? row.prepaid,
    ceilings: ceilings === undefined ? row.ceilings : storedCeilings(ceilings),
    review: review === undefined ? row.review : review,
    sites: sites === undefined ? row.sites : sitesOf(sites),
  }
  await checkSites(db, row.app_id, changed.sites, row.sites)
  if (isDeepStrictEqual(toCustomer(changed, clock), toCustomer(row, clock))) return foundCustomer(row, clock)
  const now = new Date(clock.nowMs())
  try {
    const edited = foundCustomer(await updateCustomer(db, changed, emailKey(changed.email), now), clock)
    if (emailKey(changed.email) !== emailKey(row.email)) await changeFirstOwner(db, row, changed, now)
    if (changed.prepaid !== row.prepaid) await accounts[changed.prepaid ? 'begin' : 'end'](db, cuid, now)
    else if (changed.low_balance_micros !== row.low_balance_micros) await accounts.watchAgain(db, cuid)
    if (isServedOtherwise(row, changed)) await record(db, 'edit', caller.key, now, row, changed)
    return edited
  } catch (error) {
    if (sqlState(error) === UNIQUE_VIOLATION) throw emailTaken()
    throw error
  }
}

/**
 * Removes the member with the old address, which ends their sessions, and makes the new address an owner. What the old
 * one was sent opens nothing any more: a passcode belongs to the customer, and would be good for the new address too.
 */
async function changeFirstOwner(db: Db, before: CustomerRow, after: CustomerRow, now: Date): Promise<void> {
  const { cuid, email, name } = after
  await removeByEmail(db, cuid, emailKey(before.email), now)
  await deleteWaysIn(db, cuid)
  await upsertOwner(db, { cuid, email, emailKey: emailKey(email), name, createdAt: now })
}

function changedZone(row: CustomerRow, to: string | null, { clock, timeZone }: EditParts) {
  const { timezone, before } = changeZone(zonesOf(row), to, timeZone, clock.nowMs())
  return { timezone, timezone_before: before.length > 0 ? [...before] : null }
}

/** A stolen customer pair must not change the email, which opens the account. The current value may be sent back. */
function refuseAppOnly(row: CustomerRow, edit: CustomerEdit): void {
  const changed =
    edit.email !== undefined && edit.email !== row.email
      ? 'email'
      : edit.apiAccess !== undefined && edit.apiAccess !== row.api_access
        ? 'apiAccess'
        : edit.prepaid !== undefined && edit.prepaid !== row.prepaid
          ? 'prepaid'
          : edit.ceilings !== undefined && !isDeepStrictEqual(storedCeilings(edit.ceilings), row.ceilings)
            ? 'ceilings'
            : edit.review !== undefined && edit.review !== row.review
              ? 'review'
              : null
  if (changed === null) return
  throw refusal('app_only_field', { field: changed })
}

type ServedFields = Pick<
  CustomerRow,
  | 'cuid'
  | 'company'
  | 'api_access'
  | 'website'
  | 'prepaid'
  | 'timezone'
  | 'timezone_before'
  | 'review'
  | 'click_parameters'
  | 'external_id'
  | 'sites'
>

/**
 * Banners without their own click-through URL lead to the website, with the customer's parameters and what they name,
 * bids name the company, the zone decides which days budgets are for, and sites where its ads are shown.
 */
function isServedOtherwise(before: ServedFields, after: ServedFields): boolean {
  return (
    before.api_access !== after.api_access ||
    before.company !== after.company ||
    before.website !== after.website ||
    before.prepaid !== after.prepaid ||
    before.review !== after.review ||
    before.click_parameters !== after.click_parameters ||
    before.external_id !== after.external_id ||
    !isDeepStrictEqual(before.sites, after.sites) ||
    !isDeepStrictEqual([before.timezone, before.timezone_before], [after.timezone, after.timezone_before])
  )
}

/** Informs delivery, and records who switched what. */
function record(
  db: Tx,
  action: string,
  actor: ActorText,
  at: Date,
  before: ServedFields | null,
  after: ServedFields | null,
): Promise<void> {
  const { cuid } = (after ?? before)!
  const isElsewhere = before !== null && after !== null && !isDeepStrictEqual(before.sites, after.sites)
  const isRenamed = before !== null && after !== null && before.company !== after.company
  const isTracked = before?.click_parameters !== after?.click_parameters
  const seen = (row: ServedFields | null) =>
    row && {
      ...(isRenamed ? { company: row.company } : {}),
      apiAccess: row.api_access,
      website: row.website,
      prepaid: row.prepaid,
      timezone: row.timezone,
      review: row.review,
      ...(isTracked ? { clickParameters: row.click_parameters } : {}),
      ...(isElsewhere ? { sites: row.sites } : {}),
    }
  const change = {
    at,
    noun: 'customer' as const,
    id: cuid,
    action,
    cuid,
    cid: null,
    actor,
    ...zoneChange(before, after),
  }
  return recordChange(db, { ...change, before: seen(before), after: seen(after) })
}

export interface ListedCustomer {
  cuid: number
  app: string
  company: string
  email: string
  apiAccess: boolean
  created: Date
  deleted: Date | null
}

/** For the operator: every customer of every app. */
export async function listAllCustomers(db: Db, after: number, limit: number): Promise<ListedCustomer[]> {
  return (await selectAllCustomers(db, after, limit)).map(row => ({
    cuid: row.cuid,
    app: row.app,
    company: row.company,
    email: row.email,
    apiAccess: row.api_access,
    created: row.created_at,
    deleted: row.deleted_at,
  }))
}

export async function setApiAccess(db: Tx, cuid: number, apiAccess: boolean, clock: Clock): Promise<void> {
  const row = asRead(await lockCustomer(db, cuid), `customer ${cuid}`, cuid, null)
  const changed = { ...row, api_access: apiAccess }
  const now = new Date(clock.nowMs())
  await updateCustomer(db, changed, emailKey(row.email), now)
  await record(db, 'edit', OPERATOR, now, row, changed)
}

/**
 * For "something is wrong": one call stops its delivery and all changes. What was switched on stays switched on, and
 * delivers again after unfreezing. Freezing a frozen customer, or unfreezing one that is not, changes nothing.
 */
export async function setFrozen(
  tx: Tx,
  { caller, ifMatch, clock }: Acting,
  { customer: { cuid } }: Pick<FoundCustomer, 'customer'>,
  frozen: boolean,
): Promise<FoundCustomer> {
  const row = asRead(await lockCustomer(tx, cuid), 'customer', cuid, ifMatch)
  if ((row.frozen_at !== null) === frozen) return foundCustomer(row, clock)
  const at = new Date(clock.nowMs())
  const changed = await updateFrozen(tx, cuid, frozen ? at : null, at)
  const action = frozen ? 'freeze' : 'unfreeze'
  const change = { at, noun: 'customer' as const, id: cuid, action, cuid, cid: null, actor: caller.key }
  await recordChange(tx, { ...change, before: { frozen: !frozen }, after: { frozen } })
  return foundCustomer(changed, clock)
}

/** For the app of the customer. Its pairs end too, because a deleted customer's pair is not accepted. */
export async function deleteCustomer(
  tx: Tx,
  { caller, ifMatch, clock }: Acting,
  { customer: { cuid } }: Pick<FoundCustomer, 'customer'>,
): Promise<{ cuid: number; deleted: true }> {
  await hide(tx, asRead(await lockCustomer(tx, cuid), 'customer', cuid, ifMatch), caller.key, clock)
  return { cuid, deleted: true }
}

async function hide(tx: Tx, row: CustomerRow, actor: ActorText, clock: Clock): Promise<void> {
  const now = new Date(clock.nowMs())
  await setDeleted(tx, row.cuid, now)
  await record(tx, 'delete', actor, now, row, null)
}

/**
 * For the app of the customer, for a while. Throws 404 if the customer never existed, is another app's, was deleted too
 * long ago or was erased.
 */
export async function restoreOwnCustomer(
  db: Tx,
  caller: AppCaller,
  times: RestoreTimes,
  ids: PathIds,
): Promise<void> {
  const { clock } = times
  const cuid = idIn(ids, 'cuid')
  const row = cuid === null || !maySee(caller, cuid) ? null : await lockAnyCustomer(db, caller.appId, cuid)
  if (!row) throw notFound('customer')
  if (row.deleted_at === null) return
  if (row.erased_at !== null) throw notFound('customer')
  if (!isRestorable(row.deleted_at, times)) throw notFound('customer')
  await undelete(db, row.cuid)
  await record(db, 'restore', caller.key, new Date(clock.nowMs()), null, row)
}

export async function removeCustomer(db: Tx, cuid: number, clock: Clock): Promise<void> {
  await hide(db, asRead(await lockCustomer(db, cuid), `customer ${cuid}`, cuid, null), OPERATOR, clock)
}

export async function restoreCustomer(db: Tx, cuid: number, clock: Clock): Promise<void> {
  if ((await undelete(db, cuid)) === 0) throw notFound(`a removed customer ${cuid}`)
  await record(db, 'restore', OPERATOR, new Date(clock.nowMs()), null, await lockCustomer(db, cuid))
}

/** Relies on the unique index, because another customer may be taking the email at this moment. */
async function undelete(db: Db, cuid: number): Promise<number> {
  try {
    return await setDeleted(db, cuid, null)
  } catch (error) {
    if (sqlState(error) === UNIQUE_VIOLATION) throw emailTaken()
    throw error
  }
}

export function foundCustomer(row: CustomerRow | null, clock: Clock): FoundCustomer {
  if (!row) throw notFound('customer')
  return { customer: toCustomer(row, clock), appId: row.app_id, etag: etagOf(row.cuid, row.version) }
}

function refuseFaults(faults: FieldError[]): void {
  if (faults.length > 0) throw invalidInput(faults)
}

function emailTaken(): Problem {
  return refusal('email_taken')
}

/** The fields that an edit supplies; the others keep their value. */
function given<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}
