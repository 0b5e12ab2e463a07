// Campaigns: the object and its endpoints, as the outside may know them. Those that reach beneath it (to create it with
// its personas, to copy it) are in src/orders/.

import { type Static, Type } from 'typebox'
import { endpoint } from '../http/endpoint.ts'
import {
  Body,
  BY_EXTERNAL_ID,
  byExternalId,
  Choice,
  Created,
  Deleted,
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
} from '../http/schema.ts'

export const MAX_FREQ = 1_000_000
export const MAX_CATEGORIES = 100

const name = Text(1, 255, { description: 'For people; visitors never see it.', examples: ['Spring bikes'] })
const start = UnixTime({ description: 'First second of the run.', examples: [1_893_456_000] })
const end = UnixTime({ description: 'The run ends just before this second.', examples: [1_896_134_400] })
const dailySpend = Money(0.01, 1_000_000_000, {
  description: 'The most to spend per day, with at most 2 decimals.',
  examples: [250.5],
})
const freqLimits = { minimum: 0, maximum: MAX_FREQ }
const frequency = Type.Integer({
  ...freqLimits,
  description: 'Impressions one user may see per day; 0: no cap.',
  examples: [3],
})
const freq = Type.Integer({ ...freqLimits, description: 'Another name for `frequency`.' })
const cpm = Money(0.01, 1_000_000, {
  description: 'What 1,000 impressions cost, or the most to bid. Default: `DEFAULT_CPM` of the deployment.',
  examples: [2.4],
})
const category = Type.Array(Text(1, 20), {
  maxItems: MAX_CATEGORIES,
  description: 'IAB Content Taxonomy 1.0 codes of what is advertised.',
  examples: [['IAB17-3']],
})
const PACINGS = ['even', 'asap'] as const
const pacing = Choice(PACINGS, {
  description: '`even` (default) spreads the budget over the day, `asap` spends it as fast as it can.',
})

const options = {
  frequency: Maybe(frequency),
  freq: Maybe(freq),
  cpm: Maybe(cpm),
  category: Maybe(category),
  pacing: Maybe(pacing),
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
  },
  START_BEFORE_END,
)
export type CampaignEdit = Static<typeof CampaignEdit>

export const CampaignUpsert = Body({
  ...CampaignEdit.properties,
  enabled: Maybe(Type.Boolean({ description: 'Pauses or resumes it; not supplied: true for a new one.' })),
})
export type CampaignUpsert = Static<typeof CampaignUpsert>

export const CAMPAIGN_STATUSES = ['scheduled', 'running', 'paused', 'spent', 'ended', 'incomplete'] as const

/** What keeps a whole campaign from delivering, whatever its dates and budget say. */
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
    name: Type.String({ description: 'For people; visitors never see it.' }),
    enabled: Type.Boolean({ description: 'False while paused.' }),
    freq: Type.Integer({ description: 'Impressions one user may see per day; 0: no cap.' }),
    frequency: Type.Integer({ description: 'The same as `freq`, by the name that an edit uses.' }),
    dailySpend: Type.Number({ description: 'The most to spend per day, in currency units.' }),
    cpm: Type.Number({ description: 'What 1,000 impressions cost, or the most to bid.' }),
    category: Type.Array(Type.String(), {
      description: 'IAB Content Taxonomy 1.0 codes of what is advertised.',
    }),
    pacing,
    status: Choice(CAMPAIGN_STATUSES, {
      description:
        'As of now: `ended` (nothing of it lies ahead), `paused`, `scheduled` (it, or its next flight, lies ahead), `spent` (the budget of the day is used up), `incomplete` (its time has come, but `missing` says what it lacks) or `running` (it can deliver).',
    }),
    missing: Type.Array(Choice(MISSING), {
      description:
        'What it lacks in order to deliver, whatever its status; empty if nothing. `no_persona`, `personas_paused` (all of them), `no_banner`; or no banner of its personas can be shown: `banners_paused`, `banner_pending`, `banner_rejected`, `no_click_url`.',
    }),
    ...keptShown,
    created: Created,
    updated: Updated,
  },
  { description: 'The campaign.' },
)
export type Campaign = Static<typeof Campaign>

export const campaignExample = {
  name: 'Spring bikes',
  start: 1_893_456_000,
  end: 1_896_134_400,
  dailySpend: 250.5,
  frequency: 3,
  cpm: 2.4,
  category: ['IAB17-3'],
}
export const readCampaignExample = {
  cid: 1002,
  cuid: 1001,
  start: campaignExample.start,
  end: campaignExample.end,
  name: campaignExample.name,
  enabled: true,
  freq: 3,
  frequency: 3,
  dailySpend: 250.5,
  cpm: 2.4,
  category: campaignExample.category,
  pacing: 'even',
  status: 'scheduled',
  missing: ['no_persona'],
  externalId: null,
  metadata: {},
  created: 1_790_000_000,
  updated: 1_790_000_000,
}

