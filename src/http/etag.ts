// Lost updates: an editable object has a version, a read shows it as `etag`, and a write with `if-match` compares it.
// The version is followed by a hash of the answer, so that `if-none-match` also notices changes without an edit (a
// status).

import { hash } from 'node:crypto'
import { Problem } from '../kernel/problem.ts'

const ETAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/
const SHOWN_CHARACTERS = 8

export function etagOf(id: number, version: number): string {
  return `"${id}-${version}"`
}

/** The etag of one representation: version and content. */
export function shownEtag(etag: string, body: string | Buffer): string {
  return `${etag.slice(0, -1)}.${hash('sha1', body, 'base64url').slice(0, SHOWN_CHARACTERS)}"`
}

/** Throws 412 unless one of the etags of `if-match` is of the current version. No header: no condition. */
export function checkIfMatch(ifMatch: string | null, current: string): void {
  if (ifMatch === null) return
  const wanted = tagsOf(ifMatch, 'if-match')
  if (wanted.includes('*') || wanted.some(tag => versionOf(tag) === current)) return
  throw new Problem('precondition_failed', `it has changed since: its etag is ${current} now`, {
    headers: { etag: current },
  })
}

/** For something that is not there yet: no condition on its etag can hold. */
export function checkIfMatchNothing(ifMatch: string | null): void {
  if (ifMatch === null) return
  tagsOf(ifMatch, 'if-match')
  throw new Problem('precondition_failed', 'it is not there yet, so it has no etag to match')
}

/** Whether the caller already has this representation. Text that is not a list of etags matches nothing. */
export function isKnown(ifNoneMatch: string | undefined, etag: string | undefined): boolean {
  if (ifNoneMatch === undefined || etag === undefined) return false
  return ifNoneMatch.split(',').some(part => {
    const tag = part.trim()
    return tag === '*' || strong(tag) === etag
  })
}

function tagsOf(header: string, name: string): string[] {
  const tags = header.split(',').map(tag => tag.trim())
  const wrong = tags.find(tag => tag !== '*' && !ETAG.test(tag))
  if (wrong === undefined) return tags
  const message = `must be etags as they were read, in quotes, such as "1002-3", or *; ${JSON.stringify(wrong.slice(0, 60))} is not one`
  throw new Problem('invalid_etag', `${name}: ${message}`, { errors: [{ path: name, message }] })
}

/** Proxies that compress make an etag weak on its way; it names the same version. */
function strong(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}

function versionOf(tag: string): string {
  return strong(tag).replace(/\.[^."]*"$/, '"')
}
