// The cockpit: all customers of an app for its staff, those that need a person first; and a search over all of them.

import { type Static, Type } from 'typebox'
import { SOURCE_REFUSALS } from '../../count/tracking/refusals.ts'
import { endpoint } from '../../http/endpoint.ts'
import { Body, Choice, Id, Nullable, Text, UnixTime } from '../../http/schema.ts'
import { ISSUE_CODES, Issue } from '../issues/contract.ts'

export const LEVELS = ['problem', 'warning', 'ok', 'idle'] as const
export type Level = (typeof LEVELS)[number]

/** Why a customer has its level; of several reasons, the first one found. */
export const HEALTH_CODES = [
  // Problems.
  'balance_spent',
  'nothing_to_show',
  'refused',
  'stalled',
  'nothing_delivered',
  // Warnings.
  'frozen',
  'banners_waiting',
  'balance_low',
  'balance_ends',
  'some_stalled',
  'some_cannot_show',
  'very_slow',
  // It delivers.
  'delivers',
  'ready',
  'slow',
  'budget_spent',
  'off_hours',
  // It is idle.
  'access_off',
  'scheduled',
  'paused',
  'no_campaign',
] as const
export type HealthCode = (typeof HEALTH_CODES)[number]

export const FILTERS = ['problems', 'balance', 'banners', 'proposals', 'idle'] as const
export type Filter = (typeof FILTERS)[number]

export const DAYS = 7
export const MOST_CUSTOMERS = 1000

const Day = (description: string) => Type.String({ description, examples: ['2026-10-31'] })
const amount = (description: string) => Type.Number({ description })
const count = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })

export const Health = Body(
  {
    level: Choice(LEVELS, {
      description:
        '`problem`: it does not deliver as it should; `warning`: it will not for long, is far behind an even day, or what does not deliver buys fewer than a hundred impressions a day; `ok`; `idle`: none of its campaigns is to deliver now.',
    }),
    code: Choice(HEALTH_CODES, { description: 'Why.' }),
    since: Nullable(Day('The last day on which it delivered, as far as that says something.')),
    until: Nullable(Day('`balance_ends`: the day until which its balance lasts at its present speed.')),
    at: Nullable(UnixTime({ description: '`scheduled`: when its next campaign begins.' })),
    count: Nullable(
      count(
        'How many: impressions (`refused`), banners (`banners_waiting`), or campaigns (`some_cannot_show`, `nothing_to_show`, `stalled`, `some_stalled`).',
      ),
    ),
    of: Nullable(count('Of how many campaigns that are to deliver now.')),
    reason: Nullable(
      Type.String({
        description:
          '`refused`: why most of them were not counted. `stalled`, `some_stalled`: why most of these campaigns get nowhere: `no_request_fits`, `below_floors`, `mostly_blocked`, `mostly_capped` or `mostly_outbid`.',
        examples: ['foreign_domain'],
      }),
    ),
  },
  { description: 'How it is, and why.' },
)
export type Health = Static<typeof Health>

export const CockpitCustomer = Body({
  cuid: Id('Customer.'),
  company: Type.String({ description: 'Name of the company.' }),
  email: Type.String({ description: 'Its email.' }),
  health: Health,
  spendToday: amount('Spend of its day so far, in currency units.'),
  budgetToday: amount('Daily budgets of its campaigns that can deliver now.'),
  evenToday: amount('What it would have spent by now if it spent these budgets evenly.'),
  days: Type.Array(Type.Number(), { description: `Spend of each of the last ${DAYS} days, today last.` }),
  spend: amount(`Spend of these ${DAYS} days.`),
  imps: count(`Impressions of these ${DAYS} days.`),
  clicks: count(`Clicks of these ${DAYS} days.`),
  balance: Nullable(amount('What is left of its balance; null: it does not pay in advance.')),
  balanceState: Nullable(
    Choice(['ok', 'low', 'spent'], {
      description: '`low`: at or below its `lowBalance`; `spent`: it buys no impression any more.',
    }),
  ),
  banners: count('Banners that wait for a person to review them.'),
  proposals: count('Proposals that wait for an answer.'),
})
export type CockpitCustomer = Static<typeof CockpitCustomer>

