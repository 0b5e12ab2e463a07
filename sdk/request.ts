// One call over HTTP: builds the request from an endpoint and its input, waits and repeats it if that is safe, and
// turns a refusal into a MarqueeError. Runs in browsers and in Node.

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
  /** The address of the service, without a trailing slash; '' in a browser: the page's own origin. */
  baseUrl: string
  /** None: in a browser, the session cookie of the console. */
  credentials?: CustomerCredentials | AppCredentials | undefined
  /**
   * Returns another pair for the same customer. Called shortly before `expires`, and when the service refuses the old
   * pair.
   */
  renew?: (() => Promise<CustomerCredentials>) | undefined
  fetch?: typeof fetch | undefined
  /** How long one attempt may take; default: 30 s. */
  timeoutMs?: number | undefined
  /**
   * How often a call is repeated after 502, 503, 504 or a network error, if that is safe; twice as often after 429.
   * Default: 5.
   */
  maxRetries?: number | undefined
  /** About how long to wait before the first repetition; each further wait is twice as long. Default: 250 ms. */
  firstWaitMs?: number | undefined
  /** How many calls may run at once; the others wait their turn. Default: 40. */
  maxParallel?: number | undefined
}

export interface CallOptions {
  signal?: AbortSignal | undefined
  /**
   * For a POST: the same key and input within 24 hours get the first answer again. By default, the client creates one.
   */
  idempotencyKey?: string | undefined
  /** Changes only this version; otherwise the error has status 412. */
  ifMatch?: string | undefined
  /** For raw bytes without their own type. */
  contentType?: string | undefined
  /** Another format of the answer, such as `text/csv`; for `raw`. */
  accept?: string | undefined
}

/** The internals of a client. */
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
/** Sent with the session cookie: a page of another origin cannot send this header. */
const OF_THE_CONSOLE = { 'x-marquee-csrf': '1' }
/**
 * `credentials_invalid`: the service forgot the pair, long after it expired or because it was restored from a backup.
 */
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
    // Calls about one customer that allow a dry run can also be proposed.
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

/** Reads the response of a call. It is part of the attempt, because a body can break off too. */
type Take<T> = (response: Response) => Promise<T>

/** Returns what `take` makes of the response of a successful call; otherwise throws MarqueeError. */
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

/** The client's customer, if the call needs one: a client that only has `renew` must call it first. */
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
    // A proxy could not reach the service: treated like a network error.
    const isLost = response.status === 502 || response.status === 504
    if (isLost && call.ifMatch) throw await errorOf(response, attempt + 1)
    // A call that came too early did nothing, and other callers may be just as eager.
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
 * A POST with a pair gets a key by which the service recognises a repetition. An upload needs none, because the same
 * bytes give the same image.
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
    // A form and a typed blob set their own content type.
    const own = body instanceof FormData || (body instanceof Blob && body.type !== '')
    return { body, ...(own ? {} : { type: call.contentType ?? 'application/octet-stream' }) }
  }
  if (!route.body || input.body === undefined) return {}
  return { body: JSON.stringify(input.body), type: 'application/json' }
}
