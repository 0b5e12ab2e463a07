// Campaigns and their flights: the objects and their endpoints, as the outside may know them.

import { type Static, Type } from 'typebox'
import { endpoint } from '../platform/endpoint.ts'
import { Body, Choice, Id, Maybe, Money, Nullable, Text, UnixTime } from '../platform/schema.ts'

export const MAX_FREQ = 1_000_000
export const MAX_CATEGORIES = 100

const name = Text(1, 255, { examples: ['Spring bikes'] })
const start = UnixTime({ description: 'First second of the run.', examples: [1_893_456_000] })
const end = UnixTime({ description: 'The run ends just before this second.', examples: [1_896_134_400] })
const dailySpend = Money(0.01, 1_000_000_000, {
  description: 'The most to spend a day, at most 2 decimals.',
  examples: [250.5],
})
const freqLimits = { minimum: 0, maximum: MAX_FREQ }
const frequency = Type.Integer({
  ...freqLimits,
  description: 'Impressions one user may see a day; 0: no cap.',
  examples: [3],
})
const freq = Type.Integer({ ...freqLimits, description: 'Another name of `frequency`.' })
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
}

export const NewCampaign = Body({
  name,
  start,
  end,
  dailySpend,
  ...options,
  enabled: Maybe(Type.Boolean({ description: 'Default true.' })),
})
export type NewCampaign = Static<typeof NewCampaign>

export const CampaignEdit = Body({
  name: Type.Optional(name),
  start: Type.Optional(start),
  end: Type.Optional(end),
  dailySpend: Type.Optional(dailySpend),
  ...options,
  // Known here only so that its refusal can say what to do instead.
  enabled: Type.Optional(
    Type.Unsafe<unknown>({ not: {}, description: 'Refused here: pause and resume set it.' }),
  ),
})
export type CampaignEdit = Static<typeof CampaignEdit>

export const CAMPAIGN_STATUSES = ['scheduled', 'running', 'paused', 'spent', 'ended'] as const

export const Campaign = Body({
  cid: Id('Campaign id.'),
  cuid: Id('Customer id.'),
  start,
  end,
  name: Type.String(),
  enabled: Type.Boolean({ description: 'False while paused.' }),
  freq: Type.Integer({ description: 'Impressions one user may see a day; 0: no cap.' }),
  dailySpend: Type.Number(),
  cpm: Type.Number({ description: 'What 1,000 impressions cost, or the most to bid.' }),
  category: Type.Array(Type.String()),
  pacing,
  status: Choice(CAMPAIGN_STATUSES, {
    description:
      'As of now: `ended` (nothing of it lies ahead), `paused`, `scheduled` (it, or its next flight, lies ahead), `spent` (the budget of the day is used up) or `running`.',
  }),
  created: UnixTime(),
  updated: UnixTime(),
})
export type Campaign = Static<typeof Campaign>

const example = {
  name: 'Spring bikes',
  start: 1_893_456_000,
  end: 1_896_134_400,
  dailySpend: 250.5,
  frequency: 3,
  cpm: 2.4,
  category: ['IAB17-3'],
}
const readExample = {
  cid: 1002,
  cuid: 1001,
  start: example.start,
  end: example.end,
  name: example.name,
  enabled: true,
  freq: 3,
  dailySpend: 250.5,
  cpm: 2.4,
  category: example.category,
  pacing: 'even',
  status: 'scheduled',
  created: 1_790_000_000,
  updated: 1_790_000_000,
}

const ofCustomer = { access: 'customer', cuid: true, tag: 'Campaigns' } as const

export const createCampaign = endpoint({
  ...ofCustomer,
  id: 'createCampaign',
  method: 'POST',
  path: '/campaign',
  summary: 'Create a campaign',
  description:
    'It is born with one flight that spans it. It delivers once it has a persona with an approved banner.',
  body: NewCampaign,
  status: 201,
  etag: true,
  answer: Campaign,
  examples: { body: example, answer: readExample },
})

export const listCampaigns = endpoint({
  ...ofCustomer,
  id: 'listCampaigns',
  method: 'GET',
  path: '/campaign',
  summary: 'List the campaigns of the customer',
  list: true,
  answer: Type.Array(Campaign),
  examples: { answer: [readExample] },
})

export const readCampaign = endpoint({
  ...ofCustomer,
  id: 'readCampaign',
  method: 'GET',
  path: '/campaign/:cid',
  summary: 'Read a campaign',
  etag: true,
  answer: Campaign,
  examples: { answer: readExample },
})

export const editCampaign = endpoint({
  ...ofCustomer,
  id: 'editCampaign',
  method: 'PUT',
  path: '/campaign/:cid',
  summary: 'Edit a campaign',
  description:
    'Changes only the supplied fields; null gives an optional one its default again. An `end` in the past ends the campaign. Dates that would leave a flight outside are refused with 409.',
  etag: true,
  body: CampaignEdit,
  answer: Campaign,
  problems: ['conflict'],
  examples: { body: { dailySpend: 300, frequency: 5 }, answer: { ...readExample, dailySpend: 300, freq: 5 } },
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
  examples: { answer: { ...readExample, enabled: false, status: 'paused' } },
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
  examples: { answer: readExample },
})

