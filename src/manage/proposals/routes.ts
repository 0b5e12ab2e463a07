// Proposal endpoints, each bound to its verb.

import type { Api } from '../../http/api.ts'
import { HEAVY_STEP } from '../../http/list.ts'
import type { Proposal, ProposalStatus } from '../../http/proposed.ts'
import * as contract from './contract.ts'
import {
  approveProposal,
  declineProposal,
  listProposals,
  type ProposalParts,
  readProposal,
} from './proposals.ts'

/** Call it after all endpoints that can be proposed are bound. */
export function proposalRoutes(api: Api, parts: ProposalParts): void {
  api.bindList(contract.listProposals, {
    idOf: (proposal: Proposal) => proposal.id,
    step: HEAVY_STEP,
    page: ({ db, caller, cuid, query, longRead }) =>
      listProposals(db, caller, cuid, query.status as ProposalStatus | undefined, parts, longRead),
  })
  api.bind(contract.readProposal, {
    handle: ({ db, caller, cuid, params }) => readProposal(db, caller, cuid, params.id!, parts),
  })
  api.bind(contract.approveProposal, {
    handle: call => {
      const { db, caller, cuid, params } = call
      return approveProposal(db, caller, cuid, params.id!, {
        ...parts,
        apply: async (operation, inner) => ({
          endpoint: api.endpoints.find(({ id }) => id === operation)!,
          made: await api.perform(operation, call, { ...inner, ifMatch: null }),
        }),
      })
    },
  })
  api.bind(contract.declineProposal, {
    handle: ({ db, caller, cuid, params, body }) =>
      declineProposal(db, caller, cuid, params.id!, { ...body, ...parts }),
  })
}
