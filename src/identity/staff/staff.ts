// The staff of an app: people who sign in to its console by emailed passcode, each with a role. They are looked up in
// every call, so that a new role or a removal takes effect immediately. Each change is recorded with its author.

import { recordAppChange } from '../../changes/app-changes.ts'
import type { ActorText } from '../../kernel/actor.ts'
import { emailKey } from '../../kernel/address.ts'
import { notFound, refusal } from '../../kernel/errors/problem.ts'
import { parseId } from '../../kernel/id.ts'
import type { StaffRole } from '../../kernel/permissions.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import { type PasskeyParts, resetPasskeys } from '../passkeys/passkeys.ts'
import { lockApp } from '../super-pair-queries.ts'
import { listAppChanges } from '../who.ts'
import { MAX_STAFF, type StaffChange } from './contract.ts'
import {
  insertStaff,
  type StaffRow,
  selectAnyStaff,
  selectStaff,
  selectStaffByEmail,
  selectStaffById,
  setStaffJoined,
  setStaffRemoved,
  updateStaff,
} from './queries.ts'

export interface Staff {
  sid: number
  email: string
  name: string | null
  role: StaffRole
  created: Date
  joined: Date | null
}

/** Who changes the staff. `keepsAdmin`: the last admin cannot be removed or given another role. */
export interface StaffChanger {
  actor: ActorText
  keepsAdmin: boolean
}

/** The operator, who may also remove the last admin. */
const COMMAND_LINE: StaffChanger = { actor: 'command line', keepsAdmin: false }

export async function listStaff(db: Db, appId: number): Promise<Staff[]> {
  return (await selectStaff(db, appId)).map(toStaff)
}

export async function findStaff(db: Db, appId: number, sidText: string): Promise<Staff> {
  const sid = parseId(sidText)
  const row = sid === null ? null : await selectStaffById(db, appId, sid)
  if (!row) throw notFound('person of the staff')
  return toStaff(row)
}

/** `person`: the address in its normalized form. Null: not of the staff of this app. */
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
  { actor }: StaffChanger = COMMAND_LINE,
): Promise<Staff> {
  const createdAt = new Date(clock.nowMs())
  await lockApp(db, appId)
  if ((await selectStaff(db, appId)).length >= MAX_STAFF) throw refusal('too_many_staff', { max: MAX_STAFF })
  const row = await insertStaff(db, { appId, email, emailKey: emailKey(email), name, role, createdAt })
  if (!row) throw refusal('staff_exists', { email })
  const staff = toStaff(row)
  await record(db, appId, 'add', { at: createdAt, actor, before: null, after: staff })
  return staff
}

export async function changeStaff(
  db: Db,
  appId: number,
  email: string,
  change: { name?: string | null; role?: StaffRole },
  clock: Clock,
  { actor, keepsAdmin }: StaffChanger = COMMAND_LINE,
): Promise<Staff> {
  await lockApp(db, appId)
  const staff = await staffNamed(db, appId, email)
  const name = change.name === undefined ? staff.name : change.name
  const changed = { ...staff, name, role: change.role ?? staff.role }
  if (keepsAdmin && changed.role !== 'admin') await refuseLastAdmin(db, appId, staff)
  await updateStaff(db, staff.sid, changed)
  const at = new Date(clock.nowMs())
  await record(db, appId, 'edit', { at, actor, before: staff, after: changed })
  return changed
}

/** Their open sessions end immediately, in all processes. */
export async function removeStaff(
  db: Db,
  appId: number,
  email: string,
  clock: Clock,
  { actor, keepsAdmin }: StaffChanger = COMMAND_LINE,
): Promise<Staff> {
  await lockApp(db, appId)
  const staff = await staffNamed(db, appId, email)
  if (keepsAdmin) await refuseLastAdmin(db, appId, staff)
  const at = new Date(clock.nowMs())
  await setStaffRemoved(db, staff.sid, at)
  await record(db, appId, 'remove', { at, actor, before: staff, after: null })
  return staff
}

/** For a colleague who has lost their passkeys. Returns how many there were. */
export async function resetStaffPasskeys(
  db: Db,
  appId: number,
  staff: Staff,
  parts: PasskeyParts,
  { actor }: Pick<StaffChanger, 'actor'> = COMMAND_LINE,
): Promise<number> {
  const { email } = staff
  const removed = await resetPasskeys(db, { appId, person: emailKey(email), email, language: null }, parts)
  const at = new Date(parts.clock.nowMs())
  await record(db, appId, 'reset_passkeys', { at, actor, before: staff, after: staff })
  return removed
}

/** Records when a person first signed in. */
export const noteStaffJoined = setStaffJoined

export async function listStaffChanges(
  db: Db,
  appId: number,
  after: number,
  limit: number,
): Promise<StaffChange[]> {
  const page = { noun: 'staff', appId, after, limit } as const
  const changes = await listAppChanges<StaffChange['action'], NonNullable<StaffChange['before']>>(
    db,
    appId,
    page,
  )
  return changes.map(({ of: sid, ...change }) => ({ ...change, sid }))
}

/** Throws if this is the last admin. The app is locked, so of two admins that leave at once, one stays. */
async function refuseLastAdmin(db: Db, appId: number, staff: Staff): Promise<void> {
  if (staff.role !== 'admin') return
  const admins = (await selectStaff(db, appId)).filter(({ role }) => role === 'admin')
  if (admins.length <= 1) throw refusal('last_admin', { email: staff.email })
}

/** Throws 404 if nobody of the staff has this address. */
export async function staffNamed(db: Db, appId: number, email: string): Promise<Staff> {
  const staff = await staffOf(db, appId, emailKey(email))
  if (!staff) throw notFound(`staff with the email ${email}`)
  return staff
}

interface Recorded {
  at: Date
  actor: ActorText
  before: Staff | null
  after: Staff | null
}

function record(
  db: Db,
  appId: number,
  action: StaffChange['action'],
  { at, actor, before, after }: Recorded,
) {
  const seen = (staff: Staff | null) => staff && { email: staff.email, name: staff.name, role: staff.role }
  const { sid } = (after ?? before)!
  return recordAppChange(db, 'staff', appId, {
    id: sid,
    at,
    action,
    actor,
    before: seen(before),
    after: seen(after),
  })
}

function toStaff(row: StaffRow): Staff {
  const { sid, email, name, role } = row
  return { sid, email, name, role, created: row.created_at, joined: row.joined_at }
}
