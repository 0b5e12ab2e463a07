// The JSON of an ad request's body, gzip or plain. Bounded before it is parsed: a body that decompresses to too much,
// nests too deep or has too many fields is refused.

import type { IncomingHttpHeaders } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { beyondBounds } from '../kernel/json-bounds.ts'

export const MAX_JSON_BYTES = 1024 * 1024
/** Of a tag's request, which anyone can send. */
export const MOST_AD_BYTES = 16_384

/** Looking through a usual request costs half as much as parsing it; whatever this long holds is parsed in 0.3 ms. */
const LOOK_FROM_BYTES = 8_192

/** `undefined`: not JSON, not unpackable, or too much of it. */
export function readJson(body: Buffer | null, headers: IncomingHttpHeaders): unknown {
  if (body === null || body.length === 0) return undefined
  try {
    const bytes = unpack(body, headers['content-encoding'])
    return bytes === null ? undefined : parseJson(bytes)
  } catch {
    return undefined
  }
}

/** `undefined`: not JSON, or too much of it. */
export function parseJson(bytes: Buffer): unknown {
  if (beyondBounds(bytes, LOOK_FROM_BYTES)) return undefined
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
