// Honest visitors of a site, and an advertiser who reads: a fixed number of calls per second, independent of earlier
// answers, each visitor with its own loopback address. The duration of each call is measured.

import { Agent, request as httpRequest } from 'node:http'
import type { Target } from './abuse-world.ts'

/** Durations in ms. */
export interface Times {
  ads: number[]
  pixels: number[]
  reads: number[]
  /** How many ads were served. */
  served: number
}

export interface Visitors {
  visit(seconds: number): Promise<Times>
  leave(): void
}

const ADS_PER_SECOND = 100
/** One read per this many ads. */
const ADS_PER_READ = 4
/** So many that each is billed for fewer than a thousand impressions per hour, as a real address is. */
const ADDRESSES = 200
export const AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

interface Call {
  method: string
  path: string
  headers: Record<string, string>
  localAddress: string
  body?: string
}

export function createVisitors({ port, siteKey, honest }: Target): Visitors {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const visit = JSON.stringify({
    source: siteKey,
    size: '300x250',
    page: 'http://localhost/article',
    geo: { country: 'CA' },
  })
  let visitor = 0

  function timed(times: number[], { body, ...call }: Call): Promise<string> {
    return new Promise((resolve, reject) => {
      const began = performance.now()
      const request = httpRequest({ port, host: '127.0.0.1', agent, ...call }, response => {
        const chunks: Buffer[] = []
        response.on('data', chunk => chunks.push(chunk))
        response.on('end', () => {
          times.push(performance.now() - began)
          if (response.statusCode === 200) resolve(Buffer.concat(chunks).toString())
          else reject(new Error(`${call.method} ${call.path} was answered with ${response.statusCode}`))
        })
      })
      request.on('error', reject)
      request.end(body)
    })
  }

  async function look(times: Times): Promise<void> {
    const localAddress = `127.1.0.${1 + (visitor++ % ADDRESSES)}`
    const headers = { 'user-agent': AGENT }
    const text = await timed(times.ads, {
      method: 'POST',
      path: '/ad',
      headers: { ...headers, 'content-type': 'application/json' },
      localAddress,
      body: visit,
    })
    const { ad } = JSON.parse(text) as { ad: { impression: string } | null }
    if (!ad) return
    times.served++
    const { pathname } = new URL(ad.impression)
    await timed(times.pixels, { method: 'GET', path: pathname, headers, localAddress })
  }

  async function read(times: Times): Promise<void> {
    const { cuid, key, token } = honest
    const headers = { 'x-access-key': key, 'x-access-token': token }
    await timed(times.reads, {
      method: 'GET',
      path: `/campaign?cuid=${cuid}`,
      headers,
      localAddress: '127.1.1.1',
    })
  }

  return {
    async visit(seconds) {
      const times: Times = { ads: [], pixels: [], reads: [], served: 0 }
      const asked: Promise<void>[] = []
      const began = performance.now()
      for (let n = 0; n < seconds * ADS_PER_SECOND; n++) {
        const dueMs = began + (n * 1000) / ADS_PER_SECOND - performance.now()
        if (dueMs > 0) await new Promise(resolve => setTimeout(resolve, dueMs))
        asked.push(look(times))
        if (n % ADS_PER_READ === 0) asked.push(read(times))
      }
      await Promise.all(asked)
      return times
    },
    leave: () => agent.destroy(),
  }
}