export const Cockpit = Body({
  asOf: UnixTime({ description: 'The moment of all these figures.' }),
  strip: Body(
    {
      spendToday: amount('Spend of all customers, each of its own day so far.'),
      until: UnixTime({ description: 'The quarter of an hour until which the two days are compared.' }),
      todayUntil: amount('Spend of today until then.'),
      yesterdayUntil: amount('Spend of yesterday until the same time of day.'),
      problems: count('Customers with a problem.'),
      warnings: count('Customers with a warning.'),
      balanceLow: count('Customers whose balance is low or spent.'),
      balanceSpent: count('Of these, those whose balance is spent.'),
      banners: count('Banners that wait for a person to review them: `GET /review`.'),
      bannersSince: Nullable(UnixTime({ description: 'Since when the oldest of them waits.' })),
      proposals: count('Proposals that wait for an answer.'),
      idle: count('Customers without a campaign that is to deliver now.'),
    },
    { description: 'Of all customers, whatever was asked for.' },
  ),
  refusedSources: Type.Array(
    Body({
      sourceId: Id('The site or exchange.'),
      source: Type.String({ description: 'Its name.' }),
      reason: Choice(SOURCE_REFUSALS, { description: 'Why, as in `GET /stats/:id/filtered`.' }),
      refused: count('Impressions that were not counted for this reason.'),
      of: count('Of how many that were reported.'),
    }),
    {
      description:
        'Sites and exchanges of which at least fifty impressions of the last hour, and one in five, were not counted for one reason. They concern the whole deployment, so a pair of some customers sees none: `other_visitor` of nearly all means that the proxies in front are not configured as they are.',
    },
  ),
  groups: Body(
    {
      attention: count('With a problem or a warning.'),
      delivers: count('That deliver as they should.'),
      idle: count('Without a campaign that is to deliver now.'),
    },
    { description: 'How many customers there are in each group, of those that were asked for.' },
  ),
  total: Body(
    {
      customers: count('How many.'),
      spendToday: amount('Spend of today so far.'),
      budgetToday: amount('Daily budgets of campaigns that can deliver now.'),
      spend: amount(`Spend of ${DAYS} days.`),
      imps: count(`Impressions of ${DAYS} days.`),
      clicks: count(`Clicks of ${DAYS} days.`),
      balance: amount('What is left of all balances.'),
    },
    { description: 'Of all customers that were asked for, on whichever page.' },
  ),
  customers: Type.Array(CockpitCustomer, {
    description:
      'Problems, then warnings, then those that deliver, then idle ones. Of problems and warnings, those with most money at stake come first (what of a day’s budgets would not be spent), of the others those that spent most.',
  }),
  next: Nullable(Id('The `after` of the next page; null: this is the last one.')),
})
export type Cockpit = Static<typeof Cockpit>

const exampleCustomer = {
  cuid: 1001,
  company: 'Blue Bikes Ltd',
  email: 'ann@bluebikes.example',
  health: {
    level: 'problem',
    code: 'balance_spent',
    since: '2026-11-14',
    until: null,
    at: null,
    count: null,
    of: null,
    reason: null,
  },
  spendToday: 0,
  budgetToday: 90,
  evenToday: 52.5,
  days: [61, 64, 70, 52, 25, 0, 0],
  spend: 272,
  imps: 96_400,
  clicks: 655,
  balance: 0,
  balanceState: 'spent',
  banners: 0,
  proposals: 0,
}

const ofApp = { access: 'app', ofChosenCustomers: true, tag: 'Cockpit' } as const

