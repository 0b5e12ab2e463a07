// The people who work for an app, as its endpoints show them.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import {
  Body,
  Choice,
  Created,
  Deleted,
  Email,
  Id,
  Maybe,
  Nullable,
  Text,
  UnixTime,
} from '../../http/schema.ts'
import { STAFF_ROLES, type StaffRole } from '../../kernel/caller.ts'
import { By } from '../contract.ts'

export { STAFF_ROLES, type StaffRole }

export const MAX_STAFF = 200

const email = Email({
  description: 'Where passcodes go, and the invitation. Compared without case; once per app.',
  examples: ['sue@shop.example'],
})
const name = Text(1, 255, { description: 'For people.', examples: ['Sue Shop'] })
const role = Choice(STAFF_ROLES, {
  description:
    '`support`: reads everything, pauses, and reviews banners; `finance`: reads everything, and credits; `admin`: does everything.',
})

export const NewStaff = Body({ email, name: Maybe(name), role })
export type NewStaff = Static<typeof NewStaff>

export const StaffEdit = Body({ name: Maybe(name), role: Type.Optional(role) })
export type StaffEdit = Static<typeof StaffEdit>

const sid = Id('Id of the person.')
export const StaffMember = Body(
  {
    sid,
    email: Type.String({ description: 'Where passcodes go.' }),
    name: Nullable(Type.String({ description: 'For people.' })),
    role,
    joined: Nullable(UnixTime({ description: 'When they first signed in. Null: not yet.' })),
    created: Created,
  },
  { description: 'A person who works for the app.' },
)
export type StaffMember = Static<typeof StaffMember>

const Seen = Nullable(
  Body(
    {
      email: Type.String({ description: 'Where passcodes go.' }),
      name: Nullable(Type.String({ description: 'For people.' })),
      role,
    },
    { description: 'The person at that time; null: not of the staff.' },
  ),
)

export const StaffChange = Body({
  id: Id('Id of the entry, for paging with `after`.'),
  at: UnixTime({ description: 'When it was changed.' }),
  sid,
  action: Choice(['add', 'edit', 'remove'], { description: 'What was done.' }),
  by: By,
  before: Seen,
  after: Seen,
})
export type StaffChange = Static<typeof StaffChange>

const example = {
  sid: 1020,
  email: 'sue@shop.example',
  name: 'Sue Shop',
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
  id: 'addStaff',
  method: 'POST',
  path: '/staff',
  summary: 'Let a person work for the app',
  description: `They can sign in to the console by emailed passcode at once. An email tells them so; it contains no secret. At most ${MAX_STAFF} per app.`,
  body: NewStaff,
  status: 201,
  answer: StaffMember,
  problems: ['conflict', 'too_many_requests', 'mail_failed'],
  examples: { body: { email: 'sue@shop.example', name: 'Sue Shop', role: 'support' }, answer: example },
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
        before: { email: 'sue@shop.example', name: 'Sue Shop', role: 'support' },
        after: { email: 'sue@shop.example', name: 'Sue Shop', role: 'finance' },
      },
    ],
  },
})
