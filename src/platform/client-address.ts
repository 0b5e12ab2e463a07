// The client address of a request: the peer's, or behind trusted proxies the nearest address in x-forwarded-for that is
// not a trusted proxy. All planes use only this function; it always returns the one spelling of readAddress().

import type { IncomingHttpHeaders } from 'node:http'
import ipaddr from 'ipaddr.js'
import { remembered } from '../kernel/recent.ts'
import { ipv4Bits, readAddress } from './network.ts'

export type ClientAddress = (remoteAddress: string, headers: IncomingHttpHeaders) => string

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The address of the client, not of a trusted proxy. We do not use Fastify's `ip`: it takes ports as part of
     * addresses.
     */
    readonly clientAddress: string
  }
}

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** An IPv4 network as bits, because it is compared for every request of a visitor. */
interface Ipv4Network {
  bits: number
  mask: number
}

const NAMED: Record<string, string[]> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}
const MOST_HOPS = 20
/** There are few proxies, and their clients ask more than once. */
const MOST_REMEMBERED = 20_000

/** `trusted`: `loopback`, addresses and networks, separated by commas. Throws for any other text. */
export function clientAddressBy(trusted: string | null): ClientAddress {
  if (trusted === null) return peerOf
  const networks = trusted
    .split(',')
    .map(text => text.trim())
    .filter(text => text !== '')
    .flatMap(text => NAMED[text] ?? [text])
    .map(networkOf)
  const ipv4 = networks.filter(([address]) => address.kind() === 'ipv4').map(ipv4NetworkOf)
  const isTrustedOther = remembered(text => isIn(text, networks), MOST_REMEMBERED)
  const isTrusted = (text: string) => {
    const bits = ipv4Bits(text)
    if (bits === null) return isTrustedOther(text)
    return ipv4.some(network => (bits & network.mask) >>> 0 === network.bits)
  }
  return (remoteAddress, headers) => {
    let client = peerOf(remoteAddress)
    const forwarded = headers['x-forwarded-for']
    if (forwarded === undefined || !isTrusted(client)) return client
    const hops = String(forwarded).split(',')
    for (let n = hops.length - 1; n >= 0 && n >= hops.length - MOST_HOPS; n--) {
      // An unreadable address counts as that of the proxy that passed it on.
      const hop = readAddress(hops[n]!)
      if (hop === null) return client
      client = hop
      if (!isTrusted(hop)) return client
    }
    return client
  }
}

/** The address of the peer; empty for a socket that is closed. */
function peerOf(remoteAddress: string): string {
  return readAddress(remoteAddress) ?? ''
}

function networkOf(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

function ipv4NetworkOf([address, prefix]: Network): Ipv4Network {
  const mask = prefix === 0 ? 0 : (0xffffffff << (32 - prefix)) >>> 0
  return { bits: (ipv4Bits(address.toString())! & mask) >>> 0, mask }
}

function isIn(text: string, networks: Network[]): boolean {
  if (text === '') return false
  const address = ipaddr.parse(text)
  return networks.some(network => address.kind() === network[0].kind() && address.match(network as never))
}
