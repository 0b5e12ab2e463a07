// How many requests of the last day an audience fits: its endpoint, as seen from outside.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Body, Maybe, Nullable, UnixTime } from '../../http/schema.ts'
import { hours } from '../../manage/campaigns/contract.ts'
import { audienceFields } from '../../manage/personas/contract.ts'

const MAX_CPM = 10_000
const MAX_SIZES = 50
/** The most sizes in an answer: rarer ones say little. */
export const MOST_ASKED = 10

export const Reach = Body({
  since: UnixTime({ description: 'Start of the first hour that was looked at: at most 24 hours ago.' }),
  requests: Type.Integer({ description: 'Ad requests since then.' }),
  sampled: Type.Integer({ description: 'How many of them were looked at.' }),
  fits: Type.Integer({ description: 'How many of the requests would have fitted, judged by the sample.' }),
  affordable: Type.Integer({
    description: 'Those of them that ask for no more than `cpm`; without `cpm`, all of them.',
  }),
  floors: Nullable(
    Body(
      {
        low: Type.Number({ description: 'A quarter of the requests that fit ask for less.' }),
        high: Type.Number({ description: 'A quarter of the requests that fit ask for more.' }),
      },
      { description: 'What the requests that fit ask for, per thousand impressions; null: none fits.' },
    ),
  ),
  better: Nullable(
    Body(
      {
        cpm: Type.Number({ description: 'Three quarters of the requests that fit ask for no more.' }),
        affordable: Type.Integer({ description: 'How many of the requests that fit it would afford.' }),
      },
      { description: 'Another price that affords more; null: `cpm` affords as many, or is not given.' },
    ),
  ),
  winning: Nullable(
    Body(
      {
        half: Type.Number({ description: 'What would have won half of the requests that fit.' }),
        most: Type.Number({ description: 'What would have won nine in ten of them.' }),
      },
      {
        description:
          'Prices by what won these requests lately, a cent above the ad that was served and no less than was asked for; null: too few of them were won to tell.',
      },
    ),
  ),
  sizes: Type.Array(
    Body({
      size: Type.String({ description: 'Such as `300x600`.', examples: ['300x600'] }),
      requests: Type.Integer({ description: 'How many of the requests ask for it, judged by the sample.' }),
      more: Type.Integer({
        description:
          'Those of them that none of the given `sizes` fits: what a banner of this size would add.',
      }),
    }),
    {
      maxItems: MOST_ASKED,
      description: `Allowed sizes that requests of this audience ask for, in its hours; the most asked for first, at most ${MOST_ASKED}.`,
    },
  ),
})
export type Reach = Static<typeof Reach>

const example = { geo: { geos: ['DE-BE'] }, device: { mobile: true }, sizes: ['300x250'], cpm: 3.15 }

export const estimateReach = endpoint({
  id: 'estimateReach',
  access: 'customer',
  cuid: true,
  needs: 'read',
  method: 'POST',
  path: '/reach',
  tag: 'Delivery',
  summary: 'How many recent requests an audience fits',
  description:
    'Matches an audience that need not exist yet against the sample of the last 24 hours of ad requests (see ' +
    '`GET /campaign/:cid/persona/:pid/funnel`). Nothing is created. What others bid is considered only in `winning`, a frequency cap nowhere.',
  body: Body({
    ...audienceFields,
    hours: Maybe(hours),
    sizes: Maybe(
      Type.Array(Type.String({ pattern: '^[1-9][0-9]{0,3}x[1-9][0-9]{0,3}$' }), {
        maxItems: MAX_SIZES,
        description: 'Sizes of the banners, such as `300x250`; empty or omitted: any.',
      }),
    ),
    cpm: Maybe(
      Type.Number({ minimum: 0, maximum: MAX_CPM, description: 'The price per thousand impressions.' }),
    ),
  }),
  answer: Reach,
  examples: {
    body: example,
    answer: {
      ...{ since: 1_790_000_000, requests: 86_390, sampled: 2_048, fits: 14_230, affordable: 9_112 },
      floors: { low: 2.4, high: 3.6 },
      better: { cpm: 3.6, affordable: 10_672 },
      winning: { half: 3.21, most: 4.86 },
      sizes: [
        { size: '300x250', requests: 14_230, more: 0 },
        { size: '300x600', requests: 1_240, more: 1_012 },
      ],
    },
  },
})
