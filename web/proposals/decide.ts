// Decides about a proposal and reports the outcome.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, MarqueeError } from '../api/client.ts'
import { useNotice } from '../shell/notice.tsx'
import { named, t } from '../words/words.ts'
import type { Proposal } from './data.ts'

/** The reason is null if none was given, and when people take back their own proposal. */
export type Decision = { how: 'approve' } | { how: 'decline'; reason: string | null }

/**
 * An approval changes what other pages show. A decided proposal disappears with its buttons and messages, so the
 * outcome is shown in the corner and the focus moves to the heading.
 */
export function useDecide(cuid: number, id: number) {
  const client = useQueryClient()
  const notice = useNotice()
  const isOver = (error: unknown) => error instanceof MarqueeError && error.code === 'proposal_settled'
  return useMutation({
    mutationFn: (decision: Decision) =>
      decision.how === 'approve'
        ? api.approveProposal({ cuid, id })
        : api.declineProposal({ cuid, id, body: { reason: decision.reason } }),
    onSuccess: proposal => notice.done(outcomeOf(proposal)),
    onError: error => isOver(error) && notice.refused(error),
    onSettled: async (_, error) => {
      await client.invalidateQueries()
      if (!error || isOver(error)) document.querySelector('h1')?.focus()
    },
  })
}

/** Declined by the one who made it. */
export function isTakenBack({ status, createdBy, decidedBy }: Proposal): boolean {
  return status === 'declined' && decidedBy === createdBy
}

export function outcomeOf(proposal: Proposal): string {
  return isTakenBack(proposal) ? t('proposals.tookBack') : named('event.proposal', proposal.status)
}
