// The staff of an app: people who sign in to its console by emailed passcode, each with a role. They are looked up in
// every call, so that another role or a removal counts at once.

import { emailKey } from '../kernel/address.ts'
import type { StaffRole } from '../kernel/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import { notFound, refusal } from '../kernel/problem.ts'
import type { Db } from '../platform/database.ts'
import {
  insertStaff,
  type StaffRow,
  selectAnyStaff,
  selectStaff,
  selectStaffByEmail,
  setStaffJoined,
  setStaffRemoved,
  updateStaff,
} from './staff-queries.ts'

export interface Staff {
  sid: number
  email: string
  name: string | null
  role: StaffRole
  created: Date
  joined: Date | null
}

export async function listStaff(db: Db, appId: number): Promise<Staff[]> {
  return (await selectStaff(db, appId)).map(toStaff)
}

/** `person`: the address, in the form in which addresses are compared. Null: no staff of this app. */
export async function staffOf(db: Db, appId: number, person: string): Promise<Staff | null> {
  const row = await selectStaffByEmail(db, appId, person)
  return row && toStaff(row)
}

export async function hasStaff(db: Db, appId: number): Promise<boolean> {
  return (await selectAnyStaff(db, appId)) !== null
}

export async function addStaff(
  db: Db,
  appId: number,
  { email, name, role }: { email: string; name: string | null; role: StaffRole },
  clock: Clock,
): Promise<Staff> {
  const createdAt = new Date(clock.nowMs())
  const row = await insertStaff(db, { appId, email, emailKey: emailKey(email), name, role, createdAt })
  if (!row) throw refusal('staff_exists', { email })
  return toStaff(row)
}

export async function changeStaff(
  db: Db,
  appId: number,
  email: string,
  change: { name?: string; role?: StaffRole },
): Promise<Staff> {
  const staff = await named(db, appId, email)
  const changed = { ...staff, name: change.name ?? staff.name, role: change.role ?? staff.role }
  await updateStaff(db, staff.sid, changed)
  return changed
}

/** What is open to them ends at once, in all processes. */
export async function removeStaff(db: Db, appId: number, email: string, clock: Clock): Promise<Staff> {
  const staff = await named(db, appId, email)
  await setStaffRemoved(db, staff.sid, new Date(clock.nowMs()))
  return staff
}

/** Notes when somebody first signed in. */
export const noteStaffJoined = setStaffJoined

async function named(db: Db, appId: number, email: string): Promise<Staff> {
  const staff = await staffOf(db, appId, emailKey(email))
  if (!staff) throw notFound(`staff with the email ${email}`)
  return staff
}

function toStaff(row: StaffRow): Staff {
  const { sid, email, name, role } = row
  return { sid, email, name, role, created: row.created_at, joined: row.joined_at }
}
