// The trace that a caller is part of (W3C Trace Context): its id is in the log lines that a request causes until it is
// answered. A connection that the request opened keeps its context, so the end is marked explicitly.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingHttpHeaders } from 'node:http'

interface Trace {
  traceId: string
  isOver: boolean
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/
const ZEROS = /^0+$/

const current = new AsyncLocalStorage<Trace>()

/** The trace id of a `traceparent`; null for anything that is not one. */
export function traceIdOf(traceparent: unknown): string | null {
  if (typeof traceparent !== 'string') return null
  const [, traceId, parentId] = TRACEPARENT.exec(traceparent) ?? []
  return traceId === undefined || ZEROS.test(traceId) || ZEROS.test(parentId!) ? null : traceId
}

/** Runs `work` as part of the trace until the returned function is called. */
export function beginTrace(traceId: string, work: () => void): () => void {
  const trace = { traceId, isOver: false }
  current.run(trace, work)
  return () => {
    trace.isOver = true
  }
}

/** The trace id of the request that the running code serves; null if it has none or is already answered. */
export function currentTraceId(): string | null {
  const trace = current.getStore()
  return trace === undefined || trace.isOver ? null : trace.traceId
}

/** The trace fields of every log line. */
export function traceFields(): object {
  return fields(currentTraceId())
}

/** The same for a log line that is written outside the request's trace. */
export function traceFieldsOf(headers: IncomingHttpHeaders | undefined): object {
  return fields(traceIdOf(headers?.traceparent))
}

function fields(traceId: string | null): object {
  return traceId === null ? {} : { traceId }
}
