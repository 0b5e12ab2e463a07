// The gate in front of every endpoint checks credentials (401), that `cuid` is present (400; customer pairs name it
// too), and that it is allowed (401). It says what is wrong, but never which half of a pair. Without a pair, the access
// token of an agent counts; without that, the session cookie of the console, but only for calls that a page of another
// origin cannot make a browser send.

import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Admission, Gate } from '../http/admission.ts'
import type { Origins } from '../http/cross-origin.ts'
import type { EndpointSpec } from '../http/endpoint.ts'
import type { PairOwner } from '../http/one-at-a-time.ts'
import type { RateLimiter } from '../http/rate-limit.ts'
import { type Caller, maySee } from '../kernel/caller.ts'
import { fieldError } from '../kernel/errors/field-error.ts'
import { type Problem, refusal } from '../kernel/errors/problem.ts'
import { parseId } from '../kernel/id.ts'
import { PROVISIONS } from '../kernel/permissions.ts'
import type { CredentialCheck } from './credentials.ts'
import { type Failures, refuseBeyond } from './failures.ts'
import { type Level, levelOfKey, type Pair } from './pair.ts'
import { refuseForeign } from './same-origin.ts'

/** The caller, by pair or session. Only that caller knows `secret`. */
export interface Identity {
  caller: Caller
  apiAccess: boolean
  secret: string
}

export interface SessionCheck {
  /** The owner of the session that the cookie names. Null: there is no cookie; throws 401 if the session ended. */
  identify(request: FastifyRequest): Promise<Identity | null>
}

export interface GateOptions {
  credentials: CredentialCheck
  sessions: SessionCheck
  origins: Origins
  limiter: RateLimiter
  failures: Failures
  allowQueryCredentials: boolean
  publicUrl: string
  /** Whether people may let programs act for them. */
  agents: boolean
}

interface Presented extends Pair {
  level: Level
}

export function createGate(options: GateOptions): Gate {
  const { credentials, limiter } = options
  return async (endpoint, request, reply) => {
    if (endpoint.access === 'public') return { caller: null, cuid: null, secret: null }
    const presented = readCredentials(request, options.allowQueryCredentials)
    const apps = await openToPage(options.origins, presented, request, reply)
    const mayBeAgent = options.agents && !presented
    const accessToken = mayBeAgent ? bearerToken(request.headers.authorization) : null
    const identity = presented
      ? await byPair(options, presented, request)
      : accessToken !== null
        ? await byAgent(options, accessToken, request)
        : await bySession(options, endpoint, request)
    if (!identity) throw missingCredentials(endpoint)
    if (!apps.has(identity.caller.appId)) reply.openTo = null
    limit(limiter, identity.caller, reply)
    refuseLevel(endpoint, identity.caller)
    if (!identity.apiAccess) throw apiAccessOff()
    const admission: Admission = { caller: identity.caller, cuid: null, secret: identity.secret }
    if (endpoint.cuid) admission.cuid = await admitCuid(credentials, identity.caller, request)
    else if (!endpoint.whenAccessOff) await refusePathOf(credentials, identity.caller, request)
    return admission
  }
}

