// How a customer signs in: credentials by id, by passcode or without one, and the redirect to the platform.

import { alertKey } from '../../identity/alerts.ts'
import { readApp } from '../../identity/apps.ts'
import { issueCustomerPair } from '../../identity/credentials.ts'
import { consumePasscode, mailPasscode } from '../../identity/passcodes.ts'
import { issueTicket, redeemTicket } from '../../identity/tickets.ts'
import type { AppCaller } from '../../kernel/caller.ts'
import { fieldError } from '../../kernel/errors/field-error.ts'
import { refusal } from '../../kernel/errors/problem.ts'
import { type Clock, toSeconds } from '../../kernel/time/clock.ts'
import type { Database, Db } from '../../platform/database.ts'
import type { Mailer } from '../../platform/mail.ts'
import type { CustomerPair } from './contract.ts'
import { type FoundCustomer, findCustomer, findCustomerByEmail, requireApiAccess } from './customers.ts'

export interface SignInParts {
  db: Database
  mail: Mailer
  clock: Clock
  credentialTtlSeconds: number
  passcodeLimit: number
  publicUrl: string
}

/** The URL that signs the browser in: the app's platform, with a one-time ticket. */
export async function signIn(parts: SignInParts, caller: AppCaller, email: string): Promise<string> {
  const { customer } = requireApiAccess(await findCustomerByEmail(parts.db, { ...parts, caller }, email))
  const app = await readApp(parts.db, caller.appId)
  const ticket = await issueTicket(parts.db, { appId: caller.appId, cuid: customer.cuid }, parts.clock)
  const platform = new URL(app.platformUrl ?? `${parts.publicUrl}/console`)
  platform.searchParams.set('ticket', ticket)
  return platform.href
}

export async function sendPasscode(parts: SignInParts, caller: AppCaller, email: string): Promise<string> {
  const { customer } = requireApiAccess(await findCustomerByEmail(parts.db, { ...parts, caller }, email))
  await mailPasscode(parts, { ...customer, ownerId: customer.cuid, appId: caller.appId }, { by: 'api' })
  return customer.email
}

/** `:identifier` is a customer id or an email; with an email, the passcode is checked. */
export async function authenticate(
  parts: SignInParts,
  caller: AppCaller,
  identifier: string,
  passcode: string | undefined,
): Promise<CustomerPair> {
  const byEmail = identifier.includes('@')
  const found = byEmail
    ? await findCustomerByEmail(parts.db, { ...parts, caller }, identifier)
    : await findCustomer(parts.db, { ...parts, caller }, { cuid: identifier })
  requireApiAccess(found)
  if (byEmail) {
    if (passcode === undefined) {
      const errors = [fieldError('?passcode', 'passcode_missing')]
      throw refusal('missing_passcode', {}, { errors })
    }
    await consumePasscode(parts.db, found.customer.cuid, { by: 'api' }, passcode, parts.clock)
  }
  return issue(parts, caller, found, !byEmail)
}

export async function authenticateWithoutPasscode(
  parts: SignInParts,
  caller: AppCaller,
  email: string,
): Promise<CustomerPair> {
  const found = requireApiAccess(await findCustomerByEmail(parts.db, { ...parts, caller }, email))
  return issue(parts, caller, found, true)
}

/** For an app that has a platform of its own. */
export async function redeem(db: Db, caller: AppCaller, ticket: string, clock: Clock) {
  const { cuid } = await redeemTicket(db, ticket, caller.appId, clock)
  const { customer } = requireApiAccess(await findCustomer(db, { caller, clock }, { cuid }))
  return { cuid, email: customer.email, company: customer.company, name: customer.name }
}

/** Issues another pair for a customer that was found. `byApp`: only the app asked for it. */
function issue(
  { db, credentialTtlSeconds, clock }: SignInParts,
  caller: AppCaller,
  { customer: { cuid }, appId }: FoundCustomer,
  byApp: boolean,
): Promise<CustomerPair> {
  return db.transaction(async tx => {
    const at = new Date(clock.nowMs())
    const pair = await issueCustomerPair(tx, { appId, cuid, byApp }, credentialTtlSeconds, clock)
    const { key, expires } = pair
    const shown = { key, name: null, scope: 'all' as const, created: toSeconds(at), expires }
    // No alert for pairs that the app gets for itself: it gets them all the time.
    if (!byApp) await alertKey(tx, { at, cuid, actor: caller.key }, shown)
    return { cuid, ...pair }
  })
}
