// The body of POST /ad, bounded before it is parsed: anyone can send one, so it must be small, uncompressed, and name
// a known site. The site is searched for in the text; a key needs no escapes, so one written with them is unknown.

import type { DataRequest } from '../../data-plane/data-plane.ts'
import { beyondBounds, boundsProblem } from '../../kernel/json-bounds.ts'
import { notFound, type Problem, refusal } from '../../kernel/problem.ts'
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
  if (encoding !== undefined && !isIdentity(encoding)) throw refusal('content_encoding')
  if (body === null || !isBraced(body)) throw notJson()
  if (body.length > MOST_AD_BYTES) throw refusal('body_too_large', { maxBytes: MOST_AD_BYTES })
  if (!namesSite(body.toString('latin1'), isSite)) throw notFound('a site with this `source` key')
  const json = parseJson(body)
  if (json !== undefined) return json
  const beyond = beyondBounds(body)
  throw beyond === null ? notJson() : boundsProblem(beyond)
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

function notJson(): Problem {
  return refusal('not_a_json_object')
}
