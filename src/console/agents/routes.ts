// A person lets a program act for them, sees which do, and ends that. Who may say yes: people who work for the
// customer, signed in, with their passkey if they have one. A session by a link of the app acts for the customer's own
// email. Nothing is stored before the person says yes, and the program is looked up only for somebody who is signed in.

import type { FastifyRequest } from 'fastify'
import type { Api } from '../../http/api.ts'
import { createRateLimiter } from '../../http/rate-limit.ts'
import { approve, listAgents } from '../../identity/agents/agents.ts'
import { OAuthError } from '../../identity/agents/oauth-error.ts'
import { digestOf, isLoopback, type Programs } from '../../identity/agents/programs.ts'
import { type AskedFor, backWith, RefusedRequest, readRequest } from '../../identity/agents/request.ts'
import { type CredentialCheck, programHost, revokeCustomerPair } from '../../identity/credentials.ts'
import { refuseBeyond } from '../../identity/failures.ts'
import { refuseForeign } from '../../identity/same-origin.ts'
import { type Seat, seatsOf } from '../../identity/sessions/seats.ts'
import {
  type LiveSession,
  refuseWaiting,
  type Sessions,
  sessionEnded,
} from '../../identity/sessions/sessions.ts'
import { emailKey } from '../../kernel/address.ts'
import { shownCeilings, storedCeilings } from '../../kernel/ceilings.ts'
import { fieldError } from '../../kernel/errors/field-error.ts'
import { invalidInput, notFound, refusal } from '../../kernel/errors/problem.ts'
import { AGENT_SCOPES, type AgentScope, covers, type Role, scopeOf } from '../../kernel/permissions.ts'
import { type Clock, toSeconds } from '../../kernel/time/clock.ts'
import { findCustomer } from '../../manage/customers/customers.ts'
import type { Db } from '../../platform/database.ts'
import * as contract from './contract.ts'

export interface OwnAgentParts {
  sessions: Sessions
  credentials: CredentialCheck
  programs: Programs
  publicUrl: string
  clock: Clock
  credentialTtlSeconds: number
}

/** Requests that one person may look at, or answer, in ten minutes: each makes us fetch something. */
const LOOKS = 60
const TEN_MINUTES_S = 600

