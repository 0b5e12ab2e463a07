// One call over HTTP: builds the request from an endpoint and its input, waits and repeats if that is safe, and turns a
// refusal into a MarqueeError. Runs in browsers and in Node.

import type { Route } from './endpoints.ts'
import { errorOf, MarqueeError, unanswered } from './errors.ts'
import {
  type AppCredentials,
  type Credentials,
  type CustomerCredentials,
  headersOfPair,
  type Pair,
} from './pair.ts'
import { type Lanes, mayRepeat, retryAfterMs, sleep, waitMs } from './waits.ts'

export interface ClientOptions {
  /** Where the service is, without a trailing slash; '' in a browser: the page's own origin. */
  baseUrl: string
  /** None: the session cookie of the console, in a browser. */
  credentials?: CustomerCredentials | AppCredentials | undefined
  /**
   * Another pair for the same customer: asked for shortly before `expires`, and when the service refuses the old one.
   */
  renew?: (() => Promise<CustomerCredentials>) | undefined
  fetch?: typeof fetch | undefined
  /** How long one attempt may take; 30 s if not given. */
  timeoutMs?: number | undefined
  /** How often a call is repeated after 502, 503, 504 or a network error, if that is safe; twice as often after 429. 5 by default. */
  maxRetries?: number | undefined
  /**
   * Roughly how long to wait before the first repetition; each further one waits twice as long. 250 ms if not given.
   */
  firstWaitMs?: number | undefined
  /** How many calls may run at once; the others wait their turn. 40 if not given. */
  maxParallel?: number | undefined
}

export interface CallOptions {
  signal?: AbortSignal | undefined
  /** On a POST: the same key and input within 24 h gets the first answer again. Made by the client if not given. */
  idempotencyKey?: string | undefined
  /** Only if the etag is still this one; otherwise the error has status 412. */
  ifMatch?: string | undefined
  /** For raw bytes without a type of their own. */
  contentType?: string | undefined
  /** Another format of the answer, such as `text/csv`; for `raw`. */
  accept?: string | undefined
}

/** A client from inside. */
export interface Sender {
  options: ClientOptions
  pair: Pair
  lanes: Lanes
  /** The customer of calls that do not name one. */
  cuid: number | undefined
}

const DEFAULT_TIMEOUT_MS = 30_000
const DEFAULT_RETRIES = 5
const DEFAULT_FIRST_WAIT_MS = 250
/** With the session cookie: a header that a page of another origin cannot send. */
const OF_THE_CONSOLE = { 'x-marquee-csrf': '1' }
/** A pair that is invalid was forgotten: long after it expired, or because the service began again from a backup. */
const OUTDATED = ['credentials_expired', 'credentials_revoked', 'credentials_invalid']

type Input = Record<string, unknown>
type RequestBody = NonNullable<RequestInit['body']>

/** The path and query of a call, below the base URL. `own`: the customer, unless the call names one. */
export function pathOf(route: Route, { cuid: named, ...rest }: Input, own: number | undefined): string {
  const input: Input = { ...rest, cuid: named ?? own }
  if (route.cuid && input.cuid === undefined) {
    throw new TypeError(`${route.id}: cuid is missing; name it in the call or in the credentials`)
  }
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = input[name]
    if (value === undefined || value === '') throw new TypeError(`${route.id}: ${name} is missing`)
    return encodeURIComponent(String(value))
  })
  const names = [
    ...(route.cuid ? ['cuid'] : []),
    ...(route.list ? ['limit', 'after'] : []),
    ...(route.dryRun ? ['dryRun'] : []),
    // What is about one customer and can be tried can be proposed.
    ...(route.dryRun && route.cuid ? ['propose'] : []),
    ...Object.keys(route.query ?? {}),
  ]
  const query = new URLSearchParams()
  for (const name of names) {
    const value = input[name]
    if (value !== undefined && value !== null) query.set(name, String(value))
  }
  const text = query.toString()
  return text ? `${path}?${text}` : path
}

/** How the response of a call is read; part of the attempt, because a body can break off too. */
type Take<T> = (response: Response) => Promise<T>

/** What `take` makes of the response of a call that succeeded; throws MarqueeError otherwise. */
export async function send<T>(
  sender: Sender,
  route: Route,
  input: Input,
  call: CallOptions,
  take: Take<T>,
): Promise<T> {
  const { options, lanes } = sender
  await lanes.enter(call.signal)
  try {
    const url = options.baseUrl.replace(/\/+$/, '') + pathOf(route, input, await ownOf(sender, route, input))
    return await attempts(sender, route, url, bodyOf(route, input, call), withKey(sender, route, call), take)
  } finally {
    lanes.leave()
  }
}

