// Binds endpoints to verbs. The order of checks is the same for all: credentials, cuid, the resource in the path,
// then the body. Writes run in one transaction, with idempotency keys built in.

import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Fate, type GuardParts, guard } from '../changes/guard.ts'
import { mustPropose } from '../changes/rights.ts'
import { type Tx, withNotes, withPart } from '../changes/tx.ts'
import type { Caller } from '../kernel/caller.ts'
import { notFound, refusal } from '../kernel/errors/problem.ts'
import { parseId } from '../kernel/id.ts'
import type { Database } from '../platform/database.ts'
import type { Admission, Gate } from './admission.ts'
import { send } from './answer.ts'
import { readBody } from './body.ts'
import type { BoundCall, CallBounds } from './call-bounds.ts'
import { triedSchema } from './dry-run.ts'
import type { AnswerOf, BodyOf, EndpointSpec } from './endpoint.ts'
import { BODY_LIMIT_BYTES, STRANGER_BODY_BYTES } from './errors.ts'
import type { FairPools } from './fair-pools.ts'
import type { StoredAnswer } from './idempotency.ts'
import type { AnswerQuota } from './idempotency-quota.ts'
import { type FetchPage, type ListQuery, type LongRead, listAnswer, reentrant } from './list.ts'
import { mayBeProposed, Proposed } from './proposed.ts'
import { type Proposer, ToPropose } from './proposing.ts'
import { type QueryValues, queryReader } from './query.ts'
import { needsOf, refuseScope } from './scope.ts'
import { answerTo, createSlots, type SlotOwner, slotOwner } from './slots.ts'
import { type Schema, validate } from './validate.ts'
import { write } from './write.ts'

/** One admitted request, as a verb's route sees it. */
export interface Call<E extends EndpointSpec, Found = undefined> {
  /** The transaction of a write; for a read, its slots at the pool. */
  db: Tx
  /** For verbs that open their own transactions. Opened inside another transaction, one would wait for itself. */
  database: Database
  caller: E['access'] extends 'public' ? null : Caller
  cuid: E['cuid'] extends true ? number : null
  params: Record<string, string>
  query: QueryValues
  body: BodyOf<E>
  ifMatch: string | null
  found: Found
  request: FastifyRequest
  /** One of several in a call, such as an operation of a bulk call. */
  isInner: boolean
  longRead: LongRead
}

/** An answer that is more than a body. */
export class Answer<B> {
  readonly body: B
  readonly headers: Record<string, string>
  /** The verb has decided that nothing is kept: its transaction is rolled back. */
  readonly undo: boolean
  /** A status other than the endpoint's own. */
  readonly status: number | undefined
  /** One `set-cookie` header each. */
  readonly cookies: string[]
  constructor(
    body: B,
    headers: Record<string, string>,
    more: { undo?: boolean; status?: number; cookies?: string[] } = {},
  ) {
    this.body = body
    this.headers = headers
    this.undo = more.undo ?? false
    this.status = more.status
    this.cookies = more.cookies ?? []
  }
}

export function withEtag<B>(body: B, etag: string): Answer<B> {
  return new Answer(body, { etag })
}

/** 201 for what was created, 200 for what was changed. */
export function upserted<B>(body: B, etag: string, created: boolean): Answer<B> {
  return new Answer(body, { etag }, { status: created ? 201 : 200 })
}

export interface Route<E extends EndpointSpec, Found> {
  /** The resource in the path: found before the body is read, or 404. */
  find?: (call: Omit<Call<E>, 'body' | 'found'>) => Promise<Found>
  /** The verb opens its own transactions: it waits for other services, or stores something even when it refuses. */
  ownTransactions?: boolean
  /** For an edit: the object as shown now, so that the answer of a GET can be sent back; null if there is none yet. */
  present?: (call: Omit<Call<E, Found>, 'body'>) => Promise<object | null>
  /** It writes elsewhere and waits for that; only an idempotency key needs a transaction. */
  writesElsewhere?: boolean
  /** For a POST that creates something: throws 404 if the object it once answered with no longer exists. */
  stillThere?: (call: Omit<Call<E, Found>, 'body'>, made: AnswerOf<E>) => Promise<unknown>
  /** Its own connections, so that it does not use up those of other routes. */
  db?: Database
  handle: (call: Call<E, Found>) => Promise<AnswerOf<E> | Answer<AnswerOf<E>>>
}

