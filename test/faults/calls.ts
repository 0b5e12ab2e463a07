// A call by a client that may hang up, to a service that may die at any moment.

import { Agent, request } from 'node:http'
import type { Random } from './random.ts'

export interface Call {
  method: 'GET' | 'POST'
  /** Path and query. */
  path: string
  body?: string
}

export interface Answer {
  status: number
  text: string
  location: string | undefined
}

/** When the client hangs up: after this many milliseconds, or after half of its body; null: never. */
export type HangUp = { afterMs: number } | 'half-way' | null

export interface Caller {
  /** Null if no complete answer came: then the outcome is unknown. */
  call(base: string, call: Call, hangUp: HangUp): Promise<Answer | null>
  /** Destroys every socket, even in the middle of a call. */
  cut(): void
}

export const VISITOR =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const PATIENCE_MS = 15_000

export function createCaller(maxSockets: number): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets })
  return {
    call: (base, call, hangUp) => send(agent, base, call, hangUp),
    cut: () => agent.destroy(),
  }
}

/** Lets the client hang up in one call of `oneIn`. */
export function chooseHangUp(random: Random, oneIn: number): HangUp {
  if (random(oneIn) > 0) return null
  return random(4) === 0 ? 'half-way' : { afterMs: random(12) }
}

function send(agent: Agent, base: string, { method, path, body }: Call, hangUp: HangUp) {
  return new Promise<Answer | null>(resolve => {
    const headers: Record<string, string | number> = { 'user-agent': VISITOR }
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (method === 'POST') headers['content-length'] = Buffer.byteLength(body ?? '')
    const out = request(base + path, { agent, method, headers }, answer => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', chunk => {
        text += chunk
      })
      answer.on('error', () => resolve(null))
      answer.on('close', () => {
        const { complete, statusCode, headers } = answer
        resolve(complete ? { status: statusCode!, text, location: headers.location } : null)
      })
    })
    out.on('error', () => resolve(null))
    out.setTimeout(PATIENCE_MS, () => out.destroy())
    if (hangUp === null) out.end(body)
    else {
      const isHalf = hangUp === 'half-way' && body !== undefined
      if (isHalf) out.write(body.slice(0, body.length / 2))
      else out.end(body)
      const timer = setTimeout(() => out.destroy(), hangUp === 'half-way' ? 2 : hangUp.afterMs)
      out.on('close', () => clearTimeout(timer))
    }
  })
}
