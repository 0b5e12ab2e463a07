// Prometheus metrics of one service instance: a registry of its own, so that two instances in one process do not mix.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export interface Metrics {
  registry: Registry
  httpRequests: Histogram<'method' | 'route' | 'status'>
  counter<L extends string>(name: string, help: string, labels?: L[]): Counter<L>
  gauge<L extends string>(name: string, help: string, labels?: L[]): Gauge<L>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    registry,
    httpRequests: new Histogram({
      name: 'marquee_http_request_seconds',
      help: 'Duration of management requests by route and status.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers,
    }),
    counter: (name, help, labels = []) => new Counter({ name, help, labelNames: labels, registers }),
    gauge: (name, help, labels = []) => new Gauge({ name, help, labelNames: labels, registers }),
  }
}
