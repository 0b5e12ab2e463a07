// One error shape for everything: { message, code, reason?, params?, errors?, requestId }. A Problem is shown as it is;
// Fastify's own refusals are translated; anything else is a bug and reveals nothing.

import type { FastifyError } from 'fastify'
import { notFound, Problem, refusal, type ShownProblem, shownProblem } from '../kernel/errors/problem.ts'
import { sqlState } from '../platform/database.ts'
import { isOurDisk, reasonOf } from '../platform/trouble.ts'

export interface ErrorBody extends ShownProblem {
  requestId: string
}

const MIB = 1024 * 1024

/** Fastify's own refusals, in our words. */
const TRANSLATED: Record<string, (error: FastifyError) => Problem> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => refusal('body_too_large', { maxBytes: STRANGER_BODY_BYTES }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => refusal('unsupported_media_type', { allowed: ['application/json'] }),
  FST_ERR_CTP_INVALID_JSON_BODY: () => refusal('not_json'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => refusal('length_differs'),
  FST_ERR_MAX_PARAM_LENGTH: () => notFound('path'),
  FST_ERR_BAD_URL: () => refusal('malformed_path'),
}

export const BODY_LIMIT_BYTES = MIB
/** Where anybody may call, and nobody has been asked who he is before the body is read. */
export const STRANGER_BODY_BYTES = 16_384

export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const fastify = error as FastifyError
  const translate = TRANSLATED[fastify?.code]
  if (translate) return translate(fastify)
  if (fastify instanceof SyntaxError) return refusal('not_json')
  if (fastify?.statusCode === 400) return refusal('malformed_request')
  if (fastify?.statusCode === 415) return TRANSLATED.FST_ERR_CTP_INVALID_MEDIA_TYPE!(fastify)
  return fromDatabase(error) ?? refusal('internal')
}

/** Class 22 is bad data that our own checks should have caught: the caller gets 400, and it is logged as a bug. */
function fromDatabase(error: unknown): Problem | null {
  const state = sqlState(error)
  if (state?.startsWith('22')) return refusal('value_not_storable')
  if (state === READ_ONLY) return refusal('database_read_only', {}, SOON)
  if (state === DISK_FULL) return refusal('database_full', {}, SOON)
  if (isOurDisk(error)) return refusal('files_unavailable', {}, SOON)
  return reasonOf(error) === null ? null : refusal('database_unavailable', {}, SOON)
}

const READ_ONLY = '25006'
const DISK_FULL = '53100'
const SOON = { headers: { 'retry-after': '1' } }

/** Whether the log must treat it as a bug of ours. */
export function isBug(error: unknown, problem: Problem): boolean {
  return problem.code === 'internal' || sqlState(error)?.startsWith('22') === true
}

export function errorBody(problem: Problem, requestId: string): ErrorBody {
  return { ...shownProblem(problem), requestId }
}
