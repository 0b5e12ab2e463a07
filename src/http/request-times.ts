// How long requests took, by method, route and status, and how many were refused for their credentials.

import type { Observe } from '../platform/histogram.ts'
import type { Metrics } from '../platform/metrics.ts'

const BOUNDS_S = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

export interface RequestTimes {
  observe(method: string, route: string, status: number, seconds: number): void
}

export function createRequestTimes(metrics: Pick<Metrics, 'histogram' | 'tally'>): RequestTimes {
  const known = new Map<string, Observe>()
  const refused = { api: 0, console: 0 }
  const seriesOf = metrics.histogram({
    name: 'marquee_http_request_seconds',
    help: 'Duration of management requests by route and status.',
    bounds: BOUNDS_S,
  })
  metrics.tally(
    'marquee_sign_in_failures_total',
    'Wrong credentials, sessions and sign-ins (401 answers), by door: `api` or `console`.',
    'door',
    () => Object.entries(refused),
  )

  return {
    observe(method, route, status, seconds) {
      if (status === 401) refused[route.startsWith('/console') ? 'console' : 'api']++
      const key = `${method} ${status} ${route}`
      let observe = known.get(key)
      if (!observe) {
        observe = seriesOf({ method, route, status })
        known.set(key, observe)
      }
      observe(seconds)
    },
  }
}
