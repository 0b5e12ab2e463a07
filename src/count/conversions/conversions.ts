// Conversions, which the API calls actions: reported by a pixel or by a server, credited to an ad, and counted once.
// Pixels and servers are counted separately: anyone can load a pixel, so what pixels report never uses up what servers
// report. 'counted' means that it is on disk.

import type { DataRequest } from '../../http/lane/data-plane.ts'
import { toSeconds } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import { type Batcher, idsOf } from '../tracking/batcher.ts'
import type { Tally } from '../tracking/calls.ts'
import type { ActionRefusal, NewAction, SeenActions } from './contract.ts'
import { type Credit, type Credited, type CreditWindows, creditOf } from './credit.ts'
import type { ActionLimits } from './limits.ts'
import { isCustomer, selectLastActions, selectTest, upsertTest, wasCountedBefore } from './queries.ts'
import {
  type PixelCaller,
  type ReadParts,
  type ReportedAction,
  readPixel,
  readServerCall,
} from './reported.ts'

export interface ConversionParts extends ReadParts, CreditWindows {
  batcher: Batcher
  actionLimits: ActionLimits
  tally: Tally
}

export type ActionAnswer = { counted: true } | { counted: false; reason: ActionRefusal } | 'unavailable'

const PIXEL_WAIT_MS = 2000
const SERVER_WAIT_MS = 5000

/** Counts once per click and name. Returns 'bad' if the pixel names a customer that cannot exist. */
export async function countPixelAction(
  db: Db,
  request: DataRequest,
  pixel: PixelCaller,
  parts: ConversionParts,
): Promise<ActionAnswer | 'bad'> {
  const action = readPixel(request, pixel, parts)
  if (action === null) return 'bad'
  return tallied(await countAction(db, action, parts, PIXEL_WAIT_MS), parts.tally)
}

/** Counts once per order; without an order, once per click and name. */
export async function countServerAction(
  db: Db,
  cuid: number,
  body: NewAction,
  parts: ConversionParts,
): Promise<ActionAnswer> {
  const action = readServerCall(cuid, body, parts)
  return tallied(await countAction(db, action, parts, SERVER_WAIT_MS), parts.tally)
}

/** Shows the advertiser that actions arrive. */
export async function seenActions(db: Db, cuid: number): Promise<SeenActions> {
  const test = await selectTest(db, cuid)
  return {
    actions: (await selectLastActions(db, cuid)).map(({ name, last }) => ({ name, last: toSeconds(last) })),
    test: test && {
      at: toSeconds(test.at),
      name: test.name,
      by: test.by_pixel ? 'pixel' : 'server',
      reason: test.reason,
    },
  }
}

function tallied(answer: ActionAnswer, tally: Tally): ActionAnswer {
  if (answer === 'unavailable') tally('action', 'unacknowledged')
  else tally('action', answer.counted ? 'counted' : answer.reason)
  return answer
}

async function countAction(
  db: Db,
  action: ReportedAction,
  parts: ConversionParts,
  waitMs: number,
): Promise<ActionAnswer> {
  const { batcher, clock, actionLimits } = parts
  const nowMs = clock.nowMs()
  const credit = await creditOf(db, action, parts, nowMs)
  if (action.isTest) return noteTest(db, action, credit, parts, nowMs)
  const refuse = (ids: number[], reason: ActionRefusal): ActionAnswer => {
    if (ids.length > 0) batcher.ignore(ids, 'actions', reason, nowMs)
    return { counted: false, reason }
  }
  if ('refusal' in credit)
    return refuse(credit.ad ? idsOf(credit.ad) : await customerOf(db, action), credit.refusal)
  if (!batcher.hasRoom()) return 'unavailable'
  const { name, valueMicros, pixel } = action
  if (pixel && (await wasCountedBefore(db, credit.ad.cuid, keyOf(credit, name))))
    return refuse(idsOf(credit.ad), 'duplicate')
  const refusal = await actionLimits.admit(db, action, credit.ad, nowMs)
  if (refusal) return refuse(idsOf(credit.ad), refusal)
  const dedupe = dedupeOf(action, credit)
  // If a server's clock is ahead, its figures are not put into the future.
  const atMs = Math.min(action.atMs, nowMs)
  const counted = { ...credit, dedupe, byPixel: pixel !== null, atMs, name, valueMicros }
  const answer = await batcher.addAction(counted, waitMs)
  if (answer === 'counted') return { counted: true }
  actionLimits.giveBack(action, nowMs)
  return answer === 'duplicate' ? { counted: false, reason: 'duplicate' } : 'unavailable'
}

/**
 * Records a test. A pixel's test is recorded only if it names a click on one of the customer's ads, because otherwise
 * anyone could write there. A server's test makes the name known.
 */
async function noteTest(
  db: Db,
  action: ReportedAction,
  credit: Credit,
  { actionLimits }: ConversionParts,
  nowMs: number,
): Promise<ActionAnswer> {
  const { pixel, name } = action
  const reason = 'refusal' in credit ? credit.refusal : null
  const cuid = pixel ? (credit.creditedTo === 'click' ? credit.ad!.cuid : null) : action.cuid
  if (cuid !== null) {
    if (!pixel) await actionLimits.takeName(db, cuid, name, false, nowMs)
    await upsertTest(db, cuid, { at: new Date(nowMs), name, byPixel: pixel !== null, reason })
  }
  return { counted: false, reason: reason ?? 'test' }
}

/** Returns nothing for a customer that does not exist or an invalid id, so that nothing is written. */
async function customerOf(db: Db, { cuid, pixel }: ReportedAction): Promise<number[]> {
  if (cuid === null) return []
  return pixel === null || (await isCustomer(db, cuid)) ? [cuid] : []
}

/** One key per order that a server names; otherwise per click (or impression) and name. Pixels have their own keys. */
function dedupeOf({ order, pixel, name }: ReportedAction, credited: Credited): string {
  if (pixel) return `p${keyOf(credited, name)}`
  return order !== null ? `o:${order}` : keyOf(credited, name)
}

function keyOf({ ad, creditedTo }: Credited, name: string): string {
  return `${creditedTo === 'click' ? 'c' : 'v'}:${ad.adId}:${name}`
}
