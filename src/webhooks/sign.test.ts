// Signatures of webhooks, by the published example of the scheme.

import { expect, it } from 'vitest'
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
