// Statistics: the records and their endpoints, as seen from outside.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Body, Choice, Id, Nullable, UnixTime } from '../../http/schema.ts'

/** The writer of all CSV files, also of the console's. */
export { type Cell, csvLine, ENGLISH, GERMAN } from './csv.ts'

export const DIMENSIONS = [
  'domain',
  'app',
  'os',
  'device',
  'country',
  'banner',
  'persona',
  'action',
  'hour',
  'campaign',
  'region',
  'city',
  'size',
  'age',
  'gender',
  'category',
] as const
export type Dimension = (typeof DIMENSIONS)[number]

export const MAX_BUCKETS = 10_000
export const MAX_BREAKDOWN = 10_000
/** The last row of a breakdown that was cut off: everything beyond its limit. */
export const OTHER = '(other)'

const count = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })
const id = Id('The campaign, flight, persona or banner; or the customer itself.')
const filteredCounts = {
  imps: count('Impressions.'),
  clicks: count('Clicks.'),
  actions: count('Conversions.'),
}
const figures = {
  imps: count('Impressions.'),
  views: count(
    'Viewable impressions of our own tag: half of the pixels on screen for one second. Part of `imps`.',
  ),
  clicks: count('Valid clicks.'),
  actions: count('Conversions.'),
  spend: Type.Number({
    description: 'In currency units, exact to the micro: one impression of a CPM of 2.50 is 0.0025.',
    examples: [0.0025],
  }),
  ctr: Type.Number({ description: 'clicks / imps; 0 without impressions.' }),
  cnvr: Type.Number({ description: 'actions / clicks; 0 without clicks.' }),
  value: Type.Number({
    description: 'What the conversions were worth, in currency units, exact to the micro.',
    examples: [125.5],
  }),
  roas: Type.Number({ description: 'Return on ad spend: value / spend; 0 without spend.' }),
  valuePerAction: Type.Number({ description: 'value / actions; 0 without conversions.' }),
}

export const Summary = Body({ id, ...figures })
export type Summary = Static<typeof Summary>

export const Timeseries = Body({
  id,
  timeseries: Type.Array(
    Body({ date: Type.Integer({ description: "The bucket's first second, Unix time." }), ...figures }),
    { description: 'One record per bucket, oldest first.' },
  ),
})
export type Timeseries = Static<typeof Timeseries>

export const Breakdown = Body({
  id,
  dimension: Choice(DIMENSIONS, { description: 'What it is broken down by.' }),
  breakdown: Type.Array(
    Body({
      name: Type.String({ description: 'The value of the dimension; `unknown` if there is none.' }),
      label: Type.Optional(
        Type.String({ description: 'The name of a region, city or category in English.' }),
      ),
      id: Type.Optional(Id('Id of the campaign, persona or banner.')),
      deleted: Type.Optional(
        Type.Boolean({ description: 'True if it, or what it belongs to, was deleted. Its figures stay.' }),
      ),
      ...figures,
      share: Type.Number({
        description: 'Its share of all impressions, or of all actions if broken down by action. From 0 to 1.',
      }),
    }),
    { description: 'Largest first.' },
  ),
})
export type Breakdown = Static<typeof Breakdown>

export const Filtered = Body({
  id,
  filtered: Type.Array(
    Body({ reason: Type.String({ description: 'Why it was not counted.' }), ...filteredCounts }),
    { description: 'One record per reason.' },
  ),
})
export type Filtered = Static<typeof Filtered>

export const StatsEvent = Body({
  kind: Choice(['impression', 'click', 'view', 'action'], { description: 'What happened.' }),
  time: UnixTime({ description: 'When it was received.' }),
  ad: Type.String({ description: 'The served ad: the same for an impression, its click and its actions.' }),
  cid: Id('Campaign.'),
  fid: Id('Flight.'),
  pid: Id('Persona.'),
  bid: Id('Banner.'),
  source: Nullable(Id('The exchange or site; null for an action.')),
  spend: Type.Number({
    description: 'In currency units, exact to the micro: one impression of a CPM of 2.50 is 0.0025.',
    examples: [0.0025],
  }),
  domain: Nullable(Type.String({ description: 'Domain of the page.' })),
  app: Nullable(Type.String({ description: 'Bundle of the app.' })),
  device: Nullable(Type.String({ description: '`mobile`, `tablet` or `desktop`.' })),
  os: Nullable(Type.String({ description: 'Operating system.' })),
  country: Nullable(Type.String({ description: 'ISO 3166-1 alpha-2.' })),
  region: Nullable(Type.String({ description: 'As in `CA-ON`.' })),
  city: Nullable(Type.String({ description: 'A city of our table of places.' })),
  category: Nullable(
    Type.String({ description: 'Category of the page or app, by IAB Content Taxonomy 1.0.' }),
  ),
  name: Nullable(Type.String({ description: 'Name of an action.' })),
  value: Nullable(Type.Number({ description: 'Value of an action, in currency units.' })),
  creditedTo: Nullable(
    Choice(['click', 'view'], {
      description: 'For an action: what it is credited to; `view` is an impression without a click.',
    }),
  ),
})
export type StatsEvent = Static<typeof StatsEvent>