/** One call of an endpoint inside another call, by the same caller and in the same transaction. */
export interface InnerCall {
  params: Record<string, string>
  body: unknown
  ifMatch: string | null
}

export interface Api {
  fastify: FastifyInstance
  /** For work that is not part of a call: it waits for no slot. */
  db: Database
  /** Likewise, for reading. */
  reads: Database
  publicUrl: string
  endpoints: EndpointSpec[]
  bind<E extends EndpointSpec, Found = undefined>(endpoint: E, route: Route<E, Found>): void
  /** An endpoint that the thin path answers: it is described in the OpenAPI document like any other. */
  describe(endpoint: EndpointSpec & { dataPlane: true }): void
  /** A list endpoint: the caller supplies the page query, and everything else is done here. */
  bindList<E extends EndpointSpec, Found, T>(endpoint: E, route: ListRoute<E, Found, T>): void
  /** Runs a bound endpoint for a caller who was admitted to another one. */
  perform(id: string, outer: Call<EndpointSpec, unknown>, inner: InnerCall): Promise<StoredAnswer>
}

export interface ListRoute<E extends EndpointSpec, Found, T> {
  find?: Route<E, Found>['find']
  idOf: (item: T) => number
  /** Rows at once, if they may be heavy. */
  step?: number
  page: (call: Call<E, Found>) => FetchPage<T>
}

export interface ApiOptions extends GuardParts {
  fastify: FastifyInstance
  db: Database
  reads: Database
  fairPools: FairPools
  boundCall: BoundCall
  gate: Gate
  publicUrl: string
  /** Whether credentials may be in the query. */
  allowQueryCredentials: boolean
  /** How many answers are kept for one customer. */
  answerQuota: AnswerQuota
  proposer: Proposer
  /** Check every answer against its contract; on in tests. */
  checkAnswers: boolean
}

/** Lists that are being read page by page. */
export const LISTS_AT_ONCE = { total: 32, perApp: 16, perCustomer: 4 }
const NOBODY: SlotOwner = { appId: 0, cuid: null }

/** A call that is filled in step by step. */
type OpenCall = Omit<Call<EndpointSpec, unknown>, 'caller' | 'cuid' | 'body'> &
  Admission & { body: unknown; bounds: CallBounds; isAnswering: boolean }

declare module 'fastify' {
  interface FastifyRequest {
    /** What is known about a request before its body is read. */
    call: OpenCall | null
  }
}

