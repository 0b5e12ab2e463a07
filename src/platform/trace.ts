// The trace that running code is part of (W3C Trace Context): its id is in the log lines that a request causes until it
// is answered, and goes out with what it causes. A connection that the request opened keeps its context, so the end is
// marked explicitly.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingHttpHeaders } from 'node:http'

/** A place in a trace: of the caller, or of one of our spans (traces.ts). */
export interface Place {
  traceId: string
  spanId: string
  /** Whether the trace is kept: if its caller does not keep it, neither do we. */
  isSampled: boolean
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/
const ZEROS = /^0+$/
const SAMPLED = 1

const current = new AsyncLocalStorage<{ place: Place; isOver: boolean }>()

/** The place that a `traceparent` names; null for anything that is not one. */
export function placeOf(traceparent: unknown): Place | null {
  if (typeof traceparent !== 'string') return null
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? []
  if (traceId === undefined || ZEROS.test(traceId) || ZEROS.test(spanId!)) return null
  return { traceId, spanId: spanId!, isSampled: (Number.parseInt(flags!, 16) & SAMPLED) !== 0 }
}

export function traceparentOf({ traceId, spanId, isSampled }: Place): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

/** Runs `work` at this place until the returned function is called. */
export function beginTrace(place: Place, work: () => void): () => void {
  const trace = { place, isOver: false }
  current.run(trace, work)
  return () => {
    trace.isOver = true
  }
}

/** Where the running code is; null if it is part of no trace, or its request is already answered. */
export function currentPlace(): Place | null {
  const trace = current.getStore()
  return trace === undefined || trace.isOver ? null : trace.place
}

export function currentTraceId(): string | null {
  return currentPlace()?.traceId ?? null
}

/** What a later call to another program sends as `traceparent`; null if there is no trace. */
export function currentTraceparent(): string | null {
  const place = currentPlace()
  return place && traceparentOf(place)
}

/** The trace fields of every log line. */
export function traceFields(): object {
  return fields(currentTraceId())
}

/** The same for a log line that is written outside the request's trace. */
export function traceFieldsOf(headers: IncomingHttpHeaders | undefined): object {
  return fields(placeOf(headers?.traceparent)?.traceId ?? null)
}

function fields(traceId: string | null): object {
  return traceId === null ? {} : { traceId }
}