export const LiveTotals = Body(
  {
    cuid: Id('The customer.'),
    date: UnixTime({ description: "The first second of today in the customer's time zone." }),
    ...figures,
    campaigns: Type.Array(Body({ cid: Id('Campaign.'), ...figures }), {
      description: 'Those with any figures today, by id.',
    }),
  },
  { description: 'The figures of today.' },
)
export type LiveTotals = Static<typeof LiveTotals>

export const Figures = Body({
  id,
  asOf: UnixTime({ description: 'The moment of all these figures.' }),
  summary: Body(figures, { description: 'The whole period.' }),
  timeseries: Type.Optional(Timeseries.properties.timeseries),
  previous: Type.Optional(
    Body(
      {
        summary: Body(figures, { description: 'From `previousStart` to `end`.' }),
        timeseries: Type.Optional(Timeseries.properties.timeseries),
        end: UnixTime({
          description:
            '`previousEnd`, or `start`; while the period asked for is not over, the same time of day as `until`.',
        }),
        until: UnixTime({
          description: 'The end of the period asked for, or of the last quarter of an hour that is over.',
        }),
        soFar: Body(figures, {
          description: 'The period asked for until `until`: what `previous.summary` compares with.',
        }),
      },
      { description: 'The period that it is compared with, up to the same time of day.' },
    ),
  ),
  breakdown: Type.Optional(Breakdown.properties.breakdown),
  filtered: Type.Optional(Filtered.properties.filtered),
  today: Type.Optional(LiveTotals),
})
export type Figures = Static<typeof Figures>

const period = {
  start: { schema: UnixTime(), description: 'From this moment on.' },
  end: { schema: UnixTime(), description: 'Until just before this moment.' },
}
const BY_QUARTERS =
  'Figures are kept by quarter hour: every quarter that `start` and `end` touch is included.'
const BY_DAYS =
  "These figures are kept by day in the customer's time zone: every day that `start` and `end` touch is included."
const AS_CSV = 'As CSV with `accept: text/csv`.'

const exampleFigures = {
  imps: 20_000,
  views: 13_400,
  clicks: 246,
  actions: 12,
  spend: 40,
  ctr: 0.0123,
  cnvr: 0.04878,
  value: 360,
  roas: 9,
  valuePerAction: 30,
}

export const readSummary = endpoint({
  id: 'readSummary',
  method: 'GET',
  path: '/stats/:id/summary',
  ofAnyCampaign: true,
  tag: 'Statistics',
  summary: 'Totals of a campaign, flight, persona or banner',
  description: `All time, or a period. ${BY_QUARTERS} ${AS_CSV}`,
  access: 'customer',
  cuid: true,
  query: period,
  answer: Summary,
  also: ['text/csv'],
  examples: { answer: { id: 1002, ...exampleFigures } },
})

const series = {
  interval: {
    schema: Choice(['hour', 'day', 'week', 'month']),
    description: 'Length of a bucket; default: a day. Weeks begin on Monday.',
  },
  tz: {
    schema: Type.String({ maxLength: 64, examples: ['Europe/Berlin'] }),
    description: "IANA time zone of the buckets; default: the customer's.",
  },
}

export const readTimeseries = endpoint({
  id: 'readTimeseries',
  method: 'GET',
  path: '/stats/:id/timeseries',
  ofAnyCampaign: true,
  tag: 'Statistics',
  summary: 'Figures by hour, day, week or month',
  description: `Every bucket from \`start\` to \`end\` (excluded), with zeros where nothing happened. The first bucket may
begin before \`start\`: its \`date\` is the bucket's, its figures are counted from \`start\`. ${BY_QUARTERS} The default
is the campaign's start to its end or now, whichever is earlier, and as far as it has figures before and after, so that it
sums to the summary; a campaign that has not begun has an empty series. At most ${MAX_BUCKETS.toLocaleString('en')} buckets. ${AS_CSV}`,
  access: 'customer',
  cuid: true,
  query: { ...period, ...series },
  answer: Timeseries,
  also: ['text/csv'],
  examples: { answer: { id: 1002, timeseries: [{ date: 1_790_035_200, ...exampleFigures }] } },
})

const limit = {
  schema: Type.Integer({ minimum: 1, maximum: MAX_BREAKDOWN }),
  description: 'At most this many rows; default: 1,000.',
}

