// What a caller may change, checked in the transaction of the change and right before its commit: the scope and the
// campaigns of its pair, and the ceilings of its pair and its customer. Whoever changes something notes it by the way
// (`recordChange`), so no way in can be forgotten: create, edit, resume, restore, copy, order, bulk. Rights are read in
// the same transaction, never from memory.

import { memberOfKey, type Role, type Scope, scopeOf, staffOfKey } from '../kernel/caller.ts'
import type { StoredCeilings } from '../kernel/ceilings.ts'
import { refusal } from '../kernel/problem.ts'
import { type Ceiled, checkCeilings, isDearer, type PricedChange } from './ceilings.ts'
import type { Db } from './database.ts'

export type Note = PricedChange & { cuid: number }

const noted = new WeakMap<Db, Note[]>()

export function noteChange(tx: Db, { noun, id, cuid, cid, at, before, after }: Note): void {
  const notes = noted.get(tx) ?? []
  noted.set(tx, notes)
  notes.push({ noun, id, cuid, cid, at, before, after })
}

/** What the transaction has changed so far. */
export function notesOf(tx: Db): readonly Note[] {
  return noted.get(tx) ?? []
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

/**
 * Throws 403 if the transaction has changed more than the caller with this key may. `isFinal`: right before the commit,
 * and binding for parallel calls too; before that it tells what would happen, and holds no lock.
 */
export async function checkRights(tx: Db, key: string, isFinal: boolean): Promise<void> {
  const notes = noted.get(tx) ?? []
  if (notes.length === 0 || isOfApp(key)) return
  const sid = staffOfKey(key)
  if (sid !== null) {
    // Removed while the call was on its way.
    if (!(await selectLivingStaff(tx, sid))) throw refusal('session_ended')
    return
  }
  const { cuid } = notes[0]!
  const mid = memberOfKey(key)
  const rights = await (mid === null ? selectRights(tx, cuid, key) : selectRightsOfMember(tx, cuid, mid))
  if (!rights) return
  // Removed while the call was on its way.
  if (mid !== null && rights.role === null) throw refusal('session_ended')
  const { cids, ceilings, customer_ceilings } = rights
  const scope = rights.role ? scopeOf(rights.role) : rights.scope
  if (cids !== null && notes.some(({ cid }) => cid === null || !cids.includes(cid)))
    throw refusal('campaign_not_allowed')
  if (scope === 'propose' || scope === 'read') await refuseSpending(tx, scope, notes)
  const all: Ceiled[] = []
  if (ceilings) all.push({ whose: mid === null ? 'pair' : 'member', owner: key, ceilings })
  if (customer_ceilings) all.push({ whose: 'customer', owner: String(cuid), ceilings: customer_ceilings })
  await checkCeilings(tx, { cuid, changes: notes, all, isFinal })
}

/** The super pair, and the staff who signed in with it. */
function isOfApp(key: string): boolean {
  return key.startsWith('mqsk_') || key.startsWith('app-session:')
}

async function refuseSpending(tx: Db, scope: Scope, notes: Note[]): Promise<void> {
  const dearer = notes.filter(isDearer).map(({ cid }) => cid!)
  const spending = dearer.length === 0 ? null : await selectEnabled(tx, dearer)
  if (spending) throw refusal('scope_cannot_spend', { scope, cid: spending.cid })
}

interface RightsRow {
  /** Null: a session, which may do everything. */
  scope: Scope | null
  cids: number[] | null
  ceilings: StoredCeilings | null
  customer_ceilings: StoredCeilings | null
  /** Of a member; null also for one who was removed. */
  role?: Role | null
}

function selectRights(db: Db, cuid: number, key: string) {
  return db.row<RightsRow>(
    `select c.scope, to_jsonb(c.cids) as cids, c.ceilings, u.ceilings as customer_ceilings
     from customer u left join credential c on c.key = $2 and c.cuid = u.cuid where u.cuid = $1`,
    [cuid, key],
  )
}

function selectRightsOfMember(db: Db, cuid: number, mid: number) {
  return db.row<RightsRow>(
    `select null as scope, null as cids, m.role, m.ceilings, u.ceilings as customer_ceilings
     from customer u left join member m on m.mid = $2 and m.cuid = u.cuid and m.removed_at is null where u.cuid = $1`,
    [cuid, mid],
  )
}

function selectLivingStaff(db: Db, sid: number) {
  return db.row('select 1 from staff where sid = $1 and removed_at is null', [sid])
}

/** What is paused costs nothing, whatever its budget is. */
function selectEnabled(db: Db, cids: number[]) {
  return db.row<{ cid: number }>(
    'select cid from campaign where cid = any($1::bigint[]) and enabled and deleted_at is null limit 1',
    [cids],
  )
}
