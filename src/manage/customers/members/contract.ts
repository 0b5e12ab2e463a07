// The people who work for a customer, as the API shows them.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../../http/endpoint.ts'
import { Body, Choice, Deleted, Id, Maybe, Nullable, UnixTime } from '../../../http/schema.ts'
import { AT_ONCE, personAdded, personGiven, personShown, personTimes } from '../../../identity/people.ts'
import { ROLES, type Role } from '../../../kernel/permissions.ts'
import { Ceilings } from '../ceilings/contract.ts'

export { ROLES, type Role }

export const MAX_MEMBERS = 100
export const INVITATION_DAYS = 7

const bob = { email: 'bob@agency.example', name: 'Bob Builder' } as const
const given = personGiven('customer', bob)
export const role = Choice(ROLES, {
  description:
    '`viewer`: reads; `editor`: also everything that costs nothing more; `manager`: also what costs more; `owner`: also who may do what.',
})

export const NewMember = Body({
  ...given,
  role,
  ceilings: Maybe(Ceilings),
})
export type NewMember = Static<typeof NewMember>

export const MemberEdit = Body({
  name: given.name,
  role: Type.Optional(role),
  ceilings: Maybe(Ceilings),
})
export type MemberEdit = Static<typeof MemberEdit>

export const Member = Body({
  mid: Id('Member id.'),
  ...personShown,
  role,
  ceilings: Nullable(Ceilings),
  first: Type.Boolean({
    description: "It is the customer's own `email`, which always is an owner; an app can change the `email`.",
  }),
  invitedUntil: Nullable(
    UnixTime({
      description: 'Until when the link in the invitation signs in. Null: it was used, or none was sent.',
    }),
  ),
  ...personTimes,
})
export type Member = Static<typeof Member>

const example = {
  mid: 1010,
  ...bob,
  role: 'editor',
  ceilings: null,
  first: false,
  invitedUntil: 1_790_604_800,
  joined: null,
  created: 1_790_000_000,
} as const

const common = { tag: 'Customers', access: 'customer' } as const

export const listMembers = endpoint({
  ...common,
  id: 'listMembers',
  method: 'GET',
  path: '/customer/:cuid/member',
  summary: 'List the people who work for a customer',
  description: "The customer's own email first, then oldest first.",
  answer: Type.Array(Member),
  examples: { answer: [example] },
})

export const addMember = endpoint({
  ...common,
  ...personAdded,
  id: 'addMember',
  needs: 'rights',
  path: '/customer/:cuid/member',
  summary: 'Let a person work for a customer',
  description: `${AT_ONCE} An email invites them, with a link that signs in once, within ${INVITATION_DAYS} days. The same person may work for several customers. At most ${MAX_MEMBERS} per customer.`,
  body: NewMember,
  answer: Member,
  problems: ['member_exists', 'too_many_requests', 'mail_failed'],
  examples: { body: { ...bob, role: 'editor' }, answer: example },
})

export const editMember = endpoint({
  ...common,
  id: 'editMember',
  needs: 'rights',
  dryRun: true,
  method: 'PUT',
  path: '/customer/:cuid/member/:mid',
  summary: 'Change what a person may do for a customer',
  description:
    'Takes effect at once, in sessions that are open too. Another `email` is another person: remove this one, and add that.',
  body: MemberEdit,
  answer: Member,
  problems: ['first_owner'],
  examples: { body: { role: 'manager' }, answer: { ...example, role: 'manager' } },
})

export const inviteMember = endpoint({
  ...common,
  id: 'inviteMember',
  needs: 'rights',
  method: 'POST',
  path: '/customer/:cuid/member/:mid/invite',
  summary: 'Send the invitation again',
  description: `An email with a new link, which signs in once, within ${INVITATION_DAYS} days; the link before it ends. Only for a person who has never signed in (409). Invitations are limited per hour: to one address, and by one customer.`,
  answer: Member,
  problems: ['conflict', 'too_many_requests', 'mail_failed'],
  examples: { answer: example },
})

export const removeMember = endpoint({
  ...common,
  id: 'removeMember',
  needs: 'rights',
  dryRun: true,
  method: 'DELETE',
  path: '/customer/:cuid/member/:mid',
  summary: 'Remove a person from a customer',
  description:
    'Their sessions end at once, as far as this customer goes. Pairs that they made stay: revoke those, too, if need be.',
  answer: Body({ mid: Id('Member id.'), deleted: Deleted }),
  problems: ['first_owner'],
  examples: { answer: { mid: 1010, deleted: true } },
})

export const resetPasskeys = endpoint({
  ...common,
  id: 'resetPasskeys',
  access: 'app',
  ofChosenCustomers: true,
  needs: 'rights',
  whenFrozen: true,
  method: 'DELETE',
  path: '/customer/:cuid/member/:mid/passkey',
  summary: 'Remove all passkeys of a person who has lost them',
  description:
    'The person is signed out everywhere, gets an email, and signs in by passcode alone until they register another. Passkeys belong to a person, whichever customers of the app they work for, so a super pair of some customers cannot do it.',
  answer: Body({
    mid: Id('Member id.'),
    passkeys: Type.Integer({ description: 'How many were removed.' }),
  }),
  problems: ['mail_failed'],
  examples: { answer: { mid: 1010, passkeys: 1 } },
})
