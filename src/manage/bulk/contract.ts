// Bulk: many API calls in one, each with its own result.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { failureFields } from '../../http/failure.ts'
import { Body, Choice, Id, Maybe, Text } from '../../http/schema.ts'

export const MAX_OPERATIONS = 1000
/** In characters of JSON, about; then no further operation is begun. */
export const MOST_ANSWERED = 20_000_000

/** The ids of the endpoints that do the same in a call of their own. */
export const BULK_OPERATIONS = [
  'createCampaign',
  'editCampaign',
  'pauseCampaign',
  'resumeCampaign',
  'copyCampaign',
  'deleteCampaign',
  'restoreCampaign',
  'createFlight',
  'editFlight',
  'deleteFlight',
  'restoreFlight',
  'createPersona',
  'editPersona',
  'pausePersona',
  'resumePersona',
  'copyPersona',
  'deletePersona',
  'restorePersona',
  'createBanner',
  'editBanner',
  'pauseBanner',
  'resumeBanner',
  'copyBanner',
  'deleteBanner',
  'restoreBanner',
] as const

export const BulkOperation = Body({
  op: Choice(BULK_OPERATIONS, {
    description: 'What to do: the `operationId` of the corresponding endpoint.',
  }),
  cid: Type.Optional(Id('Campaign id, if the path of that endpoint has one.')),
  fid: Type.Optional(Id('Flight id, likewise.')),
  pid: Type.Optional(Id('Persona id, likewise.')),
  bid: Type.Optional(Id('Banner id, likewise.')),
  ifMatch: Type.Optional(Text(1, 200, { description: 'Only if this is still the etag.' })),
  body: Type.Optional(
    Type.Object(
      {},
      { additionalProperties: true, description: 'The body for that endpoint, if it takes one.' },
    ),
  ),
})
export type BulkOperation = Static<typeof BulkOperation>

export const BulkRequest = Body({
  operations: Type.Array(BulkOperation, {
    minItems: 1,
    maxItems: MAX_OPERATIONS,
    description: 'Executed in this order.',
  }),
  atomic: Maybe(
    Type.Boolean({
      description:
        'True: if one operation fails, none is kept. Default false: each succeeds or fails on its own.',
    }),
  ),
})
export type BulkRequest = Static<typeof BulkRequest>

const Failure = Body(failureFields, { description: 'Why it failed.' })

export const BulkResult = Body({
  op: Choice(BULK_OPERATIONS, { description: 'The operation.' }),
  status: Type.Integer({ description: 'The status that the endpoint would have returned.' }),
  etag: Type.Optional(Type.String({ description: 'Version of the object.' })),
  answer: Type.Optional(
    Type.Object(
      {},
      { additionalProperties: true, description: 'What the endpoint returned, if it succeeded.' },
    ),
  ),
  error: Type.Optional(Failure),
})
export type BulkResult = Static<typeof BulkResult>

export const BulkAnswer = Body({
  dryRun: Type.Optional(Type.Literal(true, { description: 'With `dryRun`: nothing was stored.' })),
  costsAtMost: Type.Optional(
    Type.Number({
      description: 'With `dryRun`: the most that the changes would let be spent more, until the end.',
    }),
  ),
  wouldPropose: Type.Optional(
    Type.Literal(true, { description: 'With `dryRun`: it would become a proposal.' }),
  ),
  applied: Type.Boolean({
    description: 'False: nothing was stored, because of `dryRun` or a failure with `atomic`.',
  }),
  succeeded: Type.Integer({ description: 'How many operations succeeded.' }),
  failed: Type.Integer({ description: 'How many failed.' }),
  results: Type.Array(BulkResult, { description: 'One per operation, in the same order.' }),
})
export type BulkAnswer = Static<typeof BulkAnswer>

export const bulk = endpoint({
  id: 'bulk',
  ofAnyCampaign: true,
  // Each operation is also checked separately.
  staff: 'support',
  needs: 'edit',
  method: 'POST',
  path: '/bulk',
  tag: 'Campaigns',
  summary: 'Do many things in one call',
  description: `At most ${MAX_OPERATIONS} operations, each with its own result: one that fails does not affect the others, unless \`atomic\` is true. It counts as one request. The body is at most 1 MiB. Once the answers have 20 million characters together, further operations are refused (\`too_many_objects\`).`,
  access: 'customer',
  cuid: true,
  body: BulkRequest,
  manyValues: true,
  dryRun: true,
  answer: BulkAnswer,
  examples: {
    body: {
      operations: [
        { op: 'pauseCampaign', cid: 1002 },
        { op: 'editPersona', cid: 1004, pid: 1007, body: { name: 'Cyclists' } },
      ],
    },
    answer: {
      applied: true,
      succeeded: 1,
      failed: 1,
      results: [
        { op: 'pauseCampaign', status: 200, etag: '"1002-4"', answer: { cid: 1002, enabled: false } },
        { op: 'editPersona', status: 404, error: { message: 'persona not found', code: 'not_found' } },
      ],
    },
  },
})
