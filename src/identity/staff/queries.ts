// SQL of the staff of an app.

import type { StaffRole } from '../../kernel/permissions.ts'
import type { Db } from '../../platform/database.ts'

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
