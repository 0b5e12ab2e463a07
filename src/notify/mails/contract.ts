// Which reports and alerts a customer gets by email.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Body, Choice, Id, Maybe, Nullable } from '../../http/schema.ts'

export const MAIL_KINDS = [
  'report',
  'bannerRejected',
  'budgetSpent',
  'daySpent',
  'balance',
  'proposals',
  'stopped',
  'budgetRaised',
  'access',
  'savedView',
  'decisions',
] as const
export type MailKind = (typeof MAIL_KINDS)[number]
export const REPORT_CHOICES = ['off', 'daily', 'weekly'] as const
export type ReportChoice = (typeof REPORT_CHOICES)[number]

const fields = {
  report: Choice(REPORT_CHOICES, {
    description:
      "Figures of the previous day or week, sent in the morning of the customer's time zone. The weekly one also says what to do first.",
  }),
  bannerRejected: Type.Boolean({ description: 'Sent when the review rejects a banner.' }),
  budgetSpent: Type.Boolean({
    description: 'Sent when a campaign or a flight has spent its total budget.',
  }),
  daySpent: Type.Boolean({
    description: 'Sent when a campaign has spent its daily budget, which is the normal case.',
  }),
  balance: Type.Boolean({ description: 'Sent when its balance is low, or spent.' }),
  proposals: Type.Boolean({ description: 'Sent when a change waits for a decision.' }),
  decisions: Type.Boolean({
    description: 'Sent to a person whose proposal somebody else approves or declines.',
  }),
  stopped: Type.Boolean({ description: 'Sent when a running campaign has stopped delivering.' }),
}

/** Only callers who may decide about rights change these, so that a program cannot silence the alerts about itself. */
const factor = Type.Number({
  minimum: 1,
  maximum: 1000,
  description:
    'Sent to all owners when one call makes a `dailySpend`, `monthlySpend` or `totalSpend` more than this many times as high. Null: never, and webhooks get no `customer.budget_raised` either. To change it needs the scope `all`.',
})
const access = Type.Boolean({
  description:
    'Sent to all owners when a member or a pair is added, or a pair is used from a new network. To change it needs the scope `all`.',
})

export const MailChoices = Body({
  cuid: Id('Customer id.'),
  ...fields,
  budgetRaised: Nullable(factor),
  access,
})
export type MailChoices = Static<typeof MailChoices>

export const MailChoicesEdit = Body({
  report: Type.Optional(fields.report),
  bannerRejected: Type.Optional(fields.bannerRejected),
  budgetSpent: Type.Optional(fields.budgetSpent),
  daySpent: Type.Optional(fields.daySpent),
  balance: Type.Optional(fields.balance),
  proposals: Type.Optional(fields.proposals),
  decisions: Type.Optional(fields.decisions),
  stopped: Type.Optional(fields.stopped),
  budgetRaised: Maybe(factor),
  access: Type.Optional(access),
})
export type MailChoicesEdit = Static<typeof MailChoicesEdit>

const example = {
  cuid: 1001,
  report: 'off',
  bannerRejected: true,
  budgetSpent: true,
  daySpent: false,
  balance: true,
  proposals: true,
  decisions: true,
  stopped: true,
  budgetRaised: 3,
  access: true,
}

export const readMailChoices = endpoint({
  id: 'readMailChoices',
  method: 'GET',
  path: '/customer/:cuid/mails',
  tag: 'Customers',
  summary: "A customer's email preferences",
  description: 'By default, alerts are on, and reports and `daySpent` are off.',
  access: 'customer',
  answer: MailChoices,
  examples: { answer: example },
})

export const editMailChoices = endpoint({
  id: 'editMailChoices',
  needs: 'edit',
  method: 'PUT',
  path: '/customer/:cuid/mails',
  tag: 'Customers',
  summary: "Change a customer's email preferences",
  description:
    'Changes only the supplied fields. Every email also has a link to unsubscribe from its kind: for the customer, or, in a mail to another member, for that person, until the kind is switched off and on again here.',
  access: 'customer',
  body: MailChoicesEdit,
  dryRun: true,
  answer: MailChoices,
  examples: { body: { report: 'weekly' }, answer: { ...example, report: 'weekly' } },
})
