// Binds the endpoints of conversions to their verbs: the pixel `/t/a.gif` on the thin path, and the calls of
// advertisers' servers in the management API.

import type { Api } from '../../http/api.ts'
import type { DataAnswer, DataRequest } from '../../http/lane/data-plane.ts'
import { invalidField, refusal } from '../../kernel/errors/problem.ts'
import type { Database, Db } from '../../platform/database.ts'
import { PIXEL, PIXEL_UNACKNOWLEDGED, refused, wrongMethod } from '../tracking/answers.ts'
import { browserOf, type CallerParts, factsOf, MAX_QUERY_CHARS } from '../tracking/caller.ts'
import * as contract from './contract.ts'
import { type ConversionParts, countPixelAction, countServerAction, seenActions } from './conversions.ts'

export interface ConversionPixelParts extends ConversionParts, CallerParts {
  db: Db
  onError(error: unknown): void
}

const TOO_LONG = refused(refusal('query_too_long'))
const BAD_CUSTOMER = refused(invalidField('?cuid', 'not_a_customer_id'))

/** For tracking, whose links are on the same prefix. `path` has no slash at its end. Null: another path. */
export function conversionPixel(parts: ConversionPixelParts) {
  return (path: string, request: DataRequest): DataAnswer | Promise<DataAnswer> | null => {
    if (path !== contract.actionPixel.path) return null
    return request.method === 'GET' ? answerPixel(parts, request) : wrongMethod(request.method, ['GET'])
  }
}

async function answerPixel(parts: ConversionPixelParts, request: DataRequest): Promise<DataAnswer> {
  if (request.query.length > MAX_QUERY_CHARS) return TOO_LONG
  try {
    const pixel = {
      ...factsOf(parts, request),
      address: parts.clientAddress(request.remoteAddress, request.headers),
      browserOf: (ad: { adId: string; servedS: number }) => browserOf(parts, ad, request),
    }
    const answer = await countPixelAction(parts.db, request, pixel, parts)
    if (answer === 'bad') return BAD_CUSTOMER
    return answer === 'unavailable' ? PIXEL_UNACKNOWLEDGED : PIXEL
  } catch (error) {
    parts.onError(error)
    parts.tally('action', 'unacknowledged')
    return PIXEL_UNACKNOWLEDGED
  }
}

export function conversionRoutes(api: Api, parts: ConversionParts & { db: Database }): void {
  api.describe(contract.actionPixel)
  api.bind(contract.readActions, {
    db: parts.db,
    handle: call => seenActions(call.db, call.cuid),
  })
  api.bind(contract.reportAction, {
    db: parts.db,
    writesElsewhere: true,
    handle: async call => {
      const answer = await countServerAction(call.db, call.cuid, call.body, parts)
      if (answer === 'unavailable') throw refusal('action_not_written')
      return answer
    },
  })
}
