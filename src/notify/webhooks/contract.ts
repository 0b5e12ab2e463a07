// Webhooks (addresses of an app that receive events), the log of deliveries, and the bodies that are sent: the public
// contract.

import { type Static, type TSchema, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Finding } from '../../http/failure.ts'
import { Proposal } from '../../http/proposed.ts'
import {
  Body,
  Choice,
  Created,
  Deleted,
  HttpUrl,
  Id,
  Maybe,
  Nullable,
  Text,
  UnixTime,
  Updated,
} from '../../http/schema.ts'
import { BudgetRaised, By, KeyAlert } from '../../identity/contract.ts'
import { EVENT_TYPES } from '../../kernel/event-type.ts'
import { Banner } from '../../manage/banners/contract.ts'
import { BrokenLandingPage } from '../../manage/banners/landing/contract.ts'
import { Campaign } from '../../manage/campaigns/contract.ts'
import { Customer } from '../../manage/customers/contract.ts'
import { Member } from '../../manage/customers/members/contract.ts'
import { Account, AccountEntry } from '../../report/accounts/contract.ts'

export const MAX_WEBHOOKS = 10

const url = HttpUrl({
  description: 'Where to send events: https and a public address, unless the deployment allows others.',
  examples: ['https://app.example/hooks/marquee'],
})
const events = Type.Array(Choice(EVENT_TYPES), {
  maxItems: 100,
  description: 'Which events to send; empty: all, including those added later.',
})
const enabled = Type.Boolean({
  description: 'Default true. If false, nothing is sent and pending deliveries are dropped.',
})
const description = Text(1, 255, { description: 'What it is for, in your own words.' })

export const NewWebhook = Body({
  url,
  events: Maybe(events),
  enabled: Maybe(enabled),
  description: Maybe(description),
})
export type NewWebhook = Static<typeof NewWebhook>

export const WebhookEdit = Body({
  url: Type.Optional(url),
  events: Maybe(events),
  enabled: Maybe(enabled),
  description: Maybe(description),
})
export type WebhookEdit = Static<typeof WebhookEdit>

const wid = Id('Webhook id.')
const readFields = {
  wid,
  url: Type.String({ description: 'Where events are sent.' }),
  events: Type.Array(Type.String(), { description: 'Which events are sent; empty: all.' }),
  enabled: Type.Boolean({
    description: 'Becomes false automatically when the receiver responds with 410 Gone.',
  }),
  description: Nullable(Type.String({ description: 'What it is for, in your own words.' })),
  cuids: Nullable(
    Type.Array(Id('Customer id.'), {
      description:
        'Only events of these customers: those of the super pair that made it, if that is limited to some. Null: of all.',
    }),
  ),
  created: Created,
  updated: Updated,
}
const secret = Type.String({
  description: 'Signing secret: `whsec_` and the key in base64. Shown only here.',
})

export const Webhook = Body(readFields)
export type Webhook = Static<typeof Webhook>

export const CreatedWebhook = Body({ ...readFields, secret })
export type CreatedWebhook = Static<typeof CreatedWebhook>

export const RotatedSecret = Body({
  wid,
  secret,
  oldSecretUntil: UnixTime({ description: 'Until then everything is also signed with the previous secret.' }),
})
export type RotatedSecret = Static<typeof RotatedSecret>

export const STATES = ['pending', 'delivered', 'failed'] as const

export const WebhookAttempt = Body({
  at: UnixTime({ description: 'When it was sent.' }),
  status: Nullable(Type.Integer({ description: 'The response status; null: no response.' })),
  error: Nullable(Type.String({ description: 'Why the delivery failed; null: it succeeded.' })),
})
export type WebhookAttempt = Static<typeof WebhookAttempt>

export const WebhookDelivery = Body({
  did: Id('Delivery id.'),
  wid,
  event: Type.String({ description: 'The `webhook-id`: the same for every attempt.' }),
  type: Type.String({ description: 'What happened.' }),
  state: Choice(STATES, { description: 'Whether it has arrived.' }),
  attempts: Type.Array(WebhookAttempt, { description: 'Oldest first; at most 40 are kept.' }),
  next: Nullable(UnixTime({ description: 'Earliest time of the next attempt.' })),
  created: Created,
})
export type WebhookDelivery = Static<typeof WebhookDelivery>

/** The body that is sent. `data` is the object as the API shows it at that moment, with `cuid`. */
function Sent<const T extends string, D extends TSchema>(type: T, data: D) {
  const timestamp = Type.String({ format: 'date-time', description: 'When it happened, ISO 8601.' })
  return Body({ type: Type.Literal(type, { description: 'Which event it is.' }), timestamp, data })
}
const AddedMember = Body(
  { ...Member.properties, cuid: Id('Customer id.'), by: By },
  { description: 'The member, with its customer.' },
)
const BannerOfCustomer = Body(
  { ...Banner.properties, cuid: Id('Customer id.') },
  { description: 'The banner, with its customer.' },
)

