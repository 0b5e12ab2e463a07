// Many changes in few calls: a hundred at a time, so that there is progress to show. Each change has its own result.

import type { BulkOperation, BulkResult } from '../../src/bulk/contract.ts'
import { api } from '../api/client.ts'
import { codeSentence, fieldSentence } from '../words/error-words.ts'

export type { BulkOperation, BulkResult }

const AT_ONCE = 100

export async function runBulk(
  cuid: number,
  operations: readonly BulkOperation[],
  onProgress: (done: number) => void = () => {},
): Promise<BulkResult[]> {
  const results: BulkResult[] = []
  for (let at = 0; at < operations.length; at += AT_ONCE) {
    const answer = await api.bulk({ cuid, body: { operations: operations.slice(at, at + AT_ONCE) } })
    results.push(...answer.results)
    onProgress(results.length)
  }
  return results
}

/** Why a change was refused; null if it was made. */
export function refusalOf({ error, status }: BulkResult, timeZone: string): string | null {
  if (!error) return null
  const sentences = (error.errors ?? [])
    .map(({ message }) => fieldSentence(message, timeZone))
    .filter(Boolean)
  return sentences.length > 0 ? [...new Set(sentences)].join(' ') : codeSentence(error.code, status)
}
