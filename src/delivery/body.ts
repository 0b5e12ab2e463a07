// The JSON of an ad request's body, gzip or plain. Bounded before it is parsed: what unpacks to more than a request may
// be, or nests deeper than one can, is refused.

import type { IncomingHttpHeaders } from 'node:http'
import { gunzipSync } from 'node:zlib'

export const MAX_JSON_BYTES = 1024 * 1024
/** Of a tag's request, which anybody can send. */
export const MOST_AD_BYTES = 16_384

/** A bid request nests about eight deep. Parsing a megabyte of brackets would hold up everybody for 300 ms. */
const MOST_NESTING = 64
/** Shorter texts are parsed faster than they are looked through. */
const LOOK_FROM_BYTES = 1024

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = [0x5b, 0x7b]
const CLOSING = [0x5d, 0x7d]

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

/** `undefined`: not JSON, or nested too deep. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length >= LOOK_FROM_BYTES && nestsTooDeep(bytes)) return undefined
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

/** Ends at the first bracket too many, so that brackets cost less than other bytes. */
function nestsTooDeep(bytes: Buffer): boolean {
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) at = endOfText(bytes, at)
    else if (byte === OPENING[0] || byte === OPENING[1]) {
      if (++depth > MOST_NESTING) return true
    } else if (byte === CLOSING[0] || byte === CLOSING[1]) depth--
  }
  return false
}

/** Where the text that begins at `start` has its closing quote. */
function endOfText(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) return at
    if (byte === BACKSLASH) at++
  }
  return bytes.length
}
