// Makes many changes in few calls. Each change has its own result, even one without an answer because the service was
// lost on the way.

import type { BulkOperation, BulkResult } from '../../src/manage/bulk/contract.ts'
import { api, MarqueeError, newIdempotencyKey } from '../api/client.ts'
import { fieldSentence, isProposed, refusalSentence } from '../words/error-words.ts'

export type { BulkOperation, BulkResult }

/** The most that one call takes. */
export const MAX_AT_ONCE = 1000

export interface BulkOptions {
  /** How many changes go into one call; fewer where progress is shown. */
  atOnce?: number
  /** Only checks; changes nothing. */
  dryRun?: boolean
  onProgress?: (done: number) => void
}

export async function runBulk(
  cuid: number,
  operations: readonly BulkOperation[],
  { atOnce = MAX_AT_ONCE, dryRun = false, onProgress = () => {} }: BulkOptions = {},
): Promise<BulkResult[]> {
  const results: BulkResult[] = []
  for (let at = 0; at < operations.length; at += atOnce) {
    const body = { operations: operations.slice(at, at + atOnce) }
    try {
      const answer = await api.bulk(
        { cuid, body, ...(dryRun ? { dryRun } : {}) },
        dryRun ? {} : { idempotencyKey: newIdempotencyKey() },
      )
      results.push(...answer.results)
    } catch (error) {
      if (isProposed(error)) {
        results.push(...body.operations.map(({ op }) => unanswered(op, error)))
        // Every change became a proposal: there are no separate results to show.
        if (results.length === operations.length && results.every(isWaiting)) throw error
        continue
      }
      if (at === 0) throw error
      return [...results, ...operations.slice(at).map(({ op }) => unanswered(op, error))]
    }
    onProgress(results.length)
  }
  return results
}

const isWaiting = ({ error }: BulkResult) => error?.code === 'proposed'

function unanswered(op: BulkResult['op'], thrown: unknown): BulkResult {
  const { code, status } = thrown instanceof MarqueeError ? thrown : { code: 'unknown', status: 500 }
  return { op, status, error: { message: '', code } }
}

/** Why a change was refused; null if it was made. */
export function refusalOf({ error, status }: BulkResult, timeZone: string): string | null {
  if (!error) return null
  const sentences = (error.errors ?? []).map(one => fieldSentence(one, timeZone))
  if (sentences.length > 0) return [...new Set(sentences)].join(' ')
  return refusalSentence({ ...error, status }, timeZone)
}
