// Customers (advertisers): the object and its endpoints, as seen from outside.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import {
  Body,
  BY_EXTERNAL_ID,
  byExternalId,
  Choice,
  Created,
  clickParametersOf,
  Deleted,
  deletedFilter,
  deletedShown,
  Email,
  HttpUrl,
  Id,
  keptFields,
  keptShown,
  listFilters,
  Maybe,
  Money,
  Nullable,
  Text,
  TimeZone,
  UnixTime,
} from '../../http/schema.ts'
import { MAX_UNITS } from '../../kernel/money.ts'
import { ShownSites, Sites } from '../site-lists/contract.ts'
import { Ceilings } from './ceilings/contract.ts'
import { example, pairExample, readExample } from './examples.ts'

export { pairExample }

const company = Text(1, 255, { description: 'Name of the company.', examples: ['Blue Bikes Ltd'] })
const email = Email({
  description: 'Unique within the app, ignoring case.',
  examples: ['ann@bluebikes.example'],
})
const website = HttpUrl({ description: 'Where a click leads if the banner has no `clickUrl`.' })

export const LANGUAGES = ['en', 'de'] as const
const language = Choice(LANGUAGES, { description: 'Language of its emails and console. Null: English.' })
const timezone = TimeZone({
  description:
    'IANA time zone of its days: of budgets and caps, statistics, emails and its console. Null: that of the deployment. A change takes effect at the first midnight of the new zone after the end of the current day; setting the current zone again withdraws a change that has not begun.',
  examples: ['Europe/Berlin'],
})

export const timezonePending = Nullable(
  Body(
    {
      timezone: Nullable(Type.String({ description: "The new time zone; null: the deployment's." })),
      from: UnixTime({ description: 'When it takes effect: a midnight of the new zone.' }),
    },
    { description: 'A change of the time zone that has not begun; null: none.' },
  ),
)

const prepaid = Type.Boolean({
  description:
    'Whether it pays in advance: its campaigns deliver only while its balance lasts. Turning it on begins an account at zero, turning it off ends the account. Only an app may set it.',
})
export const REVIEWS = ['automatic', 'manual'] as const
const review = Choice(REVIEWS, {
  description:
    '`manual`: a person of the staff looks at each of its banners before it is shown (`GET /review`). Null: as set for its app. Only an app may set it.',
})
export const LOW_BALANCE_RANGE = { minimum: 0.01, maximum: MAX_UNITS }
const lowBalance = Money(LOW_BALANCE_RANGE.minimum, LOW_BALANCE_RANGE.maximum, {
  description: 'Send `customer.balance_low` when the balance has fallen to this. Null: never.',
  examples: [20],
})

const clickParameters = clickParametersOf('nothing is added')

const details = {
  name: Maybe(Text(1, 255, { description: 'Name of the contact person.' })),
  address: Maybe(Text(1, 500, { description: 'Street and number.' })),
  country: Maybe(Text(1, 100, { description: 'Country, as on an envelope.' })),
  city: Maybe(Text(1, 100, { description: 'City.' })),
  zip: Maybe(Text(1, 20, { description: 'Postal code.' })),
  state: Maybe(Text(1, 100, { description: 'State or province.' })),
  phone: Maybe(Text(1, 50, { description: 'Phone number.' })),
  website: Maybe(website),
  language: Maybe(language),
  timezone: Maybe(timezone),
  lowBalance: Maybe(lowBalance),
  clickParameters: Maybe(clickParameters),
  sites: Maybe(Sites),
  ...keptFields,
}

export const NewCustomer = Body({ company, email, ...details, prepaid: Maybe(prepaid) })
export type NewCustomer = Static<typeof NewCustomer>

export const CustomerEdit = Body({
  company: Type.Optional(company),
  email: Type.Optional(email),
  ...details,
  apiAccess: Type.Optional(Type.Boolean({ description: 'Only an app may set it.' })),
  prepaid: Type.Optional(prepaid),
  ceilings: Maybe(Ceilings),
  review: Maybe(review),
})
export type CustomerEdit = Static<typeof CustomerEdit>

