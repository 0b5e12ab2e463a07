// The answers of tracking. Success (200, 302) means that an event is on disk or must not be counted. If an event could
// not be written in time, pixels and notices get 503 (pixels still with the image) and clicks get 307, so that the
// visitor notices nothing and nobody believes that it was counted.

import type { DataAnswer } from '../../http/lane/data-plane.ts'
import { type Problem, refusal, shownProblem } from '../../kernel/errors/problem.ts'

/** A transparent image of 1 by 1 pixel, the smallest that every browser accepts: 43 bytes. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

const UNCACHED = {
  'cache-control': 'no-store, no-cache, must-revalidate, max-age=0',
  pragma: 'no-cache',
  expires: '0',
}
const GIF_HEADERS = {
  ...UNCACHED,
  'content-type': 'image/gif',
  'x-content-type-options': 'nosniff',
  // Without it, pages that isolate themselves would refuse the pixel.
  'cross-origin-resource-policy': 'cross-origin',
}
const RETRY = { 'retry-after': '1' }

export const PIXEL: DataAnswer = { status: 200, headers: GIF_HEADERS, body: GIF }
export const PIXEL_UNACKNOWLEDGED: DataAnswer = {
  status: 503,
  headers: { ...GIF_HEADERS, ...RETRY },
  body: GIF,
}
export const NOTED: DataAnswer = { status: 200, headers: UNCACHED, body: null }
export const NOT_NOTED: DataAnswer = { status: 503, headers: { ...UNCACHED, ...RETRY }, body: null }

export function redirect(location: string, isAcknowledged: boolean): DataAnswer {
  return { status: isAcknowledged ? 302 : 307, headers: { ...UNCACHED, location }, body: null }
}

export function refused(problem: Problem): DataAnswer {
  return {
    status: problem.status,
    headers: { ...UNCACHED, 'content-type': 'application/json; charset=utf-8', ...problem.headers },
    body: JSON.stringify(shownProblem(problem)),
  }
}

export function wrongMethod(method: string, allowed: string[]): DataAnswer {
  return refused(
    refusal('method_not_allowed', { method, allowed }, { headers: { allow: allowed.join(', ') } }),
  )
}

export const FORGED = refused(refusal('forged_token'))