const CreatedCustomer = Body({ ...Customer.properties, by: By }, { description: 'The customer.' })
const SwitchedCampaign = Body({ ...Campaign.properties, by: By }, { description: 'The campaign.' })
const ProposalBy = Body({ ...Proposal.properties, by: By }, { description: 'The proposal.' })
const CreditedAccount = Body(
  { ...Account.properties, entry: AccountEntry, by: By },
  { description: 'The account after the entry, and the entry.' },
)
const SpentCampaign = Body(
  { ...Campaign.properties, by: Campaign.properties.spentBy },
  { description: 'The campaign; `by` says which budget it has spent.' },
)
const StalledCampaign = Body(
  {
    ...Campaign.properties,
    findings: Type.Array(Finding, { description: 'Why it has stalled, as in its issues.' }),
  },
  { description: 'The campaign; `findings` says why it has stalled.' },
)

/** The bodies, by type of event. */
export const SENT = {
  'customer.created': Sent('customer.created', CreatedCustomer),
  'customer.credited': Sent('customer.credited', CreditedAccount),
  'customer.balance_low': Sent('customer.balance_low', Account),
  'customer.balance_spent': Sent('customer.balance_spent', Account),
  'customer.budget_raised': Sent('customer.budget_raised', BudgetRaised),
  'customer.member_added': Sent('customer.member_added', AddedMember),
  'customer.key_created': Sent('customer.key_created', KeyAlert),
  'customer.key_new_network': Sent('customer.key_new_network', KeyAlert),
  'campaign.started': Sent('campaign.started', Campaign),
  'campaign.ended': Sent('campaign.ended', Campaign),
  'campaign.paused': Sent('campaign.paused', SwitchedCampaign),
  'campaign.resumed': Sent('campaign.resumed', SwitchedCampaign),
  'campaign.budget_spent': Sent('campaign.budget_spent', SpentCampaign),
  'campaign.stalled': Sent('campaign.stalled', StalledCampaign),
  'proposal.created': Sent('proposal.created', ProposalBy),
  'proposal.approved': Sent('proposal.approved', ProposalBy),
  'proposal.declined': Sent('proposal.declined', ProposalBy),
  'proposal.expired': Sent('proposal.expired', Proposal),
  'banner.approved': Sent('banner.approved', BannerOfCustomer),
  'banner.rejected': Sent('banner.rejected', BannerOfCustomer),
  'landing_page.broken': Sent('landing_page.broken', BrokenLandingPage),
  'webhook.test': Sent('webhook.test', Body({ wid }, { description: 'The webhook that was tested.' })),
}
export type WebhookEvent = Static<(typeof SENT)[keyof typeof SENT]>

const MEANING: Record<keyof typeof SENT, string> = {
  'customer.created': 'A customer was created',
  'customer.credited': 'A customer that pays in advance was credited or corrected',
  'customer.balance_low': 'A balance has fallen to `lowBalance`',
  'customer.balance_spent': 'A balance no longer pays for an impression',
  'customer.budget_raised': 'One call has raised a budget to more than `budgetRaised` times',
  'customer.member_added': 'A person may work for a customer',
  'customer.key_created': 'A pair was created for a customer',
  'customer.key_new_network': 'A pair was used from a new network',
  'campaign.started': 'An enabled campaign reached its start, or that of its first flight',
  'campaign.ended': 'A campaign reached its end, or that of its last flight',
  'campaign.paused': 'A campaign was paused',
  'campaign.resumed': 'A campaign was resumed',
  'campaign.budget_spent':
    'A campaign has spent its daily, monthly or total budget, or the balance of its customer',
  'campaign.stalled': 'A running campaign has stalled: `findings` says why',
  'proposal.created': 'A change was proposed and waits for a decision',
  'proposal.approved': 'A proposal was approved and applied',
  'proposal.declined': 'A proposal was declined',
  'proposal.expired': 'A proposal was not decided in time',
  'banner.approved': 'A banner passed review',
  'banner.rejected': 'A banner failed review',
  'landing_page.broken': 'A page where clicks lead does not answer, is not https, or loses the click id',
  'webhook.test': 'A test was requested',
}

/** For the description of the API. */
export const SENT_EVENTS = Object.entries(SENT).map(([type, body]) => ({
  type,
  meaning: MEANING[type as keyof typeof SENT],
  body: body as TSchema,
}))

const bodyExample = {
  url: 'https://app.example/hooks/marquee',
  events: ['campaign.started', 'campaign.ended'],
  description: 'Campaign calendar',
}
const readExample = {
  wid: 1010,
  url: bodyExample.url,
  events: bodyExample.events,
  enabled: true,
  description: bodyExample.description,
  cuids: null,
  created: 1_790_000_000,
  updated: 1_790_000_000,
}
const secretExample = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='
const pendingExample = {
  did: 1011,
  wid: 1010,
  event: 'msg_00000000000000000000000000000000',
  type: 'webhook.test',
  state: 'pending',
  attempts: [],
  next: 1_790_000_000,
  created: 1_790_000_000,
}
const deliveryExample = {
  ...pendingExample,
  type: 'campaign.started',
  state: 'delivered',
  attempts: [
    { at: 1_790_000_000, status: 503, error: 'The receiver answered with status 503; only 2xx counts.' },
    { at: 1_790_000_005, status: 204, error: null },
  ],
  next: null,
}