/** A page of a registered origin may read what its pair gets, also why the pair is refused. Returns whose pairs. */
async function openToPage(
  origins: Origins,
  presented: Presented | null,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Promise<ReadonlySet<number>> {
  const apps = await origins.appsOf(presented?.level === 'customer' ? headers.origin : undefined)
  if (apps.size > 0) reply.openTo = headers.origin!
  return apps
}

/** Tells whose turn a request is, before the gate. */
export function pairOwnerBy(credentials: CredentialCheck): PairOwner {
  return headers => {
    const presented = pairInHeaders(headers)
    if (presented) return credentials.ownerOf(presented.level, presented)
    const accessToken = bearerToken(headers.authorization)
    return accessToken === null ? null : credentials.ownerOfAgent(accessToken)
  }
}

async function byPair(
  { credentials, failures }: GateOptions,
  presented: Presented,
  request: FastifyRequest,
): Promise<Identity> {
  const address = request.clientAddress
  // A key that was valid recently is always checked, so that a stranger at the same address does not shut it out. With
  // a wrong token, it counts as a failure like any other.
  const isKnown = credentials.knows(presented.key)
  if (!isKnown) failures.begin(address)
  const identity = await credentials.identify(presented.level, presented, address)
  if (!identity) {
    if (isKnown) failures.begin(address)
    throw refusal(await credentials.faultOf(presented.level, presented))
  }
  if (!isKnown) failures.giveBack(address)
  return { caller: identity.caller, apiAccess: identity.apiAccess, secret: presented.token }
}

/** A program that a person lets act for them. */
async function byAgent(
  { credentials, failures }: GateOptions,
  accessToken: string,
  { clientAddress }: FastifyRequest,
): Promise<Identity> {
  const isKnown = credentials.knowsAgent(accessToken)
  if (!isKnown) failures.begin(clientAddress)
  const identity = await credentials.identifyAgent(accessToken, clientAddress)
  if (!identity) {
    if (isKnown) failures.begin(clientAddress)
    throw refusal('access_token_invalid')
  }
  if (!isKnown) failures.giveBack(clientAddress)
  return identity
}

async function bySession(
  { sessions, publicUrl }: GateOptions,
  endpoint: EndpointSpec,
  request: FastifyRequest,
): Promise<Identity | null> {
  const identity = await sessions.identify(request)
  if (!identity) return null
  if (endpoint.sideEffects) {
    throw refusal('session_cannot')
  }
  if (endpoint.method !== 'GET') refuseForeign(request, publicUrl)
  return identity
}

export function apiAccessOff(): Problem {
  return refusal('api_access_off')
}

function refuseLevel(endpoint: EndpointSpec, caller: Caller): void {
  if (endpoint.access !== 'app') return
  if (caller.level !== 'app') {
    throw refusal('credentials_wrong_level')
  }
  const { provision } = endpoint
  if (provision && !caller[PROVISIONS[provision]]) throw refusal('not_provisioned', { provision })
}

async function admitCuid(
  credentials: CredentialCheck,
  caller: Caller,
  request: FastifyRequest,
): Promise<number> {
  const given = (request.query as Record<string, unknown>).cuid
  const cuid = typeof given === 'string' ? parseId(given) : null
  if (cuid === null) {
    throw given === undefined
      ? refusal('missing_cuid', {}, { errors: [fieldError('?cuid', 'required')] })
      : refusal('invalid_cuid', {}, { errors: [fieldError('?cuid', 'not_a_customer_id')] })
  }
  if (caller.level === 'customer') {
    if (caller.cuid !== cuid) throw cuidNotAllowed()
    return cuid
  }
  const access = await credentials.accessOf(cuid)
  if (!access || access.appId !== caller.appId || !maySee(caller, cuid)) throw cuidNotAllowed()
  if (!access.apiAccess) throw apiAccessOff()
  return cuid
}

/** A customer in the path whose API access is off; one that the app may not see gets its 404 later. */
async function refusePathOf(
  credentials: CredentialCheck,
  caller: Caller,
  request: FastifyRequest,
): Promise<void> {
  const { cuid: text } = request.params as { cuid?: string }
  const cuid = text === undefined ? null : parseId(text)
  if (caller.level !== 'app' || cuid === null || !maySee(caller, cuid)) return
  const access = await credentials.accessOf(cuid)
  if (access?.appId === caller.appId && !access.apiAccess) throw apiAccessOff()
}

function cuidNotAllowed(): Problem {
  return refusal('cuid_not_allowed')
}

/** All pairs and sessions of a customer share one limit, and so do those of an app. */
function limit(limiter: RateLimiter, caller: Caller, reply: FastifyReply): void {
  const taken = limiter.take(caller.level === 'customer' ? `customer ${caller.cuid}` : `app ${caller.appId}`)
  reply.taken = taken
  refuseBeyond(taken, 'too_many_requests')
}

/** Uses the first complete pair: super headers, customer headers, HTTP Basic, a bearer, and the query if allowed. */
function readCredentials(request: FastifyRequest, allowQuery: boolean): Presented | null {
  const query = request.query as Record<string, unknown>
  return (
    pairInHeaders(request.headers) ??
    (allowQuery
      ? (pairOf('app', query.superkey, query.supertoken) ?? pairOf('customer', query.key, query.token))
      : null)
  )
}

function pairInHeaders(headers: IncomingHttpHeaders): Presented | null {
  return (
    pairOf('app', headers['x-access-superkey'], headers['x-access-supertoken']) ??
    pairOf('customer', headers['x-access-key'], headers['x-access-token']) ??
    basicPair(headers.authorization) ??
    bearerPair(headers.authorization)
  )
}

function pairOf(level: Level, key: unknown, token: unknown): Presented | null {
  return typeof key === 'string' && typeof token === 'string' ? { level, key, token } : null
}

function basicPair(header: string | undefined): Presented | null {
  const match = header ? /^basic +([A-Za-z0-9+/_=-]{1,1000})$/i.exec(header) : null
  if (!match) return null
  return pairInText(Buffer.from(match[1]!, 'base64').toString('latin1'))
}

/** `Bearer <key>:<token>`, for programs that know no other way to send what they were given. */
function bearerPair(header: string | undefined): Presented | null {
  const match = header ? /^bearer +([!-~]{1,1000})$/i.exec(header) : null
  return match && pairInText(match[1]!)
}

function pairInText(text: string): Presented | null {
  const colon = text.indexOf(':')
  if (colon < 0) return null
  const key = text.slice(0, colon)
  return { level: levelOfKey(key) ?? 'customer', key, token: text.slice(colon + 1) }
}

function bearerToken(header: string | undefined): string | null {
  return /^bearer +(\S{1,500})$/i.exec(header ?? '')?.[1] ?? null
}

function missingCredentials(endpoint: EndpointSpec): Problem {
  return refusal(endpoint.access === 'app' ? 'super_credentials_missing' : 'credentials_missing')
}
