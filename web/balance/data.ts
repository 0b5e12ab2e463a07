// Accounts of customers that pay in advance, as the pages read them.

import { queryOptions } from '@tanstack/react-query'
import type { Account, Statement } from '../../src/accounts/contract.ts'
import { api } from '../api/client.ts'

export type { Account, Statement }

/** Delivery spends it all the time. */
const LOOK_AGAIN_MS = 20_000

export const accountQuery = (cuid: number) =>
  queryOptions({
    queryKey: ['account', cuid],
    queryFn: () => api.readAccount({ cuid }),
    refetchInterval: LOOK_AGAIN_MS,
  })

/** `month`: `2026-11`. */
export const statementQuery = (cuid: number, month: string) =>
  queryOptions({
    queryKey: ['statement', cuid, month],
    queryFn: () => api.readStatement({ cuid, month }),
  })
