// Key/token pairs: a prefix shows level and half, 128 or more bits are random, and a checksum refuses typos and noise
// without asking the database. Only the SHA-256 of a token is ever stored.

import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { KEY_PREFIX } from '../kernel/actor.ts'

export type Level = 'app' | 'customer'

export interface Pair {
  key: string
  token: string
}

const TOKEN_PREFIX = { app: 'mqst_', customer: 'mqct_' } as const
/** Follows the prefix in a sandbox, so that pairs of a sandbox and of a real deployment are never confused. */
const SANDBOX = 'sandbox_'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 22 characters of base 62 hold 131 bits; 43 hold 256 bits. */
const KEY_CHARACTERS = 22
const TOKEN_CHARACTERS = 43
const CHECK_CHARACTERS = 6

export function newPair(level: Level, inSandbox = false): Pair {
  const { key, token } = prefixOf(level, inSandbox)
  return {
    key: withCheck(key + randomText(KEY_CHARACTERS)),
    token: withCheck(token + randomText(TOKEN_CHARACTERS)),
  }
}

function prefixOf(level: Level, inSandbox: boolean): Pair {
  const [key, token] = [KEY_PREFIX[level], TOKEN_PREFIX[level]]
  return inSandbox ? { key: key + SANDBOX, token: token + SANDBOX } : { key, token }
}

/** Whether both halves have the form of a pair of this level; does not check whether the pair exists. */
export function isPairOf(level: Level, { key, token }: Pair, inSandbox = false): boolean {
  const prefix = prefixOf(level, inSandbox)
  return hasForm(key, prefix.key, KEY_CHARACTERS) && hasForm(token, prefix.token, TOKEN_CHARACTERS)
}

export function isCustomerKey(key: string, inSandbox = false): boolean {
  return hasForm(key, prefixOf('customer', inSandbox).key, KEY_CHARACTERS)
}

export function levelOfKey(key: string): Level | null {
  if (key.startsWith(KEY_PREFIX.app)) return 'app'
  return key.startsWith(KEY_PREFIX.customer) ? 'customer' : null
}

/** What is no access token of an agent costs no query. */
export function isAccessToken(text: string): boolean {
  return /^mqat_[0-9A-Za-z]{43}$/.test(text)
}

export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** Random text of base 62 characters, without the bias of a plain modulo. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < 248 && text.length < length) text += BASE62[byte % 62]
    }
  }
  return text
}

function withCheck(text: string): string {
  return text + checksum(text)
}

function hasForm(text: string, prefix: string, characters: number): boolean {
  const end = prefix.length + characters
  return (
    text.length === end + CHECK_CHARACTERS &&
    text.startsWith(prefix) &&
    checksum(text.slice(0, end)) === text.slice(end)
  )
}

function checksum(text: string): string {
  let rest = crc32(text)
  let result = ''
  for (let i = 0; i < CHECK_CHARACTERS; i++) {
    result = BASE62[rest % 62] + result
    rest = Math.floor(rest / 62)
  }
  return result
}
