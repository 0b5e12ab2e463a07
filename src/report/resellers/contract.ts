// Reports for resellers: the figures of all customers of an app in one call. As seen from outside.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Body, Choice, Id, Nullable, UnixTime } from '../../http/schema.ts'

export const GROUPINGS = [
  'customer',
  'campaign',
  'day',
  'month',
  'customer,day',
  'customer,month',
  'campaign,day',
  'campaign,month',
] as const
export type Grouping = (typeof GROUPINGS)[number]

export const MAX_ROWS = 500_000

const count = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })
const figures = {
  imps: count('Impressions.'),
  views: count('Impressions of our own tag that were seen.'),
  clicks: count('Valid clicks.'),
  actions: count('Conversions.'),
  spend: Type.Number({ description: 'In currency units.' }),
  value: Type.Number({ description: 'What the conversions were worth, in currency units.' }),
}

export const ReportRow = Body({
  cuid: Type.Optional(Id('The customer, if grouped by customer or campaign.')),
  company: Type.Optional(Type.String({ description: 'Company of the customer.' })),
  externalId: Type.Optional(Nullable(Type.String({ description: 'Your own id of the customer.' }))),
  balance: Type.Optional(
    Nullable(
      Type.Number({
        description: 'What is left on its account right now; null: it does not pay in advance.',
      }),
    ),
  ),
  currency: Type.Optional(Type.String({ description: 'Currency of the deployment.', examples: ['USD'] })),
  cid: Type.Optional(Id('The campaign, if grouped by campaign.')),
  campaign: Type.Optional(Type.String({ description: 'Name of the campaign.' })),
  campaignExternalId: Type.Optional(Nullable(Type.String({ description: 'Your own id of the campaign.' }))),
  deleted: Type.Optional(Type.Boolean({ description: 'The campaign or its customer was deleted.' })),
  day: Type.Optional(Type.String({ description: "In the customer's time zone.", examples: ['2026-10-31'] })),
  month: Type.Optional(Type.String({ description: "In the customer's time zone.", examples: ['2026-10'] })),
  ...figures,
})
export type ReportRow = Static<typeof ReportRow>

export const Report = Body({
  by: Choice(GROUPINGS, { description: 'What a row is for.' }),
  rows: Type.Array(ReportRow, { description: 'In the order of the grouping.' }),
  total: Body(figures, { description: 'The sum of all rows.' }),
})
export type Report = Static<typeof Report>

const exampleFigures = { imps: 20_000, views: 13_400, clicks: 246, actions: 12, spend: 40, value: 360 }

export const readReport = endpoint({
  id: 'readReport',
  method: 'GET',
  path: '/report',
  tag: 'Reports',
  summary: 'Figures of all customers of the app',
  description: `By customer, campaign, day or month; with \`customer,day\` and the like, by both. Rows are ordered
by customer, campaign and time; what has no figures has no row. What was deleted keeps its figures here. They are kept
by days of the customer's time zone; every date that \`start\` and \`end\` touch, by the deployment's clocks, is
included. At most ${MAX_ROWS.toLocaleString('en')} rows. As CSV with \`accept: text/csv\`.`,
  access: 'app',
  ofChosenCustomers: true,
  query: {
    by: { schema: Choice(GROUPINGS), description: 'What a row is for; default: a customer.' },
    start: { schema: UnixTime(), description: 'From this moment on.' },
    end: { schema: UnixTime(), description: 'Until just before this moment.' },
  },
  answer: Report,
  also: ['text/csv'],
  examples: {
    answer: {
      by: 'customer,month',
      rows: [
        {
          cuid: 1001,
          company: 'Blue Bikes Ltd',
          externalId: null,
          balance: 87.6,
          currency: 'USD',
          deleted: false,
          month: '2026-10',
          ...exampleFigures,
        },
      ],
      total: exampleFigures,
    },
  },
})
