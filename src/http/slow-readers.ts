// A reader that takes hardly anything of an answer for some seconds, although data is waiting for it, is cut off.
// Otherwise it would keep memory, a slot for streams and its connection. So is a sender of megabytes.

import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface ReaderLimits {
  /** The fewest bytes that must be taken within the time. */
  bytes: number
  withinMs: number
}

interface Reader {
  /** As of the last check: the bytes written completely, and the bytes left of the write under way. */
  written: number
  left: number
  /** Bytes taken since `sinceMs`, during which data was always waiting. */
  taken: number
  sinceMs: number
}

/** One kilobyte per second, which is slower than the slowest mobile networks. For a sender of megabytes, too. */
export const LEAST: ReaderLimits = { bytes: 10_000, withinMs: 10_000 }
/** Checks within the time. */
const LOOKS = 5

export interface SlowReaders {
  watched(listener: RequestListener): RequestListener
  stop(): void
}

export function createSlowReaders(onCutOff: () => void, limits: ReaderLimits = LEAST): SlowReaders {
  const readers = new Map<ServerResponse, Reader>()

  function look(): void {
    const nowMs = performance.now()
    for (const [response, reader] of readers) {
      const { socket } = response
      if (!socket || response.writableLength === 0) reader.sinceMs = Number.NaN
      else if (isTooSlow(reader, socket, nowMs)) {
        onCutOff()
        response.destroy()
      }
    }
  }

  function isTooSlow(reader: Reader, socket: Socket, nowMs: number): boolean {
    const written = socket.bytesWritten - socket.writableLength
    const left = leftOf(socket)
    const taken = written === reader.written ? reader.left - left : written - reader.written
    Object.assign(reader, { written, left })
    if (Number.isNaN(reader.sinceMs)) {
      Object.assign(reader, { taken: 0, sinceMs: nowMs })
      return false
    }
    reader.taken += Math.max(0, taken)
    if (nowMs - reader.sinceMs < limits.withinMs) return false
    if (reader.taken < limits.bytes) return true
    Object.assign(reader, { taken: 0, sinceMs: nowMs })
    return false
  }

  const looking = setInterval(look, limits.withinMs / LOOKS)
  looking.unref()
  return {
    watched: listener => (request, response) => {
      readers.set(response, { written: 0, left: 0, taken: 0, sinceMs: Number.NaN })
      response.once('close', () => readers.delete(response))
      listener(request, response)
    },
    stop: () => clearInterval(looking),
  }
}

/** The bytes left of a large write under way, which Node's own timeouts also use. */
function leftOf(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { _handle: { writeQueueSize?: number } | null }
  return handle?.writeQueueSize ?? 0
}

/** Cuts off a sender as soon as it sends less than that within the time. Returns the function that stops looking. */
export function cutOffIfSlow(bytes: () => number, cutOff: () => void, limits: ReaderLimits): () => void {
  let before = bytes()
  const looking = setInterval(() => {
    const now = bytes()
    if (now - before < limits.bytes) cutOff()
    before = now
  }, limits.withinMs)
  looking.unref()
  return () => clearInterval(looking)
}
