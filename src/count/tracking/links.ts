// Signed links: one HMAC per ad. Each kind of call has its own slice of the digest, so that a pixel's token does not
// work as a billing notice. A token that was changed in any character, or not made by us, is 'forged'.

import { hash, timingSafeEqual } from 'node:crypto'
import type { ServedAd } from './ad.ts'
import { createHmacOf, type Hmac } from './hmac.ts'
import { keyIdOf, readPayload, writePayload } from './payload.ts'

export interface SigningKey {
  keyId: number
  /** Signs the text, not the bytes behind it: base64 has more than one spelling, but a signed link has only one. */
  digestOf: Hmac
  /** Made from the secret; hides what concerns the user. */
  maskSecret: string
}

/** The newest settled key signs; all keys verify. Refreshed in place; see keys.ts. */
export interface KeyRing {
  signing: SigningKey
  byId: ReadonlyMap<number, SigningKey>
}

export interface LinkTokens {
  impression: string
  billing: string
  loss: string
  click: string
  view: string
}

export type LinkKind = keyof LinkTokens

/** 96 bits: 16 characters as base64url, both for ad ids and for slices of the digest. */
const MAC_CHARS = 16
const SLICE: Record<LinkKind, number> = { impression: 0, billing: 1, loss: 2, click: 3, view: 4 }
const MIN_CHARS = 56
/** Includes the longest name of a place. */
export const MAX_TOKEN_CHARS = 560
const TOKEN = /^[\w-]+$/

export function signingKey(keyId: number, secret: Buffer): SigningKey {
  const digestOf = createHmacOf('sha512', secret, MAX_TOKEN_CHARS)
  return { keyId, digestOf, maskSecret: hash('sha256', `mask ${secret.toString('base64url')}`, 'base64url') }
}

export function signLinks(ad: ServedAd, keys: KeyRing): LinkTokens {
  const { keyId, digestOf, maskSecret } = keys.signing
  const payload = writePayload(ad, keyId, (adId, block) => maskFor(maskSecret, adId, block))
  const digest = digestOf(payload)
  const token = (kind: LinkKind) => payload + macOf(digest, kind)
  return {
    impression: token('impression'),
    billing: token('billing'),
    loss: token('loss'),
    click: token('click'),
    view: token('view'),
  }
}

export function readLink(kind: LinkKind, token: string, keys: KeyRing): ServedAd | { bad: 'forged' } {
  return readGenuine(kind, token, keys) ?? { bad: 'forged' }
}

function readGenuine(kind: LinkKind, token: string, keys: KeyRing): ServedAd | null {
  if (token.length < MIN_CHARS || token.length > MAX_TOKEN_CHARS) return null
  if (token.length % 4 !== 0 || !TOKEN.test(token)) return null
  const payload = token.slice(0, -MAC_CHARS)
  const bytes = Buffer.from(payload, 'base64url')
  const key = keys.byId.get(keyIdOf(bytes) ?? -1)
  if (!key) return null
  const expected = Buffer.from(macOf(key.digestOf(payload), kind), 'latin1')
  const given = Buffer.from(token.slice(-MAC_CHARS), 'latin1')
  if (!timingSafeEqual(expected, given)) return null
  return readPayload(bytes, (adId, block) => maskFor(key.maskSecret, adId, block))
}

function macOf(digest: string, kind: LinkKind): string {
  const at = SLICE[kind] * MAC_CHARS
  return digest.slice(at, at + MAC_CHARS)
}

// A key stream that is used only once, because ad ids are unique. The id has a fixed length and follows a secret.
function maskFor(maskSecret: string, adId: string, block: number): string {
  return hash('sha256', block === 0 ? maskSecret + adId : `${maskSecret}${adId}${block}`, 'binary')
}
