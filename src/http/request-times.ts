// How long requests took, by method, route and status: a Prometheus histogram kept as plain numbers and formatted only
// when scraped, because it records every request.

import type { Metric, Registry } from 'prom-client'

const NAME = 'marquee_http_request_seconds'
const HELP = 'Duration of management requests by route and status.'
const REFUSED = 'marquee_sign_in_failures_total'
const REFUSED_HELP = 'Wrong credentials, sessions and sign-ins (answers with 401), by door.'
const BOUNDS_S = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

export interface RequestTimes {
  observe(method: string, route: string, status: number, seconds: number): void
}

interface Series {
  labels: { method: string; route: string; status: number }
  /** How many fell between a bound and the one before; the last one: above all bounds. */
  buckets: number[]
  sum: number
}

interface Sample {
  metricName: string
  labels: Record<string, string | number>
  value: number
}

export function createRequestTimes(registry: Registry): RequestTimes {
  const byRoute = new Map<string, Map<string, Map<number, Series>>>()
  const all: Series[] = []

  function seriesOf(method: string, route: string, status: number): Series {
    const byMethod = getOrMake(byRoute, route, () => new Map<string, Map<number, Series>>())
    const byStatus = getOrMake(byMethod, method, () => new Map<number, Series>())
    return getOrMake(byStatus, status, () => {
      const buckets = new Array<number>(BOUNDS_S.length + 1).fill(0)
      const series = { labels: { method, route, status }, buckets, sum: 0 }
      all.push(series)
      return series
    })
  }

  const metric = {
    name: NAME,
    get: async () => ({ name: NAME, help: HELP, type: 'histogram', values: all.flatMap(samplesOf) }),
  }
  // The registry reads a metric's name and asks it to get; that is all it needs of one.
  registry.registerMetric(metric as unknown as Metric)
  const refusals = {
    name: REFUSED,
    get: async () => ({ name: REFUSED, help: REFUSED_HELP, type: 'counter', values: refusedOf(all) }),
  }
  registry.registerMetric(refusals as unknown as Metric)

  return {
    observe(method, route, status, seconds) {
      const series = seriesOf(method, route, status)
      let bucket = 0
      while (bucket < BOUNDS_S.length && seconds > BOUNDS_S[bucket]!) bucket++
      series.buckets[bucket]!++
      series.sum += seconds
    },
  }
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}

/** From what is counted anyway. */
function refusedOf(all: Series[]): Sample[] {
  const doors = { api: 0, console: 0 }
  for (const { labels, buckets } of all)
    if (labels.status === 401)
      doors[labels.route.startsWith('/console') ? 'console' : 'api'] += buckets.reduce((a, b) => a + b, 0)
  return Object.entries(doors).map(([door, value]) => ({ metricName: REFUSED, labels: { door }, value }))
}

/** Buckets are cumulative in the text format. */
function samplesOf({ labels, buckets, sum }: Series): Sample[] {
  let count = 0
  const samples: Sample[] = buckets.map((inBucket, i) => {
    count += inBucket
    return { metricName: `${NAME}_bucket`, labels: { le: BOUNDS_S[i] ?? '+Inf', ...labels }, value: count }
  })
  samples.push({ metricName: `${NAME}_sum`, labels, value: sum })
  samples.push({ metricName: `${NAME}_count`, labels, value: count })
  return samples
}