export const deleteCampaign = endpoint({
  ...ofCustomer,
  id: 'deleteCampaign',
  method: 'DELETE',
  path: '/campaign/:cid',
  summary: 'Delete a campaign',
  description:
    'It and everything beneath it is gone from the API and from delivery. Only the operator can undo it.',
  etag: true,
  answer: Body({ cid: Id('Campaign id.'), deleted: Type.Literal(true) }),
  examples: { answer: { cid: 1002, deleted: true } },
})

export const HistoryEntry = Body({
  id: Id('Of the entry; `after` pages by it.'),
  at: UnixTime(),
  noun: Choice(['campaign', 'flight', 'persona', 'banner'], { description: 'What was changed.' }),
  nounId: Id('The cid, fid, pid or bid of it.'),
  action: Type.String({ description: 'What was done: create, edit, pause, resume, delete, restore, …' }),
  actor: Type.String({
    description: 'The key of the pair that did it, `app` for a super pair, or the part that acted by itself.',
  }),
  before: Nullable(Type.Object({}, { additionalProperties: true })),
  after: Nullable(Type.Object({}, { additionalProperties: true })),
})
export type HistoryEntry = Static<typeof HistoryEntry>

export const readCampaignHistory = endpoint({
  ...ofCustomer,
  id: 'readCampaignHistory',
  method: 'GET',
  path: '/campaign/:cid/history',
  summary: 'Read what was changed in a campaign',
  description: 'Of the campaign and everything beneath it, oldest first: who, when, before and after.',
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

export const NewFlight = Body({ name, start, end })
export type NewFlight = Static<typeof NewFlight>

export const FlightEdit = Body({
  name: Type.Optional(name),
  start: Type.Optional(start),
  end: Type.Optional(end),
})
export type FlightEdit = Static<typeof FlightEdit>

export const Flight = Body({
  fid: Id('Flight id.'),
  cid: Id('Campaign id.'),
  name: Type.String(),
  start,
  end,
  default: Type.Boolean({
    description:
      'True for the flight the campaign was born with: it spans the campaign and cannot be changed.',
  }),
  created: UnixTime(),
  updated: UnixTime(),
})
export type Flight = Static<typeof Flight>

const flightExample = { name: 'First week', start: 1_893_456_000, end: 1_894_060_800 }
const readFlightExample = {
  fid: 1004,
  cid: 1002,
  ...flightExample,
  default: false,
  created: 1_790_000_200,
  updated: 1_790_000_200,
}
const bornFlightExample = {
  ...readFlightExample,
  fid: 1003,
  name: 'Whole campaign',
  end: 1_896_134_400,
  default: true,
  created: 1_790_000_000,
  updated: 1_790_000_000,
}

const ofCampaign = { access: 'customer', cuid: true, tag: 'Flights' } as const

export const createFlight = endpoint({
  ...ofCampaign,
  id: 'createFlight',
  method: 'POST',
  path: '/campaign/:cid/flight',
  summary: 'Create a flight',
  description:
    'A dated run inside the campaign. As soon as a campaign has flights of its own it delivers only inside them. Flights of a campaign do not overlap (409).',
  body: NewFlight,
  status: 201,
  etag: true,
  answer: Flight,
  problems: ['conflict'],
  examples: { body: flightExample, answer: readFlightExample },
})

export const listFlights = endpoint({
  ...ofCampaign,
  id: 'listFlights',
  method: 'GET',
  path: '/campaign/:cid/flight',
  summary: 'List the flights of a campaign',
  description: 'With the one it was born with, `default: true`.',
  list: true,
  answer: Type.Array(Flight),
  examples: { answer: [bornFlightExample, readFlightExample] },
})

export const readFlight = endpoint({
  ...ofCampaign,
  id: 'readFlight',
  method: 'GET',
  path: '/campaign/:cid/flight/:fid',
  summary: 'Read a flight',
  etag: true,
  answer: Flight,
  examples: { answer: readFlightExample },
})

export const editFlight = endpoint({
  ...ofCampaign,
  id: 'editFlight',
  method: 'PUT',
  path: '/campaign/:cid/flight/:fid',
  summary: 'Edit a flight',
  description:
    'Changes only the supplied fields. The flight a campaign was born with cannot be edited (409).',
  etag: true,
  body: FlightEdit,
  answer: Flight,
  problems: ['conflict'],
  examples: { body: { name: 'Opening' }, answer: { ...readFlightExample, name: 'Opening' } },
})

export const deleteFlight = endpoint({
  ...ofCampaign,
  id: 'deleteFlight',
  method: 'DELETE',
  path: '/campaign/:cid/flight/:fid',
  summary: 'Delete a flight',
  description:
    'When the last own flight is gone, the one the campaign was born with delivers again; that one cannot be deleted (409).',
  etag: true,
  answer: Body({ fid: Id('Flight id.'), deleted: Type.Literal(true) }),
  problems: ['conflict'],
  examples: { answer: { fid: 1004, deleted: true } },
})
