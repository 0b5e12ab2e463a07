// The body of POST /ad, checked before it is parsed: anyone can send one, so it must be small, uncompressed, and name a
// known site. The text is searched for the site's key; keys need no escapes, so a key written with escapes is unknown.

import type { DataRequest } from '../../http/lane/data-plane.ts'
import { fieldError } from '../../kernel/errors/field-error.ts'
import { invalidInput, notFound, type Problem, refusal } from '../../kernel/errors/problem.ts'
import { boundExceededBy } from '../../kernel/json-bounds.ts'
import { isIdentity, MOST_AD_BYTES, parseJson } from '../decide/body.ts'

const NAMED_SOURCE = /"source"\s*:\s*"\s*([\w-]{1,200})\s*"/g
const HAS_SOURCE = /"source"\s*:\s*"/
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
  const text = body.toString('latin1')
  if (!HAS_SOURCE.test(text)) throw sourceMissing()
  if (!namesSite(text, isSite)) throw notFound('a site with this `source` key')
  const json = parseJson(body)
  if (json !== undefined) return json
  throw boundExceededBy(body) ?? notJson()
}

function namesSite(text: string, isSite: (key: string) => boolean): boolean {
  NAMED_SOURCE.lastIndex = 0
  for (let match = NAMED_SOURCE.exec(text); match; match = NAMED_SOURCE.exec(text))
    if (isSite(match[1]!)) return true
  return false
}

/** Whether it looks like an object; if not, it is not worth parsing. */
function isBraced(body: Buffer): boolean {
  let from = 0
  let to = body.length - 1
  while (from < to && body[from]! <= SPACE) from++
  while (to > from && body[to]! <= SPACE) to--
  return to > from && body[from] === OPENING && body[to] === CLOSING
}

export function sourceMissing(): Problem {
  return invalidInput([fieldError('/source', 'required')])
}

function notJson(): Problem {
  return refusal('not_a_json_object')
}
