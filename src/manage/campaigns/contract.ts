// Campaigns: the object and its endpoints, as seen from outside. Endpoints that include personas (creating a campaign
// with them, copying) are in src/manage/orders/.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import {
  Body,
  BY_EXTERNAL_ID,
  byExternalId,
  Choice,
  Created,
  clickParametersOf,
  Deleted,
  deletedFilter,
  deletedShown,
  Id,
  keptFields,
  keptShown,
  listFilters,
  Maybe,
  Money,
  Nullable,
  START_BEFORE_END,
  Text,
  UnixTime,
  Updated,
} from '../../http/schema.ts'
import { By } from '../../identity/contract.ts'
import { ShownSites, Sites } from '../site-lists/contract.ts'
import { campaignExample, readCampaignExample } from './examples.ts'
import { MAX_CPC, MAX_CPM, priceFields, priceShown } from './price.ts'

export { campaignExample, MAX_CPC, MAX_CPM, readCampaignExample }

export const MIN_AMOUNT = 0.01
export const MAX_SPEND = 1_000_000_000
export const MAX_FREQ = 1_000_000
export const MAX_CATEGORIES = 100

const name = Text(1, 255, {
  description: 'Internal name; visitors never see it.',
  examples: ['Spring bikes'],
})
const start = UnixTime({ description: 'First second of the run.', examples: [1_893_456_000] })
const end = UnixTime({ description: 'The run ends just before this second.', examples: [1_896_134_400] })
const dailySpend = Money(MIN_AMOUNT, MAX_SPEND, {
  description: 'Maximum spend per day, with at most 2 decimals.',
  examples: [250.5],
})
const totalSpend = Money(MIN_AMOUNT, MAX_SPEND, {
  description:
    'Maximum spend over the whole life of the campaign, with at most 2 decimals; `dailySpend` is then the most of one day. ' +
    'Default: no limit.',
  examples: [3000],
})
const monthlySpend = Money(MIN_AMOUNT, MAX_SPEND, {
  description:
    "Maximum spend per month of the customer's calendar, with at most 2 decimals; `dailySpend` is then the most of one day. " +
    'Default: no limit.',
  examples: [500],
})
const freqLimits = { minimum: 0, maximum: MAX_FREQ }
const frequency = Type.Integer({
  ...freqLimits,
  description: 'Impressions per user per day; 0: no cap.',
  examples: [3],
})
const freq = Type.Integer({ ...freqLimits, description: 'Alias of `frequency`.' })
const category = Type.Array(Text(1, 20), {
  maxItems: MAX_CATEGORIES,
  description: 'IAB Content Taxonomy 1.0 codes of what is advertised.',
  examples: [['IAB17-3']],
})
const PACINGS = ['even', 'asap'] as const
const pacing = Choice(PACINGS, {
  description:
    '`even` (default) spreads the budget over the day, and what is left of `monthlySpend` over the days of the month, ' +
    'and of `totalSpend` (of the campaign, or of the flight that runs) over the days that are left; ' +
    '`asap` spends it as fast as possible.',
})
const MAX_HOUR = 23
const hoursOfDay = Type.Optional(
  Type.Array(Type.Integer({ minimum: 0, maximum: MAX_HOUR }), {
    maxItems: MAX_HOUR + 1,
    description: 'Hours of this day: 9 is from 9:00 to just before 10:00.',
  }),
)
export const hours = Body(
  {
    mon: hoursOfDay,
    tue: hoursOfDay,
    wed: hoursOfDay,
    thu: hoursOfDay,
    fri: hoursOfDay,
    sat: hoursOfDay,
    sun: hoursOfDay,
  },
  {
    description:
      'The hours of the week in which it delivers, in the time zone of its budget; a day that is left out has none. Null: always. When clocks go back, an hour that comes twice counts both times.',
    examples: [{ mon: [9, 10, 11], fri: [14, 15] }],
  },
)

const clickParameters = clickParametersOf('as for its customer')

const options = {
  monthlySpend: Maybe(monthlySpend),
  totalSpend: Maybe(totalSpend),
  frequency: Maybe(frequency),
  freq: Maybe(freq),
  ...priceFields,
  category: Maybe(category),
  pacing: Maybe(pacing),
  hours: Maybe(hours),
  clickParameters: Maybe(clickParameters),
  sites: Maybe(Sites),
  ...keptFields,
}

export const NewCampaign = Body(
  {
    name,
    start,
    end,
    dailySpend,
    ...options,
    enabled: Maybe(Type.Boolean({ description: 'Default true.' })),
  },
  START_BEFORE_END,
)
export type NewCampaign = Static<typeof NewCampaign>

