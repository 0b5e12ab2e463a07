// What a pair may change, checked in the transaction of the change and right before its commit. Whoever changes
// something notes it by the way (`recordChange`), so no way in can be forgotten: create, edit, resume, restore, copy,
// order, bulk. Rights are read in the same transaction, never from memory.

import type { Scope } from '../kernel/caller.ts'
import { costsMore, type Priced } from '../kernel/costs-more.ts'
import { refusal } from '../kernel/problem.ts'
import type { Db } from './database.ts'

interface Note {
  noun: string
  cid: number | null
  before: object | null
  after: object | null
}

const noted = new WeakMap<Db, Note[]>()

export function noteChange(tx: Db, { noun, cid, before, after }: Note): void {
  const notes = noted.get(tx) ?? []
  noted.set(tx, notes)
  notes.push({ noun, cid, before, after })
}

/** A part of a transaction that is taken back if it fails, and its notes with it. */
export async function withNotesOf<T>(tx: Db, part: () => Promise<T>): Promise<T> {
  const count = noted.get(tx)?.length ?? 0
  try {
    return await part()
  } catch (error) {
    noted.get(tx)?.splice(count)
    throw error
  }
}

/** Throws 403 if the transaction has changed more than the pair with this key may. */
export async function checkRights(tx: Db, key: string): Promise<void> {
  const notes = noted.get(tx) ?? []
  if (notes.length === 0) return
  const rights = await selectRights(tx, key)
  if (!rights) return
  const { scope, cids } = rights
  if (cids !== null && notes.some(({ cid }) => cid === null || !cids.includes(cid)))
    throw refusal('campaign_not_allowed')
  if (scope !== 'propose' && scope !== 'read') return
  const dearer = notes.filter(isDearer).map(({ cid }) => cid!)
  const spending = dearer.length === 0 ? null : await selectEnabled(tx, dearer)
  if (spending) throw refusal('scope_cannot_spend', { scope, cid: spending.cid })
}

function isDearer({ noun, before, after }: Note): boolean {
  return (
    (noun === 'campaign' || noun === 'flight') &&
    costsMore(noun, before as Priced | null, after as Priced | null)
  )
}

/** Of a pair of a customer; null: of an app or a session, which may do everything of their level. */
function selectRights(db: Db, key: string) {
  return db.row<{ scope: Scope; cids: number[] | null }>(
    'select scope, to_jsonb(cids) as cids from credential where key = $1 and cuid is not null',
    [key],
  )
}

/** What is paused costs nothing, whatever its budget is. */
function selectEnabled(db: Db, cids: number[]) {
  return db.row<{ cid: number }>(
    'select cid from campaign where cid = any($1::bigint[]) and enabled and deleted_at is null limit 1',
    [cids],
  )
}