const readFields = {
  cuid: Id('Customer id.'),
  company: Type.String({ description: 'Name of the company.' }),
  email: Type.String({ description: 'Unique within the app, ignoring case.' }),
  name: Nullable(Type.String({ description: 'Name of the contact person.' })),
  address: Nullable(Type.String({ description: 'Street and number.' })),
  country: Nullable(Type.String({ description: 'Country, as on an envelope.' })),
  city: Nullable(Type.String({ description: 'City.' })),
  zip: Nullable(Type.String({ description: 'Postal code.' })),
  state: Nullable(Type.String({ description: 'State or province.' })),
  phone: Nullable(Type.String({ description: 'Phone number.' })),
  website: Nullable(Type.String({ description: 'Where a click leads if the banner has no `clickUrl`.' })),
  language: Nullable(language),
  timezone: Nullable(Type.String({ description: "IANA name of its time zone; null: the deployment's." })),
  timezonePending,
  apiAccess: Type.Boolean({
    description:
      'False: every call as or for this customer is refused with 401, except that a super pair reads, edits, freezes, deletes and restores the customer itself.',
  }),
  prepaid: Type.Boolean({
    description: 'Its campaigns deliver only while its balance lasts: `GET /customer/:cuid/account`.',
  }),
  frozen: Type.Boolean({
    description:
      'True: nothing of it delivers, and every change gets 403 `frozen`, until `PUT /customer/:cuid/unfreeze`.',
  }),
  ceilings: Nullable(Ceilings),
  review: Nullable(review),
  sites: ShownSites,
  lowBalance: Nullable(Type.Number({ description: 'Balance at which `customer.balance_low` is sent.' })),
  clickParameters: Nullable(clickParameters),
  ...keptShown,
  created: Created,
}

export const Customer = Body({ ...readFields, ...deletedShown }, { description: 'The customer.' })
export type Customer = Static<typeof Customer>

const pairFields = {
  key: Type.String({ description: 'Customer-level key, for `x-access-key`.' }),
  token: Type.String({ description: 'Customer-level token, for `x-access-token`. Shown only here.' }),
  expires: UnixTime({ description: 'When the pair expires; obtain a new one before then.' }),
}

export const CreatedCustomer = Body({ ...readFields, ...pairFields })
export const CustomerPair = Body({ cuid: readFields.cuid, ...pairFields })
export type CustomerPair = Static<typeof CustomerPair>

const frozenOrNot = {
  access: 'customer',
  needs: 'rights',
  whenFrozen: true,
  whenAccessOff: true,
  dryRun: true,
} as const
const ofApp = { access: 'app', ofChosenCustomers: true } as const
const rightsOfApp = { ...ofApp, tag: 'Customers', needs: 'rights' } as const

export const createCustomer = endpoint({
  id: 'createCustomer',
  needs: 'edit',
  method: 'POST',
  path: '/customer',
  tag: 'Customers',
  summary: 'Create a customer',
  description: 'Answers with the customer and its first key and token. The token is shown only here.',
  access: 'app',
  body: NewCustomer,
  status: 201,
  dryRun: true,
  makes: ['cuid', 'key', 'token'],
  answer: CreatedCustomer,
  problems: ['email_taken'],
  examples: { body: example, answer: { ...readExample, ...pairExample } },
})

export const listCustomers = endpoint({
  id: 'listCustomers',
  method: 'GET',
  path: '/customer',
  tag: 'Customers',
  summary: 'List the customers of the app',
  description: 'Oldest first, without deleted ones. Find one by email, `externalId` or a part of its text.',
  ...ofApp,
  list: true,
  query: {
    email: { schema: Email(), description: 'Only the customer with this email, ignoring case.' },
    ...listFilters,
    ...deletedFilter,
  },
  answer: Type.Array(Customer),
  examples: { answer: [readExample] },
})

