// The thin path for ad requests and tracking: plain node:http, without a framework or a log line per request. Most
// requests do not even come here: fast-lane.ts answers the plainest ones with the same handlers. A handler is a
// function of method, path, headers and body, so that another server could run it.

import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { refusal, shownProblem } from '../../kernel/errors/problem.ts'
import { discardRest } from './discard.ts'

export interface DataRequest {
  method: string
  /** The path without the query. */
  path: string
  /** The text after the `?`, undecoded; empty if there is none. */
  query: string
  headers: IncomingHttpHeaders
  /** The address of the peer; handlers that trust proxies look at the headers. */
  remoteAddress: string
  /** Null for methods without a body. As received: still compressed if `content-encoding` says so. */
  body: Buffer | null
}

export interface DataAnswer {
  status: number
  headers: Record<string, string | string[]>
  body: string | Buffer | null
}

/** Called with the headers of the request that failed, if it is known. */
export type OnDataError = (error: unknown, headers?: IncomingHttpHeaders) => void

export type DataHandler = (request: DataRequest) => DataAnswer | Promise<DataAnswer>

export interface DataRoute {
  /** The route answers every path that begins with this. */
  prefix: string
  /** Only this exact path, with or without a slash at its end. */
  exact?: boolean
  handle: DataHandler
  /** A larger body gets 413 before it is read; 1 MiB by default. */
  mostBodyBytes?: number
  /** Called before the body is read: an answer refuses the request. */
  refuse?: (path: string) => DataAnswer | null
  /** The answer when the handler throws; 204 without a body by default. */
  failed?: DataAnswer
}

const MAX_BODY_BYTES = 1024 * 1024
export const FAILED: DataAnswer = { status: 204, headers: {}, body: null }

/** Tries the data routes first, and hands everything else to `next`. */
export function dataPlane(routes: DataRoute[], next: RequestListener, onError: OnDataError): RequestListener {
  return (request, response) => {
    const url = request.url ?? '/'
    const mark = url.indexOf('?')
    const path = mark < 0 ? url : url.slice(0, mark)
    const route = routeFor(routes, path)
    if (!route) {
      next(request, response)
      return
    }
    const query = mark < 0 ? '' : url.slice(mark + 1)
    const refused = route.refuse?.(path)
    if (refused) {
      answerAndClose(response, refused)
      return
    }
    const mostBytes = route.mostBodyBytes ?? MAX_BODY_BYTES
    readBody(request, mostBytes, body => {
      if (body === 'too large') answer(response, tooLarge(mostBytes))
      else run(route, { ...partsOf(request), path, query, body }, response, onError)
    })
  }
}

/** Called for every request, so it uses no closure and no iterator. */
export function routeFor(routes: readonly DataRoute[], path: string): DataRoute | undefined {
  for (let n = 0; n < routes.length; n++) if (isFor(routes[n]!, path)) return routes[n]
  return undefined
}

function isFor({ prefix, exact }: DataRoute, path: string): boolean {
  if (!path.startsWith(prefix)) return false
  const rest = path.length - prefix.length
  return !exact || rest === 0 || (rest === 1 && path.endsWith('/'))
}

function partsOf(request: IncomingMessage) {
  return {
    method: request.method ?? 'GET',
    headers: request.headers,
    remoteAddress: request.socket.remoteAddress ?? '',
  }
}

/** The visitor never sees our errors: they are logged. */
function run(
  { handle, failed: failure = FAILED }: DataRoute,
  request: DataRequest,
  response: ServerResponse,
  onError: OnDataError,
): void {
  const failed = (error: unknown) => {
    onError(error, request.headers)
    answer(response, failure)
  }
  try {
    const result = handle(request)
    if (result instanceof Promise) result.then(value => answer(response, value), failed)
    else answer(response, result)
  } catch (error) {
    failed(error)
  }
}

function readBody(
  request: IncomingMessage,
  mostBytes: number,
  done: (body: Buffer | null | 'too large') => void,
): void {
  if (request.method === 'GET' || request.method === 'HEAD') {
    // Node itself discards a body that should not be there; resuming would cost more than the pixel.
    done(null)
    return
  }
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) {
    discardRest(request)
    done('too large')
    return
  }
  const chunks: Buffer[] = []
  let bytes = 0
  const take = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= mostBytes) {
      chunks.push(chunk)
      return
    }
    request.off('data', take).off('end', end)
    discardRest(request)
    done('too large')
  }
  const end = () => done(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
  request.on('data', take).on('end', end)
}

/**
 * The connection stays open and the rest is discarded, because many clients read nothing until they have sent
 * everything.
 */
function tooLarge(mostBytes: number): DataAnswer {
  const problem = refusal('body_too_large', { maxBytes: mostBytes })
  return {
    status: problem.status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(shownProblem(problem)),
  }
}

/** For a request whose body is not worth reading. */
function answerAndClose(response: ServerResponse, made: DataAnswer): void {
  response.shouldKeepAlive = false
  answer(response, made)
}

function answer(response: ServerResponse, { status, headers, body }: DataAnswer): void {
  if (response.destroyed) return
  // A server that is stopping also ends busy connections after their answer.
  const { server } = response.req.socket as unknown as { server?: { listening: boolean } }
  if (server?.listening === false) response.shouldKeepAlive = false
  const length = body === null ? 0 : Buffer.byteLength(body)
  response.writeHead(
    status,
    status === 204 || status === 304 ? headers : { ...headers, 'content-length': length },
  )
  response.end(body ?? undefined)
}
