// The typed client, bound to the API this console belongs to: same origin, by the session cookie.

import { createClient, MarqueeError, type Meta } from '../../sdk/client.ts'
import { fetchInSession } from './session-fetch.ts'

export { MarqueeError }

/** Where the console lives: the server says it in the page, whatever page of the console this is. */
export const consoleBase = new URL('./', document.baseURI)

/** The console lives one folder below the API. Without a trailing slash. */
export const apiRoot = new URL('../', consoleBase).href.replace(/\/$/, '')

/** A person waits: what fails twice is said, and tried again when they ask for it. */
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

/** A form that was changed is another creation: the same key with another body would be refused. */
export function keyOf(formKey: string, body: unknown): string {
  let sum = 0
  for (const char of JSON.stringify(body)) sum = (Math.imul(sum, 31) + char.charCodeAt(0)) | 0
  return `${formKey}-${(sum >>> 0).toString(36)}`
}
