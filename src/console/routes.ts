// The console's endpoints, each bound to its verb. Every write, including sign-in, must come from our own pages.

import type { FastifyRequest } from 'fastify'
import { Answer, type Api } from '../http/api.ts'
import { rightTooLow } from '../http/scope.ts'
import { brandApp, readApp, readLogo } from '../identity/apps.ts'
import { newPasscodeRequest } from '../identity/passcodes.ts'
import { refuseForeign } from '../identity/same-origin.ts'
import type { SessionCookie } from '../identity/sessions/cookie.ts'
import {
  LIFE_MS,
  type LiveSession,
  refuseWaiting,
  type Sessions,
  type StaffRights,
  sessionEnded,
} from '../identity/sessions/sessions.ts'
import { maySee } from '../kernel/caller.ts'
import { notFound, refusal } from '../kernel/errors/problem.ts'
import type { Log } from '../platform/log.ts'
import { secretNamed } from '../platform/secrets.ts'
import type { Attempts } from './attempts.ts'
import type { Session } from './contract.ts'
import * as contract from './contract.ts'
import { createKnownBrowsers } from './known-browser.ts'
import {
  customerOf,
  describeSession,
  mailPasscodeTo,
  ownerOf,
  passcodeApp,
  type SignInParts,
} from './sign-in.ts'

export interface ConsoleParts extends SignInParts {
  sessions: Sessions
  cookie: SessionCookie
  attempts: Attempts
  makeLogo(bytes: Buffer, appId: number): Promise<Buffer>
  log: Log
}

export function consoleRoutes(api: Api, parts: ConsoleParts): void {
  const { db, sessions, cookie, attempts, publicUrl, clock, log } = parts
  const known = createKnownBrowsers({ publicUrl, clock, secret: () => secretNamed(db, 'known browser') })
  const mails = new Set<Promise<void>>()
  api.fastify.addHook('onClose', async () => {
    await Promise.all(mails)
  })

  const ours = async ({ request }: { request: FastifyRequest }) => refuseForeign(request, publicUrl)

  const staff = async ({ request }: { request: FastifyRequest }): Promise<LiveSession> => {
    refuseForeign(request, publicUrl)
    const session = await sessions.find(request)
    if (!session) throw sessionEnded()
    refuseWaiting(session)
    if (!session.staff) throw refusal('staff_only')
    return session
  }

  /** Staff, or a person who works for several customers. */
  const whoPicks = async ({ request }: { request: FastifyRequest }): Promise<LiveSession> => {
    refuseForeign(request, publicUrl)
    const session = await sessions.find(request)
    if (!session) throw sessionEnded()
    refuseWaiting(session)
    if (!session.staff && session.person === null) throw refusal('staff_only')
    return session
  }

  const signedOut = async (appName: string | null) =>
    new Answer<Session>(await describeSession(parts, null, appName), {
      'set-cookie': cookie.clear(),
    })

  const goOnAs = async (request: FastifyRequest, session: LiveSession, cuid: number | null) => {
    await sessions.open(db, request, session, cuid)
    return describeSession(parts, await sessions.find(request, cuid ?? 'app'), null)
  }

  api.bind(contract.readSession, {
    handle: async ({ request, query }) => {
      const appName = (query.app as string | undefined) ?? null
      const session = await sessions.find(request)
      if (session) return describeSession(parts, session, null)
      const stale = cookie.read(request.headers.cookie) !== null
      return stale ? signedOut(appName) : describeSession(parts, null, appName)
    },
  })
  api.bind(contract.signIn, {
    find: ours,
    ownTransactions: true,
    handle: async ({ request, body }) => {
      const live = await sessions.find(request)
      const owner = await attempts.signIn(request.clientAddress, () => ownerOf(parts, body, live))
      const token = await db.transaction(async tx => {
        await sessions.end(tx, request)
        return sessions.start(tx, request, owner)
      })
      const session = await describeSession(parts, await sessions.findByToken(token), null)
      const cookies = [cookie.set(token, LIFE_MS / 1000)]
      const email = session.person?.email ?? session.customer?.email
      if (email) cookies.push(await known.remember(request.headers.cookie, owner.appId, email))
      return new Answer(session, {}, { cookies })
    },
  })
  api.bind(contract.signOut, {
    find: ours,
    handle: async call => {
      const session = await sessions.find(call.request)
      const { app } = await describeSession(parts, session, null)
      await sessions.end(call.db, call.request)
      return signedOut(app?.name ?? null)
    },
  })
  api.bind(contract.requestPasscode, {
    find: ours,
    ownTransactions: true,
    handle: async ({ request, body }) => {
      attempts.passcodeBy(request.clientAddress)
      const app = await passcodeApp(db, body.app ?? null)
      const browser = await known.nameOf(request.headers.cookie, app.appId, body.email)
      const asker = browser === null ? { address: request.clientAddress } : { browser }
      attempts.passcodeFor(asker, app.appId, body.email)
      const passcodeRequest = newPasscodeRequest()
      // Not awaited, because the time it takes would reveal whether the customer exists.
      const mail = mailPasscodeTo(parts, app, body.email, { request: passcodeRequest, asker })
        .catch(error => log.warn({ err: error, requestId: request.id }, 'could not email a passcode'))
        .finally(() => mails.delete(mail))
      mails.add(mail)
      const message = `If ${body.email} can sign in here, a passcode is on its way to that address.`
      return { message, request: passcodeRequest }
    },
  })
  api.bind(contract.openCustomer, {
    find: whoPicks,
    ownTransactions: true,
    handle: async ({ request, found, body }) => {
      const isOwn = found.staff ? maySee(found.staff, body.cuid) : hasSeat(found, body.cuid)
      if (!isOwn) throw notFound('customer')
      const customer = await customerOf(db, found.appId, body.cuid, clock)
      return goOnAs(request, found, customer.cuid)
    },
  })
  api.bind(contract.editBrand, {
    find: staff,
    ownTransactions: true,
    handle: async ({ request, found, body }) => {
      if (found.cuid !== null) throw refusal('not_as_customer')
      refuseLesser(found.staff!)
      const given = typeof body.logo === 'string' ? Buffer.from(body.logo, 'base64') : null
      const logo = given ? await parts.makeLogo(given, found.appId) : (body.logo as null | undefined)
      const app = await readApp(db, found.appId)
      await db.transaction(tx => brandApp(tx, app.name, { title: body.title, color: body.color, logo }))
      return describeSession(parts, await sessions.find(request), null)
    },
  })
  api.bind(contract.closeCustomer, {
    find: whoPicks,
    ownTransactions: true,
    handle: ({ request, found }) => goOnAs(request, found, null),
  })

  api.fastify.get<{ Params: { file: string } }>('/console/logo/:file', async (request, reply) => {
    const hash = /^([0-9a-f]{64})\.png$/.exec(request.params.file)?.[1]
    const logo = hash ? await readLogo(db, hash) : null
    if (!logo) throw notFound('logo')
    return reply.type('image/png').header('cache-control', 'public, max-age=31536000, immutable').send(logo)
  })
}

function hasSeat({ seats }: LiveSession, wanted: number): boolean {
  return seats.some(({ cuid }) => cuid === wanted)
}

/** The brand belongs to the whole app. */
function refuseLesser({ right, cuids }: StaffRights): void {
  if (right !== 'all') throw rightTooLow(right, 'edit')
  if (cuids !== null) throw refusal('some_customers_only')
}
