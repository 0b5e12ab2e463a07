// Signatures of webhooks, checked with the published example of the scheme.

import * as crypto from 'node:crypto'
import { expect, it } from 'vitest'
import { blocksOf } from '../../../test/support/blocks.ts'
import { newSecret, shownSecret, signatureHeaders } from './sign.ts'

it('signs the published example of the Standard Webhooks scheme as published', () => {
  const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
  const message = {
    eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestampS: 1_614_265_330,
    body: '{"test": 2432232314}',
  }
  expect(signatureHeaders(message, [secret])).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

it('a secret has 24 to 64 bytes and is written as the scheme defines', () => {
  const secret = newSecret()
  expect(secret.length).toBeGreaterThanOrEqual(24)
  expect(secret.length).toBeLessThanOrEqual(64)
  expect(Buffer.from(shownSecret(secret).replace('whsec_', ''), 'base64')).toEqual(secret)
})

it('the receiver in docs/webhooks.md accepts what we sign, but nothing changed or old', () => {
  const [first, ...rest] = blocksOf('docs/webhooks.md', 'js')[0]!.split('\n')
  expect(first).toBe("import { createHmac, timingSafeEqual } from 'node:crypto'")
  const code = ['const { createHmac, timingSafeEqual } = crypto', ...rest, 'return "accepted"'].join('\n')
  const receive = new Function('crypto', 'secret', 'request', 'body', 'response', code)
  const [ours, old] = [newSecret(), newSecret()]
  const body = '{"type":"webhook.test"}'
  const nowS = Math.floor(Date.now() / 1000)
  const received = (timestampS: number, secrets: Buffer[], text = body) => {
    const headers = signatureHeaders({ eventId: 'msg_1', timestampS, body }, secrets)
    const response = { writeHead: (status: number) => ({ end: () => status }) }
    return receive(crypto, shownSecret(ours), { headers }, text, response)
  }
  expect(received(nowS, [ours])).toBe('accepted')
  expect(received(nowS, [old, ours])).toBe('accepted')
  expect(received(nowS, [old])).toBe(400)
  expect(received(nowS, [ours], body.replace('test', 'best'))).toBe(400)
  expect(received(nowS - 400, [ours])).toBe(400)
})
