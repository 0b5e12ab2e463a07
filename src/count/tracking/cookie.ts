// The first-party cookie that identifies a visitor: set by the tags, read by an action's pixel. A visitor's first ad is
// counted by address and agent, because there is no cookie yet. For the rest of that day the cookie carries that key,
// so that the day's ads belong to one visitor, not two. It is signed, so that a made-up cookie creates no new visitor.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { createHmacOf } from './hmac.ts'

export const USER_COOKIE = 'mquid'

export interface UserCookie {
  id: string
  first: FirstKey | null
}

/** The key of the visitor's first ad, and the day for which it is used. */
export interface FirstKey {
  dayKey: number
  userKey: string
}

/** The key under which the visitor was counted before it had the cookie, if that was on this date. */
export function firstKeyOn({ first }: UserCookie, dayKey: number): string | null {
  return first?.dayKey === dayKey ? first.userKey : null
}

export interface UserCookies {
  valueOf(cookie: UserCookie): string
  /** Reads a `cookie` header; null if it has no cookie of ours. */
  read(header: string | undefined): UserCookie | null
}

const SEAL_CHARS = 16
/** Room for both keys and the day. */
const LONGEST_SEALED = 82
const VALUE = /^([\w-]{1,40})(?:\.(\d{8})\.([0-9a-f]{32}))?$/

/** `secret` is the deployment's, so that every process can read the cookies of the others. */
export function createUserCookies(secret: Buffer): UserCookies {
  const key = createHmac('sha256', secret).update('cookie').digest()
  const digestOf = createHmacOf('sha256', key, LONGEST_SEALED)

  function sealOf(text: string): string {
    return digestOf(text).slice(0, SEAL_CHARS)
  }

  function readValue(value: string): UserCookie | null {
    const dot = value.lastIndexOf('.')
    const text = value.slice(0, Math.max(0, dot))
    const match = VALUE.exec(text)
    if (!match || !isEqual(value.slice(dot + 1), sealOf(text))) return null
    const [, id, dayKey, userKey] = match
    return { id: id!, first: userKey === undefined ? null : { dayKey: Number(dayKey), userKey } }
  }

  return {
    valueOf({ id, first }) {
      const text = first === null ? id : `${id}.${first.dayKey}.${first.userKey}`
      return `${text}.${sealOf(text)}`
    },
    read(header) {
      if (header === undefined) return null
      for (const part of header.split(';')) {
        const equals = part.indexOf('=')
        if (equals < 0 || part.slice(0, equals).trim() !== USER_COOKIE) continue
        return readValue(part.slice(equals + 1).trim())
      }
      return null
    },
  }
}

function isEqual(given: string, expected: string): boolean {
  if (given.length !== expected.length) return false
  return timingSafeEqual(Buffer.from(given, 'latin1'), Buffer.from(expected, 'latin1'))
}