const ofCustomer = { access: 'customer', cuid: true, tag: 'Campaigns' } as const

export const listCampaigns = endpoint({
  ...ofCustomer,
  id: 'listCampaigns',
  method: 'GET',
  path: '/campaign',
  summary: 'List the campaigns of the customer',
  description: 'Oldest first, narrowed down by status, text or `externalId`.',
  list: true,
  query: {
    status: { schema: Choice(CAMPAIGN_STATUSES), description: 'Only campaigns of this status.' },
    ...listFilters,
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
  description: '`status` is what it does right now. What is answered can be sent back by PUT.',
  etag: true,
  answer: Campaign,
  examples: { answer: readCampaignExample },
})

export const editCampaign = endpoint({
  ...ofCustomer,
  id: 'editCampaign',
  method: 'PUT',
  path: '/campaign/:cid',
  summary: 'Edit a campaign',
  description:
    'Changes only the supplied fields; null gives an optional one its default again. What a read shows can be sent back: fields that cannot be edited are accepted if they have their present value. An `end` in the past ends the campaign. Dates that would leave a flight outside are refused with 409.',
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
  ...ofCustomer,
  ...byExternalId,
  makes: ['cid'],
  id: 'putCampaign',
  path: '/campaign/by-external/:externalId',
  summary: 'Create or change a campaign by your own id',
  description: `${BY_EXTERNAL_ID} Required for a creation: \`name\`, \`start\`, \`end\`, \`dailySpend\`.`,
  body: CampaignUpsert,
  answer: Campaign,
  problems: [...byExternalId.problems, 'conflict'],
  examples: { body: campaignExample, answer: { ...readCampaignExample, externalId: 'crm-4711' } },
})

export const pauseCampaign = endpoint({
  ...ofCustomer,
  id: 'pauseCampaign',
  method: 'PUT',
  path: '/campaign/:cid/pause',
  summary: 'Pause a campaign',
  description: 'Stops its delivery within a second. Pausing a paused campaign changes nothing.',
  etag: true,
  answer: Campaign,
  examples: { answer: { ...readCampaignExample, enabled: false, status: 'paused' } },
})

export const resumeCampaign = endpoint({
  ...ofCustomer,
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
  ...ofCustomer,
  id: 'deleteCampaign',
  method: 'DELETE',
  path: '/campaign/:cid',
  summary: 'Delete a campaign',
  description:
    'It and everything beneath it is gone from the API and from delivery. `…/restore` undoes it for a while; after that, only the operator can.',
  etag: true,
  answer: Body({ cid: Id('Campaign id.'), deleted: Deleted }),
  examples: { answer: { cid: 1002, deleted: true } },
})

export const restoreCampaign = endpoint({
  ...ofCustomer,
  id: 'restoreCampaign',
  method: 'POST',
  path: '/campaign/:cid/restore',
  summary: 'Bring a deleted campaign back',
  description:
    'Everything beneath it comes back too, except what was deleted separately. Possible for a while after its deletion (`RESTORE_WITHIN`), then 404. If it is not deleted, nothing changes.',
  etag: true,
  answer: Campaign,
  examples: { answer: readCampaignExample },
})

export const HistoryEntry = Body({
  id: Id('Id of the entry; `after` pages by it.'),
  at: UnixTime({ description: 'When it was changed.' }),
  noun: Choice(['campaign', 'flight', 'persona', 'banner'], { description: 'What was changed.' }),
  nounId: Id('Its cid, fid, pid or bid.'),
  action: Type.String({ description: 'What was done: create, edit, pause, resume, delete, restore, …' }),
  actor: Type.String({
    description:
      'The key of the pair that did it, `app` for a super pair, or the part of the service that acted on its own.',
  }),
  before: Nullable(
    Type.Object({}, { additionalProperties: true, description: 'As it was; null: it was created.' }),
  ),
  after: Nullable(
    Type.Object({}, { additionalProperties: true, description: 'As it became; null: it was deleted.' }),
  ),
})
export type HistoryEntry = Static<typeof HistoryEntry>

export const readCampaignHistory = endpoint({
  ...ofCustomer,
  id: 'readCampaignHistory',
  method: 'GET',
  path: '/campaign/:cid/history',
  summary: 'Read what was changed in a campaign',
  description:
    'Changes to the campaign and everything beneath it, oldest first: who, when, before and after.',
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
        before: { name: 'Spring', dailySpend: 250.5 },
        after: { name: 'Spring bikes', dailySpend: 250.5 },
      },
    ],
  },
})
