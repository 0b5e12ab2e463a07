// The people who work for an app, as the API shows them.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Body, Choice, Deleted, Id, Nullable, UnixTime } from '../../http/schema.ts'
import { STAFF_ROLES, type StaffRole } from '../../kernel/permissions.ts'
import { By } from '../contract.ts'
import { AT_ONCE, personAdded, personGiven, personShown, personTimes } from '../people.ts'

export { STAFF_ROLES, type StaffRole }

export const MAX_STAFF = 200

const sue = { email: 'sue@shop.example', name: 'Sue Shop' } as const
const given = personGiven('app', sue)
const role = Choice(STAFF_ROLES, {
  description:
    '`support`: reads everything, pauses, and reviews banners; `finance`: reads everything, and credits; `admin`: does everything.',
})

export const NewStaff = Body({ ...given, role })
export type NewStaff = Static<typeof NewStaff>

export const StaffEdit = Body({ name: given.name, role: Type.Optional(role) })
export type StaffEdit = Static<typeof StaffEdit>

const sid = Id('Id of the person.')
export const StaffMember = Body(
  {
    sid,
    ...personShown,
    role,
    ...personTimes,
  },
  { description: 'A person who works for the app.' },
)
export type StaffMember = Static<typeof StaffMember>

const Seen = Nullable(
  Body({ ...personShown, role }, { description: 'The person at that time; null: not of the staff.' }),
)

export const StaffChange = Body({
  id: Id('Id of the entry, for paging with `after`.'),
  at: UnixTime({ description: 'When it was changed.' }),
  sid,
  action: Choice(['add', 'edit', 'remove', 'reset_passkeys'], { description: 'What was done.' }),
  by: By,
  before: Seen,
  after: Seen,
})
export type StaffChange = Static<typeof StaffChange>

const example = {
  sid: 1020,
  ...sue,
  role: 'support',
  joined: null,
  created: 1_790_000_000,
} as const

const common = { tag: 'Staff', access: 'app', needs: 'rights' } as const

export const listStaff = endpoint({
  ...common,
  id: 'listStaff',
  method: 'GET',
  path: '/staff',
  summary: 'List the staff of the app',
  description: 'By email. For super pairs with the scope `all`, and for admins.',
  answer: Type.Array(StaffMember),
  examples: { answer: [example] },
})

export const addStaff = endpoint({
  ...common,
  ...personAdded,
  id: 'addStaff',
  path: '/staff',
  summary: 'Let a person work for the app',
  description: `${AT_ONCE} An email tells them so; it contains no secret. At most ${MAX_STAFF} per app.`,
  body: NewStaff,
  answer: StaffMember,
  problems: ['conflict', 'too_many_requests', 'mail_failed'],
  examples: { body: { ...sue, role: 'support' }, answer: example },
})

export const editStaff = endpoint({
  ...common,
  id: 'editStaff',
  dryRun: true,
  method: 'PUT',
  path: '/staff/:sid',
  summary: 'Change what a person may do for the app',
  description:
    'Takes effect at once, in sessions that are open too. The last admin stays one. Another `email` is another person: remove this one, and add that.',
  body: StaffEdit,
  answer: StaffMember,
  problems: ['last_admin'],
  examples: { body: { role: 'finance' }, answer: { ...example, role: 'finance' } },
})

export const removeStaff = endpoint({
  ...common,
  id: 'removeStaff',
  dryRun: true,
  method: 'DELETE',
  path: '/staff/:sid',
  summary: 'Remove a person from the staff',
  description: 'Their sessions end at once. The last admin cannot be removed here.',
  answer: Body({ sid, deleted: Deleted }),
  problems: ['last_admin'],
  examples: { answer: { sid: 1020, deleted: true } },
})

export const resetStaffPasskeys = endpoint({
  ...common,
  id: 'resetStaffPasskeys',
  method: 'DELETE',
  path: '/staff/:sid/passkey',
  summary: 'Remove all passkeys of a colleague who has lost them',
  description:
    'The person is signed out everywhere, gets an email, and signs in by passcode alone until they register another.',
  answer: Body({ sid, passkeys: Type.Integer({ description: 'How many were removed.' }) }),
  problems: ['mail_failed'],
  examples: { answer: { sid: 1020, passkeys: 1 } },
})

export const readStaffHistory = endpoint({
  ...common,
  id: 'readStaffHistory',
  method: 'GET',
  path: '/staff/history',
  summary: 'Read the change history of the staff',
  description:
    'Who added, changed or removed whom, oldest first. Changes by the command line are of the `service`.',
  list: true,
  answer: Type.Array(StaffChange),
  examples: {
    answer: [
      {
        id: 18,
        at: 1_790_000_100,
        sid: 1020,
        action: 'edit',
        by: { kind: 'person', name: 'Ada', email: 'ada@shop.example', as: null },
        before: { ...sue, role: 'support' },
        after: { ...sue, role: 'finance' },
      },
    ],
  },
})
