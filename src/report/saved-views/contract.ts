// Saved views: what the statistics page shows, under a name, and whom it is emailed to. The object and its endpoints,
// as seen from outside.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import {
  Body,
  Choice,
  Created,
  Day,
  Deleted,
  Id,
  Maybe,
  Money,
  Nullable,
  Text,
  Updated,
} from '../../http/schema.ts'
import { DIMENSIONS } from '../figures/contract.ts'

/** Per customer. */
export const MAX_SAVED_VIEWS = 100
export const MAX_READERS = 20

/** Periods that move with the days. */
export const RANGES = [
  'today',
  'yesterday',
  'week',
  'lastWeek',
  '7d',
  '28d',
  'month',
  'lastMonth',
  '30d',
  'all',
] as const
export type Range = (typeof RANGES)[number]

/** What a period is compared with: as many days just before it, on the same weekdays, or a year before; or nothing. */
export const COMPARISONS = ['before', 'weekdays', 'year', 'none'] as const
export type Comparison = (typeof COMPARISONS)[number]

const DAY_MS = 86_400_000
const daysAfter = (day: string, count: number) =>
  new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10)

/**
 * The first day that a period of `days` days is compared with. Days that are not all before the period are not compared
 * with it: that is what `before` is for.
 */
export function firstComparedDay(
  { against, againstDay }: { against: Comparison; againstDay: string | null },
  firstDay: string,
  days: number,
): string {
  const justBefore = daysAfter(firstDay, -days)
  const yearBefore = new Date(firstDay)
  yearBefore.setUTCFullYear(yearBefore.getUTCFullYear() - 1)
  const first =
    againstDay ??
    {
      ...{ before: justBefore, none: justBefore, year: yearBefore.toISOString().slice(0, 10) },
      weekdays: daysAfter(firstDay, -7 * Math.ceil(days / 7)),
    }[against]
  return [first, justBefore].sort()[0]!
}

export const SHOWN_FIGURES = [
  'spend',
  'imps',
  'cpm',
  'views',
  'clicks',
  'ctr',
  'cpc',
  'actions',
  'cnvr',
  'cpa',
  'value',
  'roas',
  'vpa',
] as const

export const EVERY = ['off', 'daily', 'weekly', 'monthly'] as const

const name = Text(1, 100, { description: 'What it is called.', examples: ['Spend by site'] })
const range = Choice(RANGES, {
  description:
    'A period that moves with the days, such as `28d`, the last 28 days. Or `firstDay` and `lastDay`.',
})
const firstDay = Day({ description: 'The first day of a fixed period.', examples: ['2026-11-01'] })
const lastDay = Day({ description: 'Its last day, included.', examples: ['2026-11-30'] })
const against = Choice(COMPARISONS, {
  description:
    'What the period is compared with: as many days just before it (`before`, the default), on the same weekdays, or a year before; or nothing.',
})
const againstDay = Day({
  description: 'Instead of `against`: the first of as many days to compare with. They end before the period.',
  examples: ['2026-09-01'],
})
const figure = Choice(SHOWN_FIGURES, { description: 'The figure that the chart shows; default: `spend`.' })
const interval = Choice(['hour', 'day', 'week', 'month'], {
  description: 'The length of a bucket of the chart; null: by the length of the period.',
})
const dimension = Choice(DIMENSIONS, {
  description: 'What figures are broken down by; null: nothing, and a mail has them by day.',
})
const q = Text(1, 255, { description: 'Only rows of the breakdown whose name contains this text.' })
const amount = (which: string) =>
  Money(0, 1_000_000_000, { description: `Only rows of the breakdown with ${which} this spend.` })
const every = Choice(EVERY, {
  description:
    "When it is mailed to `mailTo`: in the morning of each day, Monday or first of a month, in the customer's time zone. Default: `off`.",
})
const mailTo = Type.Array(Id('Member id.'), {
  maxItems: MAX_READERS,
  description: `Members of the customer that get it; its own address is one of them. At most ${MAX_READERS}. Members who have never signed in get nothing.`,
  examples: [[1010]],
})
const cid = Id('The campaign that it shows; null: the whole customer.')

const chosen = {
  range: Maybe(range),
  firstDay: Maybe(firstDay),
  lastDay: Maybe(lastDay),
  against: Type.Optional(against),
  againstDay: Maybe(againstDay),
  figure: Type.Optional(figure),
  interval: Maybe(interval),
  dimension: Maybe(dimension),
  q: Maybe(q),
  spendFrom: Maybe(amount('at least')),
  spendTo: Maybe(amount('at most')),
  every: Type.Optional(every),
  mailTo: Type.Optional(mailTo),
}

