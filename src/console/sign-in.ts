// The ways into the console: a ticket, an invitation, an emailed passcode, or (for staff of an app) its super pair.
// Neither the answers nor the time they take reveal whether an address belongs to anybody.

import { type App, appToSignInTo, readApp } from '../identity/apps.ts'
import type { CredentialCheck } from '../identity/credentials.ts'
import { type Asker, consumePasscode, mailPasscode, refusePasscode } from '../identity/passcodes.ts'
import { noteJoined, passcodeOwnerOf, seatsOf, seatsToSignIn } from '../identity/sessions/seats.ts'
import type { LiveSession, SessionOwner } from '../identity/sessions/sessions.ts'
import { hasStaff, noteStaffJoined, type Staff, staffOf } from '../identity/staff/staff.ts'
import { customerOfTicket, redeemTicket } from '../identity/tickets.ts'
import { emailKey, takesPasskeys } from '../kernel/address.ts'
import type { AppCaller } from '../kernel/caller.ts'
import { notFound, refusal } from '../kernel/errors/problem.ts'
import { fromMicros } from '../kernel/money.ts'
import { type Clock, toSeconds } from '../kernel/time/clock.ts'
import type { Customer } from '../manage/customers/contract.ts'
import { findCustomer, requireApiAccess } from '../manage/customers/customers.ts'
import { invitedBy, redeemInvitation } from '../manage/customers/members/invitations.ts'
import { countProposals } from '../manage/proposals/proposals.ts'
import type { Database, Db } from '../platform/database.ts'
import type { Mailer } from '../platform/mail.ts'
import type { Session, SignIn } from './contract.ts'

export interface SignInParts {
  db: Database
  mail: Mailer
  clock: Clock
  credentials: CredentialCheck
  passcodeLimit: number
  currency: string
  /** The price of campaigns without one. */
  defaultCpmMicros: number
  timeZone: string
  restoreWithinS: number
  publicUrl: string
}

/** Who the new session belongs to; `live` is the browser's current session. */
export async function ownerOf(
  parts: SignInParts,
  body: SignIn,
  live: LiveSession | null,
): Promise<SessionOwner> {
  if ('ticket' in body) {
    if (live && !body.replace) await refuseToReplace(parts, live, body.ticket)
    return byTicket(parts, body.ticket)
  }
  if ('invitation' in body) {
    if (live && !body.replace) await refuseToReplaceBy(parts, live, body.invitation)
    return byInvitation(parts, body.invitation)
  }
  if ('superkey' in body) return bySuperPair(parts, body.superkey, body.supertoken)
  return byPasscode(parts, body)
}

/**
 * Anyone can make a browser follow a link. A signed-in person must not end up in another account unawares, so a ticket
 * for someone else needs confirmation. Asking does not use it up.
 */
async function refuseToReplace({ db, clock }: SignInParts, live: LiveSession, ticket: string): Promise<void> {
  const cuid = await customerOfTicket(db, ticket, clock)
  const isOwner = live.seat === null || live.seat.role === 'owner'
  if (cuid === null || (cuid === live.cuid && !live.staff && isOwner)) return
  throw refusal('session_open')
}

/** The same for an invitation. */
async function refuseToReplaceBy(
  { db, clock }: SignInParts,
  live: LiveSession,
  token: string,
): Promise<void> {
  const invited = await invitedBy(db, token, clock)
  if (invited && invited.email_key !== live.person) throw refusal('session_open')
}

async function byInvitation({ db, clock }: SignInParts, token: string): Promise<SessionOwner> {
  const invited = await redeemInvitation(db, token, clock)
  const app = await livingApp(db, invited.app_id)
  if (!app) throw refusal('invitation_invalid')
  requireApiAccess(await findCustomer(db, { caller: callerFor(app), clock }, { cuid: invited.cuid }))
  const { app_id: appId, email_key: person, cuid } = invited
  await noteJoined(db, appId, person, new Date(clock.nowMs()))
  return { appId, person, cuid }
}

async function byTicket({ db, clock }: SignInParts, ticket: string): Promise<SessionOwner> {
  const owner = await redeemTicket(db, ticket, null, clock)
  const app = await livingApp(db, owner.appId)
  if (!app) throw refusal('ticket_invalid')
  requireApiAccess(await findCustomer(db, { caller: callerFor(app), clock }, { cuid: owner.cuid }))
  return owner
}

async function bySuperPair({ credentials }: SignInParts, key: string, token: string): Promise<SessionOwner> {
  const identity = await credentials.identify('app', { key, token })
  if (!identity) throw refusal('super_credentials_invalid')
  return { appId: identity.caller.appId, superKey: key }
}

type PasscodeSignIn = Extract<SignIn, { passcode: string }>

async function byPasscode(
  { db, clock }: SignInParts,
  { email, passcode, request, app: appName }: PasscodeSignIn,
): Promise<SessionOwner> {
  const app = await appToSignInTo(db, appName ?? null)
  const person = emailKey(email)
  const seats = app?.passcode ? await seatsOf(db, app.appId, person) : []
  const staff = app && (await staffOf(db, app.appId, person))
  const ownerId = staff?.sid ?? passcodeOwnerOf(seats)
  const channel = { by: 'console', request } as const
  if (!app || ownerId === null) return refusePasscode(db, channel, passcode, clock)
  await consumePasscode(db, ownerId, channel, passcode, clock)
  if (staff) {
    await noteStaffJoined(db, staff.sid, new Date(clock.nowMs()))
    return { appId: app.appId, person, cuid: null }
  }
  if (!seats.some(({ apiAccess }) => apiAccess)) throw refusal('api_access_off')
  await noteJoined(db, app.appId, person, new Date(clock.nowMs()))
  return { appId: app.appId, person, cuid: seats.length === 1 ? seats[0]!.cuid : null }
}

