// Addresses as one household or office has them: an IPv4 address, or the /64 of an IPv6 address; and the network around
// it, within which an address may change while somebody reads a page: /24 and /48.

import ipaddr from 'ipaddr.js'

const IPV4 = /^[0-9]{1,3}(?:\.[0-9]{1,3}){3}$/
const HOUSEHOLD_GROUPS = 4
const NETWORK_GROUPS = 3

/** One visitor address, in one spelling. Text that is not an address is returned as it is. */
export function householdOf(address: string): string {
  return IPV4.test(address) ? address : shorten(address, HOUSEHOLD_GROUPS, parts => parts.join('.'))
}

export function networkOf(address: string): string {
  if (IPV4.test(address)) return address.slice(0, address.lastIndexOf('.'))
  return shorten(address, NETWORK_GROUPS, parts => parts.slice(0, 3).join('.'))
}

function shorten(address: string, groups: number, ofIpv4: (parts: number[]) => string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return ofIpv4(parsed.octets)
  return parsed.parts
    .slice(0, groups)
    .map(part => part.toString(16))
    .join(':')
}
