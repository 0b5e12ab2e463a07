// Says whether an address belongs to the public internet. Everything else does not: loopback, private, link-local,
// carrier NAT, metadata, tunnels and translations that may lead to any of these, and text that is no address.

import ipaddr from 'ipaddr.js'

/** IPv6 that is handed out to hosts: the rest of the space is special, reserved or embeds an IPv4 address. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3')

/** Public by number, but always answered by the cloud's own infrastructure next to the virtual machine. */
const CLOUD_INTERNAL = new Set(['168.63.129.16'])

export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  // process() turns an IPv4 address written as IPv6 (::ffff:127.0.0.1) back into IPv4.
  const address = ipaddr.process(text)
  if (address.range() !== 'unicast') return false
  if (CLOUD_INTERNAL.has(address.toString())) return false
  return address.kind() === 'ipv4' || address.match(GLOBAL_IPV6)
}
