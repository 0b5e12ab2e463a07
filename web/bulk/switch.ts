// Pauses and resumes one row or many in one call. Refusals are reported, never dropped silently.

import type { Tagged } from '../api/client.ts'
import { useNotice } from '../shell/notice.tsx'
import { type BulkOperation, refusalOf, runBulk } from './run.ts'

interface Switch<T> {
  /** Receives the changed objects. */
  keep: (changed: Tagged<T>[]) => void
  /** Reads all objects again after refusals: what the page shows of the refused ones is out of date. */
  anew: () => void
}

/** Resolves to how many were changed. */
export function useSwitchMany<T extends object>(cuid: number, { keep, anew }: Switch<T>) {
  const notice = useNotice()
  return async (operations: readonly BulkOperation[]): Promise<number> => {
    const results = await runBulk(cuid, operations)
    const changed = results.flatMap(({ answer, etag }) =>
      answer ? [{ ...(answer as T), etag: etag ?? null }] : [],
    )
    if (changed.length > 0) keep(changed)
    const refusals = results.flatMap(result => refusalOf(result, 'UTC') ?? [])
    if (refusals.length > 0) {
      anew()
      notice.someRefused(refusals)
    }
    return changed.length
  }
}
