// The calls that only a sandbox has: its clock, its visitors, what it sent, and its reset.

import { type Static, Type } from 'typebox'
import { endpoint } from '../http/endpoint.ts'
import { Body, Choice, Id, Nullable, UnixTime } from '../http/schema.ts'
import { EVENT_TYPES } from '../kernel/event-type.ts'
import { MAX_ATTRIBUTES, MAX_VALUE_CHARS } from '../manage/attributes/contract.ts'

/** How far one call moves the clock. */
export const MOST_MOVE_S = 10 * 366 * 86_400

export const Happening = Body({
  time: UnixTime({ description: 'When it happened, by the clock of the sandbox.' }),
  kind: Type.String({
    description:
      '`midnight` of a time zone, `mail`, or an event as webhooks report it, such as `campaign.ended`; even if no webhook receives it.',
  }),
  zone: Type.Optional(Type.String({ description: 'The time zone of the midnight.' })),
  cuid: Type.Optional(Id('The customer it is about.')),
  cid: Type.Optional(Id('Campaign.')),
  fid: Type.Optional(Id('Flight.')),
  pid: Type.Optional(Id('Persona.')),
  bid: Type.Optional(Id('Banner.')),
  to: Type.Optional(Type.String({ description: 'Who gets the email.' })),
  subject: Type.Optional(Type.String({ description: 'The subject of the email.' })),
})
export type Happening = Static<typeof Happening>

export const ClockState = Body({
  now: UnixTime({ description: 'The current time of the sandbox.' }),
  start: UnixTime({ description: 'The time of its first start.' }),
  target: Nullable(UnixTime({ description: 'The time to which it is being moved; null: it stands still.' })),
  progress: Nullable(
    Type.Number({ description: 'How much of the move is done, from 0 to 1; null: it stands still.' }),
  ),
  events: Type.Array(Happening, {
    description: 'What happened since the last move began, in order; the first 10,000 entries.',
  }),
})
export type ClockState = Static<typeof ClockState>

const MOVED = {
  now: 1_790_086_400,
  start: 1_790_000_000,
  target: null,
  progress: null,
  events: [{ time: 1_790_035_200, kind: 'midnight', zone: 'UTC' }],
}

export const readClock = endpoint({
  id: 'readSandboxClock',
  method: 'GET',
  path: '/sandbox/clock',
  tag: 'Sandbox',
  summary: 'Read the clock of the sandbox',
  description: 'It stands still until it is moved.',
  access: 'app',
  answer: ClockState,
  examples: { answer: MOVED },
})

export const moveClock = endpoint({
  id: 'moveSandboxClock',
  needs: 'edit',
  method: 'POST',
  path: '/sandbox/clock',
  tag: 'Sandbox',
  summary: 'Move the clock of the sandbox',
  description:
    'Forward only. Everything that falls due on the way happens, in order and at its own time, before the call answers: midnights, starts and ends of campaigns, attempts of webhooks and emails, reviews, reports, folding, hourly export. A move that takes longer than 20 seconds continues by itself: the call answers 202, and `GET /sandbox/clock` says how far it is.',
  access: 'app',
  body: Body({
    by: Type.Optional(
      Type.Integer({ minimum: 0, maximum: MOST_MOVE_S, description: 'Seconds. Either this or `to`.' }),
    ),
    to: Type.Optional(UnixTime({ description: 'A time that has not passed, within ten years.' })),
  }),
  answer: ClockState,
  otherStatuses: { 202: 'It is still being moved; `events` has what happened so far.' },
  problems: ['conflict'],
  examples: { body: { by: 86_400 }, answer: MOVED },
})

export const reset = endpoint({
  id: 'resetSandbox',
  needs: 'rights',
  method: 'POST',
  path: '/sandbox/reset',
  tag: 'Sandbox',
  summary: 'Reset the sandbox',
  description:
    'Deletes everything that was made or happened since its first start: customers with all they own, figures, webhooks, emails, sessions, jobs, exported files. The clock returns to the time of its first start. Apps, exchanges and sites stay, with their keys. Ids start again, so that the same calls give the same answers. Calls under way are ended.',
  access: 'app',
  answer: ClockState,
  problems: ['conflict'],
  examples: {
    answer: { now: 1_790_000_000, start: 1_790_000_000, target: null, progress: null, events: [] },
  },
})

const Weights = (description: string, propertyNames: object) =>
  Type.Unsafe<Record<string, number>>({
    type: 'object',
    minProperties: 1,
    maxProperties: 100,
    propertyNames: { type: 'string', ...propertyNames },
    additionalProperties: { type: 'number', minimum: 0, maximum: 1_000_000 },
    description,
  })
const Rate = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })

