// What a caller may change, checked in the transaction of the change right before its commit: the scope and campaigns
// of its pair, and the ceilings of the pair and the customer. `recordChange` notes every change, so no kind of change
// can be forgotten: create, edit, resume, restore, copy, order, bulk. Rights are read in the same transaction, never
// from memory.

import { type ActorText, actorOf, memberOf, staffOf } from '../kernel/actor.ts'
import type { StoredCeilings } from '../kernel/ceilings.ts'
import { refusal } from '../kernel/errors/problem.ts'
import { cellOfScope, lesserScope, type Role, type Scope, scopeOf } from '../kernel/permissions.ts'
import type { Db } from '../platform/database.ts'
import { type Ceiled, checkCeilings, IS_SPENDING, isDearer, type PricedChange } from './ceilings.ts'
import { longerByZone } from './longer-by-zone.ts'
import type { Note, Tx } from './tx.ts'

/**
 * Throws 403 if the transaction has changed more than the caller with this key may. `isFinal`: right before the commit,
 * and binding even with parallel calls; a check before that only says what would happen, and holds no lock. `ownZone`:
 * the deployment's time zone.
 */
export async function checkRights(
  tx: Tx,
  key: ActorText,
  { ownZone, isFinal }: { ownZone: string; isFinal: boolean },
): Promise<void> {
  const made = tx.notes
  const rights = await rightsFor(tx, key, made)
  if (!rights) return
  const { scope, cids, all } = rights
  refuseOthers(cids, made)
  const mayNotSpend = scope !== null && cellOfScope(scope, 'spend') !== 'yes'
  const mayNot = mayNotSpend || all.some(({ ceilings }) => ceilings.totalSpend !== undefined)
  const notes = mayNot ? [...made, ...(await longerRuns(tx, made, ownZone))] : made
  // An operation of a bulk call may spend: then the whole call becomes a proposal.
  if (isFinal && mayNotSpend) await refuseSpending(tx, scope, notes)
  await checkCeilings(tx, { cuid: made[0]!.cuid, changes: notes, all, ownZone, isFinal })
}

/** Another time zone is like a later end for campaigns that touch one more day because of it. */
async function longerRuns(tx: Db, notes: readonly Note[], ownZone: string): Promise<PricedChange[]> {
  const change = notes.find(({ zonesBefore }) => zonesBefore !== undefined)
  if (!change) return []
  const { cuid, at, zonesBefore } = change
  const cids = await longerByZone(tx, { cuid, at, zonesBefore: zonesBefore!, ownZone })
  return cids.map(cid => ({ noun: 'campaign', id: cid, cid, at, before: null, after: null, objects: 0 }))
}

/** Whether the transaction has changed something that the caller with this key may only propose. */
export async function mustPropose(tx: Tx, key: ActorText): Promise<boolean> {
  const { notes } = tx
  const rights = await rightsFor(tx, key, notes)
  return rights?.scope === 'propose' && (await spendingOf(tx, notes)) !== null
}

/** Throws 403 if the caller may not even propose this change. Ceilings are not checked: they bind whoever approves. */
export async function checkReach(tx: Tx, key: ActorText): Promise<void> {
  const rights = await rightsFor(tx, key, tx.notes)
  if (rights) refuseOthers(rights.cids, tx.notes)
}

/** A proposal is one of the writes that a caller may make in an hour. */
export async function countProposal(
  tx: Db,
  { cuid, key, at, ownZone }: { cuid: number; key: ActorText; at: Date; ownZone: string },
): Promise<void> {
  const changes = [
    { noun: 'proposal', action: 'create', id: 0, cuid, cid: null, at, before: null, after: null },
  ]
  const rights = await rightsFor(tx, key, changes)
  await checkCeilings(tx, { cuid, changes, all: rights?.all ?? [], ownZone, isFinal: true })
}

interface Rights {
  /** Null for a session without a role, which may do everything. */
  scope: Scope | null
  /** Only these campaigns; null for all. */
  cids: number[] | null
  all: Ceiled[]
}

