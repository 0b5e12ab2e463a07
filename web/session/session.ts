// Who is signed in, and how the console looks for them. Read once at the start and kept until sign-out.

import { queryOptions, useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import type { Session, SignIn } from '../../src/console/contract.ts'
import { api } from '../api/client.ts'
import { workAs } from '../api/session-fetch.ts'
import { appInAddress } from './deep-link.ts'

export type { Session, SignIn }
export type Brand = Session['brand']

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => api.readSession({ app: appInAddress }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Who this tab acts as; null if signed out, or if a person has yet to pick. */
export function tabOf(session: Session): number | 'app' | null {
  if (session.level === 'none' || session.level === 'person') return null
  return session.customer?.cuid ?? 'app'
}

export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data
}

/** The customer of these pages; the router requires one. */
export function useCuid(): number {
  return useSession().customer?.cuid ?? 0
}

/** Replaces the session and forgets everything that belonged to the previous one. */
export function useSessionChange<Input>(change: (input: Input) => Promise<Session>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: session => {
      // At once: what the next page reads is sent before the frame is drawn again.
      workAs(tabOf(session))
      client.setQueryData(sessionQuery.queryKey, session)
      client.removeQueries({ predicate: query => query.queryKey[0] !== 'session' })
    },
  })
}
