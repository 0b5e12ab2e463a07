// Addresses, read in one way everywhere: in one spelling, without port and zone, an IPv4 address as such however it was
// written. And what an address belongs to: a household (an IPv4 address, or the /64 of an IPv6 address) and the
// network around it, within which an address may change while a visitor reads a page (/24, /48).

import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

const DOT = 46
const ZERO = 48
const HOUSEHOLD_GROUPS = 4
const NETWORK_GROUPS = 3
/** `192.0.2.1:4711`, `[2001:db8::1]` or `[2001:db8::1]:4711`: some proxies write the port behind the address. */
const WITH_PORT = /^(?:\[([^\]]{2,100})\]|([0-9.]{7,15}))(?::[0-9]{1,5})?$/

/** Null: this is no address. */
export function readAddress(text: string): string | null {
  if (isIPv4(text)) return text
  const match = WITH_PORT.exec(text.trim())
  const [bare = ''] = (match ? (match[1] ?? match[2]!) : text.trim()).split('%', 1)
  if (isIPv4(bare)) return bare
  if (!isIPv6(bare)) return null
  return ipaddr.process(bare).toString()
}

/** The 32 bits of an IPv4 address; null for any other text. */
export function ipv4Bits(text: string): number | null {
  if (!isIPv4(text)) return null
  let bits = 0
  let octet = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === DOT) {
      bits = (bits << 8) | octet
      octet = 0
    } else octet = octet * 10 + code - ZERO
  }
  return ((bits << 8) | octet) >>> 0
}

/** One visitor address, in one spelling. Text that is not an address is returned as it is. */
export function householdOf(address: string): string {
  return isIPv4(address) ? address : shorten(address, HOUSEHOLD_GROUPS, parts => parts.join('.'))
}

export function networkOf(address: string): string {
  if (isIPv4(address)) return address.slice(0, address.lastIndexOf('.'))
  return shorten(address, NETWORK_GROUPS, parts => parts.slice(0, 3).join('.'))
}

/**
 * What limits per address count by, the narrowest first. Whoever has one IPv6 network has many addresses, so the limits
 * hold for the /56 and the /48 too, with as much more as RANGE_ALLOWANCES says.
 */
export function rangesOf(address: string): string[] {
  const household = householdOf(address)
  const groups = household.split(':')
  if (groups.length !== HOUSEHOLD_GROUPS) return [household]
  const wide = groups.slice(0, NETWORK_GROUPS).join(':')
  const upper = Number.parseInt(groups[NETWORK_GROUPS]!, 16) >> 8
  return [household, `${wide}:${upper.toString(16)}/56`, `${wide}/48`]
}

/** Times the limit of one address: for the address, its /56 and its /48. */
export const RANGE_ALLOWANCES = [1, 4, 16] as const

function shorten(address: string, groups: number, ofIpv4: (parts: number[]) => string): string {
  const read = readAddress(address)
  if (read === null) return address
  const parsed = ipaddr.parse(read)
  if (parsed instanceof ipaddr.IPv4) return ofIpv4(parsed.octets)
  return parsed.parts
    .slice(0, groups)
    .map(part => part.toString(16))
    .join(':')
}
