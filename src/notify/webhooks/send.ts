// Sends one request to an address that an app chose: never to a private one, without redirects, within bounded time and
// bytes. The result is a value in words. Private and unknown hosts look the same, so that the log cannot be used to map
// a network.

import type { IncomingMessage } from 'node:http'
import {
  addressesOf,
  isPadded,
  literalAddress,
  type OutboundOptions,
  requestPinned,
} from '../../platform/outbound.ts'
import { isPublicAddress } from '../../platform/public-address.ts'

export interface SendOptions extends OutboundOptions {
  /** For everything together: lookup, connection, headers and body. */
  timeoutMs: number
  /** Ends it early when the service stops. */
  signal?: AbortSignal
}

/** `error` is null for a success. */
export interface Outcome {
  status: number | null
  error: string | null
}

export const UNREACHABLE = 'The host is unknown, unreachable or not allowed.'
export const NO_ANSWER = 'There was no answer in time.'
export const NO_TLS = 'No secure connection: the certificate is not valid for this host, or it speaks no TLS.'

/** How much of an answer is read, so that the receiver can finish; the content is not used. */
const MAX_ANSWER_BYTES = 65_536
const TLS_TROUBLE = /CERT|TLS|SSL|SIGNATURE|EPROTO/

/** Why a webhook cannot have this address; null: it can. Names are looked up only when something is sent. */
export function refuseUrl(
  url: string,
  allowPrivate: boolean,
): 'url_with_password' | 'not_https' | 'private_address' | null {
  const target = new URL(url)
  if (target.username || target.password) return 'url_with_password'
  if (allowPrivate) return null
  if (target.protocol !== 'https:') return 'not_https'
  const literal = literalAddress(target)
  return literal && !isPublicAddress(literal.address) ? 'private_address' : null
}

export async function send(
  url: string,
  headers: Record<string, string>,
  body: string,
  options: SendOptions,
): Promise<Outcome> {
  if (!URL.canParse(url) || refuseUrl(url, options.allowPrivate)) return failed(UNREACHABLE)
  const target = new URL(url)
  target.hash = ''
  const end = new AbortController()
  const hangUp = () => end.abort()
  let late = false
  const timer = setTimeout(() => {
    late = true
    hangUp()
  }, options.timeoutMs)
  options.signal?.addEventListener('abort', hangUp)
  try {
    return await post(target, headers, body, options, end.signal)
  } catch (error) {
    return failed(late ? NO_ANSWER : troubleOf(error))
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', hangUp)
  }
}

async function post(
  target: URL,
  headers: Record<string, string>,
  body: string,
  options: SendOptions,
  deadline: AbortSignal,
): Promise<Outcome> {
  const addresses = await addressesOf(target, options, deadline)
  if (addresses === 'not_allowed' || addresses.length === 0) return failed(UNREACHABLE)
  const answer = await requestPinned(target, addresses, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Marquee webhooks' },
    body,
    signal: deadline,
  })
  try {
    await drain(answer)
    return outcomeOf(answer.statusCode!)
  } finally {
    answer.destroy()
  }
}

function failed(error: string): Outcome {
  return { status: null, error }
}

function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return { status, error: null }
  const why = status >= 300 && status < 400 ? 'redirects are not followed' : 'only 2xx counts'
  return { status, error: `The receiver answered with status ${status}; ${why}.` }
}

/** The status has arrived, so the rest of the answer does not matter. */
async function drain(answer: IncomingMessage): Promise<void> {
  let receivedBytes = 0
  try {
    for await (const chunk of answer) {
      receivedBytes += chunk.length
      if (receivedBytes >= MAX_ANSWER_BYTES || isPadded(answer, receivedBytes)) return
    }
  } catch {
    // The answer was cut off, or too slow.
  }
}

function troubleOf(error: unknown): string {
  const { code = '', name = '' } = error as { code?: string; name?: string }
  if (TLS_TROUBLE.test(code)) return NO_TLS
  return /Timeout/.test(name) ? NO_ANSWER : UNREACHABLE
}
