// Flights, the dated runs of a campaign: the object and its endpoints, as seen from outside.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../../http/endpoint.ts'
import {
  Body,
  Created,
  Deleted,
  deletedFilter,
  deletedShown,
  Id,
  Maybe,
  Money,
  Nullable,
  START_BEFORE_END,
  Text,
  UnixTime,
  Updated,
} from '../../../http/schema.ts'

const name = Text(1, 255, { description: 'Internal name; visitors never see it.', examples: ['First week'] })
const start = UnixTime({ description: 'First second of the run.', examples: [1_893_456_000] })
const end = UnixTime({ description: 'The run ends just before this second.', examples: [1_896_134_400] })
const totalSpend = Money(0.01, 1_000_000_000, {
  description:
    'Maximum spend over the whole flight, with at most 2 decimals, within the budgets of its campaign. When it is used up, ' +
    'the campaign rests until its next flight. Default: no limit.',
  examples: [2000],
})

export const NewFlight = Body({ name, start, end, totalSpend: Maybe(totalSpend) }, START_BEFORE_END)
export type NewFlight = Static<typeof NewFlight>

export const FlightEdit = Body(
  {
    name: Type.Optional(name),
    start: Type.Optional(start),
    end: Type.Optional(end),
    totalSpend: Maybe(totalSpend),
  },
  START_BEFORE_END,
)
export type FlightEdit = Static<typeof FlightEdit>

export const Flight = Body({
  fid: Id('Flight id.'),
  cid: Id('Campaign id.'),
  name: Type.String({ description: 'Internal name; visitors never see it.' }),
  start,
  end,
  totalSpend: Nullable(
    Type.Number({ description: 'Maximum spend over the whole flight, in currency units; null: no limit.' }),
  ),
  default: Type.Boolean({
    description: 'True for the original flight of the campaign: it spans the campaign and cannot be changed.',
  }),
  created: Created,
  updated: Updated,
  ...deletedShown,
})
export type Flight = Static<typeof Flight>

const flightExample = { name: 'First week', start: 1_893_456_000, end: 1_894_060_800 }
const readFlightExample = {
  fid: 1004,
  cid: 1002,
  ...flightExample,
  totalSpend: null,
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
  needs: 'spend',
  method: 'POST',
  path: '/campaign/:cid/flight',
  summary: 'Create a flight',
  description:
    'A dated run within the campaign. Once a campaign has flights of its own, it delivers only during them. Flights of a campaign cannot overlap (409).',
  body: NewFlight,
  status: 201,
  makes: ['fid'],
  etag: true,
  dryRun: true,
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
  description: 'Includes the original one, `default: true`.',
  list: true,
  query: deletedFilter,
  answer: Type.Array(Flight),
  examples: { answer: [bornFlightExample, readFlightExample] },
})

export const readFlight = endpoint({
  ...ofCampaign,
  id: 'readFlight',
  method: 'GET',
  path: '/campaign/:cid/flight/:fid',
  summary: 'Read a flight',
  description: 'The original flight of a campaign has `default: true` and follows the dates of the campaign.',
  etag: true,
  answer: Flight,
  examples: { answer: readFlightExample },
})

export const editFlight = endpoint({
  ...ofCampaign,
  id: 'editFlight',
  needs: 'spend',
  method: 'PUT',
  path: '/campaign/:cid/flight/:fid',
  summary: 'Edit a flight',
  description: 'Changes only the supplied fields. The original flight of a campaign cannot be edited (409).',
  etag: true,
  body: FlightEdit,
  dryRun: true,
  answer: Flight,
  problems: ['conflict'],
  examples: { body: { name: 'Opening' }, answer: { ...readFlightExample, name: 'Opening' } },
})

export const restoreFlight = endpoint({
  ...ofCampaign,
  id: 'restoreFlight',
  needs: 'spend',
  method: 'POST',
  path: '/campaign/:cid/flight/:fid/restore',
  summary: 'Restore a deleted flight',
  description:
    'Possible within `RESTORE_WITHIN` of the deletion, and only if no other flight has taken its dates (409). If it is not deleted, nothing changes.',
  etag: true,
  dryRun: true,
  answer: Flight,
  problems: ['conflict'],
  examples: { answer: readFlightExample },
})

export const deleteFlight = endpoint({
  ...ofCampaign,
  id: 'deleteFlight',
  needs: 'spend',
  method: 'DELETE',
  path: '/campaign/:cid/flight/:fid',
  summary: 'Delete a flight',
  description:
    'Without flights of its own, a campaign delivers in its original flight again; that one cannot be deleted (409).',
  etag: true,
  dryRun: true,
  answer: Body({ fid: Id('Flight id.'), deleted: Deleted }),
  problems: ['conflict'],
  examples: { answer: { fid: 1004, deleted: true } },
})
