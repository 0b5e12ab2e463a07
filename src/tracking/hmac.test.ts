// Our HMAC is that of everybody else.

import { createHmac, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createHmacSha512 } from './hmac.ts'

test('the code is the same as in every other implementation', () => {
  for (let length = 0; length <= 200; length++) {
    const secret = randomBytes(length % 129)
    const text = randomBytes(length).toString('base64url').slice(0, length)
    const expected = createHmac('sha512', secret).update(text, 'latin1').digest('base64url')
    expect(createHmacSha512(secret, 200)(text)).toBe(expected)
  }
})

test('a code does not depend on the texts before it', () => {
  const hmac = createHmacSha512(Buffer.from('secret'), 100)
  const first = hmac('short')
  hmac('x'.repeat(100))
  expect(hmac('short')).toBe(first)
})

test('a text or secret that is too long is refused, not truncated', () => {
  expect(() => createHmacSha512(Buffer.alloc(129), 10)).toThrow('more than 128 bytes')
  expect(() => createHmacSha512(Buffer.alloc(1), 10)('x'.repeat(11))).toThrow('more than 10 characters')
})
