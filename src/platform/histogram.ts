// A Prometheus histogram kept as plain numbers and formatted only when scraped: recording a request takes only a few
// steps in an array.

import type { Metric, Registry } from 'prom-client'

export interface HistogramShape {
  name: string
  help: string
  bounds: readonly number[]
}

export type Labels = Readonly<Record<string, string | number>>
export type Observe = (value: number) => void

interface Series {
  labels: Labels
  buckets: number[]
  sum: number
}

/** Returns the function that creates a series. There are few series, each created once. */
export function addHistogram(
  registry: Registry,
  { name, help, bounds }: HistogramShape,
): (labels?: Labels) => Observe {
  const all: Series[] = []
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    values: all.flatMap(series => samplesOf(name, bounds, series)),
  })
  // The registry only reads a metric's name and calls its `get`.
  registry.registerMetric({ name, get } as unknown as Metric)
  return (labels = {}) => {
    const series: Series = { labels, buckets: new Array<number>(bounds.length + 1).fill(0), sum: 0 }
    all.push(series)
    return value => {
      let bucket = 0
      while (bucket < bounds.length && value > bounds[bucket]!) bucket++
      series.buckets[bucket]!++
      series.sum += value
    }
  }
}

/** Buckets are cumulative in the text format. */
function samplesOf(name: string, bounds: readonly number[], { labels, buckets, sum }: Series) {
  let count = 0
  const samples = buckets.map((inBucket, i) => {
    count += inBucket
    return {
      metricName: `${name}_bucket`,
      labels: { le: bounds[i] ?? '+Inf', ...labels } as Labels,
      value: count,
    }
  })
  samples.push({ metricName: `${name}_sum`, labels, value: sum })
  samples.push({ metricName: `${name}_count`, labels, value: count })
  return samples
}