export const readBreakdown = endpoint({
  id: 'readBreakdown',
  method: 'GET',
  path: '/stats/:id/breakdown/:dimension',
  ofAnyCampaign: true,
  tag: 'Statistics',
  summary: 'Figures by place, page, device, audience, banner, persona, action or hour',
  description: `Largest first: by impressions; by actions if broken down by action. The rest, beyond \`limit\`, is summed up in a
last row \`${OTHER}\`. Only a customer is broken down by campaign. Every breakdown sums to the summary of its days
(by action: only the actions do); what is not known is \`unknown\`. By domain, \`(app)\` is what was shown in apps; by app,
\`(web)\` is what was shown on sites. Regions and cities have the codes that personas use, \`CA-ON\` and
\`CA-ON-Toronto\`, and \`label\` is the name; a category is the first IAB code given for the page or app; a size is \`300x250\`; ages are
\`13to17\`, \`18to34\`, \`35to49\` and \`50+\`. ${BY_DAYS} ${AS_CSV}`,
  access: 'customer',
  cuid: true,
  query: { ...period, limit },
  answer: Breakdown,
  also: ['text/csv'],
  examples: {
    answer: {
      id: 1002,
      dimension: 'domain',
      breakdown: [{ name: 'news.example', ...exampleFigures, share: 1 }],
    },
  },
})

export const readFiltered = endpoint({
  id: 'readFiltered',
  method: 'GET',
  path: '/stats/:id/filtered',
  ofAnyCampaign: true,
  tag: 'Statistics',
  summary: 'What was not counted, and why',
  description: `Bots, duplicates, late and foreign calls; no other figures include them. ${BY_DAYS} ${AS_CSV}`,
  access: 'customer',
  cuid: true,
  query: period,
  answer: Filtered,
  also: ['text/csv'],
  examples: { answer: { id: 1002, filtered: [{ reason: 'bot', imps: 310, clicks: 12, actions: 0 }] } },
})

export const readFigures = endpoint({
  id: 'readFigures',
  method: 'GET',
  path: '/stats/:id/figures',
  ofAnyCampaign: true,
  tag: 'Statistics',
  summary: 'All figures of a period from one snapshot',
  description: `Summary, time series, breakdown and what was filtered, read from one state of the database: they agree to
the last micro-unit while new events come in. Each part is included if requested, as its own endpoint would return it. With
\`dimension\` or \`filtered\` the period must be whole days of the customer's time zone, since these figures are kept by
day: \`start\` and \`end\`, if given, are the first second of one.`,
  access: 'customer',
  cuid: true,
  query: {
    ...period,
    previousStart: {
      schema: UnixTime(),
      description:
        'Adds `previous`: the same figures from this moment on. While the period asked for is not over, they end at the same time of day.',
    },
    previousEnd: { schema: UnixTime(), description: 'Where they end at the latest; default: `start`.' },
    ...series,
    interval: { ...series.interval, description: 'Adds `timeseries`: the length of its buckets.' },
    dimension: { schema: Choice(DIMENSIONS), description: 'Adds `breakdown` by this dimension.' },
    limit,
    filtered: { schema: Type.Boolean(), description: 'Adds what was not counted.' },
    today: {
      schema: Type.Boolean(),
      description: "Adds today's totals, as in `GET /stats/live`. Only for a customer.",
    },
  },
  answer: Figures,
  examples: {
    answer: {
      id: 1002,
      asOf: 1_790_035_212,
      summary: exampleFigures,
      timeseries: [{ date: 1_790_035_200, ...exampleFigures }],
      breakdown: [{ name: 'news.example', ...exampleFigures, share: 1 }],
    },
  },
})

export const listEvents = endpoint({
  id: 'listEvents',
  method: 'GET',
  path: '/stats/:id/events',
  ofAnyCampaign: true,
  tag: 'Statistics',
  summary: 'Every counted event, in time order',
  description: `The evidence behind the figures: their number and spend match the totals of the same period. Nothing in them
identifies the user. Streamed, however many there are: a JSON array; with \`accept: application/x-ndjson\` one
object per line; with \`accept: text/csv\` CSV. \`start\` and \`end\` are exact to the second.`,
  access: 'customer',
  cuid: true,
  query: period,
  answer: Type.Array(StatsEvent),
  also: ['application/x-ndjson', 'text/csv'],
  examples: {
    answer: [
      {
        kind: 'impression',
        time: 1_790_035_212,
        ad: 'k3Jf0Qm2T8yX1a5bC7dE9w',
        cid: 1002,
        fid: 1003,
        pid: 1004,
        bid: 1005,
        source: 2,
        spend: 0.002,
        domain: 'news.example',
        app: null,
        device: 'mobile',
        os: 'Android',
        country: 'CA',
        region: 'CA-ON',
        city: 'Toronto',
        category: 'IAB12',
        name: null,
        value: null,
        creditedTo: null,
      },
    ],
  },
})

export const readLive = endpoint({
  id: 'readLive',
  method: 'GET',
  path: '/stats/live',
  tag: 'Statistics',
  summary: "Today's totals of a customer, as they change",
  description: `One object; with \`accept: text/event-stream\` a stream of server-sent events \`totals\`: one immediately,
then at most one per second, whenever something changes. A stream ends after ten minutes, and clients reconnect.`,
  access: 'customer',
  cuid: true,
  answer: LiveTotals,
  also: ['text/event-stream'],
  examples: {
    answer: {
      cuid: 1001,
      date: 1_790_035_200,
      ...exampleFigures,
      campaigns: [{ cid: 1002, ...exampleFigures }],
    },
  },
})
