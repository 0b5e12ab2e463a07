// Prevents lost updates: an editable object has a version, a read shows it as `etag`, and a write with `if-match`
// compares it. The version is followed by a hash of the answer, so that `if-none-match` also notices changes that are
// not edits, such as a new status.

import { createHash, hash } from 'node:crypto'
import { fieldError } from '../kernel/errors/field-error.ts'
import { notFound, refusal } from '../kernel/errors/problem.ts'

const ETAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/
const SHOWN_CHARACTERS = 8

export function etagOf(id: number, version: number): string {
  return `"${id}-${version}"`
}

/** The etag of one representation: version and content, which may be in pieces. */
export function shownEtag(etag: string, body: string | Buffer | Buffer[]): string {
  const digest = Array.isArray(body) ? hashOf(body) : hash('sha1', body, 'base64url')
  return `${etag.slice(0, -1)}.${digest.slice(0, SHOWN_CHARACTERS)}"`
}

function hashOf(pieces: Buffer[]): string {
  const all = createHash('sha1')
  for (const piece of pieces) all.update(piece)
  return all.digest('base64url')
}

/**
 * Throws 412 unless one of the etags in `if-match` has the current version. Without the header there is no condition.
 */
export function checkIfMatch(ifMatch: string | null, current: string): void {
  if (ifMatch === null) return
  const wanted = tagsOf(ifMatch)
  if (wanted.includes('*') || wanted.some(tag => versionOf(tag) === current)) return
  throw refusal('precondition_failed', { etag: current }, { headers: { etag: current } })
}

/** The row as locked for a change: it may have been deleted or changed since the path was read. */
export function asRead<Row extends { version: number }>(
  row: Row | null,
  noun: string,
  id: number,
  ifMatch: string | null,
): Row {
  if (!row) throw notFound(noun)
  checkIfMatch(ifMatch, etagOf(id, row.version))
  return row
}

/** For an object that does not exist yet: no condition on its etag can hold. */
export function checkIfMatchNothing(ifMatch: string | null): void {
  if (ifMatch === null) return
  tagsOf(ifMatch)
  throw refusal('nothing_to_match')
}

/** Whether the caller already has this representation. Text that is not a list of etags matches nothing. */
export function isKnown(ifNoneMatch: string | undefined, etag: string | undefined): boolean {
  if (ifNoneMatch === undefined || etag === undefined) return false
  return ifNoneMatch.split(',').some(part => {
    const tag = part.trim()
    return tag === '*' || strong(tag) === etag
  })
}

function tagsOf(header: string): string[] {
  const tags = header.split(',').map(tag => tag.trim())
  const wrong = tags.find(tag => tag !== '*' && !ETAG.test(tag))
  if (wrong === undefined) return tags
  const found = wrong.slice(0, 60)
  throw refusal('invalid_etag', { found }, { errors: [fieldError('if-match', 'not_an_etag', { found })] })
}

/** Proxies that compress make an etag weak on the way; it still names the same version. */
function strong(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}

function versionOf(tag: string): string {
  return strong(tag).replace(/\.[^."]*"$/, '"')
}
