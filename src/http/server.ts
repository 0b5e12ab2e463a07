// The management HTTP server: Fastify with limits and timeouts on everything, one error handler, request ids, security
// headers, one log line per request (by route, never by URL) and metrics.

import { randomUUID } from 'node:crypto'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Fastify from 'fastify'
import { notFound, type Problem, refusal } from '../kernel/errors/problem.ts'
import { clientAddressBy } from '../platform/client-address.ts'
import type { Observe } from '../platform/histogram.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { beginTrace, type Place, placeOf, traceFieldsOf } from '../platform/trace.ts'
import { NO_TRACES, type Traces } from '../platform/traces.ts'
import { createTrouble, reasonOf } from '../platform/trouble.ts'
import { commonHeaders } from './answer.ts'
import type { Stopped } from './call-bounds.ts'
import { errorBody, isBug, STRANGER_BODY_BYTES, toProblem } from './errors.ts'
import { acceptJson } from './json-body.ts'
import { type DataRoute, dataPlane, type OnDataError } from './lane/data-plane.ts'
import { discardRest } from './lane/discard.ts'
import { openFastLane } from './lane/fast-lane.ts'
import { type REFUSALS, refuseConnection } from './lane/refuse-connection.ts'
import { endAfterAnswers, oneAtATime, type PairOwner } from './one-at-a-time.ts'
import { createSlowReaders, type ReaderLimits } from './slow-readers.ts'

/** Whether the process is ready (service/operations.ts). */
export const READY_PATH = '/readyz'

export interface ServerOptions {
  log: Log
  metrics: Metrics
  trustProxy: string | null
  publicUrl: string
  /** Which methods a path has, for 405. */
  methodsOf: (path: string) => string[]
  /** How long a connection may be idle between requests. */
  keepAliveMs: number
  /** How long a whole request may take to arrive. */
  requestMs?: number
  /**
   * Ad requests and tracking, answered before the framework sees them. Routes may be added until the server listens.
   */
  dataRoutes?: DataRoute[]
  /** Whose turn a request with a valid pair is. */
  pairOwner?: PairOwner
  /** Is called for each answer that was read too slowly. */
  stopped?: Stopped
  /** How a program may ask a person for access; null: not here. */
  bearer?: string | null
  /** How fast an answer must be read. */
  leastRead?: ReaderLimits
  traces?: Traces
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Our span, else that of the caller. */
    place: Place | null
  }
}

export const REQUEST_TIMEOUT_MS = 30_000
export const CONNECTION_TIMEOUT_MS = 60_000
const HEADERS_TIMEOUT_MS = 20_000
const CHECK_MS = 5_000
const MAX_HEADER_BYTES = 16_384

