// Jobs: copies and orders that are too large for one call. The call that requests one answers 202 with the job. The job
// is done completely or not at all, even if the service is restarted meanwhile.

import type { Static } from 'typebox'
import { Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { failureFields } from '../../http/failure.ts'
import { Body, Choice, Id, UnixTime } from '../../http/schema.ts'

/** The endpoints whose work may become a job. */
export const JOB_KINDS = ['createCampaign', 'createPersona', 'copyCampaign', 'copyPersona'] as const
export type JobKind = (typeof JOB_KINDS)[number]

export const JobResult = Body({
  cid: Type.Optional(Id('The new campaign, or that of the new persona.')),
  pid: Type.Optional(Id('The new persona.')),
})
export type JobResult = Static<typeof JobResult>

export const JobError = Body({
  status: Type.Integer({ description: 'The status that the call would have returned.' }),
  ...failureFields,
})
export type JobError = Static<typeof JobError>

export const Job = Body({
  job: Id('Job id.'),
  cuid: Id('The customer that it belongs to.'),
  kind: Choice(JOB_KINDS, { description: 'The `operationId` of the call that requested it.' }),
  status: Choice(['waiting', 'running', 'done', 'failed'], {
    description: '`done`: everything was created. `failed`: nothing was, and `error` says why.',
  }),
  done: Type.Integer({ description: 'Objects created so far; visible only once it is `done`.' }),
  total: Type.Integer({ description: 'How many objects it creates.' }),
  result: Type.Union([JobResult, Type.Null()], { description: 'What was created; null until it is `done`.' }),
  error: Type.Union([JobError, Type.Null()], { description: 'Null unless it is `failed`.' }),
  created: UnixTime({ description: 'When it was requested.' }),
  ended: Type.Union([UnixTime(), Type.Null()], { description: 'When it finished or failed.' }),
})
export type Job = Static<typeof Job>

export const readJob = endpoint({
  id: 'readJob',
  method: 'GET',
  path: '/job/:id',
  tag: 'Campaigns',
  summary: 'Read a job',
  description:
    'A copy or an order of more than 2,000 objects is done as a job: the call answers 202 with the job and its URL in `location`. Poll every second or so until `status` is `done` or `failed`. Finished jobs are kept for 7 days, at most the last 100 of a customer.',
  access: 'customer',
  cuid: true,
  answer: Job,
  examples: {
    answer: {
      job: 1016,
      cuid: 1001,
      kind: 'copyCampaign',
      status: 'done',
      done: 8002,
      total: 8002,
      result: { cid: 1017 },
      error: null,
      created: 1_790_000_000,
      ended: 1_790_000_009,
    },
  },
})