export function ownAgentRoutes(api: Api, parts: OwnAgentParts): void {
  const { sessions, credentials, programs, publicUrl, clock, credentialTtlSeconds } = parts
  const limiter = createRateLimiter({ rate: LOOKS / TEN_MINUTES_S, burst: LOOKS, clock })

  const person = async ({ request, db }: { request: FastifyRequest; db: Db }): Promise<Seat[]> => {
    if (request.method !== 'GET') refuseForeign(request, publicUrl)
    const session = await sessions.find(request)
    if (!session) throw sessionEnded()
    refuseWaiting(session)
    return seatsIn(db, session, clock)
  }
  const looking = async (call: { request: FastifyRequest; db: Db }): Promise<Seat[]> => {
    const seats = await person(call)
    refuseBeyond(limiter.take(String(seats[0]?.mid)), 'too_many_requests')
    return seats
  }
  const read = (request: string, how: { anew?: boolean }) => asked(request, { programs, publicUrl }, how)

  api.bind(contract.readAgentRequest, {
    find: looking,
    ownTransactions: true,
    handle: async ({ body, found }) => {
      const wanted = await read(body.request, {})
      if (wanted instanceof RefusedRequest) return { refused: wanted.message, back: wanted.back }
      const { program, redirectUri, scope } = wanted
      const goesTo = new URL(redirectUri)
      return {
        name: program.name,
        host: program.host,
        goesTo: goesTo.host,
        isLocal: isLoopback(goesTo),
        asked: scope,
        customers: found
          .filter(({ apiAccess }) => apiAccess)
          .map(({ cuid, company, role }) => ({ cuid, company, most: mostOf(role) })),
        until: Math.floor(clock.nowMs() / 1000) + credentialTtlSeconds,
        shown: digestOf(program),
        denied: backWith({ ...wanted, publicUrl }, { error: 'access_denied' }),
      }
    },
  })
  api.bind(contract.approveAgent, {
    find: looking,
    ownTransactions: true,
    handle: async ({ db, body, found }) => {
      const { cuid, scope } = body
      const seat = found.find(one => one.cuid === cuid)
      if (!seat) throw notFound('customer')
      if (!seat.apiAccess) throw refusal('api_access_off')
      const most = mostOf(seat.role)
      if (!covers(most, scope)) throw refusal('agent_scope_too_high', { most, scope })
      const ceilings = scope === 'read' ? null : storedCeilings(body.ceilings ?? null)
      if (scope === 'spend' && ceilings?.dailySpendAll === undefined)
        throw invalidInput([fieldError('/ceilings/dailySpendAll', 'required')])
      const wanted = await read(body.request, { anew: true })
      if (wanted instanceof RefusedRequest) throw refusal('agent_request_invalid', { detail: wanted.message })
      const { program, redirectUri, challenge } = wanted
      if (digestOf(program) !== body.shown) throw refusal('agent_changed')
      const { name, clientId } = program
      const target = { cuid, mid: seat.mid, client_id: clientId, redirect_uri: redirectUri }
      const code = await approve(db, { ...target, name, challenge, scope, ceilings }, clock)
      return { redirect: backWith({ ...wanted, publicUrl }, { code }) }
    },
  })
  api.bind(contract.listAgents, {
    find: person,
    handle: ({ db, found }) => agentsOf(db, found, clock),
  })
  api.bind(contract.endAgent, {
    find: person,
    handle: async ({ db, found, params }) => {
      const key = params.key!
      const own = (await agentsOf(db, found, clock)).find(agent => agent.key === key)
      if (!own) throw notFound('agent')
      await revokeCustomerPair(db, own.cuid, key, clock)
      credentials.forget(own.cuid)
      return { key, deleted: true as const }
    },
  })
}

async function agentsOf(db: Db, seats: readonly Seat[], clock: Clock): Promise<contract.OwnAgent[]> {
  const mids = seats.map(({ mid }) => mid)
  const rows = await listAgents(db, mids, new Date(clock.nowMs()))
  return rows.map(row => ({
    key: row.key,
    name: row.name ?? '',
    host: programHost(row.client_id),
    cuid: row.cuid,
    company: row.company,
    scope: row.scope,
    ceilings: shownCeilings(row.ceilings),
    created: toSeconds(row.created_at),
    expires: toSeconds(row.expires_at),
    lastUsed: row.used_at && toSeconds(row.used_at),
  }))
}

/** The most that somebody with this role may give: an agent has no say about rights. */
function mostOf(role: Role): AgentScope {
  return AGENT_SCOPES.findLast(scope => covers(scopeOf(role), scope))!
}

/** Staff have no seat: a program acts for a person of the customer, and ends with that person. */
async function seatsIn(db: Db, session: LiveSession, clock: Clock): Promise<Seat[]> {
  if (session.staff) throw refusal('agents_of_people')
  if (session.person !== null) return session.seats
  const { cuid, identity, appId } = session
  if (cuid === null || identity === null) throw refusal('agents_of_people')
  const { customer } = await findCustomer(db, { caller: identity.caller, clock }, { cuid })
  const seats = await seatsOf(db, appId, emailKey(customer.email))
  return seats.filter(seat => seat.cuid === cuid)
}

async function asked(
  request: string,
  { programs, publicUrl }: Pick<OwnAgentParts, 'programs' | 'publicUrl'>,
  how: { anew?: boolean },
): Promise<AskedFor | RefusedRequest> {
  const text = /^q([\w-]+)$/.exec(request)?.[1]
  if (text === undefined) throw refusal('agent_request_invalid', { detail: 'it is not whole' })
  try {
    return await readRequest(Buffer.from(text, 'base64url').toString('utf8'), programs, publicUrl, how)
  } catch (error) {
    if (error instanceof RefusedRequest) return error
    if (error instanceof OAuthError) throw refusal('agent_request_invalid', { detail: error.message })
    throw error
  }
}
