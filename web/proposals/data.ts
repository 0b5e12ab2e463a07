// Proposals as the pages read them.

import { queryOptions } from '@tanstack/react-query'
import type { Proposal } from '../../src/manage/proposals/contract.ts'
import { api } from '../api/client.ts'
import type { Session } from '../session/session.ts'

export type { Proposal }

/** Programs and other people propose changes at any time. */
const LOOK_AGAIN_MS = 60_000

export const proposalsQuery = (cuid: number) =>
  queryOptions({
    queryKey: ['proposals', cuid],
    queryFn: () => api.listProposals({ cuid }),
    refetchInterval: LOOK_AGAIN_MS,
  })

/** How many proposals wait, beside the link. The session has the first number, so that no page makes a call for it. */
export const waitingQuery = ({ cuid, proposals }: NonNullable<Session['customer']>) =>
  queryOptions({
    queryKey: ['proposals', cuid, 'waiting'],
    queryFn: async () => (await api.listProposals({ cuid, status: 'pending' })).length,
    initialData: proposals,
    staleTime: LOOK_AGAIN_MS,
    refetchInterval: LOOK_AGAIN_MS,
  })
