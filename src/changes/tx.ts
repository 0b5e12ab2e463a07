// A transaction together with what it has changed so far. `recordChange` takes nothing else, so whatever changes an
// object of a customer also leaves the notes by which the change is checked before its commit (see guard.ts).

import type { Zones } from '../kernel/time/zones.ts'
import type { Database, Db } from '../platform/database.ts'
import type { PricedChange } from './ceilings.ts'

export interface Note extends PricedChange {
  action: string
  cuid: number
  /** Of a customer that gets another time zone: those before. */
  zonesBefore?: Zones
  /** Many objects that were created at once; then `id` is 0. */
  born?: readonly Born[]
}

export interface Born {
  id: number
  after: object
}

export interface Tx extends Db {
  /** All changes so far, in their order. */
  readonly notes: Note[]
  /** How many objects its call was allowed to create so far: the operations of a bulk call share one limit. */
  objects: number
}

export function withNotes(db: Db): Tx {
  return { ...db, notes: [], objects: 0 }
}

/** For work that is no call of the API. */
export function inTx<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(tx => work(withNotes(tx)))
}

/** Runs a part of a transaction; if it fails, its notes are dropped too. */
export async function withPart<T>(tx: Tx, part: () => Promise<T>): Promise<T> {
  const count = tx.notes.length
  try {
    return await part()
  } catch (error) {
    tx.notes.splice(count)
    throw error
  }
}
