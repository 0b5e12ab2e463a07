// The bin of a customer: everything that was deleted and can still be restored, as seen from outside.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../../http/endpoint.ts'
import { Body, Choice, Id, Nullable, UnixTime } from '../../../http/schema.ts'
import { By } from '../../../identity/contract.ts'

export const DeletedObject = Body({
  id: Id('The entry of the history that deleted it, for paging with `after`.'),
  noun: Choice(['campaign', 'flight', 'persona', 'banner'], { description: 'What was deleted.' }),
  nounId: Id('Its cid, fid, pid or bid.'),
  name: Type.String({ description: 'Its name.' }),
  cid: Id('The campaign it belongs to, or itself.'),
  campaign: Type.String({ description: 'The name of that campaign.' }),
  pid: Nullable(Id('The persona of a banner; null for all others.')),
  by: By,
  deletedAt: UnixTime({ description: 'When it was deleted.' }),
  restorableUntil: UnixTime({ description: 'Until when `…/restore` brings it back.' }),
})
export type DeletedObject = Static<typeof DeletedObject>

export const listDeleted = endpoint({
  id: 'listDeleted',
  access: 'customer',
  cuid: true,
  ofAnyCampaign: true,
  method: 'GET',
  path: '/deleted',
  tag: 'Campaigns',
  summary: 'List everything that can be restored',
  description:
    'Campaigns, flights, personas and banners of the customer, in the order in which they were deleted. What is in a deleted campaign or persona comes back with it and is not listed. `…/restore` of each object brings it back.',
  list: true,
  answer: Type.Array(DeletedObject),
  examples: {
    answer: [
      {
        id: 17,
        noun: 'banner',
        nounId: 1009,
        name: 'Summer sale',
        cid: 1004,
        campaign: 'Spring bikes',
        pid: 1007,
        by: { kind: 'person', name: 'Ann Rider', email: 'ann@bluebikes.example', as: null },
        deletedAt: 1_790_000_000,
        restorableUntil: 1_792_592_000,
      },
    ],
  },
})