export function createServer({
  log,
  metrics,
  trustProxy,
  publicUrl,
  methodsOf,
  keepAliveMs,
  requestMs = REQUEST_TIMEOUT_MS,
  dataRoutes = [],
  pairOwner = () => null,
  stopped = () => {},
  bearer = null,
  leastRead,
  traces = NO_TRACES,
}: ServerOptions): FastifyInstance {
  const trouble = createTrouble(log, {
    text: 'requests are answered with 503',
    again: 'no request has been answered with 503 for a while',
  })
  const onDataError: OnDataError = (error, headers) => {
    const trace = traceFieldsOf(headers)
    if (reasonOf(error) !== null) trouble.is(error, trace)
    else log.error({ err: error, ...trace }, 'bug in an ad request or tracking call')
  }
  const clientAddress = clientAddressBy(trustProxy)
  const readers = createSlowReaders(() => stopped('unread'), leastRead)
  const fastify: FastifyInstance = Fastify({
    logger: false,
    bodyLimit: STRANGER_BODY_BYTES,
    serverFactory: handler => {
      const answer = withTarget(dataPlane(dataRoutes, readers.watched(handler), onDataError))
      const listener = oneAtATime(answer, clientAddress, pairOwner)
      const server = createHttpServer(
        {
          requestTimeout: requestMs,
          keepAliveTimeout: keepAliveMs,
          headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestMs),
          maxHeaderSize: MAX_HEADER_BYTES,
          connectionsCheckingInterval: Math.min(CHECK_MS, requestMs),
        },
        listener,
      )
      server.setTimeout(CONNECTION_TIMEOUT_MS)
      // A caller that has sent all its requests may end its stream and still read the answers; Node would drop those.
      Object.assign(server, { httpAllowHalfOpen: true })
      return server
    },
    genReqId: request => requestId(request.headers['x-request-id']),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1000 },
    exposeHeadRoutes: false,
    return503OnClosing: true,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => answerError(error, request, reply as FastifyReply),
    clientErrorHandler,
  })
  acceptJson(fastify)
  dropSilentConnections(fastify)
  const lane = openFastLane({
    server: fastify.server,
    routes: dataRoutes,
    onError: onDataError,
    idleMs: keepAliveMs,
    requestMs,
  })
  fastify.addHook('preClose', async () => lane.close())
  fastify.addHook('onClose', async () => readers.stop())

  function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const problem = withLimit(toProblem(error), request)
    if (request.method !== 'GET' && request.method !== 'HEAD') takeRest(request, reply)
    if (isBug(error, problem))
      log.error({ err: error, requestId: request.id, route: routeOf(request) }, 'bug')
    else if (problem.status >= 500 && problem !== error) trouble.is(error)
    if (problem.status === 401) reply.header('www-authenticate', challengeFor(request, bearer))
    reply
      .code(problem.status)
      .headers({ ...commonHeaders(request, reply), ...problem.headers })
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(errorBody(problem, String(request.id))))
  }

  fastify.setErrorHandler(answerError)
  fastify.setNotFoundHandler((request, reply) => {
    const methods = methodsOf(request.url.split('?', 1)[0]!)
    const problem =
      methods.length > 0
        ? refusal(
            'method_not_allowed',
            { method: request.method, allowed: methods },
            { headers: { allow: methods.join(', ') } },
          )
        : notFound('path')
    answerError(problem, request, reply)
  })
  fastify.decorate('isSecure', publicUrl.startsWith('https:'))
  fastify.decorateRequest('clientAddress', {
    getter() {
      return clientAddress(this.raw.socket.remoteAddress ?? '', this.headers)
    },
  })
  fastify.decorateRequest('call', null)
  fastify.decorateReply('taken', null)
  fastify.decorateReply('openTo', null)
  addCommonHeaders(fastify)
  followTraces(fastify, traces)
  keepRecord(fastify, log, metrics)
  return fastify
}

/** Adds them to what Fastify sends; our own answers already have them (answer.ts). */
function addCommonHeaders(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    for (const [name, value] of Object.entries(commonHeaders(request, reply))) {
      if (!reply.hasHeader(name)) reply.header(name, value)
    }
    done(null, payload)
  })
}

/** Asked for by machines, all the time. */
const UNTRACED = [READY_PATH, '/healthz', '/metrics']

/** Until its answer ends, everything that a request logs carries its trace id, and what it causes knows its span. */
function followTraces(fastify: FastifyInstance, traces: Traces): void {
  fastify.decorateRequest('place', null)
  fastify.addHook('onRequest', (request, reply, done) => {
    const caller = placeOf(request.headers.traceparent)
    const { method } = request
    const route = routeOf(request)
    const facts = { 'http.request.method': method, 'http.route': route }
    const span = UNTRACED.includes(route) ? null : traces.begin(`${method} ${route}`, 'server', caller, facts)
    request.place = span ?? caller
    if (request.place === null) return done()
    const endTrace = beginTrace(request.place, done)
    reply.raw.once('close', () => {
      endTrace()
      const status = reply.statusCode
      const answered = { 'http.response.status_code': status, 'marquee.request_id': String(request.id) }
      span?.end(answered, status >= 500 ? `status ${status}` : undefined)
    })
  })
}

/** A line in the log and a figure in the metrics for every request. */
function keepRecord(fastify: FastifyInstance, log: Log, metrics: Metrics): void {
  const times = createRequestTimes(metrics)
  // Nothing logged here can be a secret, so lines need no redaction.
  const lines = log.child({}, { redact: [] })
  // With a callback rather than a promise, because it runs for every request.
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method, id: requestId } = request
    const status = reply.statusCode
    const route = routeOf(request)
    const tookMs = reply.elapsedTime
    times.observe(method, route, status, tookMs / 1000)
    const isRead = method === 'GET' || method === 'HEAD'
    // A load balancer asks for `/readyz` several times per second; the causes of a failure have log lines of their own.
    const level = isRead && (status < 400 || route === READY_PATH) ? 'debug' : 'info'
    const trace = request.place === null ? {} : { traceId: request.place.traceId }
    lines[level]({ requestId, method, route, status, ms: Math.round(tookMs), ...trace })
    done()
  })
}

