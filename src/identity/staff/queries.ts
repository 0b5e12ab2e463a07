// SQL of the staff of an app.

import type { ActorText } from '../../kernel/actor.ts'
import type { StaffRole } from '../../kernel/permissions.ts'
import type { Db } from '../../platform/database.ts'
import type { StaffChange } from './contract.ts'

export interface StaffRow {
  sid: number
  email: string
  name: string | null
  role: StaffRole
  created_at: Date
  joined_at: Date | null
}

const COLUMNS = 'sid, email, name, role, created_at, joined_at'

export function selectStaff(db: Db, appId: number) {
  return db.rows<StaffRow>(
    `select ${COLUMNS} from staff where app_id = $1 and removed_at is null order by email_key`,
    [appId],
  )
}

export function selectStaffByEmail(db: Db, appId: number, emailKey: string) {
  return db.row<StaffRow>(
    `select ${COLUMNS} from staff where app_id = $1 and email_key = $2 and removed_at is null`,
    [appId, emailKey],
  )
}

export function selectStaffById(db: Db, appId: number, sid: number) {
  return db.row<StaffRow>(
    `select ${COLUMNS} from staff where sid = $2 and app_id = $1 and removed_at is null`,
    [appId, sid],
  )
}

export function selectAnyStaff(db: Db, appId: number) {
  return db.row('select 1 from staff where app_id = $1 and removed_at is null limit 1', [appId])
}

/** Null: the app already has staff with this address. */
export function insertStaff(
  db: Db,
  row: {
    appId: number
    email: string
    emailKey: string
    name: string | null
    role: StaffRole
    createdAt: Date
  },
) {
  return db.row<StaffRow>(
    `insert into staff (app_id, email, email_key, name, role, created_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (app_id, email_key) where removed_at is null do nothing returning ${COLUMNS}`,
    [row.appId, row.email, row.emailKey, row.name, row.role, row.createdAt],
  )
}

export function updateStaff(db: Db, sid: number, { name, role }: Pick<StaffRow, 'name' | 'role'>) {
  return db.run('update staff set name = $2, role = $3 where sid = $1', [sid, name, role])
}

export function setStaffRemoved(db: Db, sid: number, now: Date) {
  return db.run('update staff set removed_at = $2 where sid = $1', [sid, now])
}

export function setStaffJoined(db: Db, sid: number, now: Date) {
  return db.run('update staff set joined_at = $2 where sid = $1 and joined_at is null', [sid, now])
}

/** The names of these people of an app, removed or not. */
export function selectStaffNames(db: Db, appId: number, sids: readonly number[]) {
  return db.rows<{ sid: number; name: string | null; email: string }>(
    'select sid, name, email from staff where sid = any($2::bigint[]) and app_id = $1',
    [appId, sids],
  )
}

type Seen = Pick<StaffRow, 'email' | 'name' | 'role'>

export interface StaffChangeRow {
  change_id: number
  sid: number
  at: Date
  action: StaffChange['action']
  actor: ActorText
  before: Seen | null
  after: Seen | null
}

export function insertStaffChange(
  db: Db,
  row: Omit<StaffChangeRow, 'change_id'> & { appId: number },
): Promise<number> {
  const json = (seen: Seen | null) => seen && JSON.stringify(seen)
  return db.run(
    `insert into staff_change (app_id, sid, at, action, actor, before, after) values ($1, $2, $3, $4, $5, $6, $7)`,
    [row.appId, row.sid, row.at, row.action, row.actor, json(row.before), json(row.after)],
  )
}

/** The changes of an app's staff, oldest first. */
export function selectStaffChanges(db: Db, appId: number, after: number, limit: number) {
  return db.rows<StaffChangeRow>(
    `select change_id, sid, at, action, actor, before, after from staff_change
     where app_id = $1 and change_id > $2 order by change_id limit $3`,
    [appId, after, limit],
  )
}
