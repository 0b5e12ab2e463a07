// Connections to addresses that a stranger chose, without opening our network to them: only public addresses are
// allowed, and the address that was checked is the one connected to. Shared by creatives and webhooks.

import { lookup as lookupBySystem, Resolver } from 'node:dns/promises'
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

/** Resolves a host name to all of its addresses; rejects if there is none. Callers wait only until the deadline. */
export type Resolve = (hostname: string, deadline: AbortSignal) => Promise<ResolvedAddress[]>

export interface OutboundOptions {
  /** Lets private and local addresses through: for development, and for hosts inside a company. */
  allowPrivate: boolean
  lookup?: Resolve
}

const LOCAL_NAME = /(^|\.)localhost\.?$/
const LOCAL: ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]
/** For one attempt at one name server. */
const DNS = { timeout: 3_000, tries: 2 }
/**
 * More than honest names have. Each address is tried in turn, and a name must not make us contact a whole list of
 * hosts.
 */
const MOST_ADDRESSES = 20
/**
 * If an address has not connected by then, the next is tried. Node's default of 250 ms is too short for far countries.
 */
const NEXT_ADDRESS_MS = 2_000
/** The most a receiver may send before its answer: room for more than one head, but not for endless interim answers. */
const MAX_HEAD_BYTES = 65_536
/** Allowance for the head, and for what was received of the body but not yet read. */
const FRAMES_BYTES = 4 * MAX_HEAD_BYTES

/**
 * Never uses the system's lookup: it occupies one of the two threads that a process has for all names, as long as the
 * name server of a stranger is silent.
 */
const resolveByDns: Resolve = async (hostname, deadline) => {
  if (LOCAL_NAME.test(hostname)) return LOCAL
  const resolver = new Resolver(DNS)
  deadline.addEventListener('abort', () => resolver.cancel(), { once: true })
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
  return [...found(four, 4), ...found(six, 6)]
}

function found(result: PromiseSettledResult<string[]>, family: number): ResolvedAddress[] {
  return result.status === 'fulfilled' ? result.value.map(address => ({ address, family })) : []
}

/** The system also knows names of this machine and its network. */
const resolveBySystem: Resolve = hostname => lookupBySystem(hostname, { all: true, verbatim: true })

/**
 * The addresses of a URL's host, possibly none; `not_allowed` if any of them is private. The URL parser has already
 * normalised every spelling of an IP address (127.1, 0x7f.1, 2130706433).
 */
export async function addressesOf(
  target: URL,
  { allowPrivate, lookup = allowPrivate ? resolveBySystem : resolveByDns }: OutboundOptions,
  deadline: AbortSignal,
): Promise<ResolvedAddress[] | 'not_allowed'> {
  const literal = literalAddress(target)
  const addresses = literal ? [literal] : await beforeDeadline(lookup(target.hostname, deadline), deadline)
  const allowed = allowPrivate || addresses.every(found => isPublicAddress(found.address))
  return allowed ? addresses.slice(0, MOST_ADDRESSES) : 'not_allowed'
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
  /** Ends the request at any point. */
  signal: AbortSignal
}

/**
 * One request on a connection of its own, to these addresses only, whatever DNS says by then. Redirects are not
 * followed, nothing is decompressed, and a body that was cut off ends with an error. Destroy the answer after use.
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
    const connecting = { lookup, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS, agent: false }
    const request = open({ ...place, method, headers, ...connecting }, answer => {
      // It may be destroyed before all of it is read; that error must not crash the process.
      answer.on('error', () => {})
      stoppable = answer
      resolve(answer)
    })
    // The signal is not an option of the request, because that would end a body as if it were complete.
    let stoppable: { destroy(error: Error): unknown } = request
    const stop = () => stoppable.destroy(signal.reason)
    let headBytes = 0
    request.on('socket', socket =>
      socket.prependListener('data', (chunk: Buffer) => {
        if (stoppable !== request) return
        headBytes += chunk.length
        if (headBytes > MAX_HEAD_BYTES) request.destroy(new Error('too much before the answer'))
      }),
    )
    signal.addEventListener('abort', stop, { once: true })
    request.on('error', reject)
    request.on('close', () => {
      signal.removeEventListener('abort', stop)
      // There may be neither an answer nor an error, for example after a protocol upgrade that we did not ask for.
      reject(new Error('closed without an answer'))
    })
    if (signal.aborted) stop()
    else request.end(body)
  })
}

/** Whether the framing of a body is out of proportion: chunks of one byte, or with long extensions. */
export function isPadded(answer: IncomingMessage, bodyBytes: number): boolean {
  return answer.socket.bytesRead > FRAMES_BYTES + bodyBytes * 1.25
}

/** Answers every lookup with the addresses that were checked, so DNS cannot change them. */
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
