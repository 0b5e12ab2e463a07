// Key/token pairs: recognisable by a prefix for the level and half, 128+ random bits, a checksum that refuses typos
// and noise without asking the database. Of a token only its SHA-256 is ever stored.

import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

export type Level = 'app' | 'customer'

export interface Pair {
  key: string
  token: string
}

const PREFIX = {
  app: { key: 'mqsk_', token: 'mqst_' },
  customer: { key: 'mqck_', token: 'mqct_' },
} as const

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 22 characters of base 62 hold 131 bits, 43 hold 256. */
const KEY_CHARACTERS = 22
const TOKEN_CHARACTERS = 43
const CHECK_CHARACTERS = 6

export function newPair(level: Level): Pair {
  return {
    key: withCheck(PREFIX[level].key + randomText(KEY_CHARACTERS)),
    token: withCheck(PREFIX[level].token + randomText(TOKEN_CHARACTERS)),
  }
}

/** Whether both halves have the form of a pair of this level; says nothing about whether they exist. */
export function isPairOf(level: Level, { key, token }: Pair): boolean {
  return (
    hasForm(key, PREFIX[level].key, KEY_CHARACTERS) && hasForm(token, PREFIX[level].token, TOKEN_CHARACTERS)
  )
}

export function isCustomerKey(key: string): boolean {
  return hasForm(key, PREFIX.customer.key, KEY_CHARACTERS)
}

export function levelOfKey(key: string): Level | null {
  if (key.startsWith(PREFIX.app.key)) return 'app'
  return key.startsWith(PREFIX.customer.key) ? 'customer' : null
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
