// HMAC (RFC 2104) for short texts, by two one-shot hashes over prepared key blocks. It gives the same result as
// createHmac in less than half the time, because creating that object costs the most.

import { hash } from 'node:crypto'

/** The authentication code of an ASCII text, as base64url. */
export type Hmac = (text: string) => string

const SIZES = {
  sha256: { blockBytes: 64, digestBytes: 32 },
  sha512: { blockBytes: 128, digestBytes: 64 },
}
const INNER_PAD = 0x36
const OUTER_PAD = 0x5c

/** `mostChars`: the longest text that will be passed. The secret must not be longer than a block of the hash. */
export function createHmacOf(algorithm: keyof typeof SIZES, secret: Buffer, mostChars: number): Hmac {
  const { blockBytes, digestBytes } = SIZES[algorithm]
  if (secret.length > blockBytes) throw new RangeError(`the secret has more than ${blockBytes} bytes`)
  const inner = keyBlock(secret, INNER_PAD, blockBytes, mostChars)
  const outer = keyBlock(secret, OUTER_PAD, blockBytes, digestBytes)
  return text => {
    if (text.length > mostChars) throw new RangeError(`the text has more than ${mostChars} characters`)
    const written = inner.write(text, blockBytes, 'latin1')
    outer.write(hash(algorithm, inner.subarray(0, blockBytes + written), 'binary'), blockBytes, 'latin1')
    return hash(algorithm, outer, 'base64url')
  }
}

function keyBlock(secret: Buffer, pad: number, blockBytes: number, roomBytes: number): Buffer {
  const block = Buffer.alloc(blockBytes + roomBytes, pad)
  for (let at = 0; at < secret.length; at++) block[at] = secret[at]! ^ pad
  return block
}
