// The verbs of members: list, add, invite again, change, remove. The member with the customer's own email is always an
// owner, so there always is one.

import { recordChange } from '../../../changes/changes.ts'
import type { Tx } from '../../../changes/tx.ts'
import { alertMember } from '../../../identity/alerts.ts'
import { takeAllowanceFor } from '../../../identity/mail-allowance.ts'
import * as passkeys from '../../../identity/passkeys/passkeys.ts'
import { emailKey } from '../../../kernel/address.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { shownCeilings, storedCeilings } from '../../../kernel/ceilings.ts'
import { fieldError } from '../../../kernel/errors/field-error.ts'
import { invalidInput, notFound, refusal } from '../../../kernel/errors/problem.ts'
import { parseId } from '../../../kernel/id.ts'
import { type Clock, toSeconds } from '../../../kernel/time/clock.ts'
import type { Db } from '../../../platform/database.ts'
import type { Mailer } from '../../../platform/mail.ts'
import type { FoundCustomer } from '../customers.ts'
import { lockCustomer } from '../queries.ts'
import { MAX_MEMBERS, type Member, type MemberEdit, type NewMember } from './contract.ts'
import { type InvitationParts, invite } from './invitations.ts'
import {
  insertMember,
  type MemberRow,
  selectMember,
  selectMembers,
  setRemoved,
  updateMember,
} from './queries.ts'

export interface MemberParts extends InvitationParts {
  clock: Clock
  mail: Mailer
}

/** Invitations per hour: to one address, and by one customer. */
export const INVITATIONS_TO_ONE = 5
export const INVITATIONS_BY_CUSTOMER = 30

export async function listMembers(db: Db, cuid: number): Promise<Member[]> {
  return (await selectMembers(db, cuid)).map(toMember)
}

export async function findMember(db: Db, cuid: number, midText: string): Promise<Member> {
  return toMember(await rowOf(db, cuid, midText))
}

async function rowOf(db: Db, cuid: number, midText: string): Promise<MemberRow> {
  const mid = parseId(midText)
  const row = mid === null ? null : await selectMember(db, cuid, mid)
  if (!row) throw notFound('member')
  return row
}

export async function addMember(
  db: Tx,
  caller: Caller,
  { customer, appId }: FoundCustomer,
  { email, name = null, role, ceilings = null }: NewMember,
  parts: MemberParts,
): Promise<Member> {
  const { cuid, language, company } = customer
  const now = new Date(parts.clock.nowMs())
  refuseCeiledOwner(role, ceilings)
  if (!(await lockCustomer(db, cuid))) throw notFound('customer')
  if ((await selectMembers(db, cuid)).length >= MAX_MEMBERS) {
    throw refusal('too_many_members', { max: MAX_MEMBERS })
  }
  const key = emailKey(email)
  const fields = { name, role, ceilings: storedCeilings(ceilings) }
  const made = await insertMember(db, { cuid, email, emailKey: key, ...fields, createdAt: now })
  if (!made) throw refusal('member_exists', { email })
  await takeAllowance(db, appId, cuid, key, now)
  const member = { mid: made.mid, email, ...fields }
  await record(db, 'add_member', caller, cuid, now, null, member)
  await invite(db, { ...member, cuid, appId, language, company, actor: caller.key }, now, parts)
  const shown = await findMember(db, cuid, String(made.mid))
  await alertMember(db, { at: now, cuid, actor: caller.key }, shown)
  return shown
}

export async function editMember(
  db: Tx,
  caller: Caller,
  cuid: number,
  mid: number,
  edit: MemberEdit,
  { clock }: MemberParts,
): Promise<Member> {
  if (!(await lockCustomer(db, cuid))) throw notFound('customer')
  const row = await rowOf(db, cuid, String(mid))
  const changed = {
    ...row,
    name: edit.name === undefined ? row.name : edit.name,
    role: edit.role ?? row.role,
    ceilings: edit.ceilings === undefined ? row.ceilings : storedCeilings(edit.ceilings),
  }
  if (row.is_first && changed.role !== 'owner') throw refusal('first_owner', { email: row.email })
  refuseCeiledOwner(changed.role, changed.ceilings)
  await updateMember(db, mid, changed)
  await record(db, 'edit_member', caller, cuid, new Date(clock.nowMs()), row, changed)
  return findMember(db, cuid, String(mid))
}

