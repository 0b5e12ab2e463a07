// Secrets and signatures by the Standard Webhooks scheme (standardwebhooks.com): HMAC-SHA256 over id, time and body.

import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

export function newSecret(): Buffer {
  return randomBytes(SECRET_BYTES)
}

/** The secret as its owner sees it. */
export function shownSecret(secret: Buffer): string {
  return PREFIX + secret.toString('base64')
}

export interface Signed {
  eventId: string
  timestampS: number
  body: string
}

/** One signature for each secret, the newest first. */
export function signatureHeaders({ eventId, timestampS, body }: Signed, secrets: Buffer[]) {
  const signatures = secrets.map(secret => {
    const mac = createHmac('sha256', secret).update(`${eventId}.${timestampS}.${body}`).digest('base64')
    return `v1,${mac}`
  })
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(timestampS),
    'webhook-signature': signatures.join(' '),
  }
}