export const readCockpit = endpoint({
  ...ofApp,
  id: 'readCockpit',
  method: 'GET',
  path: '/cockpit',
  summary: 'All customers of the app, those that need a person first',
  description: `What staff see first: a strip of figures of all customers, and the customers with their health, their
money of today and of ${DAYS} days. Health comes with its reason as a code and values. Days are those of each customer's
time zone. Nothing here is older than the call, unless \`asOf\` asks for it. A page has at most \`limit\` customers; \`after\`
is \`next\` of the page before. Send its \`asOf\` as well: the pages are then of one moment, each customer is on one of them,
and they come at once. Without it, a customer that changes its place in between may be on two pages, or on none.`,
  query: {
    filter: {
      schema: Choice(FILTERS),
      description:
        'Only those with a problem, a low balance, waiting banners or proposals, or those that are idle.',
    },
    q: {
      schema: Text(1, 255),
      description:
        'Only those whose company, contact, email or own id, or the name of one of whose campaigns, contains this text, ignoring case and accents.',
    },
    cuid: { schema: Id('A customer.'), description: 'Only this one.' },
    limit: {
      schema: Type.Integer({ minimum: 1, maximum: MOST_CUSTOMERS }),
      description: 'How many customers; default: 100.',
    },
    after: { schema: Id('A customer.'), description: 'Those after this one.' },
    asOf: {
      schema: UnixTime(),
      description:
        'Of the moment of an earlier answer: its `asOf`. Kept for a minute; if it is gone, the answer is of now, as its own `asOf` says.',
    },
  },
  answer: Cockpit,
  examples: {
    answer: {
      asOf: 1_790_000_000,
      strip: {
        spendToday: 3184.2,
        until: 1_789_999_200,
        todayUntil: 3150.1,
        yesterdayUntil: 2966.2,
        problems: 3,
        warnings: 2,
        balanceLow: 2,
        balanceSpent: 1,
        banners: 5,
        bannersSince: 1_789_700_000,
        proposals: 2,
        idle: 7,
      },
      refusedSources: [],
      groups: { attention: 5, delivers: 191, idle: 7 },
      total: {
        customers: 203,
        spendToday: 3184.2,
        budgetToday: 5906,
        spend: 24_918.4,
        imps: 8_402_117,
        clicks: 63_856,
        balance: 41_230,
      },
      customers: [exampleCustomer],
      next: null,
    },
  },
})

export const FoundCampaign = Body({
  cid: Id('Campaign.'),
  name: Type.String({ description: 'Its name.' }),
  externalId: Nullable(Type.String({ description: 'Your own id of it.' })),
  cuid: Id('Its customer.'),
  company: Type.String({ description: 'Name of the company.' }),
})
export type FoundCampaign = Static<typeof FoundCampaign>

export const searchCampaigns = endpoint({
  ...ofApp,
  id: 'searchCampaigns',
  method: 'GET',
  path: '/search',
  summary: 'Search the campaigns of all customers',
  description:
    'Campaigns whose name or `externalId` contains a text, ignoring case and accents. Oldest first, without deleted ones.',
  query: {
    q: { schema: Text(1, 255), required: true, description: 'The text.' },
    limit: {
      schema: Type.Integer({ minimum: 1, maximum: MOST_CUSTOMERS }),
      description: 'How many; default: 100.',
    },
    after: { schema: Id('A campaign.'), description: 'Those after this one.' },
  },
  answer: Type.Array(FoundCampaign),
  examples: {
    answer: [{ cid: 1002, name: 'Spring bikes', externalId: null, cuid: 1001, company: 'Blue Bikes Ltd' }],
  },
})

export const CustomerIssue = Body({
  cuid: Id('Customer.'),
  company: Type.String({ description: 'Name of the company.' }),
  ...Issue.properties,
})
export type CustomerIssue = Static<typeof CustomerIssue>

export const CustomerIssues = Body({
  issues: Type.Array(CustomerIssue, { description: 'By customer, then as in `GET /issues`.' }),
  next: Nullable(
    Id(
      'The `after` of the next page; null: there are no more. A page may have no issues and still have a next one.',
    ),
  ),
})
export type CustomerIssues = Static<typeof CustomerIssues>

export const listIssuesOfAll = endpoint({
  ...ofApp,
  id: 'listIssuesOfAll',
  method: 'GET',
  path: '/cockpit/issues',
  summary: 'What keeps campaigns of all customers from delivering',
  description:
    'As `GET /issues` tells it of one customer: a page is about up to `limit` customers that have a campaign which is enabled and has not ended, and has at most 200 issues of each. It ends early with the customer that brings it to 1,000 issues.',
  query: {
    code: { schema: Choice(ISSUE_CODES), description: 'Only issues of this kind.' },
    limit: {
      schema: Type.Integer({ minimum: 1, maximum: 100 }),
      description: 'How many customers; default: 50.',
    },
    after: { schema: Id('A customer.'), description: 'Those after this one.' },
  },
  answer: CustomerIssues,
  examples: {
    answer: {
      issues: [
        {
          cuid: 1001,
          company: 'Blue Bikes Ltd',
          code: 'no_banner',
          cid: 1002,
          campaign: 'Spring bikes',
          pid: 1004,
          persona: 'Commuters in Ontario',
          bid: null,
          banner: null,
          reasons: [],
          findings: [],
        },
      ],
      next: null,
    },
  },
})