export const Mix = Body({
  countries: Type.Optional(
    Weights(
      'Where they live, by ISO 3166-1 code: `{ "CA": 0.7, "US": 0.3 }`; more of them in larger towns. Without this and `places`: half of them in the places that enabled personas are meant for, the others in Canada, Germany, Great Britain and the United States.',
      { pattern: '^[A-Z]{2}$' },
    ),
  ),
  places: Type.Optional(
    Weights(
      'Instead of `countries`: places as a persona names them, `{ "CA-ON": 2, "CA-ON-Toronto": 1, "DE": 1 }`.',
      { minLength: 2, maxLength: 120 },
    ),
  ),
  devices: Type.Optional(
    Weights('`mobile`, `tablet` and `desktop`.', { enum: ['mobile', 'tablet', 'desktop'] }),
  ),
  categories: Type.Optional(
    Weights(
      'Of the pages, by IAB code. Without this: half of them those that enabled personas are meant for.',
      { pattern: '^IAB[1-9][0-9]?(-[1-9][0-9]?)?$' },
    ),
  ),
  sizes: Type.Optional(
    Weights(
      'Of the places for ads: `300x250`. Without this: the usual ones, and half of them those of banners of other sizes.',
      { pattern: '^[1-9][0-9]{1,3}x[1-9][0-9]{1,3}$' },
    ),
  ),
  attributes: Type.Optional(
    Type.Unsafe<Record<string, Record<string, number>>>({
      type: 'object',
      maxProperties: MAX_ATTRIBUTES,
      propertyNames: { type: 'string', minLength: 1, maxLength: 40 },
      additionalProperties: Weights('Values, of numbers too, by name.', {
        minLength: 1,
        maxLength: MAX_VALUE_CHARS,
      }),
      description:
        'What the app knows, by declared key: `{ "section": { "sport": 0.4, "news": 0.6 } }`. Of other keys, half of the visitors carry what enabled personas want, and the others some choice.',
      examples: [{ section: { sport: 0.4, news: 0.6 }, price: { '19.9': 1 } }],
    }),
  ),
  users: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'How many people there are; some come more often.',
    }),
  ),
  ctr: Type.Optional(Rate('Clicks per ad that is seen.')),
  appeal: Type.Optional(
    Weights('How much more often a banner is clicked than others, by its id: `{ "1005": 2.5 }`.', {
      pattern: '^[1-9][0-9]{0,15}$',
    }),
  ),
  cvr: Type.Optional(Rate('Purchases per click.')),
  value: Type.Optional(
    Body(
      {
        from: Type.Number({ minimum: 0, maximum: 1_000_000, description: 'The least.' }),
        to: Type.Number({ minimum: 0, maximum: 1_000_000, description: 'The most.' }),
      },
      { description: 'What a purchase is worth; from 20 to 220 if not given.' },
    ),
  ),
})
export type Mix = Static<typeof Mix>

const Count = (description: string) => Type.Integer({ minimum: 0, description })

export const TrafficResult = Body({
  done: Type.Boolean({ description: 'False: it continues, and these are the figures so far.' }),
  now: UnixTime({ description: 'The current time of the sandbox.' }),
  requests: Count('Ad requests.'),
  served: Count('Requests that got an ad.'),
  counted: Body({
    imps: Count('Impressions.'),
    views: Count('Views.'),
    clicks: Count('Clicks.'),
    actions: Count('Actions.'),
    spend: Type.Number({ description: 'What was billed.' }),
  }),
  refused: Type.Unsafe<Record<string, number>>({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Requests without an ad, by reason: see [exchanges](exchanges.md).',
  }),
})
export type TrafficResult = Static<typeof TrafficResult>

const TRAFFIC = {
  done: true,
  now: 1_790_086_400,
  requests: 2_400,
  served: 1_890,
  counted: { imps: 1_700, views: 560, clicks: 17, actions: 2, spend: 3.4 },
  refused: { no_match: 480, pacing: 30 },
}

