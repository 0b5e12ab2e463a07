// Every change of a managed object leaves two rows in its own transaction: an audit row (who, what, before, after) and
// a `catalog_change` row that tells delivery what to reload. NOTIFY is only a hint; delivery also polls. If a campaign
// or its flights change, the watch that reports its start and end checks it again.

import { isDeepStrictEqual } from 'node:util'
import type { ActorText } from '../kernel/actor.ts'
import type { Priced } from '../kernel/costs-more.ts'
import type { Zones } from '../kernel/time/zones.ts'
import type { Db } from '../platform/database.ts'
import type { Born, Tx } from './tx.ts'

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
  actor: ActorText
  before: object | null
  after: object | null
  /** Prices that it had before and does not use now. */
  aside?: Priced
  /** Of a customer that gets another time zone: those before. */
  zonesBefore?: Zones
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

/** For what delivery reads and no customer owns: it is told what to reload, and nothing else is written down. */
export function recordServed(tx: Db, noun: 'site_list', id: number): Promise<number> {
  return tx.run(
    `with changed as (insert into catalog_change (noun, id) values ($1, $2)) select pg_notify('${CATALOG_CHANNEL}', '')`,
    [noun, id],
  )
}

/** Many objects of one campaign that were created at once. */
export type Births = Omit<Change, 'id' | 'action' | 'before' | 'after'> & {
  born: Born[]
}

const RECORD_BIRTHS = `with born as materialized (
    select id, after from jsonb_to_recordset($7) as born(id bigint, after jsonb)
  ), changed as (insert into catalog_change (noun, id) select $3, id from born),
    hint as (select pg_notify('${CATALOG_CHANNEL}', ''))
  insert into audit (at, cuid, cid, noun, id, action, actor, after)
  select $1::timestamptz, $2::bigint, $4::bigint, $3::text, born.id, $5::text, $6::text, born.after from born, hint`

/** Writes the same rows as a `recordChange` for each object; for nouns without a watch. */
export async function recordBirths(tx: Tx, { at, cuid, noun, cid, actor, born }: Births): Promise<void> {
  if (born.length === 0) return
  const one = { noun, action: 'create', id: 0, cuid, cid, at, before: null, after: null }
  tx.notes.push({ ...one, objects: born.length, born })
  await tx.run(RECORD_BIRTHS, [at, cuid, noun, cid, 'create', actor, JSON.stringify(born)])
}

/**
 * A change of something that delivery does not read and no quota counts: it leaves only an audit row. `cid`: the
 * campaign whose history shows it, if not its own.
 */
export async function recordAside(
  tx: Tx,
  change: Omit<Change, 'noun'> & { noun: 'note' | 'savedView' },
  cid = change.cid,
): Promise<void> {
  tx.notes.push(change)
  const { at, cuid, noun, id, action, actor, before, after } = change
  await tx.run(
    `insert into audit (at, cuid, cid, noun, id, action, actor, before, after)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      ...[at, cuid, cid, noun, id, action, actor],
      ...[before && JSON.stringify(before), after && JSON.stringify(after)],
    ],
  )
}

export async function recordChange(tx: Tx, change: Change): Promise<void> {
  tx.notes.push(change)
  const { at, cuid, noun, id, cid, action, actor } = change
  const states = withoutUnchanged(noun, change).map(state => state && JSON.stringify(state))
  await tx.run(RECORD, [at, cuid, noun, id, cid, action, actor, ...states])
  if (isLarge(states)) await trimHistory(tx, id)
}

// The history of large objects. A persona may have a thousand places; a change that leaves them as they are, such as a
// pause, does not write them down twice more. And however large its entries are, the history of one object has a limit
// in bytes: the oldest entries go, and the last one always stays, because it can be undone.

/** As stored, so after compression. */
export const MOST_BYTES_PER_OBJECT = 4_000_000
/** After smaller entries we do not look: `MOST_PER_OBJECT` bounds these. */
const LARGE_CHARACTERS = 4_000
/** Fewer places are repeated in each entry. */
const MANY_PLACES = 100

interface States {
  before: object | null
  after: object | null
}

/** Before and after as the history keeps them. */
function withoutUnchanged(noun: string, { before, after }: States): (object | null)[] {
  if (noun !== 'persona' || before === null || after === null) return [before, after]
  const places = placesOf(before)
  if (places.length <= MANY_PLACES || !isDeepStrictEqual(places, placesOf(after))) return [before, after]
  return [before, after].map(({ geo: _, ...rest }: { geo?: unknown }) => rest)
}

function placesOf(persona: { geo?: { geos?: unknown[] } }): unknown[] {
  return persona.geo?.geos ?? []
}

function isLarge(states: readonly (string | null)[]): boolean {
  return states.reduce((sum, state) => sum + (state?.length ?? 0), 0) > LARGE_CHARACTERS
}

/** The object is locked, so nobody else adds an entry. What is being cleared anyway is passed over. */
function trimHistory(tx: Db, id: number): Promise<number> {
  return tx.run(
    `delete from audit where audit_id = any(array(
       select audit_id from audit where audit_id = any(array(
         select audit_id from (
           select audit_id, row_number() over latest as n,
             sum(coalesce(pg_column_size(before), 0) + coalesce(pg_column_size(after), 0)) over latest as bytes
           from audit where id = $1 window latest as (order by audit_id desc)
         ) entries where n > 1 and bytes > ${MOST_BYTES_PER_OBJECT}
       )) for update skip locked))`,
    [id],
  )
}
