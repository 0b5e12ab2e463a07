// Pausing and resuming, one row or many, in one call. What was refused is reported, never dropped in silence.

import type { Tagged } from '../api/client.ts'
import { useNotice } from '../shell/notice.tsx'
import { type BulkOperation, refusalOf, runBulk } from './run.ts'

interface Switch<T> {
  /** Takes those that were changed. */
  keep: (changed: Tagged<T>[]) => void
  /** Reads all of them again, if some were refused: what is shown of those is no longer true. */
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
