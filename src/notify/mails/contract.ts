// Which reports and alerts a customer gets by email.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Body, Choice, Id, Maybe, Money, Nullable } from '../../http/schema.ts'

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
  'threshold',
] as const
export type MailKind = (typeof MAIL_KINDS)[number]
export const REPORT_CHOICES = ['off', 'daily', 'weekly'] as const
export type ReportChoice = (typeof REPORT_CHOICES)[number]

const fields = {
  report: Choice(REPORT_CHOICES, {
    description:
      "Figures of the previous day or week, sent in the morning of the customer's time zone to its owners. The weekly one also says what to do first, and is not sent if there is nothing to say.",
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

const thresholds = {
  spendOver: Money(0.01, 1_000_000_000, {
    description: 'Sent when its campaigns have spent more than this on a day of the customer. Null: never.',
    examples: [100],
  }),
  balanceDays: Type.Integer({
    minimum: 1,
    maximum: 365,
    description:
      'Sent, once for each credit, when the balance lasts for fewer days than this at the spend of the last 7 days. Null: never.',
    examples: [5],
  }),
  paceBelow: Type.Number({
    minimum: 1,
    maximum: 100,
    description:
      'Sent in the morning for each campaign that spent less than this percentage of its daily budget on the day before, though it ran unchanged all day. Null: never.',
    examples: [50],
  }),
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
  spendOver: Nullable(thresholds.spendOver),
  balanceDays: Nullable(thresholds.balanceDays),
  paceBelow: Nullable(thresholds.paceBelow),
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
  spendOver: Maybe(thresholds.spendOver),
  balanceDays: Maybe(thresholds.balanceDays),
  paceBelow: Maybe(thresholds.paceBelow),
  budgetRaised: Maybe(factor),
  access: Type.Optional(access),
})
export type MailChoicesEdit = Static<typeof MailChoicesEdit>

const example = {
  cuid: 1001,
  report: 'weekly',
  bannerRejected: true,
  budgetSpent: true,
  daySpent: false,
  balance: true,
  proposals: true,
  decisions: true,
  stopped: true,
  spendOver: null,
  balanceDays: null,
  paceBelow: null,
  budgetRaised: 3,
  access: true,
}

export const readMailChoices = endpoint({
  id: 'readMailChoices',
  method: 'GET',
  path: '/customer/:cuid/mails',
  tag: 'Customers',
  summary: "A customer's email preferences",
  description:
    'By default, the weekly report and alerts are on, and `daySpent` is off. Customers that were created before the weekly report was on by default have no reports until they choose them. `spendOver`, `balanceDays` and `paceBelow` are alerts by thresholds of their own, each sent to all owners.',
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
  examples: {
    body: { report: 'daily', spendOver: 100 },
    answer: { ...example, report: 'daily', spendOver: 100 },
  },
})
