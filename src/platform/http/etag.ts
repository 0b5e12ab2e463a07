// Lost updates: what can be edited has a version, a read shows it as `etag`, and a write with `if-match` holds it to that.

import { Problem } from '../../kernel/problem.ts'

export function etagOf(id: number, version: number): string {
  return `"${id}-${version}"`
}

/** Throws 412 unless one of the etags of `if-match` is the current one. No header: no condition. */
export function checkIfMatch(ifMatch: string | null, current: string): void {
  if (ifMatch === null) return
  const wanted = ifMatch.split(',').map(tag => tag.trim())
  if (wanted.includes('*') || wanted.includes(current)) return
  throw new Problem('precondition_failed', `it has changed since: its etag is ${current} now`, {
    headers: { etag: current },
  })
}