/** Sends a new link; the link of the last invitation becomes invalid. */
export async function inviteMember(
  db: Tx,
  caller: Caller,
  { customer, appId }: FoundCustomer,
  midText: string,
  parts: MemberParts,
): Promise<Member> {
  const { cuid, language, company } = customer
  if (!(await lockCustomer(db, cuid))) throw notFound('customer')
  const row = await rowOf(db, cuid, midText)
  const { mid, email } = row
  if (row.joined_at !== null) throw refusal('member_joined', { email })
  const now = new Date(parts.clock.nowMs())
  await takeAllowance(db, appId, cuid, emailKey(email), now)
  await record(db, 'invite_member', caller, cuid, now, row, row)
  await invite(db, { mid, cuid, email, appId, language, company, actor: caller.key }, now, parts)
  return findMember(db, cuid, midText)
}

/** Throws 429 if too many invitations were sent in the last hour. */
async function takeAllowance(db: Db, appId: number, cuid: number, key: string, now: Date): Promise<void> {
  await takeAllowanceFor(db, `${appId} invitation ${key}`, INVITATIONS_TO_ONE, 'too_many_invitations', now)
  await takeAllowanceFor(db, `${cuid} invitations`, INVITATIONS_BY_CUSTOMER, 'too_many_invitations', now)
}

export async function removeMember(
  db: Tx,
  caller: Caller,
  cuid: number,
  mid: number,
  { clock }: MemberParts,
): Promise<{ mid: number; deleted: true }> {
  if (!(await lockCustomer(db, cuid))) throw notFound('customer')
  const row = await rowOf(db, cuid, String(mid))
  if (row.is_first) throw refusal('first_owner', { email: row.email })
  const now = new Date(clock.nowMs())
  await setRemoved(db, mid, now)
  await record(db, 'remove_member', caller, cuid, now, row, null)
  return { mid, deleted: true }
}

/** For a person who has lost their passkeys. */
export async function resetPasskeys(
  db: Tx,
  caller: Caller,
  { customer, appId }: FoundCustomer,
  midText: string,
  parts: MemberParts,
): Promise<{ mid: number; passkeys: number }> {
  const { cuid, language } = customer
  const row = await rowOf(db, cuid, midText)
  const owner = { appId, person: emailKey(row.email), email: row.email, language }
  const removed = await passkeys.resetPasskeys(db, owner, parts)
  await record(db, 'reset_passkeys', caller, cuid, new Date(parts.clock.nowMs()), row, row)
  return { mid: row.mid, passkeys: removed }
}

/** An owner cannot have ceilings, because an owner could make a pair without them. */
function refuseCeiledOwner(role: Member['role'], ceilings: object | null): void {
  if (role !== 'owner' || storedCeilings(ceilings) === null) return
  throw invalidInput([fieldError('/ceilings', 'not_together', { field: 'role owner' })])
}

type Recorded = Pick<MemberRow, 'mid' | 'email' | 'name' | 'role' | 'ceilings'>

function record(
  db: Tx,
  action: string,
  caller: Caller,
  cuid: number,
  at: Date,
  before: Recorded | null,
  after: Recorded | null,
): Promise<void> {
  const seen = (row: Recorded | null) =>
    row && {
      mid: row.mid,
      email: row.email,
      name: row.name,
      role: row.role,
      ceilings: shownCeilings(row.ceilings),
    }
  const change = { at, noun: 'customer' as const, id: cuid, action, cuid, cid: null, actor: caller.key }
  return recordChange(db, { ...change, before: seen(before), after: seen(after) })
}

function toMember(row: MemberRow): Member {
  return {
    mid: row.mid,
    email: row.email,
    name: row.name,
    role: row.role,
    ceilings: shownCeilings(row.ceilings),
    first: row.is_first,
    invitedUntil: row.invited_until && toSeconds(row.invited_until),
    joined: row.joined_at && toSeconds(row.joined_at),
    created: toSeconds(row.created_at),
  }
}
