// Proposals as contracts show them: changes that wait for somebody who may decide them. Browser-safe.

import { type Static, Type } from 'typebox'
import type { EndpointSpec } from './endpoint.ts'
import { Body, Choice, Id, Nullable, UnixTime } from './schema.ts'

export const PROPOSAL_STATUSES = ['pending', 'approved', 'declined', 'expired'] as const
export type ProposalStatus = (typeof PROPOSAL_STATUSES)[number]

const anything = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })
const several = Type.Array(Type.Union([anything, Type.Null()]))

export const ProposalResult = Body({
  cid: Type.Optional(Id('The new campaign.')),
  fid: Type.Optional(Id('The new flight.')),
  pid: Type.Optional(Id('The new persona.')),
  bid: Type.Optional(Id('The new banner.')),
})
export type ProposalResult = Static<typeof ProposalResult>

export const Proposal = Body(
  {
    id: Id('Proposal id.'),
    cuid: Id('The customer that it belongs to.'),
    url: Type.String({ description: 'Its page in the console, for a person.' }),
    operation: Type.String({ description: 'The `operationId` of the call that was proposed.' }),
    cids: Type.Array(Type.Integer(), {
      description: 'The campaigns that it touches; none if it creates one.',
    }),
    before: Type.Union([anything, several, Type.Null()], {
      description:
        'What it changes, as it was; null: it is new, or deleted. A list for a bulk call, with an entry for each object.',
    }),
    after: Type.Union([anything, several, Type.Null()], {
      description: 'What it would be; null: it would be deleted. What would be created has no id yet.',
    }),
    costsAtMost: Type.Number({
      description:
        'The most that it lets be spent more, until the end: `dailySpend` on each day, or `monthlySpend` in each month or `totalSpend` where that is smaller.',
    }),
    status: Choice(PROPOSAL_STATUSES, { description: '`pending`: it can be decided.' }),
    created: UnixTime({ description: 'When it was made.' }),
    createdBy: Type.String({
      description:
        'Who made it: the email of a person, the name of a pair (its key if it has none), `console` for a session that is nobody’s in particular, or `app`.',
    }),
    expires: UnixTime({ description: 'Until then it can be decided.' }),
    decided: Nullable(UnixTime({ description: 'When it was decided, or has expired.' })),
    decidedBy: Nullable(Type.String({ description: 'Who decided it, likewise; null: nobody.' })),
    reason: Nullable(
      Type.String({ description: 'Why it was declined, in the words of who did; null: they did not say.' }),
    ),
    result: Type.Union([ProposalResult, Type.Null()], {
      description: 'What it has created, once it is approved.',
    }),
  },
  { description: 'A change that waits for a decision.' },
)
export type Proposal = Static<typeof Proposal>

/** The answer with 202 of a call that has become a proposal. */
export const Proposed = Body({ proposal: Proposal })
export type Proposed = Static<typeof Proposed>

/** A call can be proposed if it is about one customer and has a dry run. */
export function mayBeProposed({ cuid, dryRun }: Pick<EndpointSpec, 'cuid' | 'dryRun'>): boolean {
  return !!cuid && !!dryRun
}

export const PROPOSE = {
  propose: {
    schema: { type: 'boolean' },
    description:
      'Change nothing, and make it a proposal for somebody else to decide (202). Nothing to change: the usual answer.',
  },
} as const