export const CampaignEdit = Body(
  {
    name: Type.Optional(name),
    start: Type.Optional(start),
    end: Type.Optional(end),
    dailySpend: Type.Optional(dailySpend),
    ...options,
    enabled: Maybe(Type.Boolean({ description: 'Pauses or resumes it.' })),
  },
  START_BEFORE_END,
)
export type CampaignEdit = Static<typeof CampaignEdit>

export const CAMPAIGN_STATUSES = [
  'scheduled',
  'running',
  'paused',
  'frozen',
  'spent',
  'off_hours',
  'ended',
  'incomplete',
] as const

/** Budgets that can be used up. */
export const SPENT_BY = ['day', 'month', 'total', 'balance'] as const

/** What keeps a whole campaign from delivering, regardless of its dates and budget. */
export const MISSING = [
  'no_persona',
  'personas_paused',
  'no_banner',
  'banners_paused',
  'banner_pending',
  'banner_rejected',
  'no_click_url',
] as const
export type Missing = (typeof MISSING)[number]

export const Campaign = Body(
  {
    cid: Id('Campaign id.'),
    cuid: Id('Customer id.'),
    start,
    end,
    name: Type.String({ description: 'Internal name; visitors never see it.' }),
    enabled: Type.Boolean({ description: 'False while paused.' }),
    freq: Type.Integer({ description: 'Impressions per user per day; 0: no cap.' }),
    frequency: Type.Integer({ description: 'Same as `freq`, under the name used in edits.' }),
    dailySpend: Type.Number({ description: 'Maximum spend per day, in currency units.' }),
    monthlySpend: Nullable(
      Type.Number({ description: 'Maximum spend per calendar month, in currency units; null: no limit.' }),
    ),
    totalSpend: Nullable(
      Type.Number({ description: 'Maximum spend over its whole life, in currency units; null: no limit.' }),
    ),
    ...priceShown,
    category: Type.Array(Type.String(), {
      description: 'IAB Content Taxonomy 1.0 codes of what is advertised.',
    }),
    pacing,
    hours: Nullable(hours),
    sites: ShownSites,
    status: Choice(CAMPAIGN_STATUSES, {
      description:
        'Current state: `ended` (nothing lies ahead), `paused`, `frozen` (its customer is), `scheduled` (it or its next flight lies ahead), `spent` (a budget is used up: `spentBy` says which), `off_hours` (it is outside its `hours`), `incomplete` (it should deliver, but `missing` says what it lacks) or `running` (it can deliver).',
    }),
    resumes: Nullable(
      UnixTime({
        description:
          'When it delivers again: while its status is `off_hours` the next of its hours, and while its month is spent (`spentBy`) the next month; null otherwise, or if its end comes first.',
      }),
    ),
    spentBy: Nullable(
      Choice(SPENT_BY, {
        description:
          'Which budget a `spent` campaign has used up: that of the `day`, that of the `month` (`monthlySpend`), its `total` (`totalSpend`, of the campaign or of the flight that runs) or the `balance` of its customer. Null in every other status.',
      }),
    ),
    missing: Type.Array(Choice(MISSING), {
      description:
        'What it lacks to deliver, whatever its status; empty if nothing. `no_persona`, `personas_paused` (all of them), `no_banner`; or none of its banners can be shown: `banners_paused`, `banner_pending`, `banner_rejected`, `no_click_url`.',
    }),
    clickParameters: Nullable(clickParameters),
    ...keptShown,
    created: Created,
    updated: Updated,
    ...deletedShown,
  },
  { description: 'The campaign.' },
)
export type Campaign = Static<typeof Campaign>

const ofCustomer = { access: 'customer', cuid: true, tag: 'Campaigns' } as const
const spending = { ...ofCustomer, needs: 'spend', dryRun: true } as const
const editing = { ...ofCustomer, needs: 'edit', dryRun: true } as const

export const listCampaigns = endpoint({
  ...ofCustomer,
  id: 'listCampaigns',
  ofAnyCampaign: true,
  method: 'GET',
  path: '/campaign',
  summary: 'List the campaigns of the customer',
  description:
    'Oldest first, filtered by status, text or `externalId`. The status of a deleted one is what it would be if it were restored now.',
  list: true,
  query: {
    status: { schema: Choice(CAMPAIGN_STATUSES), description: 'Only campaigns of this status.' },
    ...listFilters,
    ...deletedFilter,
  },
  answer: Type.Array(Campaign),
  examples: { answer: [readCampaignExample] },
})

export const readCampaign = endpoint({
  ...ofCustomer,
  id: 'readCampaign',
  method: 'GET',
  path: '/campaign/:cid',
  summary: 'Read a campaign',
  description: '`status` is its current state. The answer can be sent back by PUT.',
  etag: true,
  answer: Campaign,
  examples: { answer: readCampaignExample },
})

