// Our HMAC gives the same results as other implementations.

import { createHmac, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createHmacOf } from './hmac.ts'

test.each([
  ['sha256', 64],
  ['sha512', 128],
] as const)('the code is the same as in every other implementation: %s', (algorithm, blockBytes) => {
  for (let length = 0; length <= 200; length++) {
    const secret = randomBytes(length % (blockBytes + 1))
    const text = randomBytes(length).toString('base64url').slice(0, length)
    const expected = createHmac(algorithm, secret).update(text, 'latin1').digest('base64url')
    expect(createHmacOf(algorithm, secret, 200)(text)).toBe(expected)
  }
})

test('a code does not depend on the texts before it', () => {
  const hmac = createHmacOf('sha512', Buffer.from('secret'), 100)
  const first = hmac('short')
  hmac('x'.repeat(100))
  expect(hmac('short')).toBe(first)
})

test('a text or secret that is too long is refused, not truncated', () => {
  expect(() => createHmacOf('sha512', Buffer.alloc(129), 10)).toThrow('more than 128 bytes')
  expect(() => createHmacOf('sha512', Buffer.alloc(1), 10)('x'.repeat(11))).toThrow('more than 10 characters')
})
