// Actions by server call: the endpoint, as the outside may know it.

import { type Static, Type } from 'typebox'
import { endpoint } from '../platform/endpoint.ts'
import { Body, Choice, Maybe, Text, UnixTime } from '../platform/schema.ts'

export const MAX_NAME = 100
export const MAX_ORDER = 200
export const MAX_VALUE = 1_000_000_000

/** Why an action was not counted. */
export const ACTION_REASONS = [
  'unknown_click',
  'too_old',
  'before_click',
  'no_credit',
  'ambiguous',
  'future_time',
  'duplicate',
  'bot',
  'prefetch',
] as const

export const NewAction = Body({
  click: Maybe(
    Text(1, 100, {
      description: 'The click id: `mqclid` of the address that the visitor arrived at.',
      examples: ['ajJ5gAABAgMEBQYHCAkKCw'],
    }),
  ),
  user: Maybe(
    Text(1, 1024, {
      description: 'The user id that ad requests carry: credits a view within a day where there is no click.',
    }),
  ),
  name: Maybe(Text(1, MAX_NAME, { description: 'What was done; default `action`.', examples: ['purchase'] })),
  value: Maybe(
    Type.Number({ minimum: 0, maximum: MAX_VALUE, description: 'What it is worth, in currency units.' }),
  ),
  order: Maybe(
    Text(1, MAX_ORDER, {
      description:
        'Counted once for an order, however often it is reported. A pixel’s `order` is not believed, and takes none of these.',
    }),
  ),
  time: Maybe(UnixTime({ description: 'When it was done; default now.' })),
})
export type NewAction = Static<typeof NewAction>

export const CountedAction = Body({
  counted: Type.Boolean(),
  reason: Type.Optional(Choice(ACTION_REASONS, { description: 'Why it was not counted.' })),
})

const text = (description: string, examples: string[] = []) => ({
  schema: Type.String(examples.length > 0 ? { examples } : {}),
  description,
})

export const actionPixel = endpoint({
  id: 'actionPixel',
  method: 'GET',
  path: '/t/a.gif',
  tag: 'Statistics',
  summary: 'Report an action (conversion) by a pixel on a page of the advertiser',
  description:
    'An image of 1 by 1 pixel for the page that a visitor sees when it is done. Credited to the click, else to a view in ' +
    'the same browser within a day (then `cuid` says whose). Counted once for an `order`, else once for a click and ' +
    '`name`. What is not counted is answered with the picture all the same.',
  access: 'public',
  dataPlane: true,
  query: {
    click: text('The click id: `mqclid` of the address that the visitor arrived at.', [
      'ajJ5gAABAgMEBQYHCAkKCw',
    ]),
    name: text('What was done; default `action`.', ['purchase']),
    value: text('What it is worth, in currency units; a point before the decimals.', ['49.90']),
    order: text('Counted once for an order, however often it is reported.', ['A-1001']),
    cuid: text('The customer, where there is no click.'),
  },
  answer: Type.String(),
  also: ['image/gif'],
})

export const reportAction = endpoint({
  id: 'reportAction',
  method: 'POST',
  path: '/action',
  tag: 'Statistics',
  summary: 'Report an action (conversion)',
  description:
    'Credited to the click, else to a view by the same user within a day. Counted once for an `order`, else once ' +
    'for a click and `name`. When it is answered with `counted: true` it is on disk.',
  access: 'customer',
  cuid: true,
  body: NewAction,
  answer: CountedAction,
  problems: ['unavailable'],
  examples: {
    body: { click: 'ajJ5gAABAgMEBQYHCAkKCw', name: 'purchase', value: 49.9, order: 'A-1001' },
    answer: { counted: true },
  },
})
