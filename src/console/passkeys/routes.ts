// Passkeys of the signed-in person, each endpoint bound to its verb. Attempts count against the limit on sign-ins.

import type { FastifyRequest } from 'fastify'
import { Answer, type Api } from '../../http/api.ts'
import { readApp } from '../../identity/apps.ts'
import {
  listPasskeys,
  newChallenge,
  type Owner,
  type PasskeyRow,
  provePasskey,
  redeemChallenge,
  registerPasskey,
  removePasskey,
  userHandleOf,
} from '../../identity/passkeys/passkeys.ts'
import { refuseForeign } from '../../identity/same-origin.ts'
import type { SessionCookie } from '../../identity/sessions/cookie.ts'
import {
  LIFE_MS,
  type LiveSession,
  refuseWaiting,
  type Sessions,
  sessionEnded,
} from '../../identity/sessions/sessions.ts'
import { takesPasskeys } from '../../kernel/address.ts'
import { refusal } from '../../kernel/errors/problem.ts'
import { parseId } from '../../kernel/id.ts'
import { toSeconds } from '../../kernel/time/clock.ts'
import type { Attempts } from '../attempts.ts'
import type { Session } from '../contract.ts'
import { describeSession, type SignInParts } from '../sign-in.ts'
import * as contract from './contract.ts'

interface PasskeyRouteParts extends SignInParts {
  sessions: Sessions
  cookie: SessionCookie
  attempts: Attempts
}

export function passkeyRoutes(api: Api, parts: PasskeyRouteParts): void {
  const { db, sessions, cookie, clock, publicUrl, attempts } = parts

  const person = async ({ request }: { request: FastifyRequest }): Promise<LiveSession> => {
    if (request.method !== 'GET') refuseForeign(request, publicUrl)
    const session = await sessions.find(request)
    if (!session) throw sessionEnded()
    if (session.person === null) throw refusal('passkeys_of_people')
    return session
  }
  /** Refused until they have used the passkey that they have. */
  const known = async (call: { request: FastifyRequest }): Promise<LiveSession> => {
    const session = await person(call)
    if (session.waitsFor === 'passkey') refuseWaiting(session)
    return session
  }

  /** The continued session, with its new cookie if it got one. */
  const goOn = async (request: FastifyRequest, token: string | null) => {
    const session = await (token === null ? sessions.find(request) : sessions.findByToken(token))
    const cookies = token === null ? [] : [cookie.set(token, LIFE_MS / 1000)]
    return new Answer<Session>(await describeSession(parts, session, null), {}, { cookies })
  }

  api.bind(contract.listPasskeys, {
    find: known,
    handle: async ({ found }) => (await listPasskeys(db, ownerOf(found))).map(toPasskey),
  })
  api.bind(contract.challengePasskey, {
    find: person,
    handle: async ({ db: tx, found, body }) => {
      if (!takesPasskeys(publicUrl)) throw refusal('passkeys_impossible')
      if (body.purpose === 'register' && found.waitsFor === 'passkey') refuseWaiting(found)
      const owner = ownerOf(found)
      const challenge = await newChallenge(tx, found.sessionId, body.purpose, clock)
      return {
        challenge: challenge.toString('base64url'),
        host: new URL(publicUrl).hostname,
        title: (await readApp(tx, found.appId)).brand.title ?? 'Marquee',
        user: { id: userHandleOf(owner).toString('base64url'), name: owner.email },
        credentials: (await listPasskeys(tx, owner)).map(({ credential_id, transports }) => ({
          id: credential_id.toString('base64url'),
          transports,
        })),
      }
    },
  })
  api.bind(contract.registerPasskey, {
    find: known,
    ownTransactions: true,
    handle: async ({ request, found, body }) => {
      const token = await attempts.signIn(request.clientAddress, async () => {
        const challenge = await redeemChallenge(db, found.sessionId, 'register', clock)
        return db.transaction(async tx => {
          await registerPasskey(tx, ownerOf(found), body, challenge, parts)
          return sessions.prove(tx, request, found)
        })
      })
      return goOn(request, token)
    },
  })
  api.bind(contract.provePasskey, {
    find: person,
    ownTransactions: true,
    handle: async ({ request, found, body }) => {
      const token = await attempts.signIn(request.clientAddress, async () => {
        const challenge = await redeemChallenge(db, found.sessionId, 'prove', clock)
        return db.transaction(async tx => {
          await provePasskey(tx, ownerOf(found), body, challenge, parts)
          return sessions.prove(tx, request, found)
        })
      })
      return goOn(request, token)
    },
  })
  api.bind(contract.removePasskey, {
    find: known,
    handle: async ({ db: tx, found, params }) => {
      refuseWaiting(found)
      const id = parseId(params.id!)
      const required = sessions.needsPasskey(found.colleague !== null)
      await removePasskey(tx, ownerOf(found), id, required, parts)
      return { id: id!, deleted: true as const }
    },
  })
}

function ownerOf({ appId, person, mailbox }: LiveSession): Owner {
  return { appId, person: person!, ...mailbox! }
}

function toPasskey({ passkey_id, name, created_at, used_at }: PasskeyRow) {
  return {
    id: passkey_id,
    name,
    created: toSeconds(created_at),
    lastUsed: used_at && toSeconds(used_at),
  }
}
