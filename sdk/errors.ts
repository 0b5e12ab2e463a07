// What a call throws: a refusal by the service, or a failure to reach it.

import type { ErrorCode } from './endpoints.ts'

export class MarqueeError extends Error {
  override readonly name = 'MarqueeError'
  /** Status of the answer; 0 if there was none. */
  readonly status: number
  /** For a program: `not_found`, `invalid_input`, …; without an answer `network_error` or `timeout`. */
  readonly code: ErrorCode
  /** Each wrong field, with status 400. */
  readonly errors: { path: string; message: string }[]
  /** Name it when you report a problem. */
  readonly requestId: string | null
  /** How many attempts were made. */
  readonly attempts: number

  constructor(
    status: number,
    body: { message?: string; code?: ErrorCode; errors?: { path: string; message: string }[] },
    more: { requestId?: string | null; attempts?: number; cause?: unknown } = {},
  ) {
    super(body.message ?? `the service answered with status ${status}`, { cause: more.cause })
    this.status = status
    this.code = body.code ?? 'unknown'
    this.errors = body.errors ?? []
    this.requestId = more.requestId ?? null
    this.attempts = more.attempts ?? 1
  }
}

export async function errorOf(response: Response, attempts: number): Promise<MarqueeError> {
  const body = (await response.json().catch(() => null)) as
    | ConstructorParameters<typeof MarqueeError>[1]
    | null
  return new MarqueeError(response.status, body ?? {}, {
    requestId: response.headers.get('x-request-id'),
    attempts,
  })
}

/** What `fetch` threw: no answer, or not in time. */
export function unanswered(cause: unknown, attempts: number): MarqueeError {
  const late = (cause as { name?: string } | null)?.name === 'TimeoutError'
  const message = late ? 'the service did not answer in time' : 'the service cannot be reached'
  return new MarqueeError(0, { message, code: late ? 'timeout' : 'network_error' }, { attempts, cause })
}
