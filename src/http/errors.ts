// One error shape for everything: { message, code, errors?, requestId }. A Problem is shown as it is; Fastify's own
// refusals are translated; anything else is a bug and reveals nothing.

import type { FastifyError } from 'fastify'
import { notFound, Problem, type ProblemCode } from '../kernel/problem.ts'
import { sqlState } from '../platform/database.ts'
import { isOurDisk, reasonOf } from '../platform/trouble.ts'

export interface ErrorBody {
  message: string
  code: ProblemCode
  errors?: { path: string; message: string }[]
  requestId: string
}

const MIB = 1024 * 1024

/** Fastify's own refusals, in our words. */
const TRANSLATED: Record<string, (error: FastifyError) => Problem> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new Problem('body_too_large', 'the body is larger than is allowed here'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new Problem('unsupported_media_type', 'the content type must be application/json'),
  FST_ERR_CTP_INVALID_JSON_BODY: () => new Problem('malformed_request', 'the body is not valid JSON'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new Problem('malformed_request', 'the length of the body differs from content-length'),
  FST_ERR_MAX_PARAM_LENGTH: () => notFound('path'),
  FST_ERR_BAD_URL: () => new Problem('malformed_request', 'the path is not validly percent-encoded'),
}

export const BODY_LIMIT_BYTES = MIB

export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const fastify = error as FastifyError
  const translate = TRANSLATED[fastify?.code]
  if (translate) return translate(fastify)
  if (fastify instanceof SyntaxError) return new Problem('malformed_request', 'the body is not valid JSON')
  if (fastify?.statusCode === 400) return new Problem('malformed_request', 'the request is not well-formed')
  if (fastify?.statusCode === 415) return TRANSLATED.FST_ERR_CTP_INVALID_MEDIA_TYPE!(fastify)
  return fromDatabase(error) ?? new Problem('internal', 'something went wrong on our side')
}

/** Class 22 is bad data that our own checks should have caught: the caller gets a 400, the log a bug. */
function fromDatabase(error: unknown): Problem | null {
  const state = sqlState(error)
  if (state?.startsWith('22')) return new Problem('invalid_input', 'a value cannot be stored')
  if (state === READ_ONLY)
    return unavailable('the database accepts no changes right now; existing data can be read')
  if (state === DISK_FULL) return unavailable('the database has no room for more right now')
  if (isOurDisk(error)) return unavailable('files cannot be read or written right now')
  return reasonOf(error) === null ? null : unavailable('the database is not available right now')
}

const READ_ONLY = '25006'
const DISK_FULL = '53100'

function unavailable(words: string): Problem {
  return new Problem('unavailable', words, { headers: { 'retry-after': '1' } })
}

/** Whether the log must treat it as a bug of ours. */
export function isBug(error: unknown, problem: Problem): boolean {
  return problem.code === 'internal' || sqlState(error)?.startsWith('22') === true
}

export function errorBody(problem: Problem, requestId: string): ErrorBody {
  const { message, code, errors } = problem
  return errors ? { message, code, errors, requestId } : { message, code, requestId }
}
