// Banners that wait for a person of the staff: the queue and the decisions, as seen from outside.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../../http/endpoint.ts'
import { Body, Id, Nullable, Text, UnixTime } from '../../../http/schema.ts'
import { Banner, readBannerExample } from '../contract.ts'

const round = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description:
    'Which round of its review this is: it rises when its image, its size or its click-through URL changes.',
})

export const QueuedBanner = Body({
  bid: Id('Banner id.'),
  pid: Id('Persona id.'),
  cid: Id('Campaign id.'),
  cuid: Id('Customer id.'),
  company: Type.String({ description: 'Name of the customer.' }),
  campaign: Type.String({ description: 'Name of the campaign.' }),
  name: Type.String({ description: 'Name of the banner.' }),
  image: Type.String({ description: 'Path of our own copy of the image, below the base URL.' }),
  clickUrl: Nullable(Type.String({ description: 'Where a click leads.' })),
  width: Nullable(Type.Integer({ description: 'Width of the image in pixels.' })),
  height: Nullable(Type.Integer({ description: 'Height of the image in pixels.' })),
  type: Nullable(Type.String({ description: 'Media type of the image.' })),
  bytes: Nullable(Type.Integer({ description: 'Size of the image file.' })),
  animated: Type.Boolean({ description: 'Whether it moves.' }),
  round,
  since: UnixTime({ description: 'When it began to wait.' }),
})
export type QueuedBanner = Static<typeof QueuedBanner>

export const Approval = Body({ round })
export const Rejection = Body({
  round,
  reason: Text(1, 500, {
    description: 'Why, in words for the customer: its API, console, webhook and email show it.',
    examples: ['The text on the image is too small to be read.'],
  }),
})
export type Rejection = Static<typeof Rejection>

const example = {
  bid: 1009,
  pid: 1007,
  cid: 1004,
  cuid: 1001,
  company: 'Blue Bikes Ltd',
  campaign: 'Summer',
  name: 'Summer sale',
  image: '/creative/0000000000000000000000000000000000000000000000000000000000000000.png',
  clickUrl: 'https://bluebikes.example/summer',
  width: 300,
  height: 250,
  type: 'image/png',
  bytes: 48_211,
  animated: false,
  round: 1,
  since: 1_790_000_000,
}
const rejected = 'A person has rejected it: The text on the image is too small to be read.'

const common = { tag: 'Review', access: 'app', ofChosenCustomers: true } as const
const deciding = { ...common, needs: 'approve', staff: 'support', method: 'PUT' } as const
const DECIDED =
  'If several decide at once, one succeeds; the others get 409 `review_settled`, as does a decision about a round that is over.'

export const listQueue = endpoint({
  ...common,
  id: 'listQueue',
  method: 'GET',
  path: '/review',
  summary: 'Banners that wait for a person',
  description:
    'By banner id: those whose image has passed all checks, of customers whose `review` is `manual` (their own, or that of the app) and of campaigns that have not ended. They are `pending`, and are not shown until they are approved.',
  list: true,
  answer: Type.Array(QueuedBanner),
  examples: { answer: [example] },
})

export const approveBanner = endpoint({
  ...deciding,
  id: 'approveBanner',
  path: '/review/:bid/approve',
  summary: 'Approve a banner',
  description: `It can be shown within 2 s. ${DECIDED}`,
  body: Approval,
  answer: Banner,
  problems: ['review_settled', 'frozen'],
  examples: { body: { round: 1 }, answer: readBannerExample },
})

export const rejectBanner = endpoint({
  ...deciding,
  id: 'rejectBanner',
  path: '/review/:bid/reject',
  summary: 'Reject a banner, and say why',
  description: `The customer sees the reason as that of any rejection, and its next image is looked at again. ${DECIDED}`,
  body: Rejection,
  answer: Banner,
  problems: ['review_settled', 'frozen'],
  examples: {
    body: { round: 1, reason: 'The text on the image is too small to be read.' },
    answer: {
      ...readBannerExample,
      status: 'rejected',
      reasons: [rejected],
      findings: [
        {
          code: 'rejected_by_hand',
          params: { reason: 'The text on the image is too small to be read.' },
          message: rejected,
        },
      ],
    },
  },
})
