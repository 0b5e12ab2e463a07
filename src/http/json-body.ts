// Reads JSON bodies: UTF-8 within bounds, and nothing that would be taken for something else.

import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type FieldError, fieldError } from '../kernel/errors/field-error.ts'
import { invalidInput, type Problem, refusal } from '../kernel/errors/problem.ts'
import { boundExceededBy, MANY, USUAL } from '../kernel/json-bounds.ts'
import { pointer } from './validate.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** See EndpointSpec. */
    manyValues?: boolean
  }
}

/** JSON, or an empty body: many clients send the content type even if an endpoint takes no body. */
export function acceptJson(fastify: FastifyInstance): void {
  fastify.removeContentTypeParser(['text/plain', 'application/json'])
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => {
      if (bytes.length === 0) return undefined
      const problem = notReadable(request, bytes)
      if (problem) throw problem
      return parse(bytes.toString('utf8'))
    },
  )
}

/** What we would misread, or read at too great a cost. Bytes that are not UTF-8 would silently become other letters. */
function notReadable({ headers, routeOptions }: FastifyRequest, bytes: Buffer): Problem | null {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.trim().toLowerCase() !== 'identity') return refusal('content_encoding')
  const charset = charsetOf(headers['content-type']!)
  if (charset !== null && !/^utf-?8$/i.test(charset)) return refusal('charset')
  if (!isUtf8(bytes)) return refusal('not_utf8')
  return boundExceededBy(bytes, routeOptions.config.manyValues ? MANY : USUAL)
}

function charsetOf(contentType: string): string | null {
  return /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1] ?? null
}

function parse(text: string): unknown {
  const body = parsed(text)
  if (!HAS_PROTO.test(text) || typeof body !== 'object' || body === null) return body
  const errors: FieldError[] = []
  findProto(body, [], errors)
  if (errors.length > 0) throw invalidInput(errors)
  return body
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)
  } catch {
    throw refusal('not_json')
  }
}

const BYTE_ORDER_MARK = '\uFEFF'
const PROTO = '__proto__'
/** The same as a key, in whatever escapes: to look through every value of a large body takes long. */
const HAS_PROTO =
  /"(?:_|\\u005[fF]){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006[fF])(?:t|\\u0074)(?:o|\\u006[fF])(?:_|\\u005[fF]){2}"\s*:/
const MOST_ERRORS = 20

/** Wherever it is copied by assignment, this key would change what an object inherits. `path` leads to the value. */
function findProto(value: object, path: string[], errors: FieldError[]): void {
  for (const key in value) {
    if (errors.length >= MOST_ERRORS) return
    path.push(key)
    const inner = (value as Record<string, unknown>)[key]
    if (key === PROTO) errors.push(fieldError(`/${path.map(pointer).join('/')}`, 'key_not_allowed'))
    else if (typeof inner === 'object' && inner !== null) findProto(inner, path, errors)
    path.pop()
  }
}
