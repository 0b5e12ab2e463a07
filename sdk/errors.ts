// What a call throws: a refusal by the service, or a failure to reach it.

import type { ErrorCode, ErrorParams, ErrorReason, FieldError, Proposal } from './endpoints.ts'

/** The body of a refusal; older services send no reason and no params. */
export interface Refusal {
  message?: string
  code?: ErrorCode
  reason?: ErrorReason
  params?: object
  errors?: FieldError[]
}

export class MarqueeError extends Error {
  override readonly name = 'MarqueeError'
  /** Status of the answer; 0 if there was none. */
  readonly status: number
  /** For a program: `not_found`, `invalid_input`, …; without an answer `network_error` or `timeout`. */
  readonly code: ErrorCode
  /** The cause, if a code has several; otherwise the code itself. */
  readonly reason: ErrorReason
  /** The values in the message, by name: see `is`. */
  readonly params: object
  /** Each wrong field, with status 400: its code, and the values that belong to the code. */
  readonly errors: FieldError[]
  /** Name it when you report a problem. */
  readonly requestId: string | null
  /** How many attempts were made. */
  readonly attempts: number
  /** With the code `proposed`: the proposal that waits for a decision. */
  readonly proposal: Proposal | null

  constructor(
    status: number,
    body: Refusal,
    more: { requestId?: string | null; attempts?: number; cause?: unknown; proposal?: Proposal } = {},
  ) {
    super(body.message ?? `the service answered with status ${status}`, { cause: more.cause })
    this.status = status
    this.code = body.code ?? 'unknown'
    this.reason = body.reason ?? this.code
    this.params = body.params ?? {}
    this.errors = body.errors ?? []
    this.requestId = more.requestId ?? null
    this.attempts = more.attempts ?? 1
    this.proposal = more.proposal ?? null
  }

  /** Whether this is the cause; then `params` has its type. */
  is<R extends keyof ErrorParams>(reason: R): this is MarqueeError & { params: ErrorParams[R] } {
    return this.reason === reason
  }
}

export async function errorOf(response: Response, attempts: number): Promise<MarqueeError> {
  if (isRedirect(response)) return redirected(response, attempts)
  const body = (await response.json().catch(() => null)) as Refusal | null
  return new MarqueeError(response.status, body ?? {}, {
    requestId: response.headers.get('x-request-id'),
    attempts,
  })
}

/** Browsers hide the target and the status of a redirect. */
function isRedirect({ status, type }: Response): boolean {
  return (status >= 300 && status < 400 && status !== 304) || type === 'opaqueredirect'
}

/** A redirect is not followed: the service never redirects a call, and the credentials are for the service alone. */
function redirected({ status, headers }: Response, attempts: number): MarqueeError {
  const where = headers.get('location') ?? 'another address'
  const message = `the call was not done, but redirected to ${where}: set baseUrl to where the service is`
  return new MarqueeError(status, { message, code: 'malformed_answer' }, { attempts })
}

/** Browsers do not tell a page why it gets no answer. */
const UNREACHABLE =
  'document' in globalThis
    ? 'the service cannot be reached, or it does not let pages of this origin in (CORS): the operator registers an app\'s origins with "marquee app origins"'
    : 'the service cannot be reached'

/** The error for what `fetch` threw: no answer, or not in time. */
export function unanswered(cause: unknown, attempts: number): MarqueeError {
  const late = (cause as { name?: string } | null)?.name === 'TimeoutError'
  const message = late ? 'the service did not answer in time' : UNREACHABLE
  return new MarqueeError(0, { message, code: late ? 'timeout' : 'network_error' }, { attempts, cause })
}
