// One call over HTTP: builds the request from an endpoint and its input, waits and repeats where that is safe,
// and turns what was refused into a MarqueeError. Runs in browsers and in Node alike.

import type { EndpointSpec } from '../src/platform/endpoint.ts'

export type Credentials = { key: string; token: string } | { superkey: string; supertoken: string }

export interface ClientOptions {
  /** Where the service is, without a trailing slash; '' in a browser: the page's own origin. */
  baseUrl: string
  /** None: the session cookie of the console, in a browser. */
  credentials?: Credentials
  fetch?: typeof fetch
  /** How long one attempt may take; 30 s if not given. */
  timeoutMs?: number
  /** How often a call is repeated after 429 or 503, where that is safe; 3 if not given. */
  maxRetries?: number
}

export interface CallOptions {
  signal?: AbortSignal
  /** On a POST: the same key and input within 24 h gets the first answer again, so that it may be repeated. */
  idempotencyKey?: string
  /** Only if the etag is still this one; else the error has status 412. */
  ifMatch?: string
  /** Of raw bytes that do not know their type. */
  contentType?: string
  /** Another form of the answer, such as `text/csv`; for `raw`. */
  accept?: string
}

export class MarqueeError extends Error {
  readonly status: number
  /** For a program: `not_found`, `invalid_input`, … */
  readonly code: string
  /** Each wrong field, with status 400. */
  readonly errors: { path: string; message: string }[]
  /** Name it when you report a problem. */
  readonly requestId: string | null

  constructor(status: number, body: Partial<MarqueeError>, requestId: string | null) {
    super(body.message ?? `the service answered with status ${status}`)
    this.name = 'MarqueeError'
    this.status = status
    this.code = body.code ?? 'unknown'
    this.errors = body.errors ?? []
    this.requestId = requestId
  }
}

const DEFAULT_TIMEOUT_MS = 30_000
const DEFAULT_RETRIES = 3
const MAX_WAIT_MS = 60_000
/** With the session cookie: what a page of another origin cannot send. */
const OF_THE_CONSOLE = { 'x-marquee-csrf': '1' }

type Input = Record<string, unknown>
type RequestBody = NonNullable<RequestInit['body']>

/** The path and query of a call, below the base URL. */
export function pathOf(endpoint: EndpointSpec, input: Input): string {
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = input[name]
    if (value === undefined || value === '') throw new TypeError(`${endpoint.id}: ${name} is missing`)
    return encodeURIComponent(String(value))
  })
  const names = [
    ...(endpoint.cuid ? ['cuid'] : []),
    ...(endpoint.list ? ['limit', 'after'] : []),
    ...Object.keys(endpoint.query ?? {}),
  ]
  const query = new URLSearchParams()
  for (const name of names) {
    const value = input[name]
    if (value !== undefined && value !== null) query.set(name, String(value))
  }
  return query.size > 0 ? `${path}?${query}` : path
}

/** The response of a call that succeeded; throws MarqueeError otherwise. */
export async function send(
  options: ClientOptions,
  endpoint: EndpointSpec,
  input: Input,
  call: CallOptions,
): Promise<Response> {
  const url = options.baseUrl.replace(/\/+$/, '') + pathOf(endpoint, input)
  const fetcher = options.fetch ?? globalThis.fetch
  const { body, type } = bodyOf(endpoint, input, call)
  const init: RequestInit = {
    method: endpoint.method,
    headers: headersOf(endpoint, options, call, type),
    credentials: options.credentials ? 'omit' : 'same-origin',
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  }
  const retries = mayRepeat(endpoint, call) ? (options.maxRetries ?? DEFAULT_RETRIES) : 0
  for (let attempt = 0; ; attempt++) {
    const timeout = AbortSignal.timeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS)
    const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout
    const response = await fetcher(url, { ...init, signal })
    if (response.ok || response.status === 302) return response
    const waitMs = attempt < retries ? retryAfterMs(response) : null
    if (waitMs === null) throw await errorOf(response)
    response.body?.cancel().catch(() => {})
    await sleep(waitMs, call.signal)
  }
}

/** A read, or a POST that the service recognises when it comes again. */
function mayRepeat(endpoint: EndpointSpec, call: CallOptions): boolean {
  return endpoint.method === 'GET'
    ? !endpoint.sideEffects
    : endpoint.method === 'POST' && !!call.idempotencyKey
}

function retryAfterMs(response: Response): number | null {
  if (response.status !== 429 && response.status !== 503) return null
  const header = response.headers.get('retry-after')
  const seconds = header && /^[0-9]{1,6}$/.test(header) ? Number(header) : null
  return seconds === null || seconds * 1000 > MAX_WAIT_MS ? null : seconds * 1000
}

function bodyOf(
  endpoint: EndpointSpec,
  input: Input,
  call: CallOptions,
): { body?: RequestBody; type?: string } {
  if (endpoint.rawBody) {
    const body = input.body as RequestBody
    // A form and a blob with a type say it themselves.
    const own = body instanceof FormData || (body instanceof Blob && body.type !== '')
    return { body, ...(own ? {} : { type: call.contentType ?? 'application/octet-stream' }) }
  }
  if (!endpoint.body) return {}
  return { body: JSON.stringify(input.body), type: 'application/json' }
}

function headersOf(
  endpoint: EndpointSpec,
  { credentials }: ClientOptions,
  call: CallOptions,
  type: string | undefined,
): Record<string, string> {
  const who = credentials ? (endpoint.access === 'public' ? {} : pairOf(credentials)) : OF_THE_CONSOLE
  return {
    accept: call.accept ?? 'application/json',
    ...who,
    ...(type ? { 'content-type': type } : {}),
    ...(call.idempotencyKey ? { 'idempotency-key': call.idempotencyKey } : {}),
    ...(call.ifMatch ? { 'if-match': call.ifMatch } : {}),
  }
}

function pairOf(credentials: Credentials): Record<string, string> {
  return 'superkey' in credentials
    ? { 'x-access-superkey': credentials.superkey, 'x-access-supertoken': credentials.supertoken }
    : { 'x-access-key': credentials.key, 'x-access-token': credentials.token }
}

async function errorOf(response: Response): Promise<MarqueeError> {
  const body = (await response.json().catch(() => ({}))) as Partial<MarqueeError> | null
  return new MarqueeError(response.status, body ?? {}, response.headers.get('x-request-id'))
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
