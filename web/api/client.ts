// The typed client for the API that this console belongs to: same origin, authenticated by the session cookie.

import { createClient, MarqueeError, type Meta } from '../../sdk/client.ts'
import { fetchInSession } from './session-fetch.ts'

export { MarqueeError }

/** The root of the console. The server writes it into each page. */
export const consoleBase = new URL('./', document.baseURI)

/** The root of the API, one folder above the console, without a trailing slash. */
export const apiRoot = new URL('../', consoleBase).href.replace(/\/$/, '')

/** A person is waiting: a call that fails twice is reported, and repeated only when they ask. */
const MAX_RETRIES = 1

export const api = createClient({ baseUrl: apiRoot, fetch: fetchInSession, maxRetries: MAX_RETRIES })

/** An object with the version it was read in, to be sent along when it is edited. */
export type Tagged<T> = T & { etag: string | null }

export async function tagged<T extends object>(call: Promise<Meta<T>>): Promise<Tagged<T>> {
  const { answer, etag } = await call
  return { ...answer, etag }
}

/** The address of an image: ours by its path, others as they are. */
export function imageUrl(creativeURL: string): string {
  return creativeURL.startsWith('/') ? apiRoot + creativeURL : creativeURL
}

/** Works on plain http too, where randomUUID does not exist. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}

/** A changed form gets a new key: the service would refuse the same key with another body. */
export function keyOf(formKey: string, body: unknown): string {
  let sum = 0
  for (const char of JSON.stringify(body)) sum = (Math.imul(sum, 31) + char.charCodeAt(0)) | 0
  return `${formKey}-${(sum >>> 0).toString(36)}`
}
