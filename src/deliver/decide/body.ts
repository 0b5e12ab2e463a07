// Reads the JSON body of an ad request, gzip or plain. Before it is parsed, a body is refused if it decompresses to too
// much, nests too deep or has too many fields.

import type { IncomingHttpHeaders } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { boundExceededBy, USUAL } from '../../kernel/json-bounds.ts'

export const MAX_JSON_BYTES = 1024 * 1024
/** For the request of a tag, which anyone can send. */
export const MOST_AD_BYTES = 16_384

/** Smaller bodies are not checked: checking costs half as much as parsing, which takes at most 0.3 ms below this. */
const LOOK_FROM_BYTES = 8_192

/** `undefined`: it is not JSON, cannot be unpacked, or is too large. */
export function readJson(body: Buffer | null, headers: IncomingHttpHeaders): unknown {
  if (body === null || body.length === 0) return undefined
  try {
    const bytes = unpack(body, headers['content-encoding'])
    return bytes === null ? undefined : parseJson(bytes)
  } catch {
    return undefined
  }
}

/** `undefined`: it is not JSON, or too large. */
export function parseJson(bytes: Buffer): unknown {
  if (boundExceededBy(bytes, USUAL, LOOK_FROM_BYTES)) return undefined
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

function unpack(body: Buffer, encoding: string | undefined): Buffer | null {
  if (encoding === undefined || isIdentity(encoding)) return body
  const name = encoding.trim().toLowerCase()
  if (name !== 'gzip' && name !== 'x-gzip') return null
  return gunzipSync(body, { maxOutputLength: MAX_JSON_BYTES })
}

export function isIdentity(encoding: string): boolean {
  return encoding.trim().toLowerCase() === 'identity'
}