export const editCampaign = endpoint({
  ...spending,
  id: 'editCampaign',
  method: 'PUT',
  path: '/campaign/:cid',
  summary: 'Edit a campaign',
  description:
    'Changes only the supplied fields; null resets an optional one to its default. What a read returns can be sent back: fields that cannot be edited are accepted with their current value. An `end` in the past ends the campaign. Dates that would leave a flight outside are refused with 409.',
  etag: true,
  body: CampaignEdit,
  answer: Campaign,
  problems: ['conflict'],
  examples: {
    body: { dailySpend: 300, frequency: 5 },
    answer: { ...readCampaignExample, dailySpend: 300, freq: 5, frequency: 5 },
  },
})

export const putCampaign = endpoint({
  ...spending,
  ...byExternalId,
  makes: ['cid'],
  id: 'putCampaign',
  path: '/campaign/by-external/:externalId',
  summary: 'Create or change a campaign by your own id',
  description: `${BY_EXTERNAL_ID} Required to create: \`name\`, \`start\`, \`end\`, \`dailySpend\`.`,
  body: CampaignEdit,
  answer: Campaign,
  problems: [...byExternalId.problems, 'conflict'],
  examples: { body: campaignExample, answer: { ...readCampaignExample, externalId: 'crm-4711' } },
})

export const pauseCampaign = endpoint({
  ...editing,
  id: 'pauseCampaign',
  staff: 'support',
  method: 'PUT',
  path: '/campaign/:cid/pause',
  summary: 'Pause a campaign',
  description: 'Stops its delivery within a second. Pausing a paused campaign changes nothing.',
  etag: true,
  answer: Campaign,
  examples: { answer: { ...readCampaignExample, enabled: false, status: 'paused' } },
})

export const resumeCampaign = endpoint({
  ...spending,
  id: 'resumeCampaign',
  method: 'PUT',
  path: '/campaign/:cid/resume',
  summary: 'Resume a campaign',
  description: 'Resuming a campaign that is not paused changes nothing.',
  etag: true,
  answer: Campaign,
  examples: { answer: readCampaignExample },
})

export const deleteCampaign = endpoint({
  ...editing,
  id: 'deleteCampaign',
  method: 'DELETE',
  path: '/campaign/:cid',
  summary: 'Delete a campaign',
  description:
    'Removes it and everything in it from the API and from delivery. `…/restore` undoes it for a while; after that, only the operator can.',
  etag: true,
  answer: Body({ cid: Id('Campaign id.'), deleted: Deleted }),
  examples: { answer: { cid: 1002, deleted: true } },
})

export const restoreCampaign = endpoint({
  ...spending,
  id: 'restoreCampaign',
  method: 'POST',
  path: '/campaign/:cid/restore',
  summary: 'Restore a deleted campaign',
  description:
    'Also restores everything in it, except what was deleted separately. Possible within `RESTORE_WITHIN` of the deletion, then 404. If it is not deleted, nothing changes.',
  etag: true,
  answer: Campaign,
  examples: { answer: readCampaignExample },
})

export const HistoryEntry = Body({
  id: Id('Id of the entry, for paging with `after`.'),
  at: UnixTime({ description: 'When it was changed.' }),
  noun: Choice(['campaign', 'flight', 'persona', 'banner', 'note'], { description: 'What was changed.' }),
  nounId: Id('Its cid, fid, pid, bid or nid.'),
  action: Type.String({ description: 'What was done: create, edit, pause, resume, delete, restore, …' }),
  actor: Type.String({ description: 'The key of a pair, `app`, or a name of the service; see `by`.' }),
  by: By,
  before: Nullable(
    Type.Object({}, { additionalProperties: true, description: 'Before the change; null: it was created.' }),
  ),
  after: Nullable(
    Type.Object({}, { additionalProperties: true, description: 'After the change; null: it was deleted.' }),
  ),
  unchanged: Type.Optional(
    Type.Array(Choice(['geo'], { description: 'A field.' }), {
      description:
        'Fields that are left out of `before` and `after`: a change of a persona that leaves more than 100 places as they are does not repeat them.',
    }),
  ),
})
export type HistoryEntry = Static<typeof HistoryEntry>

export const readCampaignHistory = endpoint({
  ...ofCustomer,
  id: 'readCampaignHistory',
  method: 'GET',
  path: '/campaign/:cid/history',
  summary: 'Read the change history of a campaign',
  description: 'Changes to the campaign and everything in it, oldest first: who, when, before and after.',
  list: true,
  answer: Type.Array(HistoryEntry),
  examples: {
    answer: [
      {
        id: 17,
        at: 1_790_000_100,
        noun: 'campaign',
        nounId: 1002,
        action: 'edit',
        actor: 'mqck_0000000000000000000000zzzzzz',
        by: { kind: 'key', name: 'Nightly sync', email: null, as: null },
        before: { name: 'Spring', dailySpend: 250.5 },
        after: { name: 'Spring bikes', dailySpend: 250.5 },
      },
    ],
  },
})
