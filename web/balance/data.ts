// Accounts of customers that pay in advance, as the pages read them.

import { queryOptions } from '@tanstack/react-query'
import { errorOf } from '../../sdk/errors.ts'
import type { Account, Statement } from '../../src/report/accounts/contract.ts'
import { api, apiRoot } from '../api/client.ts'
import { fetchInSession } from '../api/session-fetch.ts'
import { nowMs } from '../sandbox/clock.ts'
import { language } from '../words/words.ts'

export type { Account, Statement }

/** Delivery spends the balance all the time. */
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

/** Impressions and clicks on each day of the statement. An unfinished month ends now. */
export const statementFiguresQuery = (cuid: number, statement: Statement | undefined) => {
  const { from = 0, to = 0, timezone = 'UTC' } = statement ?? {}
  return queryOptions({
    queryKey: ['statement figures', cuid, from, to, timezone],
    queryFn: async () => {
      const end = Math.min(to, Math.floor(nowMs() / 1000))
      if (end <= from) return []
      const answer = await api.readFigures({
        cuid,
        id: cuid,
        start: from,
        end,
        interval: 'day',
        tz: timezone,
      })
      return answer.timeseries ?? []
    },
    enabled: statement !== undefined,
  })
}

/** The statement as CSV for spreadsheets, in the language of the console, byte for byte as the API wrote it. */
export async function statementAsCsv(cuid: number, month: string): Promise<Blob> {
  const headers = { accept: 'text/csv', 'accept-language': language() }
  const answer = await fetchInSession(`${apiRoot}/customer/${cuid}/statement?month=${month}`, { headers })
  if (!answer.ok) throw await errorOf(answer, 1)
  return answer.blob()
}