export const NewSavedView = Body({
  name,
  cid: Maybe(cid),
  ...chosen,
  against: Maybe(against),
  figure: Maybe(figure),
  every: Maybe(every),
  mailTo: Maybe(mailTo),
})
export type NewSavedView = Static<typeof NewSavedView>

export const SavedViewEdit = Body({ name: Type.Optional(name), ...chosen })
export type SavedViewEdit = Static<typeof SavedViewEdit>

export const SavedView = Body({
  vid: Id('Saved view id.'),
  cuid: Id('Customer id.'),
  cid: Nullable(cid),
  name,
  range: Nullable(range),
  firstDay: Nullable(firstDay),
  lastDay: Nullable(lastDay),
  against,
  againstDay: Nullable(againstDay),
  figure,
  interval: Nullable(interval),
  dimension: Nullable(dimension),
  q: Nullable(q),
  spendFrom: Nullable(amount('at least')),
  spendTo: Nullable(amount('at most')),
  every,
  mailTo,
  created: Created,
  updated: Updated,
})
export type SavedView = Static<typeof SavedView>

const given = { name: 'Spend by site', range: '28d', dimension: 'domain' }
const example = {
  vid: 1040,
  cuid: 1001,
  cid: null,
  ...given,
  firstDay: null,
  lastDay: null,
  against: 'before',
  againstDay: null,
  figure: 'spend',
  interval: null,
  q: null,
  spendFrom: null,
  spendTo: null,
  every: 'off',
  mailTo: [],
  created: 1_790_000_000,
  updated: 1_790_000_000,
}

const ofCustomer = { access: 'customer', cuid: true, ofAnyCampaign: true, tag: 'Statistics' } as const

export const createSavedView = endpoint({
  ...ofCustomer,
  id: 'createSavedView',
  needs: 'edit',
  method: 'POST',
  path: '/saved-view',
  summary: 'Save a view of statistics',
  description: `What is shown: of the customer or a campaign, a period, a figure, a breakdown and its filters. It needs \`range\`, or
both days. A mail has the figures of the last whole days of the period, their change against what they are compared with,
and the breakdown as CSV in the language of the customer. At most ${MAX_SAVED_VIEWS} per customer (409).`,
  body: NewSavedView,
  status: 201,
  makes: ['vid'],
  etag: true,
  dryRun: true,
  answer: SavedView,
  problems: ['conflict'],
  examples: { body: given, answer: example },
})

export const listSavedViews = endpoint({
  ...ofCustomer,
  id: 'listSavedViews',
  method: 'GET',
  path: '/saved-view',
  summary: 'List saved views',
  description:
    'Oldest first; those of deleted campaigns are left out. A pair that is limited to campaigns sees those of its campaigns.',
  list: true,
  answer: Type.Array(SavedView),
  examples: { answer: [example] },
})

export const readSavedView = endpoint({
  ...ofCustomer,
  id: 'readSavedView',
  method: 'GET',
  path: '/saved-view/:vid',
  summary: 'Read a saved view',
  description: 'What it shows, when it is mailed, and to whom.',
  etag: true,
  answer: SavedView,
  examples: { answer: example },
})

export const editSavedView = endpoint({
  ...ofCustomer,
  id: 'editSavedView',
  needs: 'edit',
  method: 'PUT',
  path: '/saved-view/:vid',
  summary: 'Change a saved view',
  description:
    'Changes only the supplied fields; `range` replaces the days, and the days replace `range`; so do `against` and `againstDay`. Every email has a link by which its reader leaves `mailTo`.',
  body: SavedViewEdit,
  etag: true,
  dryRun: true,
  answer: SavedView,
  examples: {
    body: { every: 'weekly', mailTo: [1010] },
    answer: { ...example, every: 'weekly', mailTo: [1010] },
  },
})

export const deleteSavedView = endpoint({
  ...ofCustomer,
  id: 'deleteSavedView',
  needs: 'edit',
  method: 'DELETE',
  path: '/saved-view/:vid',
  summary: 'Remove a saved view',
  description: 'For good, and it is no longer mailed. No figure changes.',
  etag: true,
  dryRun: true,
  answer: Body({ vid: Id('Saved view id.'), deleted: Deleted }),
  examples: { answer: { vid: 1040, deleted: true } },
})
