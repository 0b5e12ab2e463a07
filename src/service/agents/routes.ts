// `/mcp`: where agents come in. Each request brings a pair or a token; the gate that knows every other caller knows
// this one, before the body is read. The protocol and its library are loaded with the first request.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Gate } from '../../http/admission.ts'
import { commonHeaders } from '../../http/answer.ts'
import type { Api } from '../../http/api.ts'
import type { EndpointSpec } from '../../http/endpoint.ts'
import { BODY_LIMIT_BYTES } from '../../http/errors.ts'
import type { RateLimiter } from '../../http/rate-limit.ts'
import type { Caller } from '../../kernel/caller.ts'
import { refusal } from '../../kernel/errors/problem.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Log } from '../../platform/log.ts'
import { secretNamed } from '../../platform/secrets.ts'
import { callsOf } from './calls.ts'
import { createPlans } from './plans.ts'
import type { Exchange } from './protocol.ts'
import type { Agent } from './tool.ts'

export const AGENT_PATH = '/mcp'

export interface AgentParts {
  clock: Clock
  log: Log
  currency: string
  timeZone: string
  /** Recognises callers as everywhere, and counts them by `limiter`. */
  gate: Gate
  limiter: RateLimiter
}

/** What the gate asks of who comes in: any pair or token. What each may do is decided by each call that it causes. */
export const ENTRANCE: EndpointSpec = {
  id: 'mcp',
  method: 'POST',
  path: AGENT_PATH,
  tag: 'Agents',
  summary: 'The Model Context Protocol',
  access: 'customer',
  needs: 'read',
  // No session of the console.
  sideEffects: true,
  ofAnyCampaign: true,
  answer: null,
}

type Offered = Pick<Api, 'fastify' | 'db' | 'publicUrl' | 'endpoints'>

export function agentRoutes(api: Offered, parts: AgentParts): void {
  const callers = new WeakMap<FastifyRequest, Caller>()
  let loaded: Promise<(request: FastifyRequest, caller: Caller) => Promise<Response>> | null = null
  const protocol = () => {
    loaded ??= load(api, parts).catch(error => {
      loaded = null
      throw error
    })
    return loaded
  }
  api.fastify.post(AGENT_PATH, {
    bodyLimit: BODY_LIMIT_BYTES,
    config: { manyValues: true },
    onRequest: async (request, reply) => {
      refuseHost(request, api.publicUrl)
      const { caller } = await parts.gate(ENTRANCE, request, reply)
      refuseOrigin(request, reply, api.publicUrl)
      callers.set(request, caller!)
    },
    handler: async (request, reply) => {
      // The protocol of 2025-03-26 had lists of calls, and no version before or after it.
      if (typeof request.body !== 'object' || request.body === null || Array.isArray(request.body))
        throw refusal('not_a_json_object')
      const answer = await protocol()
      return send(request, reply, await answer(request, callers.get(request)!))
    },
  })
}

async function load({ fastify, db, publicUrl, endpoints }: Offered, parts: AgentParts) {
  const { createProtocol } = await import('./protocol.ts')
  const plans = createPlans(await secretNamed(db, 'plans'), parts.clock)
  const bodies = new Map(endpoints.map(({ id, body }) => [id, body]))
  const known = { ...parts, fastify, publicUrl, plans, bodies }
  const exchanges = new WeakMap<Request, Exchange>()
  const { fetch } = createProtocol(request => exchanges.get(request)!)
  return async (request: FastifyRequest, caller: Caller): Promise<Response> => {
    const asked = new Request(`${publicUrl}${AGENT_PATH}`, {
      method: 'POST',
      headers: headersOf(request),
      body: '{}',
    })
    exchanges.set(asked, { agent: agentOf(request, caller, known), log: parts.log })
    return fetch(asked, { parsedBody: request.body })
  }
}

type Known = AgentParts & Pick<Api, 'fastify' | 'publicUrl'> & Pick<Agent, 'plans' | 'bodies'>

function agentOf(request: FastifyRequest, caller: Caller, known: Known): Agent {
  const { fastify, limiter, plans, bodies, clock, currency, timeZone, publicUrl } = known
  const { params } = request.body as { params?: { _meta?: { traceparent?: unknown } } }
  return {
    caller,
    call: callsOf({ fastify, request, caller, limiter }, params?._meta?.traceparent),
    plans,
    bodies,
    clock,
    currency,
    ownZone: timeZone,
    publicUrl,
    requestId: String(request.id),
  }
}

function headersOf({ headers }: FastifyRequest): Record<string, string> {
  const wanted = Object.entries(headers).filter(
    ([name, value]) => typeof value === 'string' && /^(accept|content-type|mcp-[\w-]+)$/.test(name),
  )
  return Object.fromEntries(wanted) as Record<string, string>
}

async function send(request: FastifyRequest, reply: FastifyReply, response: Response): Promise<FastifyReply> {
  const body = Buffer.from(await response.arrayBuffer())
  reply.code(response.status).headers({ ...commonHeaders(request, reply), 'cache-control': 'no-store' })
  const type = response.headers.get('content-type')
  if (type !== null) reply.type(type)
  return reply.send(body.length === 0 ? undefined : body)
}

/** A name of this machine, or the one that it is reached by. */
function refuseHost({ headers }: FastifyRequest, publicUrl: string): void {
  const host = headers.host ?? ''
  const name = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : ''
  const own = [new URL(publicUrl).hostname, 'localhost', '127.0.0.1', '[::1]']
  if (!own.includes(name)) throw refusal('foreign_host', { host: new URL(publicUrl).host })
}

/** A browser's page: of the address that it calls, or of an origin that is registered for the app of the caller. */
function refuseOrigin({ headers }: FastifyRequest, reply: FastifyReply, publicUrl: string): void {
  const { origin, host } = headers
  if (origin === undefined || origin === new URL(publicUrl).origin || reply.openTo === origin) return
  if (origin === `http://${host}` || origin === `https://${host}`) return
  throw refusal('foreign_origin')
}
