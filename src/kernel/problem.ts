// A Problem is an error the caller can act on: it has a code, and the code has one HTTP status.
// Anything else that is thrown is a bug: answered with 500, logged, never shown.

export const STATUS_OF = {
  invalid_input: 400,
  missing_cuid: 400,
  missing_passcode: 400,
  ambiguous_banner: 400,
  malformed_request: 400,
  invalid_etag: 400,
  if_match_not_honoured: 400,
  forged_token: 400,
  too_many_objects: 400,
  credentials_missing: 401,
  credentials_invalid: 401,
  credentials_expired: 401,
  credentials_revoked: 401,
  credentials_wrong_level: 401,
  cuid_not_allowed: 401,
  not_provisioned: 401,
  api_access_off: 401,
  passcode_invalid: 401,
  ticket_invalid: 401,
  session_ended: 401,
  session_refused: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  email_taken: 409,
  external_id_ambiguous: 409,
  not_deleted: 409,
  quota_exceeded: 409,
  session_open: 409,
  idempotency_conflict: 409,
  idempotent_object_gone: 409,
  precondition_failed: 412,
  body_too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  too_many_at_once: 429,
  caller_gone: 499,
  mail_failed: 500,
  internal: 500,
  unavailable: 503,
  deadline_exceeded: 503,
} as const

export type ProblemCode = keyof typeof STATUS_OF

/** One thing that is wrong with the input, by JSON pointer. */
export interface FieldError {
  path: string
  message: string
}

export class Problem extends Error {
  readonly code: ProblemCode
  readonly errors: FieldError[] | undefined
  readonly headers: Record<string, string>

  constructor(
    code: ProblemCode,
    message: string,
    more: { errors?: FieldError[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause })
    this.code = code
    this.errors = more.errors
    this.headers = more.headers ?? {}
  }

  get status(): number {
    return STATUS_OF[this.code]
  }
}

export function notFound(what: string): Problem {
  return new Problem('not_found', `${what} not found`)
}

/** A 400 that names each wrong field; the message repeats the first, so a log line is enough to see it. */
export function invalidInput(errors: FieldError[]): Problem {
  const first = errors[0]
  const text = first ? `${first.path || 'body'}: ${first.message}` : 'the input is not valid'
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return new Problem('invalid_input', text + more, { errors })
}

export function invalidField(path: string, message: string): Problem {
  return invalidInput([{ path, message }])
}
