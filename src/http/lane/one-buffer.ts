// Lets all connections read into one buffer. For each read, Node allocates 64 kB and gives most of it back, which costs
// more than reading an ad request. Its way to avoid that, the option `onread`, exists only for sockets that connect, so
// an accepted one gets here what that option sets. If Node does not keep these parts where they are expected, nothing
// is changed, and the socket reads as any other.

import { Socket } from 'node:net'

const BUFFER_BYTES = 65_536

/** On Windows, a read that waits for bytes keeps its buffer, so each connection needs its own. */
const CAN_SHARE = process.platform !== 'win32'

interface Parts {
  buffer: symbol
  callback: symbol
}

type Inside = Record<symbol, unknown> & { _handle?: { useUserBuffer?(buffer: Buffer): void } | null }

const PARTS = findParts(new Socket())

/** What is kept of it is copied before the next read. */
const shared = PARTS && Buffer.allocUnsafeSlow(BUFFER_BYTES)

function findParts(socket: Socket): Parts | null {
  const inside = socket as unknown as Inside
  const empty = (name: string) =>
    Object.getOwnPropertySymbols(socket).find(
      symbol => symbol.description === name && inside[symbol] === null,
    )
  const [buffer, callback] = [empty('kBuffer'), empty('kBufferCb')]
  return CAN_SHARE && buffer && callback ? { buffer, callback } : null
}

/** Returns whether it does. Bytes arrive as before, in pieces of just their size. */
export function readIntoOneBuffer(socket: Socket): boolean {
  const inside = socket as unknown as Inside
  const handle = inside._handle
  const lend = handle?.useUserBuffer
  if (!PARTS || !shared || typeof lend !== 'function') return false
  inside[PARTS.buffer] = shared
  inside[PARTS.callback] = (bytes: number, buffer: Buffer) =>
    socket.push(Buffer.from(buffer.subarray(0, bytes)))
  lend.call(handle, shared)
  return true
}