export function createApi(options: ApiOptions): Api {
  const { fastify, db, reads, gate, publicUrl, timeZone } = options
  const endpoints: EndpointSpec[] = []
  const performers = new Map<string, (call: OpenCall) => Promise<StoredAnswer>>()

  function bind<E extends EndpointSpec, Found>(endpoint: E, route: Route<E, Found>): void {
    endpoints.push(endpoint)
    if (endpoint.access !== 'public') needsOf(endpoint)
    const readQuery = queryReader(endpoint, options.allowQueryCredentials)
    const isRead = endpoint.method === 'GET'
    const routeDb = route.db ?? (isRead && !endpoint.sideEffects ? reads : db)

    async function open(request: FastifyRequest, reply: FastifyReply): Promise<OpenCall> {
      const { caller, cuid, secret } = await gate(endpoint, request, reply)
      refuseScope(endpoint, caller, request.params as Record<string, string>)
      const bounds = options.boundCall(request.raw, reply.raw)
      const isAnswering = () => call.isAnswering
      const pooled = { caller, cuid, signal: bounds.signal, isAnswering }
      const database = options.fairPools.databaseFor(routeDb, pooled)
      const call: OpenCall = {
        db: withNotes(database),
        database,
        bounds,
        isAnswering: false,
        caller,
        cuid,
        secret,
        params: request.params as Record<string, string>,
        query: readQuery(request.query as Record<string, unknown>, ownCuid(endpoint, caller, request)),
        body: undefined,
        ifMatch: readIfMatch(endpoint, request.headers['if-match']),
        found: undefined,
        request,
        isInner: false,
        longRead: reentrant(() => options.fairPools.longRead(pooled)),
      }
      if (route.find) call.found = await bounds.during(() => route.find!(call as unknown as Call<E>))
      return call
    }

    async function takeBody(call: OpenCall, body: unknown): Promise<void> {
      const { present } = route
      const now = present && (() => present(call as unknown as Call<E, Found>))
      call.body = endpoint.rawBody ? body : await readBody(endpoint, body, now)
    }

    performers.set(endpoint.id, async call => {
      refuseScope(endpoint, call.caller, call.params)
      if (route.find) call.found = await route.find(call as unknown as Call<E>)
      await takeBody(call, call.body)
      return stored(endpoint, await route.handle(call as unknown as Call<E, Found>))
    })

    /** Proposed if the caller asks for it or may not decide alone, and if the call changes anything at all. */
    async function fateOf({ db: tx, caller, query }: OpenCall, { undo }: StoredAnswer): Promise<Fate> {
      if (undo) return 'undone'
      if (caller === null || !mayBeProposed(endpoint) || tx.notes.length === 0) return 'final'
      if (query.propose === true) return 'proposed'
      const mayAsk = caller.level === 'customer' && caller.scope === 'propose'
      return mayAsk && (await mustPropose(tx, caller.key)) ? 'proposed' : 'final'
    }

    async function proposed(call: OpenCall, made: StoredAnswer): Promise<StoredAnswer> {
      const { cuid, params, request } = call
      const trial = { endpoint, caller: call.caller!, cuid: cuid!, params, body: request.body, made }
      const store = await options.proposer.draft(call.db, trial)
      if (call.query.dryRun === true) return { ...made, wouldPropose: true }
      throw new ToPropose(store)
    }

    async function answer(call: OpenCall): Promise<StoredAnswer> {
      const { request } = call
      await takeBody(call, request.body)
      const run = async (tx: Tx): Promise<StoredAnswer> => {
        call.db = tx
        const writer = { cuid: changedCustomer(endpoint, call), key: call.caller?.key ?? null }
        const work = async () => stored(endpoint, await route.handle(call as unknown as Call<E, Found>))
        let fate: Fate = 'final'
        const made = await guard(tx, writer, options, work, async made => {
          fate = await fateOf(call, made)
          return fate
        })
        return (fate as Fate) === 'proposed' ? proposed(call, made) : made
      }
      if (isRead || route.ownTransactions) return run(call.db)
      const again = async (tx: Tx, made: StoredAnswer): Promise<void> => {
        call.db = tx
        if (made.status === 201) {
          await route.stillThere?.(call as unknown as Call<E, Found>, made.body as AnswerOf<E>)
        }
      }
      const { answerQuota } = options
      return write(
        endpoint,
        call,
        { run, again, writesElsewhere: route.writesElsewhere ?? false, timeZone },
        answerQuota,
      )
    }

    fastify.route({
      method: endpoint.method,
      url: endpoint.path,
      exposeHeadRoute: isRead && !endpoint.sideEffects,
      bodyLimit: bodyLimitOf(endpoint),
      config: { manyValues: endpoint.manyValues ?? false },
      // Runs before the body is read. A GET has no body, so it needs no separate step.
      ...(isRead
        ? {}
        : {
            onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
              request.call = await open(request, reply)
            },
          }),
      handler: async (request, reply) => {
        const call = request.call ?? (await open(request, reply))
        const answered = await call.bounds.during(() => answer(call))
        call.isAnswering = true
        if (options.checkAnswers) checkAnswer(endpoint, answered, call.query.dryRun === true)
        return send(request, reply, answered)
      },
    })
  }

  const takeList = createSlots('long lists', LISTS_AT_ONCE)

  function bindList<E extends EndpointSpec, Found, T>(endpoint: E, route: ListRoute<E, Found, T>): void {
    bind<E, Found>(endpoint, {
      find: route.find,
      handle: call => answerList(call, route, publicUrl, takeList),
    })
  }

  const describe = (endpoint: EndpointSpec) => void endpoints.push(endpoint)
  const perform: Api['perform'] = async (id, outer, inner) => {
    const performer = performers.get(id)
    if (!performer) throw notFound(`the operation ${id}`)
    const call = { ...outer, ...inner, query: {}, found: undefined, isInner: true } as unknown as OpenCall
    const writer = { cuid: null, key: call.caller?.key ?? null }
    return withPart(call.db, () =>
      guard(
        call.db,
        writer,
        options,
        () => performer(call),
        // What is only proposed keeps to the ceilings of whoever approves it.
        () => (outer.query.propose === true ? 'proposed' : 'part'),
      ),
    )
  }
  return { fastify, db, reads, publicUrl, endpoints, bind, describe, bindList, perform }
}

