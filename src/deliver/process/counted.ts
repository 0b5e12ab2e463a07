// How often users saw campaigns, read from the events page by page and kept in columns: there may be millions of users,
// and as objects they would not fit into memory.

import type { CapCount } from '../../budget/caps/shared-caps.ts'
import type { CountedRow } from '../../budget/ledger/ad.ts'
import { spanAnywhere } from '../../kernel/time/day.ts'
import type { Db } from '../../platform/database.ts'
import { type CountedUserRow, selectCounted, selectSeenAds } from './queries.ts'

interface Page {
  dayKey: number
  cids: Float64Array
  hi: Uint32Array
  lo: Uint32Array
  impressions: Uint32Array
}

/** Only in a transaction. */
export async function readCounted(
  tx: Db,
  /** Campaigns by day. */
  capped: ReadonlyMap<number, number[]>,
  /** Ads that are left out, 12 bytes each. */
  without?: Buffer,
): Promise<Page[]> {
  const pages: Page[] = []
  for (const [dayKey, cids] of capped) {
    if (cids.length === 0) continue
    for await (const rows of selectCounted(tx, spanOf(dayKey), cids, without))
      pages.push(pageOf(dayKey, rows))
  }
  return pages
}

/** The date in all time zones; an ad is seen within the hours after it was served. */
function spanOf(dayKey: number) {
  const { startMs, endMs } = spanAnywhere(dayKey)!
  return { key: dayKey, servedFrom: new Date(startMs), servedTo: new Date(endMs) }
}

/** Reads each impression of a day for the cap store, page by page. Only in a transaction. */
export async function* readSeen(tx: Db, dayKey: number, cids: number[]): AsyncGenerator<CapCount[]> {
  if (cids.length === 0) return
  for await (const rows of selectSeenAds(tx, spanOf(dayKey), cids))
    yield rows.map(row => ({
      cid: row.cid,
      dayKey,
      adId: row.ad_id.toString('base64url'),
      user: { hi: row.user_hi >>> 0, lo: row.user_lo >>> 0 },
    }))
}

function pageOf(dayKey: number, rows: CountedUserRow[]): Page {
  return {
    dayKey,
    cids: Float64Array.from(rows, row => row.cid),
    hi: Uint32Array.from(rows, row => row.user_hi),
    lo: Uint32Array.from(rows, row => row.user_lo),
    impressions: Uint32Array.from(rows, row => row.impressions),
  }
}

export function* rowsOf({ dayKey, cids, hi, lo, impressions }: Page): Generator<CountedRow> {
  for (let i = 0; i < cids.length; i++) {
    yield { cid: cids[i]!, dayKey, user: { hi: hi[i]!, lo: lo[i]! }, impressions: impressions[i]! }
  }
}

export function* rowsOfAll(pages: Page[]): Generator<CountedRow> {
  for (const page of pages) yield* rowsOf(page)
}