export const readCustomer = endpoint({
  id: 'readCustomer',
  whenAccessOff: true,
  method: 'GET',
  path: '/customer/:cuid',
  tag: 'Customers',
  summary: 'Read a customer',
  description: "With the customer's own pair, or a super pair of its app.",
  access: 'customer',
  etag: true,
  answer: Customer,
  examples: { answer: readExample },
})

export const editCustomer = endpoint({
  id: 'editCustomer',
  whenAccessOff: true,
  needs: 'edit',
  method: 'PUT',
  path: '/customer/:cuid',
  tag: 'Customers',
  summary: 'Edit a customer',
  description:
    'Changes only the supplied fields; null clears an optional one. Changing `email`, `apiAccess`, `prepaid`, `ceilings` or `review` requires a super pair. A new `timezone` is shown as `timezonePending` until it takes effect.',
  access: 'customer',
  etag: true,
  body: CustomerEdit,
  dryRun: true,
  answer: Customer,
  problems: ['email_taken'],
  examples: { body: { phone: '+49 30 1234' }, answer: { ...readExample, phone: '+49 30 1234' } },
})

export const putCustomer = endpoint({
  ...byExternalId,
  makes: ['cuid'],
  id: 'putCustomer',
  needs: 'edit',
  path: '/customer/by-external/:externalId',
  tag: 'Customers',
  summary: 'Create or change a customer by your own id',
  description: `${BY_EXTERNAL_ID} Required to create: \`company\`, \`email\`. A new customer has no pair yet: \`GET /customer/:cuid/auth\` issues one.`,
  ...ofApp,
  body: CustomerEdit,
  answer: Customer,
  problems: [...byExternalId.problems, 'email_taken'],
  examples: { body: example, answer: { ...readExample, externalId: 'crm-4710' } },
})

export const signInCustomer = endpoint({
  ...rightsOfApp,
  id: 'signInCustomer',
  method: 'GET',
  path: '/customer/:email/sso',
  summary: 'Sign a customer in to the platform',
  description:
    'Redirects to the platform of the app (default: the console) with a one-time `ticket`, valid for 60 s.',
  sideEffects: true,
  status: 302,
  answer: null,
})

export const sendPasscode = endpoint({
  ...rightsOfApp,
  id: 'sendPasscode',
  method: 'GET',
  path: '/customer/:email/passcode',
  summary: 'Email a passcode to a customer',
  description: 'Six digits, valid for 10 minutes and one use. At most 5 emails per hour to one address.',
  provision: 'passcode',
  sideEffects: true,
  answer: Body({ message: Type.String({ description: 'For a person: where the passcode was sent.' }) }),
  problems: ['too_many_requests', 'mail_failed'],
  examples: { answer: { message: 'A passcode was emailed to ann@bluebikes.example.' } },
})

export const authCustomer = endpoint({
  ...rightsOfApp,
  id: 'authCustomer',
  method: 'GET',
  path: '/customer/:identifier/auth',
  summary: 'Obtain a customer-level key and token',
  description: 'By customer id, or by email with the passcode that was sent to it.',
  sideEffects: true,
  query: {
    passcode: { schema: Type.String(), description: 'The emailed passcode; required with an email.' },
  },
  answer: CustomerPair,
  problems: ['missing_passcode', 'passcode_invalid'],
  examples: { answer: { cuid: 1001, ...pairExample } },
})

export const authCustomerWithoutPasscode = endpoint({
  ...rightsOfApp,
  id: 'authCustomerWithoutPasscode',
  method: 'GET',
  path: '/customer/:email/auth/nopasscode',
  summary: 'Obtain a customer-level key and token by email alone',
  description: 'As with a `cuid`, no passcode is checked. The app must be provisioned for it.',
  provision: 'nopasscode',
  sideEffects: true,
  answer: CustomerPair,
  examples: { answer: { cuid: 1001, ...pairExample } },
})

