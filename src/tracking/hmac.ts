// HMAC-SHA-512 (RFC 2104) for short texts, by two one-shot hashes over prepared key blocks: the same result as
// createHmac for less than half of its time, which is mostly spent on making the object.

import { hash } from 'node:crypto'

/** The authentication code of an ASCII text, as base64url. */
export type Hmac = (text: string) => string

const BLOCK_BYTES = 128
const DIGEST_BYTES = 64
const INNER_PAD = 0x36
const OUTER_PAD = 0x5c

/** `mostChars`: the longest text that will be asked for. The secret has at most 128 bytes. */
export function createHmacSha512(secret: Buffer, mostChars: number): Hmac {
  if (secret.length > BLOCK_BYTES) throw new RangeError(`the secret has more than ${BLOCK_BYTES} bytes`)
  const inner = keyBlock(secret, INNER_PAD, mostChars)
  const outer = keyBlock(secret, OUTER_PAD, DIGEST_BYTES)
  return text => {
    if (text.length > mostChars) throw new RangeError(`the text has more than ${mostChars} characters`)
    const written = inner.write(text, BLOCK_BYTES, 'latin1')
    outer.write(hash('sha512', inner.subarray(0, BLOCK_BYTES + written), 'binary'), BLOCK_BYTES, 'latin1')
    return hash('sha512', outer, 'base64url')
  }
}

function keyBlock(secret: Buffer, pad: number, roomBytes: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES + roomBytes, pad)
  for (let at = 0; at < secret.length; at++) block[at] = secret[at]! ^ pad
  return block
}