export const sendTraffic = endpoint({
  id: 'sendSandboxTraffic',
  needs: 'edit',
  method: 'POST',
  path: '/sandbox/traffic',
  tag: 'Sandbox',
  summary: 'Send visitors to the sandbox',
  description:
    'People of a mix that you can choose request ads, half of them through an exchange and half on a site, see them, click, and buy something. More come by day than by night, and fewer at weekends. Each request and each report goes through the real code, and the clock moves along. The same seed at the same time gives the same visitors. A period that takes longer than 20 seconds continues by itself: the call answers 202, and `GET /sandbox/traffic` has the figures.',
  access: 'app',
  body: Body({
    from: Type.Optional(
      UnixTime({ description: 'When it begins; now if not given. The clock is moved there first.' }),
    ),
    to: Type.Optional(
      UnixTime({ description: 'When it ends, within ten years; a day after it begins if not given.' }),
    ),
    perHour: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100_000,
        description: 'Requests per hour, on average. Either this or `requests`.',
      }),
    ),
    requests: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 2_000_000, description: 'Requests in all.' }),
    ),
    crowd: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description:
          'How many people each visitor stands for: what one sees is counted and billed so many times, as far as budgets reach. Clicks and purchases are as many as `ctr` and `cvr` say, spread evenly.',
      }),
    ),
    seed: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Seed of the random numbers; default: that of the sandbox.',
      }),
    ),
    sites: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
        minItems: 1,
        maxItems: 100,
        description: 'Domains of the pages that the exchange sells.',
      }),
    ),
    mix: Type.Optional(Mix),
  }),
  answer: TrafficResult,
  otherStatuses: { 202: 'It continues; these are the figures so far.' },
  problems: ['conflict'],
  examples: { body: { perHour: 100, mix: { countries: { CA: 0.7, US: 0.3 }, ctr: 0.01 } }, answer: TRAFFIC },
})

export const readTraffic = endpoint({
  id: 'readSandboxTraffic',
  method: 'GET',
  path: '/sandbox/traffic',
  tag: 'Sandbox',
  summary: 'Read the figures of the last visitors',
  description: 'The figures of the last `POST /sandbox/traffic`, and whether it has ended.',
  access: 'app',
  answer: TrafficResult,
  examples: { answer: TRAFFIC },
})

export const sendEvent = endpoint({
  id: 'sendSandboxEvent',
  needs: 'edit',
  method: 'POST',
  path: '/sandbox/event',
  tag: 'Sandbox',
  summary: 'Send an event to the webhooks of the app',
  description:
    'It has the object as it is now, is signed, and is retried like any other event, so that a receiver can be tested without the real event. Nothing else changes. `customer.credited` has the last credit of the customer: 404 if there is none.',
  access: 'app',
  body: Body({
    type: Choice(EVENT_TYPES, { description: 'Which event.' }),
    id: Id('The campaign, banner, proposal or customer that it is about.'),
  }),
  answer: Happening,
  problems: ['not_found'],
  examples: {
    body: { type: 'campaign.ended', id: 1002 },
    answer: { time: 1_790_086_400, kind: 'campaign.ended', cuid: 1001 },
  },
})

export const SentMail = Body({
  time: UnixTime({ description: 'When it was sent, by the clock of the sandbox.' }),
  to: Type.String({ description: 'Who gets it.' }),
  subject: Type.String({ description: 'Its subject.' }),
  text: Type.String({ description: 'Its plain text.' }),
  html: Type.String({ description: 'The same as HTML.' }),
})
export type SentMail = Static<typeof SentMail>

export const readOutbox = endpoint({
  id: 'readSandboxOutbox',
  method: 'GET',
  path: '/sandbox/outbox',
  tag: 'Sandbox',
  summary: 'List the emails that the sandbox sent',
  description: 'The last 1,000 since it was started, oldest first.',
  access: 'app',
  query: { to: { schema: Type.String({ maxLength: 254 }), description: 'Only those to this address.' } },
  answer: Type.Array(SentMail),
  examples: {
    answer: [
      {
        time: 1_790_086_400,
        to: 'ann@bikes.example',
        subject: 'Your passcode: 000000',
        text: '000000',
        html: '<p>000000</p>',
      },
    ],
  },
})

export const ReceivedCall = Body({
  time: UnixTime({ description: 'When it arrived, by the clock of the sandbox.' }),
  method: Type.String({ description: 'POST, for a webhook.' }),
  url: Type.String({ description: 'Path and query: a query of your own tells several webhooks apart.' }),
  headers: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'As they arrived, with names in lower case.',
  }),
  body: Type.String({ description: 'As it arrived, byte for byte; the signature is for these bytes.' }),
})
export type ReceivedCall = Static<typeof ReceivedCall>

export const readInbox = endpoint({
  id: 'readSandboxInbox',
  method: 'GET',
  path: '/sandbox/inbox',
  tag: 'Sandbox',
  summary: 'List the webhook calls that the sandbox received',
  description:
    'A receiver for webhooks, so that a test needs no server of its own: register `<base>/sandbox/inbox` as the address of a webhook. The last 10,000 calls since the sandbox was started, as far as they fit into 50 MB, oldest first.',
  access: 'app',
  answer: Type.Array(ReceivedCall),
  examples: {
    answer: [
      {
        time: 1_790_086_400,
        method: 'POST',
        url: '/sandbox/inbox',
        headers: { 'webhook-id': 'msg_1', 'x-marquee-sandbox': '1790086400' },
        body: '{"type":"campaign.ended","timestamp":"2026-09-22T13:33:20.000Z","data":{}}',
      },
    ],
  },
})
