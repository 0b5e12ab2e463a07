// Reads addresses in one way everywhere: one spelling, without port and zone, and an IPv4 address always as such. Also
// says what an address belongs to: a household (an IPv4 address, or the /64 of an IPv6 address) and the network around
// it (/24 or /48), within which an address may change while a visitor reads a page.

import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

const DOT = 46
const ZERO = 48
const HOUSEHOLD_GROUPS = 4
const NETWORK_GROUPS = 3
/** `192.0.2.1:4711`, `[2001:db8::1]` or `[2001:db8::1]:4711`: some proxies append the port to the address. */
const WITH_PORT = /^(?:\[([^\]]{2,100})\]|([0-9.]{7,15}))(?::[0-9]{1,5})?$/

/** Null if the text is not an address. */
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

/** The address of one visitor, in one spelling. Text that is not an address is returned unchanged. */
export function householdOf(address: string): string {
  return isIPv4(address) ? address : shorten(address, HOUSEHOLD_GROUPS, parts => parts.join('.'))
}

export function networkOf(address: string): string {
  if (isIPv4(address)) return address.slice(0, address.lastIndexOf('.'))
  return shorten(address, NETWORK_GROUPS, parts => parts.slice(0, 3).join('.'))
}

/**
 * The keys that limits per address count by, the narrowest first. One IPv6 network has many addresses, so the limits
 * also apply to the /56 and the /48, multiplied by RANGE_ALLOWANCES.
 */
export function rangesOf(address: string): string[] {
  const household = householdOf(address)
  const groups = household.split(':')
  if (groups.length !== HOUSEHOLD_GROUPS) return [household]
  const wide = groups.slice(0, NETWORK_GROUPS).join(':')
  const upper = Number.parseInt(groups[NETWORK_GROUPS]!, 16) >> 8
  return [household, `${wide}:${upper.toString(16)}/56`, `${wide}/48`]
}

/** How many times the limit of one address the address, its /56 and its /48 may use. */
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
