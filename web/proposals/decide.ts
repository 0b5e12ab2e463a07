// Deciding about a proposal, and what became of it.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, MarqueeError } from '../api/client.ts'
import { useNotice } from '../shell/notice.tsx'
import { named, t } from '../words/words.ts'
import type { Proposal } from './data.ts'

/** Without a reason it is null, also for who takes back their own. */
export type Decision = { how: 'approve' } | { how: 'decline'; reason: string | null }

/**
 * What was approved has changed what other pages show. A proposal that was decided leaves its place with its buttons and
 * whatever was said there: what became of it is said in the corner, and the focus goes to the heading.
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

/** By who made it. */
export function isTakenBack({ status, createdBy, decidedBy }: Proposal): boolean {
  return status === 'declined' && decidedBy === createdBy
}

export function outcomeOf(proposal: Proposal): string {
  return isTakenBack(proposal) ? t('proposals.tookBack') : named('event.proposal', proposal.status)
}
