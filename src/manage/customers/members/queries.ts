// SQL of members: the people who work for a customer. Removed members are only names in its history.

import type { StoredCeilings } from '../../../kernel/ceilings.ts'
import type { Role } from '../../../kernel/permissions.ts'
import type { Db } from '../../../platform/database.ts'

export interface MemberRow {
  mid: number
  email: string
  name: string | null
  role: Role
  ceilings: StoredCeilings | null
  is_first: boolean
  invited_until: Date | null
  joined_at: Date | null
  created_at: Date
}

const COLUMNS = `m.mid, m.email, m.name, m.role, m.ceilings, m.email_key = u.email_key as is_first, m.invited_until,
  m.joined_at, m.created_at`

/** The member with the customer's own email, then the others, oldest first. */
export function selectMembers(db: Db, cuid: number) {
  return db.rows<MemberRow>(
    `select ${COLUMNS} from member m join customer u using (cuid)
     where m.cuid = $1 and m.removed_at is null order by is_first desc, m.mid`,
    [cuid],
  )
}

export function selectMember(db: Db, cuid: number, mid: number) {
  return db.row<MemberRow>(
    `select ${COLUMNS} from member m join customer u using (cuid)
     where m.mid = $2 and m.cuid = $1 and m.removed_at is null`,
    [cuid, mid],
  )
}

export interface NewMemberRow {
  cuid: number
  email: string
  emailKey: string
  name: string | null
  role: Role
  ceilings: StoredCeilings | null
  createdAt: Date
}

/** Null: the customer already has a member with this address. */
export function insertMember(db: Db, row: NewMemberRow) {
  return db.row<{ mid: number }>(
    `insert into member (cuid, email, email_key, name, role, ceilings, created_at) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (cuid, email_key) where removed_at is null do nothing returning mid`,
    [
      ...[row.cuid, row.email, row.emailKey, row.name, row.role],
      ...[row.ceilings && JSON.stringify(row.ceilings), row.createdAt],
    ],
  )
}

export function updateInvitation(db: Db, mid: number, hash: Buffer, until: Date) {
  return db.run('update member set invitation_hash = $2, invited_until = $3 where mid = $1', [
    mid,
    hash,
    until,
  ])
}

export function updateMember(db: Db, mid: number, { name, role, ceilings }: MemberRow) {
  return db.run('update member set name = $2, role = $3, ceilings = $4 where mid = $1', [
    mid,
    name,
    role,
    ceilings && JSON.stringify(ceilings),
  ])
}

export function setRemoved(db: Db, mid: number, now: Date) {
  return db.run(
    'update member set removed_at = $2, invitation_hash = null, invited_until = null where mid = $1 and removed_at is null',
    [mid, now],
  )
}

/** Makes the customer's own email an owner. That address may already be a member's, or new. */
export function upsertOwner(db: Db, row: Omit<NewMemberRow, 'role' | 'ceilings'>) {
  return db.run(
    `insert into member (cuid, email, email_key, name, role, created_at) values ($1, $2, $3, $4, 'owner', $5)
     on conflict (cuid, email_key) where removed_at is null do update set role = 'owner', ceilings = null`,
    [row.cuid, row.email, row.emailKey, row.name, row.createdAt],
  )
}

/** Removes the member with this address, which is no longer the customer's own. */
export function removeByEmail(db: Db, cuid: number, emailKey: string, now: Date) {
  return db.run(
    `update member set removed_at = $3, invitation_hash = null, invited_until = null
     where cuid = $1 and email_key = $2 and removed_at is null`,
    [cuid, emailKey, now],
  )
}

export interface InvitedRow {
  mid: number
  cuid: number
  app_id: number
  email_key: string
}

const INVITED = `m.mid, m.cuid, u.app_id, m.email_key from member m join customer u using (cuid)
  where m.invitation_hash = $1 and m.invited_until > $2 and m.removed_at is null and u.deleted_at is null`

export function selectInvited(db: Db, hash: Buffer, now: Date) {
  return db.row<InvitedRow>(`select ${INVITED}`, [hash, now])
}

/** Takes an invitation; if two callers try at once, only one gets it. */
export async function takeInvitation(db: Db, mid: number, hash: Buffer): Promise<boolean> {
  const taken = await db.run(
    'update member set invitation_hash = null, invited_until = null where mid = $1 and invitation_hash = $2',
    [mid, hash],
  )
  return taken === 1
}
