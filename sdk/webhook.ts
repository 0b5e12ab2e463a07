// For receivers of webhooks: checks that a call is really from Marquee, and returns the event. By the Standard Webhooks
// scheme. Runs in Node, in browsers and on the edge: it uses only Web Crypto, which compares in constant time.

import type { WebhookEvent } from './endpoints.ts'

export type { WebhookEvent }

/** Fetch's `Headers`, or an object with lower-case names such as Node's `request.headers`. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>

export interface VerifyOptions {
  /** How far the sender's clock may differ from ours, in seconds; default: 300. It makes old recordings invalid. */
  toleranceS?: number
  /** Instead of the real time. */
  nowMs?: number
}

/** The call is not genuine: answer it with 400. */
export class WebhookRefused extends Error {
  override name = 'WebhookRefused'
}

const PREFIX = 'whsec_'
const TOLERANCE_S = 300

/**
 * Returns the event if one of its signatures is right and it was sent just now; otherwise throws WebhookRefused. `body`
 * is the text exactly as received. The id (`webhook-id`) identifies duplicates: an event may come more than once.
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string,
  secret: string,
  { toleranceS = TOLERANCE_S, nowMs = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent & { id: string }> {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  if (!/^[0-9]{1,12}$/.test(timestamp)) throw new WebhookRefused('webhook-timestamp is not a Unix time')
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > toleranceS) {
    throw new WebhookRefused('webhook-timestamp is too far from now')
  }
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  if (!(await isSigned(content, headerOf(headers, 'webhook-signature'), await keyOf(secret)))) {
    throw new WebhookRefused('no signature is right')
  }
  return { ...(JSON.parse(body) as WebhookEvent), id }
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  if (typeof value !== 'string' || value === '') throw new WebhookRefused(`${name} is missing`)
  return value
}

async function keyOf(secret: string) {
  const bytes = bytesOf(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret)
  if (!bytes || bytes.length === 0) throw new TypeError('the secret must be whsec_ and base64')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/** There are several signatures while a secret is being changed; versions other than v1 are ignored. */
async function isSigned(
  content: Uint8Array<ArrayBuffer>,
  signatures: string,
  key: Awaited<ReturnType<typeof keyOf>>,
): Promise<boolean> {
  for (const signature of signatures.split(' ')) {
    const bytes = signature.startsWith('v1,') ? bytesOf(signature.slice(3)) : null
    if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, content))) return true
  }
  return false
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), letter => letter.charCodeAt(0))
  } catch {
    return null
  }
}
