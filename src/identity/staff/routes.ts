// Binds each staff endpoint to its verb.

import type { Api } from '../../http/api.ts'
import { emailKey } from '../../kernel/address.ts'
import type { AppCaller } from '../../kernel/caller.ts'
import { refusal } from '../../kernel/errors/problem.ts'
import { type Clock, toSeconds } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import { layOut } from '../../platform/letter.ts'
import type { Mail, Mailer } from '../../platform/mail.ts'
import { type App, letterBrand, readApp } from '../apps.ts'
import { takeAllowanceFor } from '../mail-allowance.ts'
import { whoActedForApp } from '../who.ts'
import { personOf } from '../who-in-mail.ts'
import type { NewStaff, StaffChange, StaffMember } from './contract.ts'
import * as contract from './contract.ts'
import {
  addStaff,
  changeStaff,
  findStaff,
  listStaff,
  listStaffChanges,
  removeStaff,
  resetStaffPasskeys,
  type Staff,
} from './staff.ts'

export interface StaffParts {
  clock: Clock
  mail: Mailer
  publicUrl: string
}

/** Invitations to one address per hour, including those of customers. */
export const INVITATIONS_TO_ONE = 5

interface At {
  db: Db
  caller: unknown
  params: Record<string, string>
}

export function staffRoutes(api: Api, parts: StaffParts): void {
  const { clock } = parts
  /** The gate let only super pairs and staff in. */
  const app = (call: { caller: unknown }) => call.caller as AppCaller
  const changer = (call: { caller: unknown }) => ({ actor: app(call).key, keepsAdmin: true })
  const find = (call: At) => findStaff(call.db, app(call).appId, call.params.sid!)

  api.bind(contract.listStaff, {
    handle: async call => (await listStaff(call.db, app(call).appId)).map(shown),
  })
  api.bind(contract.addStaff, {
    stillThere: (call, { sid }) => findStaff(call.db, app(call).appId, String(sid)),
    handle: call => invite(call.db, app(call), call.body, parts),
  })
  api.bind(contract.editStaff, {
    find,
    present: async ({ found }) => shown(found),
    handle: async call => {
      const { db, found, body } = call
      return shown(await changeStaff(db, app(call).appId, found.email, body, clock, changer(call)))
    },
  })
  api.bind(contract.removeStaff, {
    find,
    handle: async call => {
      const { db, found } = call
      await removeStaff(db, app(call).appId, found.email, clock, changer(call))
      return { sid: found.sid, deleted: true as const }
    },
  })
  api.bind(contract.resetStaffPasskeys, {
    find,
    handle: async call => {
      const { db, found } = call
      const passkeys = await resetStaffPasskeys(db, app(call).appId, found, parts, changer(call))
      return { sid: found.sid, passkeys }
    },
  })
  api.bindList(contract.readStaffHistory, {
    idOf: (change: StaffChange) => change.id,
    page: call => (after, limit) => listStaffChanges(call.db, app(call).appId, after, limit),
  })
}

/** Runs in one transaction: if the email cannot be sent, nothing is stored. */
async function invite(
  db: Db,
  { appId, key }: AppCaller,
  { email, name = null, role }: NewStaff,
  { clock, mail, publicUrl }: StaffParts,
): Promise<StaffMember> {
  const staff = await addStaff(db, appId, { email, name, role }, clock, { actor: key, keepsAdmin: true })
  const now = new Date(clock.nowMs())
  const by = personOf((await whoActedForApp(db, appId, [key])).get(key)!).name
  const allowance = `${appId} invitation ${emailKey(email)}`
  await takeAllowanceFor(db, allowance, INVITATIONS_TO_ONE, 'too_many_invitations', now)
  try {
    await mail.send(staffInvitation(email, by, await readApp(db, appId), publicUrl))
  } catch (error) {
    throw refusal('invitation_failed', {}, { cause: error })
  }
  return shown(staff)
}

function shown({ sid, email, name, role, joined, created }: Staff): StaffMember {
  return { sid, email, name, role, joined: joined && toSeconds(joined), created: toSeconds(created) }
}

// The email to a person who was added to the staff, which says where to sign in. It contains no secret, because a
// passcode is sent to the same address. The app's name is the only text in it that somebody wrote.

function staffInvitation(email: string, by: string | null, { name, brand }: App, publicUrl: string): Mail {
  const { title } = letterBrand(brand, publicUrl)
  const url = `${publicUrl}/console?app=${encodeURIComponent(name)}`
  return layOut({
    to: email,
    language: 'en',
    brand: letterBrand(brand, publicUrl),
    subject: `You work for ${title} now`,
    blocks: [
      { text: 'Hello,' },
      { text: `${by === null ? 'You have been added' : `${by} has added you`} to the staff of ${title}.` },
      { text: 'Sign in with this email address; a passcode is sent to you.' },
      { link: { words: 'Sign in', url } },
    ],
    why: 'If you did not expect this, you can ignore this email.',
  })
}