/** Who the client is, if that matters: a client that only knows how to renew has to do so first. */
async function ownOf(sender: Sender, route: Route, { cuid }: Input): Promise<number | undefined> {
  if (!route.cuid || cuid !== undefined || sender.cuid !== undefined) return sender.cuid
  const pair = await sender.pair.current()
  return pair && 'cuid' in pair ? pair.cuid : undefined
}

async function attempts<T>(
  { options, pair }: Sender,
  route: Route,
  url: string,
  sent: SentBody,
  call: CallOptions,
  take: Take<T>,
): Promise<T> {
  const firstWaitMs = options.firstWaitMs ?? DEFAULT_FIRST_WAIT_MS
  const retries = mayRepeat(route, !!call.idempotencyKey) ? (options.maxRetries ?? DEFAULT_RETRIES) : 0
  // One pair for all attempts: the service recognises a repeated POST only by the pair that sent it first.
  let credentials = route.access === 'public' ? undefined : await pair.current()
  let mayReplace = true
  for (let attempt = 0; ; attempt++) {
    let response: Response
    try {
      response = await once(options, route, url, sent, call, credentials)
      if (response.ok || (response.status === 302 && route.status === 302)) return await take(response)
    } catch (cause) {
      if (call.signal?.aborted || cause instanceof MarqueeError) throw cause
      const error = unanswered(cause, attempt + 1)
      // With a condition, the second attempt would fail because of the first one's change.
      if (attempt >= retries || error.code === 'timeout' || call.ifMatch) throw error
      if (route.method === 'POST') mayReplace = false
      await sleep(waitMs(attempt, firstWaitMs), call.signal)
      continue
    }
    if (response.status === 401 && credentials && mayReplace) {
      const error = await errorOf(response, attempt + 1)
      mayReplace = false
      if (!OUTDATED.includes(error.code) || !(await pair.replace(credentials))) throw error
      credentials = await pair.current()
      continue
    }
    // A proxy that lost the service: as when the network does.
    const isLost = response.status === 502 || response.status === 504
    if (isLost && call.ifMatch) throw await errorOf(response, attempt + 1)
    // A call that came too early did nothing, and others may be just as eager.
    const most = response.status === 429 ? 2 * retries : retries
    const afterMs = attempt < most ? retryAfterMs(response) : null
    if (afterMs === null) throw await errorOf(response, attempt + 1)
    response.body?.cancel().catch(() => {})
    if (route.method === 'POST' && response.status !== 429) mayReplace = false
    await sleep(waitMs(attempt, firstWaitMs, afterMs), call.signal)
  }
}

function once(
  options: ClientOptions,
  route: Route,
  url: string,
  { body, type }: SentBody,
  call: CallOptions,
  credentials: Credentials | undefined,
): Promise<Response> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  const fetcher = options.fetch ?? globalThis.fetch
  const isConsole = !options.credentials && !options.renew
  const who = credentials ? headersOfPair(credentials) : isConsole ? OF_THE_CONSOLE : {}
  return fetcher(url, {
    method: route.method,
    headers: {
      accept: call.accept ?? 'application/json',
      ...who,
      ...(type ? { 'content-type': type } : {}),
      ...(call.idempotencyKey ? { 'idempotency-key': call.idempotencyKey } : {}),
      ...(call.ifMatch ? { 'if-match': call.ifMatch } : {}),
    },
    credentials: isConsole ? 'same-origin' : 'omit',
    redirect: 'manual',
    signal: call.signal ? AbortSignal.any([call.signal, timeout]) : timeout,
    ...(body === undefined ? {} : { body }),
  })
}

/**
 * A POST with a pair gets a key by which the service recognises a repetition. An upload needs none: the same bytes are
 * one image.
 */
function withKey({ options }: Sender, route: Route, call: CallOptions): CallOptions {
  const byPair = (options.credentials || options.renew) && route.access !== 'public'
  if (route.method !== 'POST' || route.rawBody || call.idempotencyKey || !byPair) return call
  return { ...call, idempotencyKey: newKey() }
}

/** Works on plain http too, where randomUUID does not exist. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

interface SentBody {
  body?: RequestBody
  type?: string
}

function bodyOf(route: Route, input: Input, call: CallOptions): SentBody {
  if (route.rawBody) {
    const body = input.body as RequestBody
    // A form and a typed blob set it themselves.
    const own = body instanceof FormData || (body instanceof Blob && body.type !== '')
    return { body, ...(own ? {} : { type: call.contentType ?? 'application/octet-stream' }) }
  }
  if (!route.body || input.body === undefined) return {}
  return { body: JSON.stringify(input.body), type: 'application/json' }
}
