// The household and the network that an address belongs to.

import { expect, it } from 'vitest'
import { householdOf, networkOf } from './network.ts'

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
