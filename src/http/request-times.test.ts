// Our histogram of request times agrees with that of the metrics library.

import fc from 'fast-check'
import { Histogram, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { addHistogram } from '../platform/histogram.ts'
import { createRequestTimes } from './server.ts'

const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31)

const observation = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST'),
  route: fc.constantFrom('/campaign/:cid', '/campaign', 'none'),
  status: fc.constantFrom(200, 404, 500),
  // Quarters add up exactly in any order; a value equal to a bound belongs to the bucket below it.
  seconds: fc.oneof(
    fc.integer({ min: 0, max: 40 }).map(n => n / 4),
    fc.constantFrom(0.25, 1, 5),
  ),
})

it(`gives the same result as the histogram of the library (SEED=${SEED})`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(observation), async observations => {
      const [ours, theirs] = [new Registry(), new Registry()]
      const times = createRequestTimes({ histogram: shape => addHistogram(ours, shape), tally: () => {} })
      const histogram = new Histogram({
        name: 'marquee_http_request_seconds',
        help: 'Duration of management requests by route and status.',
        labelNames: ['method', 'route', 'status'],
        buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
        registers: [theirs],
      })
      for (const { method, route, status, seconds } of observations) {
        times.observe(method, route, status, seconds)
        histogram.observe({ method, route, status }, seconds)
      }
      const name = 'marquee_http_request_seconds'
      expect(await ours.getSingleMetricAsString(name)).toBe(await theirs.getSingleMetricAsString(name))
    }),
    { seed: SEED, numRuns: 100, verbose: true },
  )
})