const ofApp = { tag: 'Webhooks', access: 'app', ofChosenCustomers: true } as const
const ONE = '/webhook/:wid'

export const createWebhook = endpoint({
  ...ofApp,
  id: 'createWebhook',
  needs: 'rights',
  method: 'POST',
  path: '/webhook',
  summary: 'Create a webhook',
  description: `At most ${MAX_WEBHOOKS} per app. The answer contains the signing secret, which is shown only here.`,
  body: NewWebhook,
  status: 201,
  etag: true,
  dryRun: true,
  makes: ['wid', 'secret'],
  answer: CreatedWebhook,
  problems: ['conflict'],
  examples: { body: bodyExample, answer: { ...readExample, secret: secretExample } },
})

export const listWebhooks = endpoint({
  ...ofApp,
  id: 'listWebhooks',
  method: 'GET',
  path: '/webhook',
  summary: 'List the webhooks of the app',
  description: 'Oldest first. Secrets are not shown again.',
  list: true,
  answer: Type.Array(Webhook),
  examples: { answer: [readExample] },
})

export const readWebhook = endpoint({
  ...ofApp,
  id: 'readWebhook',
  method: 'GET',
  path: ONE,
  summary: 'Read a webhook',
  description: 'Its secret is not shown again.',
  etag: true,
  answer: Webhook,
  examples: { answer: readExample },
})

export const editWebhook = endpoint({
  ...ofApp,
  id: 'editWebhook',
  needs: 'rights',
  method: 'PUT',
  path: ONE,
  summary: 'Edit a webhook',
  description:
    'Changes only the supplied fields; null resets an optional one to its default. Pending deliveries go to the new URL.',
  etag: true,
  body: WebhookEdit,
  dryRun: true,
  answer: Webhook,
  examples: { body: { enabled: false }, answer: { ...readExample, enabled: false } },
})

export const deleteWebhook = endpoint({
  ...ofApp,
  id: 'deleteWebhook',
  needs: 'rights',
  method: 'DELETE',
  path: ONE,
  summary: 'Delete a webhook, its secret and its log',
  description: 'Permanently: it cannot be restored.',
  etag: true,
  dryRun: true,
  answer: Body({ wid, deleted: Deleted }),
  examples: { answer: { wid: 1010, deleted: true } },
})

export const rotateWebhookSecret = endpoint({
  ...ofApp,
  id: 'rotateWebhookSecret',
  needs: 'rights',
  method: 'POST',
  path: `${ONE}/secret`,
  summary: 'Give a webhook a new secret',
  description:
    'For 24 hours everything is signed with both the new and the current secret, so that the receiver can switch over. Older secrets stop working immediately.',
  answer: RotatedSecret,
  examples: { answer: { wid: 1010, secret: secretExample, oldSecretUntil: 1_790_086_400 } },
})

export const testWebhook = endpoint({
  ...ofApp,
  id: 'testWebhook',
  needs: 'rights',
  method: 'POST',
  path: `${ONE}/test`,
  summary: 'Send a `webhook.test` event',
  description: 'It is sent like any other event; the answer is its entry in the log.',
  status: 201,
  answer: WebhookDelivery,
  problems: ['conflict'],
  examples: { answer: pendingExample },
})

export const listWebhookDeliveries = endpoint({
  ...ofApp,
  id: 'listWebhookDeliveries',
  method: 'GET',
  path: `${ONE}/delivery`,
  summary: 'The delivery log of a webhook',
  description: 'Kept for 30 days.',
  list: true,
  answer: Type.Array(WebhookDelivery),
  examples: { answer: [deliveryExample] },
})

export const readWebhookDelivery = endpoint({
  ...ofApp,
  id: 'readWebhookDelivery',
  method: 'GET',
  path: `${ONE}/delivery/:did`,
  summary: 'Read a log entry',
  description: 'One event that was or will be sent, with each attempt and its outcome.',
  answer: WebhookDelivery,
  examples: { answer: deliveryExample },
})

export const retryWebhookDelivery = endpoint({
  ...ofApp,
  id: 'retryWebhookDelivery',
  needs: 'rights',
  method: 'POST',
  path: `${ONE}/delivery/:did/retry`,
  summary: 'Send an event again',
  description:
    'Immediately, delivered or not, with the same `webhook-id`; failures are retried as for a new event.',
  answer: WebhookDelivery,
  problems: ['conflict'],
  examples: { answer: { ...deliveryExample, state: 'pending', next: 1_790_000_100 } },
})
