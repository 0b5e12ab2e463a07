// The client address of a request: the peer's, or behind trusted proxies the nearest one in x-forwarded-for that is not
// such a proxy.

import type { IncomingHttpHeaders } from 'node:http'
import ipaddr from 'ipaddr.js'

export type ClientAddress = (remoteAddress: string, headers: IncomingHttpHeaders) => string

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]

const NAMED: Record<string, string[]> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}
const MOST_HOPS = 20

/** `trusted`: `loopback`, addresses and networks, separated by commas. Throws for anything else. */
export function clientAddressBy(trusted: string | null): ClientAddress {
  if (trusted === null) return remoteAddress => remoteAddress
  const networks = trusted
    .split(',')
    .map(text => text.trim())
    .filter(text => text !== '')
    .flatMap(text => NAMED[text] ?? [text])
    .map(networkOf)
  return (remoteAddress, headers) => {
    if (!isIn(remoteAddress, networks)) return remoteAddress
    const hops = String(headers['x-forwarded-for'] ?? '').split(',')
    let client = remoteAddress
    for (let n = hops.length - 1; n >= 0 && n >= hops.length - MOST_HOPS; n--) {
      const hop = addressIn(hops[n]!.trim())
      if (hop === null) return client
      client = hop
      if (!isIn(hop, networks)) return client
    }
    return client
  }
}

/** Some proxies write the port behind the address. */
const WITH_PORT = /^(?:\[([0-9a-f:.]+)\]|([0-9.]+))(?::[0-9]{1,5})?$/i

function addressIn(hop: string): string | null {
  if (ipaddr.isValid(hop)) return hop
  const match = WITH_PORT.exec(hop)
  const address = match && (match[1] ?? match[2]!)
  return address !== null && ipaddr.isValid(address) ? address : null
}

function networkOf(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

function isIn(text: string, networks: Network[]): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  return networks.some(network => address.kind() === network[0].kind() && address.match(network as never))
}
