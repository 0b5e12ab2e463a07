// SQL of a batch that is copied: its rows go into `event` and `fresh`, and one statement pays for them, all in one
// transaction and one round trip. Tables and rows are touched in the same order as by `insertEvents`.

import type { Database } from '../../platform/database.ts'
import type { DatabaseMark } from '../../platform/rewind-check.ts'
import { mustNotBeRewound } from '../../platform/rewind-queries.ts'
import { EVENT_COLUMNS, FRESH_COLUMNS } from './copy-rows.ts'
import { allMustBe, CAPPED, IS_CAPPED, IS_PAID, PAID } from './pay-queries.ts'

/** What a batch that was copied needs; most need none of these. */
interface SettleFor {
  caps: boolean
  others: boolean
  /** Whether some of its events count only if the impression was counted. */
  seen: boolean
}

/**
 * Pays for events that were written in the same transaction, all of which are new; aborts it if any is not covered, or
 * lacks its impression. Parameters: 1 to 3: see `mustNotBeRewound`; 4 to 8: the charges; and as far as they are needed,
 * 6 for the caps, 2 for the news and 1 for the ads that must have been seen.
 */
function settleText({ caps, others, seen }: SettleFor): string {
  let next = 9
  const lists = (types: string) =>
    types
      .split(' ')
      .map(type => `$${next++}::${type}[]`)
      .join(', ')
  const held = [IS_PAID]
  let text = `
  with charges as materialized (
    select * from unnest($4::integer[], $5::bigint[], $6::bigint[], $7::integer[], $8::bigint[])
      as c(day, cid, fid, node_id, micros)
  )${PAID}`
  if (caps) {
    text += `,
  seen as materialized (
    select * from unnest(${lists('integer bigint integer integer integer integer')})
      as s(day, cid, user_hi, user_lo, imps, freq)
  )${CAPPED}`
    held.push(IS_CAPPED)
  }
  if (others)
    text += `,
  news as (insert into share_news (node_id, ads) select * from unnest(${lists('integer bytea')}))`
  if (seen) {
    const ads = lists('uuid')
    // Avoids `exists`, as the ingest does.
    held.push(
      `(select count(*) from unnest(${ads}) as w(ad)
        where (select true from event i where i.ad = w.ad and i.kind = 'i')) = cardinality(${ads})`,
    )
  }
  return `${text}
  ${allMustBe(held)} union all ${mustNotBeRewound(1)}`
}

const BOTH = [false, true]
const SETTLE = BOTH.map(caps => BOTH.map(others => BOTH.map(seen => settleText({ caps, others, seen }))))

const COPY_EVENT = `copy event (${EVENT_COLUMNS}) from stdin (format binary)`
const COPY_FRESH = `copy fresh (${FRESH_COLUMNS}) from stdin (format binary)`

/** Rows as COPY takes them, and what they cost; lists are columns. */
export interface CopiedBatch {
  event: Buffer
  fresh: Buffer
  /** Days, campaigns, flights and nodes that pay, and how much. */
  charges: number[][]
  /** Days, campaigns, both halves of users, how often they saw it, and the caps. Null: no campaign has a cap. */
  caps: number[][] | null
  /** Nodes, and how the ads that they promised ended. Null: all are our own. */
  news: [number[], Buffer[]] | null
  /** Ads whose impression must have been counted. Null: there are none. */
  seen: string[] | null
}

/** Fails, and writes nothing, if an event exists, is not covered, lacks its impression, or has no partition. */
export function copyBatch(db: Database, batch: CopiedBatch, known: DatabaseMark): Promise<void> {
  const { event, fresh, charges, caps, news, seen } = batch
  const text = SETTLE[Number(caps !== null)]![Number(news !== null)]![Number(seen !== null)]!
  return db.copy(
    [
      { text: COPY_EVENT, rows: event },
      { text: COPY_FRESH, rows: fresh },
    ],
    text,
    [
      ...[known.process, known.mark, known.place],
      ...charges,
      ...(caps ?? []),
      ...(news ?? []),
      ...(seen ? [seen] : []),
    ],
  )
}
