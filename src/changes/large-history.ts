// The history of large objects. A persona may have a thousand places; a change that leaves them as they are, such as a
// pause, does not write them down twice more. And however large its entries are, the history of one object has a limit
// in bytes: the oldest entries go, and the last one always stays, because it can be undone.

import { isDeepStrictEqual } from 'node:util'
import type { Db } from '../platform/database.ts'

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
export function withoutUnchanged(noun: string, { before, after }: States): (object | null)[] {
  if (noun !== 'persona' || before === null || after === null) return [before, after]
  const places = placesOf(before)
  if (places.length <= MANY_PLACES || !isDeepStrictEqual(places, placesOf(after))) return [before, after]
  return [before, after].map(({ geo: _, ...rest }: { geo?: unknown }) => rest)
}

function placesOf(persona: { geo?: { geos?: unknown[] } }): unknown[] {
  return persona.geo?.geos ?? []
}

export function isLarge(states: readonly (string | null)[]): boolean {
  return states.reduce((sum, state) => sum + (state?.length ?? 0), 0) > LARGE_CHARACTERS
}

/** The object is locked, so nobody else adds an entry. What is being cleared anyway is passed over. */
export function trimHistory(tx: Db, id: number): Promise<number> {
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
