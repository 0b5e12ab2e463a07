// What was counted, read from the database.

import { readAdKey } from '../../src/count/tracking/ad.ts'
import { kindName } from '../../src/count/tracking/codes.ts'
import type { Database } from '../../src/platform/database.ts'

/** `<ad id> impression`, `<ad id> click` or `<ad id> action` for everything that was counted. */
export async function countedKeys(db: Database): Promise<string[]> {
  const events = await db.rows<{ ad: string; kind: string }>('select ad, kind from event')
  const orders = await db.rows<{ dedupe: string }>('select dedupe from action')
  return [
    ...events.map(event => `${readAdKey(event.ad).adId} ${kindName(event.kind)}`),
    ...orders.map(order => `${order.dedupe.split(':')[1]} action`),
  ]
}
