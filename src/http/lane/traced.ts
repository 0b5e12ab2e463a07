// A sample of ad requests and tracking calls as spans: one of so many in each process. Without traces, nothing is
// between a request and its handler.

import { placeOf } from '../../platform/trace.ts'
import type { Span, Traces } from '../../platform/traces.ts'
import type { DataAnswer, DataHandler, DataRoute } from './data-plane.ts'

/** Puts itself before the handlers of these routes. A caller's `traceparent` does not choose what is traced. */
export function traceSome(routes: readonly DataRoute[], traces: Traces, oneIn: number): void {
  if (!traces.isOn || oneIn === 0) return
  let count = 0
  for (const route of routes) {
    const { handle, prefix } = route
    route.handle = request => {
      if (++count < oneIn) return handle(request)
      count = 0
      const { method, headers } = request
      const facts = { 'http.request.method': method, 'http.route': prefix }
      const span = traces.begin(`${method} ${prefix}`, 'server', placeOf(headers.traceparent), facts)
      return span === null ? handle(request) : followed(span, handle, request)
    }
  }
}

function followed(span: Span, handle: DataHandler, request: Parameters<DataHandler>[0]) {
  const ended = (answer: DataAnswer) => {
    const failed = answer.status >= 500 ? `status ${answer.status}` : undefined
    span.end({ 'http.response.status_code': answer.status }, failed)
    return answer
  }
  const broken = (error: unknown) => {
    span.end({}, 'it failed')
    throw error
  }
  try {
    const made = handle(request)
    return made instanceof Promise ? made.then(ended, broken) : ended(made)
  } catch (error) {
    return broken(error)
  }
}
