// Connections to addresses that a stranger chose, without becoming their way into our network: only public addresses,
// and the address that was checked is the one connected to. Shared by creatives and webhooks.

import { lookup as dnsLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { Agent } from 'undici'
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

/** For one request; connects to these addresses only, whatever DNS says by then. Destroy it after use. */
export function pinnedAgent(addresses: ResolvedAddress[], timeoutMs: number): Agent {
  return new Agent({
    connect: { lookup: pinnedLookup(addresses), timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connections: 1,
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