/** One page, or all of a long list as a stream that takes a place until it ends. */
async function answerList<E extends EndpointSpec, Found, T>(
  call: Call<E, Found>,
  route: ListRoute<E, Found, T>,
  publicUrl: string,
  takeList: ReturnType<typeof createSlots>,
): Promise<Answer<AnswerOf<E>>> {
  const next = (after: number, limit: number) => nextUrl(publicUrl, call.request.url, after, limit)
  const { body, headers } = await listAnswer(
    call.query as ListQuery,
    { fetchPage: route.page(call), idOf: route.idOf, longRead: call.longRead, step: route.step },
    next,
  )
  if (body instanceof Readable && call.request.method !== 'HEAD') {
    const { caller, cuid, request } = call
    const owner = caller ? slotOwner(caller, cuid) : NOBODY
    body.once('close', takeList(owner, answerTo(request.raw)))
  }
  return new Answer(body, headers) as Answer<AnswerOf<E>>
}

function bodyLimitOf({ rawBody, bodyBytes, access }: EndpointSpec): number {
  if (rawBody) return rawBody.limitBytes
  return bodyBytes ?? (access === 'public' ? STRANGER_BODY_BYTES : BODY_LIMIT_BYTES)
}

/** The customer whose objects the call may change; null if it changes nothing, or nothing of a customer. */
function changedCustomer(endpoint: EndpointSpec, { cuid, caller, params }: OpenCall): number | null {
  if (endpoint.method === 'GET' || endpoint.needs === 'read' || endpoint.whenFrozen || caller === null)
    return null
  if (cuid !== null) return cuid
  return params.cuid === undefined ? null : parseId(params.cuid)
}

/** A caller that sends `cuid` with every call need not know which endpoints do without it. */
function ownCuid(endpoint: EndpointSpec, caller: Caller | null, request: FastifyRequest): string | undefined {
  if (endpoint.access !== 'customer') return undefined
  return caller?.level === 'customer' ? `${caller.cuid}` : (request.params as { cuid?: string }).cuid
}

/** Ignoring a condition would break a promise, so a write that cannot check it refuses the header. */
function readIfMatch(endpoint: EndpointSpec, header: string | undefined): string | null {
  if (header === undefined || endpoint.method === 'GET') return null
  if (endpoint.etag && endpoint.method !== 'POST') return header
  throw refusal('if_match_not_honoured')
}

function stored(endpoint: EndpointSpec, result: unknown): StoredAnswer {
  const status = endpoint.status ?? 200
  return result instanceof Answer
    ? { ...result, status: result.status ?? status }
    : { status, headers: {}, body: result }
}

function checkAnswer(endpoint: EndpointSpec, answer: StoredAnswer, isDryRun: boolean): void {
  if (
    !endpoint.answer ||
    typeof answer.body !== 'object' ||
    Object.getPrototypeOf(answer.body) !== Object.prototype
  ) {
    return
  }
  const isProposal = answer.status === 202 && 'proposal' in (answer.body as object)
  const later = isProposal ? Proposed : answer.status === 202 ? endpoint.later : undefined
  const wanted = later ?? (isDryRun ? triedSchema(endpoint) : endpoint.answer)
  const checked = validate(wanted as Schema, JSON.parse(JSON.stringify(answer.body)))
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
