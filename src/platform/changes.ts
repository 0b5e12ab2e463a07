// Every change of a managed object leaves two rows in its own transaction: an audit row (who, what, before, after) and
// a `catalog_change` row that tells delivery what to load again. NOTIFY is only a hint; delivery also polls. A campaign
// that changes, or whose flights do, is checked again by the watch that reports its start and end.

import type { Db } from './database.ts'
import { noteGrowth } from './quotas.ts'
import { noteChange } from './rights.ts'

export const CATALOG_CHANNEL = 'catalog_change'

export type ChangedNoun = 'customer' | 'campaign' | 'flight' | 'persona' | 'banner'

export interface Change {
  at: Date
  noun: ChangedNoun
  id: number
  action: string
  cuid: number
  /** The campaign it belongs to; null for a customer. */
  cid: number | null
  /** The key half of the caller's pair, or the part of the service that acted on its own. */
  actor: string
  before: object | null
  after: object | null
}

const RECORD = `with changed as (insert into catalog_change (noun, id) values ($3, $4)),
    watched as (
      insert into campaign_watch (cid) select $5::bigint where $3 in ('campaign', 'flight')
      on conflict (cid) do update set due_at = '-infinity'
    ),
    hint as (select pg_notify('${CATALOG_CHANNEL}', ''))
  insert into audit (at, cuid, cid, noun, id, action, actor, before, after)
  select $1::timestamptz, $2::bigint, $5::bigint, $3::text, $4::bigint, $6::text, $7::text, $8::jsonb, $9::jsonb
  from hint`

/** Many objects of one campaign that came into being at once. */
export type Births = Omit<Change, 'id' | 'action' | 'before' | 'after'> & {
  born: { id: number; after: object }[]
}

const RECORD_BIRTHS = `with born as materialized (
    select id, after from jsonb_to_recordset($7) as born(id bigint, after jsonb)
  ), changed as (insert into catalog_change (noun, id) select $3, id from born),
    hint as (select pg_notify('${CATALOG_CHANNEL}', ''))
  insert into audit (at, cuid, cid, noun, id, action, actor, after)
  select $1::timestamptz, $2::bigint, $4::bigint, $3::text, born.id, $5::text, $6::text, born.after from born, hint`

/** Writes the same rows as one `recordChange` each; for nouns without watchers. */
export async function recordBirths(db: Db, { at, cuid, noun, cid, actor, born }: Births): Promise<void> {
  if (born.length === 0) return
  noteGrowth(db, { noun, action: 'create', cuid, cid })
  noteChange(db, { noun, id: 0, cuid, cid, at, before: null, after: null, objects: born.length })
  await db.run(RECORD_BIRTHS, [at, cuid, noun, cid, 'create', actor, JSON.stringify(born)])
}

/**
 * A change of what no delivery reads and no quota counts: it leaves only its audit row. `cid`: in whose history it
 * stands, if not in that of its campaign.
 */
export async function recordAside(
  db: Db,
  change: Omit<Change, 'noun'> & { noun: 'note' | 'savedView' },
  cid = change.cid,
): Promise<void> {
  noteChange(db, change)
  const { at, cuid, noun, id, action, actor, before, after } = change
  await db.run(
    `insert into audit (at, cuid, cid, noun, id, action, actor, before, after)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      ...[at, cuid, cid, noun, id, action, actor],
      ...[before && JSON.stringify(before), after && JSON.stringify(after)],
    ],
  )
}

export async function recordChange(db: Db, change: Change): Promise<void> {
  noteGrowth(db, change)
  noteChange(db, change)
  await db.run(RECORD, [
    change.at,
    change.cuid,
    change.noun,
    change.id,
    change.cid,
    change.action,
    change.actor,
    change.before && JSON.stringify(change.before),
    change.after && JSON.stringify(change.after),
  ])
}
