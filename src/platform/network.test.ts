// The household and the network that an address belongs to.

import { expect, it } from 'vitest'
import { householdOf, networkOf, rangesOf, readAddress } from './network.ts'

it.each([
  ['203.0.113.7', '203.0.113.7', '203.0.113'],
  ['::ffff:203.0.113.7', '203.0.113.7', '203.0.113'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2', '2001:db8:1'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2', '2001:db8:1'],
  ['::1', '0:0:0:0', '0:0:0'],
  ['', '', ''],
  ['nowhere', 'nowhere', 'nowhere'],
])('%s is a visitor at %s in the network %s', (address, household, network) => {
  expect(householdOf(address)).toBe(household)
  expect(networkOf(address)).toBe(network)
})

it.each([
  ['203.0.113.7', '203.0.113.7'],
  [' 203.0.113.7 ', '203.0.113.7'],
  ['203.0.113.7:4711', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7'],
  ['[::ffff:203.0.113.7]:4711', '203.0.113.7'],
  ['[2001:DB8::1]:4711', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['2001:0db8:0:0::1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['[fe80::1%25eth0]:80', 'fe80::1'],
])('%s is read as %s', (text, address) => {
  expect(readAddress(text)).toBe(address)
})

it.each([
  '',
  'unknown',
  '_hidden',
  '203.0.113',
  '203.0.113.7:x',
  '203.0.113.300',
  '2001:db8::1:4711:9:9:9:9:9',
  '[2001:db8::1',
  '2130706433',
  '0x7f.1',
  '203.0.113.7:99999999',
])('"%s" is no address', text => {
  expect(readAddress(text)).toBeNull()
})

it('limits count by address, and for IPv6 by the /56 and /48 around it', () => {
  expect(rangesOf('203.0.113.7')).toEqual(['203.0.113.7'])
  expect(rangesOf('2001:db8:1:1234::9')).toEqual(['2001:db8:1:1234', '2001:db8:1:12/56', '2001:db8:1/48'])
  expect(rangesOf('2001:db8:1:2::9')).toEqual(['2001:db8:1:2', '2001:db8:1:0/56', '2001:db8:1/48'])
  expect(rangesOf('nowhere')).toEqual(['nowhere'])
})
