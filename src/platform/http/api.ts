// Binds endpoints to verbs. The order of checks is the same for all: credentials, cuid, the resource in the path,
// then the body. Writes run in one transaction, with idempotency keys built in.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../kernel/caller.ts'
import { invalidInput } from '../../kernel/problem.ts'
import type { Database, Db } from '../database.ts'
import type { AnswerOf, BodyOf, EndpointSpec } from '../endpoint.ts'
import { type Schema, validate } from '../validate.ts'
import {
  type Claim,
  claim,
  hashRequest,
  keepAnswer,
  readIdempotencyKey,
  type StoredAnswer,
} from './idempotency.ts'
import { type FetchPage, type ListQuery, listAnswer } from './list.ts'
import { type QueryValues, readQuery } from './query.ts'

/** What the gate found out about a request. `secret` is the token half, for the idempotency key. */
export interface Admission {
  caller: Caller | null
  cuid: number | null
  secret: string | null
}

export type Gate = (
  endpoint: EndpointSpec,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<Admission>

/** One admitted request, as a verb's route sees it. */
export interface Call<E extends EndpointSpec, Found = undefined> {
  /** The transaction of a write; the pool for a read. */
  db: Db
  caller: E['access'] extends 'public' ? null : Caller
  cuid: E['cuid'] extends true ? number : null
  params: Record<string, string>
  query: QueryValues
  body: BodyOf<E>
  ifMatch: string | null
  found: Found
  request: FastifyRequest
  reply: FastifyReply
}

/** An answer with more than a body. */
export class Answer<B> {
  readonly body: B
  readonly headers: Record<string, string>
  constructor(body: B, headers: Record<string, string>) {
    this.body = body
    this.headers = headers
  }
}

export function withEtag<B>(body: B, etag: string): Answer<B> {
  return new Answer(body, { etag })
}

export interface Route<E extends EndpointSpec, Found> {
  /** The resource in the path: found before the body is read, or 404. */
  find?: (call: Omit<Call<E>, 'body' | 'found'>) => Promise<Found>
  /** The verb opens its own transactions: it waits for others, or keeps something although it refuses. */
  ownTransactions?: boolean
  handle: (call: Call<E, Found>) => Promise<AnswerOf<E> | Answer<AnswerOf<E>>>
}

export interface Api {
  fastify: FastifyInstance
  db: Database
  publicUrl: string
  endpoints: EndpointSpec[]
  bind<E extends EndpointSpec, Found = undefined>(endpoint: E, route: Route<E, Found>): void
  /** An endpoint that the thin path answers: it is in the interface's description like any other. */
  describe(endpoint: EndpointSpec & { dataPlane: true }): void
  /** A list endpoint: give it the page query, it does the rest. */
  bindList<E extends EndpointSpec, Found, T>(endpoint: E, route: ListRoute<E, Found, T>): void
}

export interface ListRoute<E extends EndpointSpec, Found, T> {
  find?: Route<E, Found>['find']
  idOf: (item: T) => number
  page: (call: Call<E, Found>) => FetchPage<T>
}

export interface ApiOptions {
  fastify: FastifyInstance
  db: Database
  gate: Gate
  publicUrl: string
  /** Hold every answer to its contract; on in tests. */
  checkAnswers: boolean
}

/** A call as it is filled in from step to step. */
type OpenCall = Record<string, unknown> & Admission & { query: QueryValues }

const calls = new WeakMap<FastifyRequest, OpenCall>()

export function createApi(options: ApiOptions): Api {
  const { fastify, db, gate, publicUrl } = options
  const endpoints: EndpointSpec[] = []

  function bind<E extends EndpointSpec, Found>(endpoint: E, route: Route<E, Found>): void {
    endpoints.push(endpoint)
    fastify.route({
      method: endpoint.method,
      url: endpoint.path,
      exposeHeadRoute: endpoint.method === 'GET' && !endpoint.sideEffects,
      ...(endpoint.rawBody ? { bodyLimit: endpoint.rawBody.limitBytes } : {}),
      onRequest: async (request, reply) => {
        const call = (await gate(endpoint, request, reply)) as OpenCall
        call.request = request
        call.reply = reply
        call.db = db
        call.params = request.params
        call.query = readQuery(endpoint, request.query as Record<string, unknown>)
        call.ifMatch = request.headers['if-match'] ?? null
        if (route.find) call.found = await route.find(call as unknown as Call<E>)
        calls.set(request, call)
      },
      handler: async (request, reply) => {
        const call = calls.get(request)!
        call.body = endpoint.rawBody ? request.body : readBody(endpoint, request.body)
        const run = async (tx: Db): Promise<StoredAnswer> => {
          call.db = tx
          return stored(endpoint, await route.handle(call as unknown as Call<E, Found>))
        }
        const answer = route.ownTransactions
          ? await run(db)
          : await execute(db, endpoint, request, call, call.body, run)
        if (options.checkAnswers) checkAnswer(endpoint, answer)
        return send(reply, answer)
      },
    })
  }

  function bindList<E extends EndpointSpec, Found, T>(endpoint: E, route: ListRoute<E, Found, T>): void {
    bind<E, Found>(endpoint, {
      find: route.find,
      handle: async call => {
        const next = (after: number, limit: number) => nextUrl(publicUrl, call.request.url, after, limit)
        const { body, headers } = await listAnswer(
          call.query as ListQuery,
          route.idOf,
          route.page(call),
          next,
        )
        return new Answer(body, headers) as Answer<AnswerOf<E>>
      },
    })
  }

  const describe = (endpoint: EndpointSpec) => void endpoints.push(endpoint)
  return { fastify, db, publicUrl, endpoints, bind, describe, bindList }
}

function readBody(endpoint: EndpointSpec, body: unknown): unknown {
  if (!endpoint.body) return undefined
  const checked = validate(endpoint.body as Schema, body)
  if (!checked.ok) throw invalidInput(checked.errors)
  return checked.value
}

/** Reads run as they are; writes in a transaction; a POST with an idempotency key at most once. */
async function execute(
  db: Database,
  endpoint: EndpointSpec,
  request: FastifyRequest,
  admission: Admission,
  body: unknown,
  run: (tx: Db) => Promise<StoredAnswer>,
): Promise<StoredAnswer> {
  if (endpoint.method === 'GET') return run(db)
  const key = endpoint.method === 'POST' ? readIdempotencyKey(request.headers['idempotency-key']) : null
  if (key === null || !admission.caller || !admission.secret) return db.transaction(run)
  const wanted: Claim = {
    owner: admission.caller.key,
    key,
    requestHash: hashRequest(endpoint.method, request.url, body),
    secret: admission.secret,
  }
  return db.transaction(async tx => {
    const earlier = await claim(tx, wanted)
    if (earlier) return { ...earlier, headers: { ...earlier.headers, 'idempotency-replayed': 'true' } }
    const answer = await run(tx)
    await keepAnswer(tx, wanted, answer)
    return answer
  })
}

function stored(endpoint: EndpointSpec, result: unknown): StoredAnswer {
  const status = endpoint.status ?? 200
  return result instanceof Answer
    ? { status, headers: result.headers, body: result.body }
    : { status, headers: {}, body: result }
}

function send(reply: FastifyReply, answer: StoredAnswer): FastifyReply {
  reply.code(answer.status).headers(answer.headers)
  if (answer.body === null) return reply.send()
  if (!reply.hasHeader('content-type')) reply.type('application/json; charset=utf-8')
  const isJson = Array.isArray(answer.body) || Object.getPrototypeOf(answer.body) === Object.prototype
  return reply.send(isJson ? JSON.stringify(answer.body) : answer.body)
}

function checkAnswer(endpoint: EndpointSpec, answer: StoredAnswer): void {
  if (
    !endpoint.answer ||
    typeof answer.body !== 'object' ||
    Object.getPrototypeOf(answer.body) !== Object.prototype
  ) {
    return
  }
  const checked = validate(endpoint.answer as Schema, JSON.parse(JSON.stringify(answer.body)))
  if (!checked.ok) throw new Error(`${endpoint.id} breaks its contract: ${JSON.stringify(checked.errors)}`)
}

function nextUrl(publicUrl: string, url: string, after: number, limit: number): string {
  const [path, query = ''] = url.split('?', 2)
  const params = new URLSearchParams(query)
  for (const secret of ['key', 'token', 'superkey', 'supertoken']) params.delete(secret)
  params.set('limit', String(limit))
  params.set('after', String(after))
  return `${publicUrl}${path}?${params}`
}
