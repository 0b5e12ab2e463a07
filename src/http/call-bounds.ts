// What ends the work of a call early: its deadline, or the loss of its caller. Whatever it is running in the database
// is then cancelled and rolled back; what it has committed stays.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { refusal } from '../kernel/errors/problem.ts'
import type { Metrics } from '../platform/metrics.ts'

export interface CallBounds {
  signal: AbortSignal
  /** Runs work that must be over within the time of a call. */
  during<T>(work: () => Promise<T>): Promise<T>
}

export type BoundCall = (request: IncomingMessage, response: ServerResponse) => CallBounds

/** How often we check whether a caller that has ended its stream is still there. */
const LOOK_MS = 500
const STOPPED_HELP =
  'Calls that were stopped: deadline (CALL_TIMEOUT), gone (the caller left before the answer), unread (the caller read the answer too slowly).'

export type Stopped = (outcome: 'deadline' | 'gone' | 'unread') => void

export function countStopped(metrics: Metrics): Stopped {
  const stopped = metrics.counter('marquee_calls_stopped_total', STOPPED_HELP, ['outcome'])
  return outcome => stopped.inc({ outcome })
}

export function createCallBounds(mostMs: number, stopped: Stopped): BoundCall {
  return (request, response) => {
    const controller = new AbortController()
    const { signal } = controller
    onceGone(request, response, () => {
      if (signal.aborted) return
      stopped('gone')
      controller.abort(refusal('caller_gone'))
    })
    const isLate = () => {
      if (signal.aborted) return
      stopped('deadline')
      const again = { headers: { 'retry-after': '10' } }
      controller.abort(refusal('deadline_exceeded', { seconds: mostMs / 1000 }, again))
    }
    return {
      signal,
      async during(work) {
        const timer = setTimeout(isLate, mostMs)
        try {
          return await work()
        } finally {
          clearTimeout(timer)
        }
      },
    }
  }
}

/**
 * A caller that has ended its own stream may still read the answer, or be gone for good. Only writing tells which: we
 * send an interim answer, which every HTTP/1.1 caller accepts. None can be sent in the middle of an answer: then the
 * caller counts as gone.
 */
function onceGone(request: IncomingMessage, response: ServerResponse, tell: () => void): void {
  const { socket } = request
  let looking: NodeJS.Timeout | undefined
  const look = () => {
    if (!response.headersSent && request.httpVersion === '1.1') response.writeProcessing()
  }
  const onEnd = () => {
    if (response.headersSent && !response.writableEnded) {
      response.destroy()
      return
    }
    look()
    looking = setInterval(look, LOOK_MS)
  }
  if (socket.readableEnded) onEnd()
  else socket.once('end', onEnd)
  response.once('close', () => {
    clearInterval(looking)
    socket.off('end', onEnd)
    if (!response.writableEnded) tell()
  })
}
