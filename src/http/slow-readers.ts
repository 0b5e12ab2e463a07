// Readers of answers: one that takes nothing, or hardly anything, for some seconds although something is there for it
// is cut off, so that it does not hold on to memory, to a place among the streams and to its connection.

import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface ReaderLimits {
  /** The least that is taken within the time. */
  bytes: number
  withinMs: number
}

interface Reader {
  /** As of the last look: what is written completely, and what the write under way has left. */
  written: number
  left: number
  /** Since the time began, in which something was always there. */
  taken: number
  sinceMs: number
}

/** A kilobyte per second: less than the slowest mobile networks. */
const LEAST: ReaderLimits = { bytes: 10_000, withinMs: 10_000 }
/** Looks per time. */
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

/** Of a large piece that is on its way, as Node's own time-outs see it. */
function leftOf(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { _handle: { writeQueueSize?: number } | null }
  return handle?.writeQueueSize ?? 0
}
