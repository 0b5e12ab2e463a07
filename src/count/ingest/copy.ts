// The quick way of a batch to disk: copied, instead of inserted by a statement that asks of each event whether it
// exists. All or nothing: if one event was counted before, is not covered, lacks its impression or has no partition,
// nothing is written, and the careful statement decides about each.

import { type AdNews, writeNews } from '../../budget/shares/news.ts'
import { type Database, sqlState } from '../../platform/database.ts'
import type { DatabaseMark } from '../../platform/rewind-check.ts'
import { adKeyOf } from '../tracking/ad.ts'
import { kindCode } from '../tracking/codes.ts'
import type { AdEvent } from '../tracking/event.ts'
import { type CopiedBatch, copyBatch } from './copy-queries.ts'
import { eventRows, freshRows } from './copy-rows.ts'
import type { QuarterOf } from './local-time.ts'
import { payerOf, payingNodeOf } from './pay.ts'
import { NOT_HELD } from './pay-queries.ts'

/** Returns whether all events are new, counted and on disk; otherwise nothing was written. */
export type CopyEvents = (events: AdEvent[], leaves: number[], known: DatabaseMark) => Promise<boolean>

/** A row that exists, is outside of all partitions or out of range; a table that is gone; a deadlock. */
const REFUSED = /^(23|22|42P01|40P01)/
/** What is refused was written in part, so after each refusal twice as many batches take the other way at once. */
const MOST_PASSED = 64

export function createCopy(db: Database, quarterOf: QuarterOf, ownNodeId: () => number): CopyEvents {
  let toPass = 0
  let passedLast = 0
  return async (events, leaves, known) => {
    if (toPass > 0) {
      toPass--
      return false
    }
    try {
      await copyBatch(db, copiedBatch(events, leaves, quarterOf, ownNodeId()), known)
      passedLast = 0
      return true
    } catch (error) {
      if (!isRefused(error)) throw error
      passedLast = Math.min(Math.max(1, 2 * passedLast), MOST_PASSED)
      toPass = passedLast
      return false
    }
  }
}

/** Numbers that do not fit into their columns are refused here. */
function isRefused(error: unknown): boolean {
  const state = sqlState(error)
  return error instanceof RangeError || (state !== null && (state === NOT_HELD || REFUSED.test(state)))
}

function copiedBatch(
  events: AdEvent[],
  leaves: number[],
  quarterOf: QuarterOf,
  ownNodeId: number,
): CopiedBatch {
  const keys = events.map(event => adKeyOf(event.ad))
  const sortKeys = events.map((event, at) => keys[at]! + kindCode(event.kind))
  const order = events.map((_, at) => at).sort((a, b) => (sortKeys[a]! < sortKeys[b]! ? -1 : 1))
  const impressions = events.filter(event => event.kind === 'impression')
  const seen = keys.filter((_, at) => events[at]!.kind !== 'impression')
  return {
    event: eventRows(events, keys, leaves, order),
    fresh: freshRows(events, leaves, quarterOf),
    charges: chargesOf(events),
    caps: capsOf(impressions),
    news: newsOf(impressions, ownNodeId),
    seen: seen.length > 0 ? seen : null,
  }
}

const columnsOf = (rows: number[][], width: number) =>
  Array.from({ length: width }, (_, column) => rows.map(row => row[column]!))

/** One charge for each share that pays. */
function chargesOf(events: AdEvent[]): number[][] {
  const charges = new Map<string, number[]>()
  for (const event of events) {
    if (event.spendMicros === 0) continue
    const share = [event.ad.dayKey, event.ad.cid, payerOf(event), payingNodeOf(event)]
    const known = charges.get(share.join(' '))
    if (known) known[4]! += event.spendMicros
    else charges.set(share.join(' '), [...share, event.spendMicros])
  }
  return columnsOf([...charges.values()], 5)
}

/** How often each user saw each capped campaign in this batch, and the cap. */
function capsOf(impressions: AdEvent[]): number[][] | null {
  const caps = new Map<string, number[]>()
  for (const { ad, freq = 0 } of impressions) {
    if (freq === 0 || ad.user === null || (ad.user.hi === 0 && ad.user.lo === 0)) continue
    const user = [ad.dayKey, ad.cid, ad.user.hi | 0, ad.user.lo | 0]
    const known = caps.get(user.join(' '))
    if (!known) caps.set(user.join(' '), [...user, 1, freq])
    else {
      known[4]!++
      known[5] = Math.min(known[5]!, freq)
    }
  }
  return caps.size > 0 ? columnsOf([...caps.values()], 6) : null
}

/** For the nodes that promised some of the ads. */
function newsOf(impressions: AdEvent[], ownNodeId: number): [number[], Buffer[]] | null {
  const news = new Map<number, AdNews[]>()
  for (const event of impressions) {
    const nodeId = payingNodeOf(event)
    if (nodeId === ownNodeId) continue
    const ads = news.get(nodeId) ?? []
    ads.push({ end: 'billed', adId: event.ad.adId, chargeMicros: event.spendMicros })
    news.set(nodeId, ads)
  }
  return news.size > 0 ? [[...news.keys()], [...news.values()].map(writeNews)] : null
}