export const redeemSso = endpoint({
  ...rightsOfApp,
  id: 'redeemSso',
  method: 'POST',
  path: '/sso/redeem',
  summary: 'Exchange a sign-in ticket for the customer',
  description: 'For your own platform: redeems the `ticket` of the redirect, once, within 60 s.',
  body: Body({ ticket: Text(1, 200, { description: 'As received in the query of the platform URL.' }) }),
  answer: Body({
    cuid: readFields.cuid,
    email: Type.String({ description: 'Its email.' }),
    company: Type.String({ description: 'Name of the company.' }),
    name: Nullable(Type.String({ description: 'Name of the contact person.' })),
  }),
  problems: ['ticket_invalid'],
  examples: {
    body: { ticket: 'mqti_0000000000000000000000000000000000000000000' },
    answer: { cuid: 1001, email: 'ann@bluebikes.example', company: 'Blue Bikes Ltd', name: 'Ann Rider' },
  },
})

export const deleteCustomer = endpoint({
  ...rightsOfApp,
  id: 'deleteCustomer',
  whenAccessOff: true,
  method: 'DELETE',
  path: '/customer/:cuid',
  summary: 'Delete a customer',
  description:
    'Removes it and everything it owns from the API and from delivery; its pairs become invalid, and its email is free again. `…/restore` undoes it for a while. Its figures stay in the reports of the app.\n\nA second call with `erase=true` erases the person permanently: every name, address and text of the customer and of what it owned, its pairs, history and emails. Figures and money stay, without a person. It cannot be undone. 409 `not_deleted` for a customer that is not deleted. If there is much to erase, the answer is 202 and `erased` is false: the service continues by itself, and the call can be repeated to see whether it has finished.',
  etag: true,
  query: {
    erase: {
      schema: Type.Boolean(),
      description: 'Erase a deleted customer permanently. `if-match` is not honoured then.',
    },
  },
  otherStatuses: { 202: 'With `erase`: not finished yet; the service continues by itself.' },
  answer: Body({
    cuid: readFields.cuid,
    deleted: Deleted,
    erased: Type.Optional(
      Type.Boolean({
        description: 'With `erase`: whether it has finished; false: the service continues by itself.',
      }),
    ),
  }),
  problems: ['not_deleted'],
  examples: { answer: { cuid: 1001, deleted: true } },
})

export const freezeCustomer = endpoint({
  ...frozenOrNot,
  tag: 'Customers',
  id: 'freezeCustomer',
  method: 'PUT',
  path: '/customer/:cuid/freeze',
  summary: 'Freeze a customer',
  description:
    'For "something is wrong": within 2 s nothing of it delivers (reason, status and issue `frozen`), and every change of it or of what it owns gets 403 `frozen`, with any pair. It can still be read, and its pairs stay valid. If it is frozen already, nothing changes.',
  etag: true,
  answer: Customer,
  examples: { answer: { ...readExample, frozen: true } },
})

export const unfreezeCustomer = endpoint({
  ...frozenOrNot,
  tag: 'Customers',
  id: 'unfreezeCustomer',
  method: 'PUT',
  path: '/customer/:cuid/unfreeze',
  summary: 'Unfreeze a customer',
  description:
    'It is as it was before: what was switched on delivers again. If it is not frozen, nothing changes.',
  etag: true,
  answer: Customer,
  examples: { answer: readExample },
})

export const restoreCustomer = endpoint({
  ...rightsOfApp,
  id: 'restoreCustomer',
  whenAccessOff: true,
  method: 'POST',
  path: '/customer/:cuid/restore',
  summary: 'Restore a deleted customer',
  description:
    'Also restores everything it owned, and the pairs that have not expired. Possible within `RESTORE_WITHIN` of the deletion, then 404, and never after erasing; 409 if another customer now has its email. If it is not deleted, nothing changes.',
  etag: true,
  dryRun: true,
  answer: Customer,
  problems: ['email_taken'],
  examples: { answer: readExample },
})
