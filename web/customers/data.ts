// Customers as the pages read and change them: their own account, or any of the app's for its staff.

import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Customer } from '../../src/manage/customers/contract.ts'
import { api, type Tagged, tagged } from '../api/client.ts'
import { sessionQuery, useSessionChange } from '../session/session.ts'
import { useNotice } from '../shell/notice.tsx'

export type { Customer }

export const customerQuery = (cuid: number) =>
  queryOptions({
    queryKey: ['customer', cuid],
    queryFn: () => tagged(api.withMeta.readCustomer({ cuid })),
  })

/** Puts a changed customer into its page and the frame that names it; the cockpit is read again. */
export function useKeepCustomer() {
  const client = useQueryClient()
  return (changed: Tagged<Customer>) => {
    client.setQueryData(customerQuery(changed.cuid).queryKey, changed)
    client.invalidateQueries({ queryKey: ['cockpit'] })
    client.setQueryData(sessionQuery.queryKey, session => {
      if (session?.customer?.cuid !== changed.cuid) return session
      const { cuid, company, email, name, language, timezone, timezonePending, prepaid } = changed
      const { proposals } = session.customer
      const customer = { cuid, company, email, name, language, timezone, timezonePending, prepaid, proposals }
      return { ...session, customer }
    })
  }
}

/** Staff go to a page of the customer, and act as that customer from there on. */
export function useActAs(cuid: number) {
  const navigate = useNavigate()
  const notice = useNotice()
  const { mutate, isPending } = useSessionChange<void>(() => api.openCustomer({ body: { cuid } }))
  const go = ({ to, search }: { to: string; search?: object }) =>
    mutate(undefined, {
      onSuccess: () => navigate({ to, search: search as never }),
      onError: notice.refused,
    })
  return { go, isPending }
}