/** A customer that staff of the app may open; throws if they may not. */
export async function customerOf(db: Db, appId: number, cuid: number, clock: Clock): Promise<Customer> {
  const app = await readApp(db, appId)
  return requireApiAccess(await findCustomer(db, { caller: callerFor(app), clock }, { cuid })).customer
}

/** Emails a passcode if the address belongs to staff, a customer or a member. Otherwise it does nothing, silently. */
export async function mailPasscodeTo(
  parts: SignInParts,
  app: App,
  email: string,
  asked: { request: string; asker: Asker },
): Promise<void> {
  const staff = await staffOf(parts.db, app.appId, emailKey(email))
  if (staff) {
    const to = { appId: app.appId, ownerId: staff.sid, email: staff.email, language: null }
    return mailPasscode(parts, to, { by: 'console', ...asked })
  }
  if (!app.passcode) return
  const seats = await seatsToSignIn(parts.db, app.appId, email)
  const seat = seats.find(({ apiAccess }) => apiAccess)
  const ownerId = passcodeOwnerOf(seats)
  if (!seat || ownerId === null) return
  const to = { appId: app.appId, ownerId, email: seat.email, language: seat.language }
  await mailPasscode(parts, to, { by: 'console', ...asked })
}

/** The app that a passcode is requested from; throws if it offers none. */
export async function passcodeApp(db: Db, name: string | null): Promise<App> {
  const app = await appToSignInTo(db, name)
  if (!app) throw notFound('app')
  if (!(await offersPasscodes(db, app))) throw refusal('no_sign_in_by_passcode')
  return app
}

/** Customers get passcodes if the app is provisioned for them; its staff always do. */
async function offersPasscodes(db: Db, app: App): Promise<boolean> {
  return app.passcode || (await hasStaff(db, app.appId))
}

/** What the console needs to know about the session; `appName` selects the brand to show when signed out. */
export async function describeSession(
  parts: SignInParts,
  session: LiveSession | null,
  appName: string | null,
): Promise<Session> {
  const { db, clock, currency, defaultCpmMicros, timeZone, restoreWithinS } = parts
  const app = session ? await readApp(db, session.appId) : await appToSignInTo(db, appName)
  const customer =
    session?.cuid == null || session.identity === null
      ? null
      : (await findCustomer(db, { caller: session.identity.caller, clock }, { cuid: session.cuid })).customer
  const seat = session?.seat ?? session?.seats[0]
  return {
    level: session ? (session.identity?.caller.level ?? 'person') : 'none',
    customer: customer && {
      cuid: customer.cuid,
      company: customer.company,
      email: customer.email,
      name: customer.name,
      language: customer.language,
      timezone: customer.timezone,
      timezonePending: customer.timezonePending,
      prepaid: customer.prepaid,
      proposals: await countProposals(db, customer.cuid, new Date(clock.nowMs())),
    },
    app: session && app ? { name: app.name, sources: app.sources } : null,
    person: seat
      ? { email: seat.email, name: seat.name, role: session!.seat?.role ?? null, staffRole: null }
      : (personOf(session?.colleague ?? null) ?? whoWaits(session)),
    waitsFor: session?.waitsFor ?? null,
    passkeys: session?.person != null && takesPasskeys(parts.publicUrl),
    customers: (session?.seats ?? []).map(({ cuid, company, role }) => ({ cuid, company, role })),
    staff: session?.staff != null,
    right: session?.identity?.caller.right ?? null,
    brand: {
      title: app?.brand.title ?? 'Marquee',
      color: app?.brand.color ?? null,
      logo: app?.brand.logoHash ? `/console/logo/${app.brand.logoHash}.png` : null,
    },
    passcodes: app ? await offersPasscodes(db, app) : false,
    currency,
    defaultCpm: fromMicros(defaultCpmMicros),
    timezone: timeZone,
    restorableFor: restoreWithinS,
    expires: session && toSeconds(session.expires),
  }
}

function personOf(colleague: Staff | null): Session['person'] {
  return colleague && { email: colleague.email, name: colleague.name, role: null, staffRole: colleague.role }
}

/** Until they have used their passkey, only their address is shown. */
function whoWaits(session: LiveSession | null): Session['person'] {
  if (!session?.waitsFor || !session.mailbox) return null
  return { email: session.mailbox.email, name: null, role: null, staffRole: null }
}

async function livingApp(db: Db, appId: number): Promise<App | null> {
  const app = await readApp(db, appId)
  return app.revoked ? null : app
}

/** A caller that sees customers as their app does. */
function callerFor(app: App): AppCaller {
  return {
    level: 'app',
    appId: app.appId,
    key: 'console',
    right: 'all',
    cuids: null,
    mayPasscode: app.passcode,
    mayNoPasscode: app.nopasscode,
    maySources: app.sources,
  }
}
