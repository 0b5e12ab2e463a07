// Actions as they are reported, before they are checked: by a pixel in the advertiser's page, or by the advertiser's
// server. Both are read into the same form.

import type { DataRequest } from '../../http/lane/data-plane.ts'
import { parseId } from '../../kernel/id.ts'
import { MICROS_PER_UNIT } from '../../kernel/money.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { UserHash } from '../tracking/ad.ts'
import type { UserCookie } from '../tracking/cookie.ts'
import { MAX_NAME, MAX_VALUE, type NewAction } from './contract.ts'

export interface ReportedAction {
  /** Null if the pixel does not name it; then the credited click or impression determines it. */
  cuid: number | null
  /** Null for a server, which has credentials. A pixel may name any customer. */
  pixel: PixelCaller | null
  clickId: string | null
  /** The hashes that the visitor may have had when an ad was served. */
  users: UserHash[]
  name: string
  valueMicros: number | null
  /** Null if it cannot be trusted: a stranger's pixel must not use up the numbers of real orders. */
  order: string | null
  atMs: number
  /** A test: judged like any other action, but never counted. */
  isTest: boolean
}

/** The caller that loads a pixel. Actions of bots are looked up only to show them as filtered. */
export interface PixelCaller {
  isBot: boolean
  isPrefetch: boolean
  address: string
  /** See `browserMark`. */
  browserOf(ad: { adId: string; servedS: number }): number
}

export interface ReadParts {
  clock: Clock
  readCookie(header: string | undefined): UserCookie | null
  /** The hashes by which delivery may know this user: by our cookie, or by an id in ad requests. */
  userHashesOf(kind: 'cookie' | 'user', id: string, firstKey: string | null): UserHash[]
}

const DEFAULT_NAME = 'action'
const VALUE = /^[0-9]{1,10}(?:\.[0-9]{1,30})?$/

/** Ignores any order, because anyone can load a pixel. Null if it names a customer that cannot exist. */
export function readPixel(
  request: DataRequest,
  pixel: PixelCaller,
  { clock, readCookie, userHashesOf }: ReadParts,
): ReportedAction | null {
  const query = new URLSearchParams(request.query)
  const cuidText = textOf(query, 'cuid', 20)
  const cuid = cuidText === null ? null : parseId(cuidText)
  if (cuidText !== null && cuid === null) return null
  const cookie = readCookie(request.headers.cookie)
  return {
    cuid,
    pixel,
    clickId: textOf(query, 'click', 100),
    users: cookie ? userHashesOf('cookie', cookie.id, cookie.first?.userKey ?? null) : [],
    name: textOf(query, 'name', MAX_NAME) ?? DEFAULT_NAME,
    valueMicros: valueMicrosOf(textOf(query, 'value', 50)),
    order: null,
    atMs: clock.nowMs(),
    isTest: query.get('test') === '1',
  }
}

export function readServerCall(
  cuid: number,
  body: NewAction,
  { clock, userHashesOf }: ReadParts,
): ReportedAction {
  const { click, user, name, value, order, time, test } = body
  return {
    cuid,
    pixel: null,
    clickId: click ?? null,
    users: user ? userHashesOf('user', user, null) : [],
    name: name ?? DEFAULT_NAME,
    valueMicros: value === undefined || value === null ? null : Math.round(value * MICROS_PER_UNIT),
    order: order ?? null,
    atMs: time === undefined || time === null ? clock.nowMs() : time * 1000,
    isTest: test === true,
  }
}

/** Trims the text, removes control characters, and limits it to `maxLength` code points; null if nothing is left. */
function textOf(query: URLSearchParams, name: string, maxLength: number): string | null {
  const text = (query.get(name) ?? '').replace(/\p{Cc}/gu, '').trim()
  return text === '' ? null : [...text].slice(0, maxLength).join('')
}

/** An invalid amount is ignored: the action matters more than its value. */
function valueMicrosOf(text: string | null): number | null {
  if (text === null || !VALUE.test(text) || Number(text) > MAX_VALUE) return null
  return Math.round(Number(text) * MICROS_PER_UNIT)
}
