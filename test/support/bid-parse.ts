// Bid requests for tests: one imp with a banner, varied as needed, and the result of parsing it.

import type { BidContext } from '../../src/deliver/openrtb/context.ts'
import { type ParsedBidRequest, parseBidRequest } from '../../src/deliver/openrtb/parse.ts'
import type { AdRequest, Slot } from '../../src/deliver/targeting/request.ts'
import { bidContext } from './ad-context.ts'

export type Json = Record<string, unknown>

export const BANNER = { format: [{ w: 300, h: 250 }] }

export function parse(changes: Json = {}, context: Partial<BidContext> = {}): ParsedBidRequest {
  return parseBidRequest({ id: 'q', imp: [{ id: '1', banner: BANNER }], ...changes }, bidContext(context))
}

export function read(changes: Json = {}, context: Partial<BidContext> = {}): AdRequest {
  const parsed = parse(changes, context)
  if (!('request' in parsed)) throw new Error(`not read: ${JSON.stringify(parsed)}`)
  return parsed.request
}

export function slot(imp: Json, context: Partial<BidContext> = {}): Slot {
  return read({ imp: [{ id: '1', banner: BANNER, ...imp }] }, context).slots[0] as Slot
}

export function refusal(imp: Json, context: Partial<BidContext> = {}): unknown {
  return parse({ imp: [{ id: '1', banner: BANNER, ...imp }] }, context)
}
