// Names on the map do not cover each other.

import { expect, it } from 'vitest'
import { isFree } from './free-label.ts'

const potsdam = { x: 200, y: 100, name: 'Potsdam' }

it.each([
  ['a long name that ends in another', { x: 140, y: 104, name: 'Brandenburg an der Havel' }, false],
  ['a name that begins within another', { x: 230, y: 96, name: 'Teltow' }, false],
  ['a short name that ends before another', { x: 140, y: 100, name: 'Werder' }, true],
  ['a name behind another', { x: 260, y: 100, name: 'Teltow' }, true],
  ['a name below another', { x: 200, y: 115, name: 'Michendorf' }, true],
])('%s', (_, label, free) => {
  expect(isFree(label, [potsdam])).toBe(free)
})