/** Browsers open connections in advance: one that never sends a request must not delay the stop. */
function dropSilentConnections(fastify: FastifyInstance): void {
  const silent = new Set<Socket>()
  fastify.server.on('connection', socket => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  fastify.server.on('request', request => silent.delete(request.socket))
  fastify.addHook('preClose', async () => {
    for (const socket of silent) socket.destroy()
  })
}

function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[A-Za-z0-9._-]{8,100}$/.test(given) ? given : randomUUID()
}

/** Of agents: the door, and callers that show a token of theirs. */
const AGENTS_PATH = /^\/mcp(?=$|[/?])/
const BEARER = /^bearer /i

/** For a call of the console, "Basic" would make the browser open a password dialog. */
function challengeFor(request: FastifyRequest, bearer: string | null): string {
  const hasToken = BEARER.test(request.headers.authorization ?? '')
  if (bearer !== null && (hasToken || AGENTS_PATH.test(request.url)))
    return hasToken ? `${bearer}, error="invalid_token"` : bearer
  return request.headers['x-marquee-csrf'] === undefined
    ? 'Basic realm="Marquee", charset="UTF-8"'
    : 'Session realm="Marquee"'
}

/** A client that is still sending reads the answer only when it has finished: the rest is read and discarded. */
function takeRest(request: FastifyRequest, reply: FastifyReply): void {
  reply.removeHeader('connection')
  discardRest(request.raw)
}

/** Adds to a refusal of a body that is too large the size that would be accepted. */
function withLimit(problem: Problem, request: FastifyRequest): Problem {
  if (problem.reason !== 'body_too_large') return problem
  return refusal('body_too_large', { maxBytes: request.routeOptions?.bodyLimit ?? STRANGER_BODY_BYTES })
}

function routeOf(request: FastifyRequest): string {
  return request.routeOptions?.url ?? 'none'
}

const REFUSED: Record<string, keyof typeof REFUSALS> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'slow',
  HPE_HEADER_OVERFLOW: 'largeHead',
}

/** What Node refuses before Fastify sees it: malformed HTTP, and headers that are too large or too slow. */
function clientErrorHandler(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET') socket.destroy()
  else endAfterAnswers(socket, () => refuseConnection(socket, REFUSED[error.code ?? ''] ?? 'malformed'))
}

// How long requests took, by method, route and status, and how many were refused for their credentials.

const BOUNDS_S = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

interface RequestTimes {
  observe(method: string, route: string, status: number, seconds: number): void
}

export function createRequestTimes(metrics: Pick<Metrics, 'histogram' | 'tally'>): RequestTimes {
  const known = new Map<string, Observe>()
  const refused = { api: 0, console: 0 }
  const seriesOf = metrics.histogram({
    name: 'marquee_http_request_seconds',
    help: 'Duration of management requests by route and status.',
    bounds: BOUNDS_S,
  })
  metrics.tally(
    'marquee_sign_in_failures_total',
    'Wrong credentials, sessions and sign-ins (401 answers), by door: `api` or `console`.',
    'door',
    () => Object.entries(refused),
  )

  return {
    observe(method, route, status, seconds) {
      if (status === 401) refused[route.startsWith('/console') ? 'console' : 'api']++
      const key = `${method} ${status} ${route}`
      let observe = known.get(key)
      if (!observe) {
        observe = seriesOf({ method, route, status })
        known.set(key, observe)
      }
      observe(seconds)
    },
  }
}

// The host and path of a request, as RFC 9112 defines them: there is exactly one host, and an absolute URL as the
// target means the same as its path sent to that host.

const WHOLE_URL = /^https?:\/\/([^/?#@]+)(?=[/?]|$)/i

function withTarget(next: RequestListener): RequestListener {
  return (request, response) => {
    const fault = hosts(request) > 1 ? 'several_hosts' : takeTarget(request)
    if (fault === null) next(request, response)
    else refuse(response, fault)
  }
}

function hosts({ rawHeaders }: IncomingMessage): number {
  let count = 0
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n]!
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count
}

/** Splits an absolute URL into host and path; returns what is wrong, or null. */
function takeTarget(request: IncomingMessage): 'malformed_target' | null {
  const url = request.url ?? '/'
  if (url.startsWith('/') || url === '*') return null
  const match = WHOLE_URL.exec(url)
  if (!match) return 'malformed_target'
  const rest = url.slice(match[0].length)
  request.url = rest.startsWith('/') ? rest : `/${rest}`
  request.headers.host = match[1]!
  return null
}

function refuse(response: ServerResponse, reason: 'several_hosts' | 'malformed_target'): void {
  const problem = refusal(reason)
  response.shouldKeepAlive = false
  response.writeHead(problem.status, { 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(errorBody(problem, randomUUID())))
}
