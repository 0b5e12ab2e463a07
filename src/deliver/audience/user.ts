// How frequency caps identify a user: by an opaque key, made with a secret of the deployment, so that no id of a person
// is kept anywhere. Ids come first; address and agent replace a missing id. Both secrets change daily.

import { hash } from 'node:crypto'

export interface UserSecrets {
  /** The secret for the hashes of ids; it changes daily. */
  idSecret: string
  /** The secret for the hashes of address and agent; it changes daily. */
  dailySalt: string
}

export interface DatedSecrets extends UserSecrets {
  /** The secrets of this date: customers have days of their own. */
  on(dayKey: number): UserSecrets
}

export interface UserSigns {
  userId: string | null
  buyerId: string | null
  advertisingId: string | null
  cookieId: string | null
  /** If the cookie was set today, the key under which this visitor was counted before. */
  cookieFirstKey: string | null
  ip: string | null
  ua: string | null
}

export type IdKind = 'user' | 'buyer' | 'device' | 'cookie'

const LONGEST_ID = 1024
/** 128 bits. */
const KEY_HEX_CHARS = 32
/** What a phone sends for its advertising id when its owner has switched it off. */
const BLANK_ID = /^[0-]*$/

export function userKey(signs: UserSigns, secrets: UserSecrets): string | null {
  if (isId(signs.userId)) return idKey('user', signs.userId, secrets.idSecret)
  if (isId(signs.buyerId)) return idKey('buyer', signs.buyerId, secrets.idSecret)
  if (isId(signs.advertisingId) && !BLANK_ID.test(signs.advertisingId)) {
    return idKey('device', signs.advertisingId.toLowerCase(), secrets.idSecret)
  }
  if (isId(signs.cookieId)) return signs.cookieFirstKey ?? idKey('cookie', signs.cookieId, secrets.idSecret)
  if (signs.ip === null || signs.ip === '' || signs.ua === null || signs.ua === '') return null
  return digest(secrets.dailySalt, 'agent', `${signs.ip}\0${signs.ua.slice(0, LONGEST_ID)}`)
}

/**
 * The key for ads of each date, so that a user is the same for the whole day of a customer. Undefined: the key is the
 * same for all dates, because it is made of address and agent, or was when the cookie was set today. `firstKeyOn`: the
 * key under which a visitor was counted on the date of its cookie.
 */
export function userKeyOnDates(
  signs: UserSigns,
  secrets: UserSecrets,
  firstKeyOn: (dayKey: number) => string | null = () => null,
): ((dayKey: number) => string) | undefined {
  if (!isDated(secrets) || !hasDatedId(signs)) return undefined
  return dayKey => userKey({ ...signs, cookieFirstKey: firstKeyOn(dayKey) }, secrets.on(dayKey))!
}

function hasDatedId(signs: UserSigns): boolean {
  if (isId(signs.userId) || isId(signs.buyerId)) return true
  if (isId(signs.advertisingId) && !BLANK_ID.test(signs.advertisingId)) return true
  return isId(signs.cookieId) && signs.cookieFirstKey === null
}

function isDated(secrets: UserSecrets): secrets is DatedSecrets {
  return 'on' in secrets
}

/** The key of one id, to find the same user outside an ad request (for example in the pixel of an action). */
export function idKey(kind: IdKind, id: string, idSecret: string): string {
  return digest(idSecret, kind, id)
}

function isId(id: string | null): id is string {
  return id !== null && id !== '' && id.length <= LONGEST_ID
}

// A keyed prefix is enough: the digest is cut to 128 bits and never leaves the service, so it cannot be extended.
function digest(secret: string, kind: string, value: string): string {
  return hash('sha256', `${secret}\0${kind}\0${value}`, 'hex').slice(0, KEY_HEX_CHARS)
}
