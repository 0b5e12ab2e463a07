// No bid: 204 without a body, as exchanges expect. If the operator has switched on debugging for the source and the
// caller asks for it (`x-marquee-debug`), the answer contains no bids, but the reason.

import type { IncomingHttpHeaders } from 'node:http'
import type { DataAnswer } from '../../http/lane/data-plane.ts'
import { refusal, shownProblem } from '../../kernel/errors/problem.ts'
import type { Source } from '../../manage/sources/sources.ts'
import type { NoAdReason } from '../reasons.ts'
import { fieldsOf, textOf } from './read.ts'

const VERSION = { 'x-openrtb-version': '2.6' }
const LONGEST_ID = 1024
export const DEBUG_HEADER = 'x-marquee-debug'

export const NO_BID: DataAnswer = { status: 204, headers: VERSION, body: null }
export const MALFORMED: DataAnswer = { status: 400, headers: VERSION, body: null }

/** Whether this caller is told the reason. */
export function mayKnow(source: Pick<Source, 'debug'>, headers: IncomingHttpHeaders): boolean {
  const asked = headers[DEBUG_HEADER]
  return source.debug && asked !== undefined && asked !== '0' && asked !== 'false'
}

export function noBidBecause(reason: NoAdReason, json: unknown): DataAnswer {
  const id = textOf(fieldsOf(json)?.id, LONGEST_ID) ?? undefined
  return {
    status: 200,
    headers: { ...VERSION, 'content-type': 'application/json' },
    body: JSON.stringify({ id, seatbid: [], ext: { marquee: { reason } } }),
  }
}

export function malformedBecause(detail: string): DataAnswer {
  const problem = refusal('malformed_bid_request', { detail })
  return {
    status: problem.status,
    headers: { ...VERSION, 'content-type': 'application/json' },
    body: JSON.stringify(shownProblem(problem)),
  }
}
