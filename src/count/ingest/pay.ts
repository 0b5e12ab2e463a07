// Decides a batch that some share or cap does not cover, event by event in order of arrival. Events with enough money
// and cap count are counted, those counted before are duplicates, and the rest are late. This happens to a process that
// promised more than it had, because it was frozen, cut off or replaced, or its memory is wrong.

import type { Database, Db } from '../../platform/database.ts'
import type { AdEvent, BatchResult } from '../tracking/event.ts'
import { type CapKey, lockCaps, lockShares, type ShareKey, selectKnown } from './pay-queries.ts'
import type { EventColumns, NotCounted } from './queries.ts'

/** The node whose share pays for an impression. */
export function payingNodeOf(event: AdEvent): number {
  return event.nodeId ?? event.ad.nodeId ?? 0
}

/** The flight whose total pays; 0: only the campaign pays. */
export function payerOf({ ad }: AdEvent): number {
  return ad.flightPays ? ad.fid : 0
}

/** `insert` writes what is left of the batch in the same transaction, and returns what of that does not count. */
export function decideOneByOne(
  db: Database,
  events: AdEvent[],
  columns: Pick<EventColumns, 'ads' | 'kinds'>,
  insert: (tx: Db, fitting: AdEvent[]) => Promise<NotCounted>,
): Promise<BatchResult> {
  return db.transaction(async tx => {
    const rooms = new Map<string, number>()
    for (const row of await lockShares(tx, distinct(events.map(shareKeyOf), keyOfShare)))
      rooms.set(keyOfShare(row), row.room)
    const capCounts = new Map<string, number>()
    const capped = events.filter(event => (event.freq ?? 0) > 0 && event.ad.user !== null)
    for (const row of await lockCaps(tx, distinct(capped.map(capKeyOf), textOfCapKey)))
      capCounts.set(textOfCapKey(row), row.imps)
    const known = new Set(await selectKnown(tx, columns.ads, columns.kinds))
    const fitting: number[] = []
    const late: number[] = []
    let unseen: number[] = []
    events.forEach((event, at) => {
      if (known.has(at)) return
      if (!isPaid(event) || takes(event, rooms, capCounts)) fitting.push(at)
      else late.push(at)
    })
    if (fitting.length > 0) {
      const there = await insert(
        tx,
        fitting.map(at => events[at]!),
      )
      for (const at of there.known) known.add(fitting[at]!)
      unseen = there.unseen.map(at => fitting[at]!)
    }
    return { known: [...known].sort((a, b) => a - b), late, unseen }
  })
}

function isPaid({ kind, spendMicros }: AdEvent): boolean {
  return kind === 'impression' || spendMicros > 0
}

/** Takes the event's money and cap count from what is left, if there is enough of both. */
function takes(event: AdEvent, rooms: Map<string, number>, capCounts: Map<string, number>): boolean {
  const share = keyOfShare(shareKeyOf(event))
  const room = rooms.get(share) ?? 0
  if (room < event.spendMicros) return false
  if ((event.freq ?? 0) > 0 && event.ad.user !== null) {
    const capKey = textOfCapKey(capKeyOf(event))
    const seen = capCounts.get(capKey) ?? 0
    if (seen >= event.freq!) return false
    capCounts.set(capKey, seen + 1)
  }
  rooms.set(share, room - event.spendMicros)
  return true
}

function shareKeyOf(event: AdEvent): ShareKey {
  return { day: event.ad.dayKey, cid: event.ad.cid, fid: payerOf(event), node_id: payingNodeOf(event) }
}

function capKeyOf({ ad }: AdEvent): CapKey {
  return { day: ad.dayKey, cid: ad.cid, user_hi: ad.user!.hi | 0, user_lo: ad.user!.lo | 0 }
}

const keyOfShare = (key: ShareKey) => `${key.day} ${key.cid} ${key.fid} ${key.node_id}`
const textOfCapKey = (key: CapKey) => `${key.day} ${key.cid} ${key.user_hi} ${key.user_lo}`

function distinct<T>(items: T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.map(item => [keyOf(item), item])).values()]
}
