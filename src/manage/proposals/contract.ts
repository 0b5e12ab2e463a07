// Proposals: changes that wait for somebody who may decide them: the `all` pair, a `spend` pair within its ceilings,
// the console, or the app.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { PROPOSAL_STATUSES, Proposal, ProposalResult, Proposed } from '../../http/proposed.ts'
import { Body, Choice, Maybe, Text } from '../../http/schema.ts'

export { Proposal, ProposalResult, Proposed }

const ofCustomer = { access: 'customer', cuid: true, ofAnyCampaign: true, tag: 'Proposals' } as const

export const MAX_REASON = 500

export const proposalExample = {
  id: 1020,
  cuid: 1001,
  url: 'https://ads.example/console/proposals?id=1020',
  operation: 'editCampaign',
  cids: [1002],
  before: { cid: 1002, name: 'Spring bikes', dailySpend: 250.5 },
  after: { cid: 1002, name: 'Spring bikes', dailySpend: 300 },
  costsAtMost: 1534.5,
  status: 'pending',
  created: 1_790_000_000,
  createdBy: 'Nightly sync',
  expires: 1_790_604_800,
  decided: null,
  decidedBy: null,
  reason: null,
  result: null,
}

export const listProposals = endpoint({
  ...ofCustomer,
  id: 'listProposals',
  method: 'GET',
  path: '/proposal',
  summary: 'List the proposals of the customer',
  description:
    'Oldest first; those that were decided or have expired are kept for 90 days. A pair that is limited to campaigns sees those of its campaigns.',
  list: true,
  query: { status: { schema: Choice(PROPOSAL_STATUSES), description: 'Only proposals of this status.' } },
  answer: Type.Array(Proposal),
  examples: { answer: [proposalExample] },
})

export const readProposal = endpoint({
  ...ofCustomer,
  id: 'readProposal',
  method: 'GET',
  path: '/proposal/:id',
  summary: 'Read a proposal',
  description: 'With `status` and, once it is approved, the ids of what it has created.',
  answer: Proposal,
  examples: { answer: proposalExample },
})

export const approveProposal = endpoint({
  ...ofCustomer,
  id: 'approveProposal',
  needs: 'approve',
  method: 'PUT',
  path: '/proposal/:id/approve',
  summary: 'Approve a proposal',
  description:
    'Applies it completely or not at all, once, with the rights and ceilings of who approves it. A person who proposed it gets a mail, unless they approve it themselves. Of several decisions at the same time one counts, the others get 409 `proposal_settled`. If it would now change anything else than it shows, 409 `proposal_outdated` has in `params.changed`, or in `params.shown` and `params.now`, how it was and how it is.',
  answer: Proposal,
  problems: ['proposal_settled', 'proposal_outdated', 'conflict', 'quota_exceeded'],
  examples: {
    answer: { ...proposalExample, status: 'approved', decided: 1_790_000_600, decidedBy: 'console' },
  },
})

export const Declining = Body({
  reason: Maybe(
    Text(1, MAX_REASON, { description: 'Why, for who proposed it.', examples: ['Too expensive this month'] }),
  ),
})
export type Declining = Static<typeof Declining>

export const declineProposal = endpoint({
  ...ofCustomer,
  id: 'declineProposal',
  needs: 'edit',
  method: 'PUT',
  path: '/proposal/:id/decline',
  summary: 'Decline a proposal',
  description:
    'Nothing is changed. A person who proposed it gets a mail, unless they decline it themselves. Who may not decide about proposals takes back their own; those of others get 403 `scope_too_low`.',
  body: Declining,
  bodyOptional: true,
  answer: Proposal,
  problems: ['proposal_settled'],
  examples: {
    body: { reason: 'Too expensive this month' },
    answer: {
      ...proposalExample,
      status: 'declined',
      decided: 1_790_000_600,
      decidedBy: 'console',
      reason: 'Too expensive this month',
    },
  },
})
