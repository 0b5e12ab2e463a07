// The JSON of an ad request's body, gzip or plain. Bounded: what unpacks to more than a request may be is refused.

import type { IncomingHttpHeaders } from 'node:http'
import { gunzipSync } from 'node:zlib'

export const MAX_JSON_BYTES = 1024 * 1024

/** `undefined`: not JSON, not unpackable, or too much of it. */
export function readJson(body: Buffer | null, headers: IncomingHttpHeaders): unknown {
  if (body === null || body.length === 0) return undefined
  try {
    const bytes = unpack(body, headers['content-encoding'])
    return bytes === null ? undefined : JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

function unpack(body: Buffer, encoding: string | undefined): Buffer | null {
  if (encoding === undefined) return body
  const name = encoding.trim().toLowerCase()
  if (name === 'identity') return body
  if (name !== 'gzip' && name !== 'x-gzip') return null
  return gunzipSync(body, { maxOutputLength: MAX_JSON_BYTES })
}
