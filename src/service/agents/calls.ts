// Calls of our own API, in this process and as the caller who sent the request: credentials, limits, rights, ceilings,
// dry runs, idempotency, etags and history are those of any other call, because it is one. Nothing else in this folder
// reads or changes what customers own.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AnswerOf, EndpointSpec } from '../../http/endpoint.ts'
import type { ErrorBody } from '../../http/errors.ts'
import type { RateLimiter } from '../../http/rate-limit.ts'
import type { Caller } from '../../kernel/caller.ts'
import { refusal, shownProblem } from '../../kernel/errors/problem.ts'
import { currentTraceparent, placeOf } from '../../platform/trace.ts'

export interface Given {
  params?: Record<string, string | number>
  query?: Record<string, string | number | boolean | undefined>
  cuid?: number
  body?: unknown
  /** Bytes instead of a body. */
  bytes?: { type: string; data: Buffer }
  idempotencyKey?: string
}

export interface Answered<B> {
  status: number
  body: B
  etag: string | null
  /** Of a list: there are more entries. */
  isMore: boolean
}

export type CallApi = <E extends EndpointSpec>(endpoint: E, given?: Given) => Promise<Answered<AnswerOf<E>>>

/** The API refused a call: its own error, to be shown as it is. */
export class Refused extends Error {
  readonly body: ErrorBody
  readonly retryAfterS: number | null
  constructor(body: ErrorBody, retryAfterS: number | null) {
    super(body.message)
    this.body = body
    this.retryAfterS = retryAfterS
  }
}

/** What tells the API who is calling, from where. No cookie: a session is for the console alone. */
const FORWARDED = [
  'authorization',
  'host',
  'user-agent',
  'x-access-key',
  'x-access-superkey',
  'x-access-supertoken',
  'x-access-token',
]

export interface Calling {
  fastify: FastifyInstance
  request: FastifyRequest
  caller: Caller
  /** What agents leave to people. */
  limiter: RateLimiter
}

/** `traceparent`: of the request's `_meta`; that of its header, or our own span, goes before it. */
export function callsOf(calling: Calling, traceparent: unknown): CallApi {
  const { fastify, request } = calling
  const headers = headersOf(request, traceparent)
  return async (endpoint, given = {}) => {
    takeOne(calling)
    const { bytes, body, idempotencyKey } = given
    const answer = await fastify.inject({
      method: endpoint.method,
      url: urlOf(endpoint, given),
      remoteAddress: request.clientAddress,
      headers: {
        ...headers,
        ...(bytes ? { 'content-type': bytes.type } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(bytes ? { payload: bytes.data } : {}),
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    })
    const json = answer.body === '' ? null : JSON.parse(answer.body)
    const { etag, link, 'retry-after': retryAfter } = answer.headers
    if (answer.statusCode >= 400) throw new Refused(json, Number(retryAfter) || null)
    return {
      status: answer.statusCode,
      body: json,
      etag: typeof etag === 'string' ? etag : null,
      isMore: link !== undefined,
    }
  }
}

function headersOf(request: FastifyRequest, traceparent: unknown): Record<string, string> {
  const headers: Record<string, string> = { 'x-request-id': String(request.id) }
  for (const name of FORWARDED) {
    const value = request.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  const isPlaced = request.headers.traceparent !== undefined || placeOf(traceparent) === null
  const place = isPlaced ? currentTraceparent() : (traceparent as string)
  return place === null ? headers : { ...headers, traceparent: place }
}

function urlOf(endpoint: EndpointSpec, { params = {}, query = {}, cuid }: Given): string {
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params[name] ?? (name === 'cuid' ? cuid : ''))),
  )
  const search = new URLSearchParams(endpoint.cuid && cuid !== undefined ? { cuid: String(cuid) } : {})
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.size === 0 ? path : `${path}?${search}`
}

/** All agents of a customer, or of an app, share what people leave them. */
export function shareOf({ caller }: Pick<Calling, 'caller'>): string {
  return caller.level === 'customer' ? `customer ${caller.cuid}` : `app ${caller.appId}`
}

function takeOne({ caller, limiter, request }: Calling): void {
  const taken = limiter.take(shareOf({ caller }))
  if (taken.allowed) return
  const problem = refusal('too_many_requests', { seconds: taken.retryAfterS })
  throw new Refused({ ...shownProblem(problem), requestId: String(request.id) }, taken.retryAfterS)
}
