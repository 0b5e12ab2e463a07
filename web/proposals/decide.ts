// Deciding about a proposal.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** What was approved has changed what other pages show. */
export function useDecide(cuid: number, id: number) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (how: 'approve' | 'decline') =>
      how === 'approve' ? api.approveProposal({ cuid, id }) : api.declineProposal({ cuid, id }),
    onSettled: () => client.invalidateQueries(),
  })
}