/** Null if there is nothing to check. */
async function rightsFor(tx: Db, key: ActorText, notes: readonly Note[]): Promise<Rights | null> {
  const actor = actorOf(key)
  if (notes.length === 0 || actor.kind === 'app') return null
  const sid = staffOf(actor)
  if (sid !== null) {
    // The person was removed during the call.
    if (!(await selectLivingStaff(tx, sid))) throw refusal('session_ended')
    return null
  }
  const { cuid } = notes[0]!
  const mid = memberOf(actor)
  const row = await (mid === null ? selectRights(tx, cuid, key) : selectRightsOfMember(tx, cuid, mid))
  if (!row) return null
  // The member was removed during the call.
  if (mid !== null && row.role === null) throw refusal('session_ended')
  // So was the pair.
  if (actor.kind === 'pair' && row.scope === null) throw refusal('credentials_revoked')
  const { cids, ceilings, customer_ceilings, agent_of: person, person_ceilings } = row
  // So was the person that an agent acts for.
  if (person !== null && row.role === null) throw refusal('credentials_revoked')
  const all: Ceiled[] = []
  if (ceilings) all.push({ whose: mid === null ? 'pair' : 'member', owner: key, ceilings })
  if (person_ceilings) all.push({ whose: 'member', owner: `member:${person}`, ceilings: person_ceilings })
  if (customer_ceilings) all.push({ whose: 'customer', owner: String(cuid), ceilings: customer_ceilings })
  return { scope: scopeIn(row), cids, all }
}

/** An agent may never do more than its person. */
function scopeIn({ scope, role }: RightsRow): Scope | null {
  if (!role) return scope
  return scope === null ? scopeOf(role) : lesserScope(scope, scopeOf(role))
}

function refuseOthers(cids: number[] | null, notes: readonly Note[]): void {
  if (cids !== null && notes.some(({ cid }) => cid === null || !cids.includes(cid)))
    throw refusal('campaign_not_allowed')
}

/** A campaign that may now spend more than before; null if there is none. */
async function spendingOf(tx: Db, notes: readonly PricedChange[]): Promise<{ cid: number } | null> {
  const dearer = notes.filter(isDearer).map(({ cid }) => cid!)
  return dearer.length === 0 ? null : selectSpending(tx, dearer)
}

async function refuseSpending(tx: Db, scope: Scope, notes: readonly PricedChange[]): Promise<void> {
  const spending = await spendingOf(tx, notes)
  if (spending) throw refusal('scope_cannot_spend', { scope, cid: spending.cid })
}

interface RightsRow {
  /** Null for a session, which may do everything. */
  scope: Scope | null
  cids: number[] | null
  ceilings: StoredCeilings | null
  customer_ceilings: StoredCeilings | null
  /** The role of a member, or of the person that an agent acts for; also null for a removed one. */
  role: Role | null
  /** The person that an agent acts for, and that person's ceilings. */
  agent_of: number | null
  person_ceilings: StoredCeilings | null
}

function selectRights(db: Db, cuid: number, key: string) {
  return db.row<RightsRow>(
    `select c.scope, to_jsonb(c.cids) as cids, c.ceilings, u.ceilings as customer_ceilings, c.mid as agent_of, m.role,
       m.ceilings as person_ceilings
     from customer u left join credential c on c.key = $2 and c.cuid = u.cuid
       left join member m on m.mid = c.mid and m.cuid = u.cuid and m.removed_at is null
     where u.cuid = $1`,
    [cuid, key],
  )
}

function selectRightsOfMember(db: Db, cuid: number, mid: number) {
  return db.row<RightsRow>(
    `select null as scope, null as cids, m.role, m.ceilings, u.ceilings as customer_ceilings, null as agent_of,
       null as person_ceilings
     from customer u left join member m on m.mid = $2 and m.cuid = u.cuid and m.removed_at is null where u.cuid = $1`,
    [cuid, mid],
  )
}

function selectLivingStaff(db: Db, sid: number) {
  return db.row('select 1 from staff where sid = $1 and removed_at is null', [sid])
}

/** A paused campaign costs nothing, whatever its budget, unless its ads may still be clicked. */
function selectSpending(db: Db, cids: number[]) {
  return db.row<{ cid: number }>(
    `select c.cid from campaign c where c.cid = any($1::bigint[]) and c.deleted_at is null and ${IS_SPENDING} limit 1`,
    [cids],
  )
}
