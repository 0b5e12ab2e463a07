// The body of POST /ad, bounded before it is parsed: anyone can send one, so it must be small, uncompressed, and name
// a known site. The site is searched for in the text; a key needs no escapes, so one written with them is unknown.

import type { DataRequest } from '../../data-plane/data-plane.ts'
import { beyondBounds } from '../../kernel/json-bounds.ts'
import { notFound, Problem } from '../../kernel/problem.ts'
import { isIdentity, MOST_AD_BYTES, parseJson } from '../body.ts'

const NAMED_SOURCE = /"source"\s*:\s*"\s*([\w-]{1,200})\s*"/g
const OPENING = 0x7b
const CLOSING = 0x7d
const SPACE = 0x20

/**
 * Throws a Problem for anything that is not a request of a known site; `isSite` is called before anything is parsed.
 */
export function readAdBody({ body, headers }: DataRequest, isSite: (key: string) => boolean): unknown {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && !isIdentity(encoding))
    throw new Problem('unsupported_media_type', 'send the body as it is, without a content-encoding')
  if (body === null || !isBraced(body)) throw notJson()
  if (body.length > MOST_AD_BYTES)
    throw new Problem('body_too_large', `the body may have at most ${MOST_AD_BYTES} bytes`)
  if (!namesSite(body.toString('latin1'), isSite)) throw notFound('a site with this `source` key')
  const json = parseJson(body)
  if (json === undefined) throw notJson(beyondBounds(body))
  return json
}

function namesSite(text: string, isSite: (key: string) => boolean): boolean {
  NAMED_SOURCE.lastIndex = 0
  for (let match = NAMED_SOURCE.exec(text); match; match = NAMED_SOURCE.exec(text))
    if (isSite(match[1]!)) return true
  return false
}

/** Looks like an object: what does not is not worth a parser. */
function isBraced(body: Buffer): boolean {
  let from = 0
  let to = body.length - 1
  while (from < to && body[from]! <= SPACE) from++
  while (to > from && body[to]! <= SPACE) to--
  return to > from && body[from] === OPENING && body[to] === CLOSING
}

function notJson(tooMuch: string | null = null): Problem {
  return new Problem('malformed_request', tooMuch ?? 'the body is not valid JSON; it must be an object')
}
