// The address of a client behind proxies, trusted or not.

import { describe, expect, it } from 'vitest'
import { clientAddressBy } from './client-address.ts'

const forwarded = (hops: string) => ({ 'x-forwarded-for': hops })

describe('the address of a client', () => {
  it('is that of the peer if no proxy is trusted', () => {
    expect(clientAddressBy(null)('203.0.113.9', forwarded('198.51.100.1'))).toBe('203.0.113.9')
  })

  it('is the nearest one that is not a trusted proxy', () => {
    const address = clientAddressBy('loopback, 10.0.0.0/8')
    expect(address('127.0.0.1', forwarded('198.51.100.1'))).toBe('198.51.100.1')
    expect(address('::ffff:127.0.0.1', forwarded('6.6.6.6, 198.51.100.1, 10.1.2.3'))).toBe('198.51.100.1')
    expect(address('203.0.113.9', forwarded('198.51.100.1'))).toBe('203.0.113.9')
    expect(address('127.0.0.1', {})).toBe('127.0.0.1')
  })

  it.each([
    ['0.0.0.0/0', ['0.0.0.0', '255.255.255.255'], []],
    ['128.0.0.0/1', ['128.0.0.0', '255.255.255.255'], ['127.255.255.255']],
    ['172.16.0.0/12', ['172.16.0.0', '172.31.255.255'], ['172.15.255.255', '172.32.0.0']],
    // This network is written with bits that do not belong to it.
    ['10.1.2.3/8', ['10.0.0.0', '10.255.255.255'], ['9.255.255.255', '11.0.0.0']],
    ['192.0.2.7/32', ['192.0.2.7'], ['192.0.2.6', '192.0.2.8']],
    ['192.0.2.7', ['192.0.2.7'], ['192.0.2.6', '192.0.2.8']],
    ['2001:db8::/32', ['2001:db8::1'], ['2001:db9::1', '32.1.13.184']],
  ])('proxies of %s are trusted to its first and last address, and no further', (trusted, within, beyond) => {
    const address = clientAddressBy(trusted)
    for (const proxy of within) expect(address(proxy, forwarded('2001:db8:ffff::9, nobody'))).toBe(proxy)
    for (const proxy of within) expect(address(proxy, forwarded('2a00::9'))).toBe('2a00::9')
    for (const other of beyond) expect(address(other, forwarded('2a00::9'))).toBe(other)
  })

  it('may be followed by a port', () => {
    const address = clientAddressBy('loopback')
    expect(address('127.0.0.1', forwarded('198.51.100.1:4711'))).toBe('198.51.100.1')
    expect(address('127.0.0.1', forwarded('[2001:db8::1]:443'))).toBe('2001:db8::1')
    expect(address('127.0.0.1', forwarded('2001:db8::1'))).toBe('2001:db8::1')
    expect(address('127.0.0.1', forwarded('198.51.100.1:x'))).toBe('127.0.0.1')
  })

  it('is spelled in one way, for a client and for a peer', () => {
    const address = clientAddressBy('loopback')
    for (const peer of ['::ffff:203.0.113.9', '203.0.113.9'])
      for (const read of [address, clientAddressBy(null)]) expect(read(peer, {})).toBe('203.0.113.9')
    expect(address('127.0.0.1', forwarded('2001:DB8:0::1'))).toBe('2001:db8::1')
    expect(address('127.0.0.1', forwarded('[fe80::1%eth0]:80'))).toBe('fe80::1')
    expect(clientAddressBy(null)('', {})).toBe('')
  })

  it('stops at anything that is not an address', () => {
    const address = clientAddressBy('127.0.0.1')
    expect(address('127.0.0.1', forwarded('198.51.100.1, <script>'))).toBe('127.0.0.1')
  })
})
