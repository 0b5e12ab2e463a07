// Conversions, which the API calls actions: the pixel and the endpoints, as seen from outside.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Body, Choice, Maybe, Nullable, Text, UnixTime } from '../../http/schema.ts'

export const MAX_NAME = 100
export const MAX_ORDER = 200
export const MAX_VALUE = 1_000_000_000

/** Why an action was not counted. */
export const ACTION_REASONS = [
  'unknown_click',
  'too_old',
  'before_click',
  'uncounted_ad',
  'other_visitor',
  'no_credit',
  'ambiguous',
  'future_time',
  'duplicate',
  'too_many_names',
  'name_quota',
  'value_quota',
  'value_too_high',
  'too_many_actions',
  'bot',
  'prefetch',
  'test',
] as const
export type ActionRefusal = (typeof ACTION_REASONS)[number]

export const NewAction = Body({
  click: Maybe(
    Text(1, 100, {
      description: 'The click id: `mqclid` from the landing page URL.',
      examples: ['ajJ5gAABAgMEBQYHCAkKCw'],
    }),
  ),
  user: Maybe(
    Text(1, 1024, {
      description:
        'The user id that ad requests carry: credits an impression within a day if there is no click.',
    }),
  ),
  name: Maybe(Text(1, MAX_NAME, { description: 'What was done; default `action`.', examples: ['purchase'] })),
  value: Maybe(Type.Number({ minimum: 0, maximum: MAX_VALUE, description: 'Its value, in currency units.' })),
  order: Maybe(
    Text(1, MAX_ORDER, {
      description:
        'An order is counted once, however often servers report it. A pixel’s `order` is not trusted and does not use one up: an action that is reported both by pixel and by server is counted twice.',
    }),
  ),
  time: Maybe(UnixTime({ description: 'When it happened; default: now.' })),
  test: Maybe(
    Type.Boolean({
      description:
        'True: a test that is not counted. The reason is `test` if it would have been counted, otherwise why not.',
    }),
  ),
})
export type NewAction = Static<typeof NewAction>

export const CountedAction = Body({
  counted: Type.Boolean({ description: 'False: it is in no figures, and `reason` says why.' }),
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
  summary: 'Report an action (conversion) by pixel',
  description:
    'A 1 × 1 pixel image for the page that visitors see after the action. It is credited to the click, otherwise to ' +
    'an impression in the same browser within a day (`cuid` then names the customer). Counted once per click and `name`, ' +
    'whatever `order` says, at most 10 names per click; only for a click whose ad was counted, by the browser that ' +
    'clicked, and for names that the customer has used or a few new ones a day. Pixels and servers are counted separately: what is ' +
    'reported both ways is counted twice. The answer is the image even if nothing is counted.',
  access: 'public',
  dataPlane: true,
  query: {
    click: text('The click id: `mqclid` from the landing page URL.', ['ajJ5gAABAgMEBQYHCAkKCw']),
    name: text('What was done; default `action`.', ['purchase']),
    value: text('What it is worth, in currency units; a point before the decimals.', ['49.90']),
    order: text('Accepted and ignored: anybody can load a pixel, so only servers name orders.', ['A-1001']),
    cuid: text('The customer, if there is no click.'),
    test: text(
      '`1`: a test that is not counted. `GET /action` shows that it arrived, if it names a click on one of the customer’s ads.',
    ),
  },
  answer: Type.String(),
  also: ['image/gif'],
})

export const reportAction = endpoint({
  id: 'reportAction',
  needs: 'edit',
  method: 'POST',
  path: '/action',
  tag: 'Statistics',
  summary: 'Report an action (conversion)',
  description:
    'It is credited to the click, otherwise to an impression by the same user within a day. Counted once per `order`, ' +
    'otherwise once per click and `name`, whatever pixels have reported. An action answered with `counted: true` is on disk.',
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

export const SeenActions = Body({
  actions: Type.Array(
    Body({
      name: Type.String({ description: 'Name of the action.' }),
      last: UnixTime({ description: 'When the last one happened.' }),
    }),
    { description: 'Counted actions by name, latest first; at most 200 names.' },
  ),
  test: Nullable(
    Body(
      {
        at: UnixTime({ description: 'When it arrived.' }),
        name: Type.String({ description: 'Name of the action.' }),
        by: Choice(['pixel', 'server'], { description: 'How it was reported.' }),
        reason: Nullable(
          Choice(ACTION_REASONS, {
            description: 'Why it would not have been counted; null: it would have been.',
          }),
        ),
      },
      { description: 'The last test.' },
    ),
  ),
})
export type SeenActions = Static<typeof SeenActions>

export const readActions = endpoint({
  id: 'readActions',
  method: 'GET',
  path: '/action',
  tag: 'Statistics',
  summary: 'When actions last arrived',
  description:
    'To check whether the pixel or the server call works. For figures, use `/stats/:id/breakdown/action`.',
  access: 'customer',
  cuid: true,
  answer: SeenActions,
  examples: {
    answer: {
      actions: [{ name: 'purchase', last: 1_790_000_000 }],
      test: { at: 1_790_000_100, name: 'purchase', by: 'pixel', reason: 'no_credit' },
    },
  },
})
