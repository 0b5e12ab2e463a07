// Reads the body of an upload in pieces as they arrive, so that megabytes are never copied at once. It reads one piece
// per turn of the event loop, so that a fast sender does not keep others waiting.

import type { Readable } from 'node:stream'
import { setImmediate as nextLoop } from 'node:timers/promises'
import { type Problem, refusal } from '../../kernel/errors/problem.ts'

/** `lengthHeader`: the length that the sender declares; a chunked body declares none. */
export async function readInPieces(
  payload: Readable,
  lengthHeader: string | undefined,
  mostBytes: number,
): Promise<Buffer> {
  const length = lengthHeader === undefined ? null : Number(lengthHeader)
  if (length !== null && length > mostBytes) throw tooLarge(mostBytes)
  let body: Buffer = Buffer.allocUnsafeSlow(length ?? 0)
  let end = 0
  // The rest of a body that is too large is not read, but its sender must still be able to read why.
  const chunks = payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  for await (const chunk of chunks) {
    if (end + chunk.length > mostBytes) throw tooLarge(mostBytes)
    if (end + chunk.length > body.length)
      body = grown(body, end, Math.min(mostBytes, 2 * (end + chunk.length)))
    chunk.copy(body, end)
    end += chunk.length
    await nextLoop()
  }
  return body.subarray(0, end)
}

function grown(body: Buffer, end: number, bytes: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(bytes)
  body.copy(larger, 0, 0, end)
  return larger
}

function tooLarge(maxBytes: number): Problem {
  return refusal('body_too_large', { maxBytes })
}
