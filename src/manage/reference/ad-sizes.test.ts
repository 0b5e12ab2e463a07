// The allowed banner sizes and their limits.

import { expect, test } from 'vitest'
import { AD_SIZES, allowedSizesText, isAllowedSize } from './ad-sizes.ts'

// The list and the limits that the product decided on, written out.
const LIMIT_KB: Record<string, number> = {
  '300x250': 150,
  '336x280': 150,
  '728x90': 150,
  '970x90': 200,
  '970x250': 250,
  '160x600': 150,
  '120x600': 150,
  '300x600': 250,
  '300x1050': 250,
  '320x50': 50,
  '320x100': 50,
  '300x50': 50,
  '250x250': 150,
  '200x200': 150,
  '240x400': 150,
  '468x60': 150,
  '320x480': 150,
  '480x320': 150,
  '768x1024': 250,
  '1024x768': 250,
}

test('each allowed size has its weight limit, a kB being 1,000 bytes', () => {
  const limits = Object.fromEntries(
    AD_SIZES.map(size => [`${size.width}x${size.height}`, size.maxBytes / 1000]),
  )
  expect(limits).toEqual(LIMIT_KB)
  for (const { width, height } of AD_SIZES) expect(isAllowedSize(width, height)).toBe(true)
})

test('each size has a name of its own and is in the text for messages', () => {
  expect(new Set(AD_SIZES.map(size => size.name)).size).toBe(AD_SIZES.length)
  expect(allowedSizesText.split(', ')).toEqual(Object.keys(LIMIT_KB))
})

test.each([
  [250, 300],
  [0, 0],
  [-300, -250],
  [300.5, 250],
  [Number.NaN, 250],
  [1, 1],
  [600, 500],
])('%dx%d is not allowed', (width, height) => {
  expect(isAllowedSize(width, height)).toBe(false)
})
