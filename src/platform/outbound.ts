// Connections to addresses that a stranger chose, without becoming their way into our network: only public addresses,
// and the address that was checked is the one connected to. Shared by creatives and webhooks.

import { lookup as dnsLookup } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { urlToHttpOptions } from 'node:url'
import { isPublicAddress } from './public-address.ts'

export interface ResolvedAddress {
  address: string
  family: number
}

/** Resolves a host name to all of its addresses; rejects if there is none. */
export type Resolve = (hostname: string) => Promise<ResolvedAddress[]>

export interface OutboundOptions {
  /** Lets private and local addresses through: for development, and for hosts inside a company. */
  allowPrivate: boolean
  lookup?: Resolve
}

const resolveByDns: Resolve = hostname => dnsLookup(hostname, { all: true, verbatim: true })

/**
 * The addresses of a URL's host, possibly none; `not_allowed` if any of them is private. The URL parser has normalised
 * every spelling of an IP address (127.1, 0x7f.1, 2130706433) to one.
 */
export async function addressesOf(
  target: URL,
  { allowPrivate, lookup = resolveByDns }: OutboundOptions,
  deadline: AbortSignal,
): Promise<ResolvedAddress[] | 'not_allowed'> {
  const literal = literalAddress(target)
  const addresses = literal ? [literal] : await beforeDeadline(lookup(target.hostname), deadline)
  const allowed = allowPrivate || addresses.every(found => isPublicAddress(found.address))
  return allowed ? addresses : 'not_allowed'
}

/** The IP address in a URL; null if it has a host name. */
export function literalAddress(target: URL): ResolvedAddress | null {
  const address = target.hostname.replace(/^\[|\]$/g, '')
  const family = isIP(address)
  return family === 0 ? null : { address, family }
}

export interface PinnedRequest {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
  /** Ends it, wherever it is. */
  signal: AbortSignal
}

/**
 * One request on a connection of its own, to these addresses only, whatever DNS says by then. Redirects are not
 * followed, nothing is unpacked, and a body that was cut off ends with an error. Destroy the answer after use.
 */
export function requestPinned(
  target: URL,
  addresses: ResolvedAddress[],
  { method, headers, body, signal }: PinnedRequest,
): Promise<IncomingMessage> {
  const open = target.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const { auth: _, ...place } = urlToHttpOptions(target)
    const lookup = pinnedLookup(addresses)
    const request = open({ ...place, method, headers, lookup, agent: false }, answer => {
      // It may be destroyed before all of it is read: not an error worth a crash.
      answer.on('error', () => {})
      stoppable = answer
      resolve(answer)
    })
    // Not by an option of the request: that ends a body as if it were complete.
    let stoppable: { destroy(error: Error): unknown } = request
    const stop = () => stoppable.destroy(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    request.on('error', reject)
    request.on('close', () => {
      signal.removeEventListener('abort', stop)
      // There may be neither an answer nor an error, as after a change of protocol that nobody asked for.
      reject(new Error('closed without an answer'))
    })
    if (signal.aborted) stop()
    else request.end(body)
  })
}

/** Answers every question for an address with those that were checked: DNS has no second say. */
function pinnedLookup(addresses: ResolvedAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    const first = addresses[0]!
    if (options.all) callback(null, addresses)
    else callback(null, first.address, first.family)
  }
}

function beforeDeadline<T>(work: Promise<T>, deadline: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    deadline.addEventListener('abort', () => reject(deadline.reason), { once: true })
    work.then(resolve, reject)
  })
}
