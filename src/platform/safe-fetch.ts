// Fetches a file from an address that a stranger chose, without opening our network to them: only public addresses (the
// one checked is the one connected to), no redirects, nothing compressed, limited bytes and time. A forbidden and an
// unreachable host get the same answer, so answers reveal nothing about our network. Only a host with a public address
// can be too slow.

import type { IncomingMessage } from 'node:http'
import {
  addressesOf,
  isPadded,
  type OutboundOptions,
  type ResolvedAddress,
  requestPinned,
} from './outbound.ts'

export interface FetchOptions extends OutboundOptions {
  maxBytes: number
  /** For everything together: name lookup, connection, headers and body. */
  timeoutMs: number
}

/**
 * `unreachable`: the host is private, unknown, down or does not speak HTTP; `timeout`: it has an allowed address, and
 * did not send everything in time; `status`: the status is not 200.
 */
export type Fetched =
  | { ok: true; bytes: Buffer }
  | { ok: false; why: 'unreachable' | 'timeout' | 'compressed' | 'too_large' }
  | { ok: false; why: 'status'; status: number }

export interface Asking {
  accept: string
  agent: string
}

export async function safeFetch(target: URL, asking: Asking, options: FetchOptions): Promise<Fetched> {
  const deadline = AbortSignal.timeout(options.timeoutMs)
  let isAllowed = false
  try {
    const addresses = await addressesOf(target, options, deadline)
    if (addresses === 'not_allowed' || addresses.length === 0) return { ok: false, why: 'unreachable' }
    isAllowed = true
    return await download(target, addresses, asking, deadline, options.maxBytes)
  } catch {
    // The error of the transport (refused, reset, bad certificate, not HTTP) is hidden.
    return { ok: false, why: isAllowed && deadline.aborted ? 'timeout' : 'unreachable' }
  }
}

async function download(
  target: URL,
  addresses: ResolvedAddress[],
  { accept, agent: name }: Asking,
  deadline: AbortSignal,
  maxBytes: number,
): Promise<Fetched> {
  // Encoded bodies are never decompressed, so a small answer cannot become a large one.
  const headers = { accept, 'accept-encoding': 'identity', 'user-agent': name }
  const answer = await requestPinned(target, addresses, { method: 'GET', headers, signal: deadline })
  try {
    return refuseAnswer(answer, maxBytes) ?? (await readBody(answer, maxBytes))
  } finally {
    answer.destroy()
  }
}

function refuseAnswer(answer: IncomingMessage, maxBytes: number): Fetched | null {
  const status = answer.statusCode!
  if (status !== 200) return { ok: false, why: 'status', status }
  const encoding = String(answer.headers['content-encoding'] ?? 'identity')
    .trim()
    .toLowerCase()
  if (encoding !== 'identity' && encoding !== '') return { ok: false, why: 'compressed' }
  return Number(answer.headers['content-length'] ?? 0) > maxBytes ? { ok: false, why: 'too_large' } : null
}

async function readBody(answer: IncomingMessage, maxBytes: number): Promise<Fetched> {
  const chunks: Buffer[] = []
  let receivedBytes = 0
  for await (const chunk of answer) {
    receivedBytes += chunk.length
    if (receivedBytes > maxBytes) return { ok: false, why: 'too_large' }
    if (isPadded(answer, receivedBytes)) return { ok: false, why: 'unreachable' }
    chunks.push(chunk)
  }
  return { ok: true, bytes: Buffer.concat(chunks, receivedBytes) }
}
