// Prometheus metrics of one service instance: a registry of its own, so that two instances in one process do not mix.

import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'

export interface Metrics {
  registry: Registry
  counter<L extends string>(name: string, help: string, labels?: L[]): Counter<L>
  /** A counter that is kept elsewhere, as plain numbers, and read when somebody asks. */
  tally<L extends string>(name: string, help: string, label: L, read: () => Iterable<[string, number]>): void
  gauge<L extends string>(name: string, help: string, labels?: L[]): Gauge<L>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    registry,
    counter: (name, help, labels = []) => new Counter({ name, help, labelNames: labels, registers }),
    tally(name, help, label, read) {
      new Counter({
        name,
        help,
        labelNames: [label],
        registers,
        collect() {
          this.reset()
          for (const [value, count] of read())
            this.inc({ [label]: value } as Record<typeof label, string>, count)
        },
      })
    },
    gauge: (name, help, labels = []) => new Gauge({ name, help, labelNames: labels, registers }),
  }
}
