// Actions as they are reported: by a pixel in the advertiser's page, or by the advertiser's server.

import type { DataRequest } from '../data-plane/data-plane.ts'
import { parseId } from '../kernel/id.ts'
import { MICROS_PER_UNIT } from '../kernel/money.ts'
import type { Db } from '../platform/database.ts'
import { type ActionAnswer, type ActionParts, countAction, type PixelCaller } from './actions.ts'
import type { UserHash } from './ad.ts'
import type { Tally } from './calls.ts'
import { MAX_NAME, MAX_VALUE, type NewAction } from './contract.ts'
import type { UserCookie } from './cookie.ts'

export interface ActionCallParts extends ActionParts {
  tally: Tally
  readCookie(header: string | undefined): UserCookie | null
  /** What delivery may know this user by: by our cookie, or by an id that ad requests carry. */
  userHashesOf(kind: 'cookie' | 'user', id: string, firstKey: string | null): UserHash[]
}

const PIXEL_WAIT_MS = 2000
const SERVER_WAIT_MS = 5000
const DEFAULT_NAME = 'action'
const VALUE = /^[0-9]{1,10}(?:\.[0-9]{1,30})?$/

/**
 * Once per click and name, whatever `order` it names: anybody can load a pixel. 'bad' if it names a customer that
 * cannot exist.
 */
export async function countPixelAction(
  db: Db,
  request: DataRequest,
  pixel: PixelCaller,
  parts: ActionCallParts,
): Promise<ActionAnswer | 'bad'> {
  const query = new URLSearchParams(request.query)
  const cuidText = textOf(query, 'cuid', 20)
  const cuid = cuidText === null ? null : parseId(cuidText)
  if (cuidText !== null && cuid === null) return 'bad'
  const cookie = parts.readCookie(request.headers.cookie)
  const action = {
    cuid,
    pixel,
    clickId: textOf(query, 'click', 100),
    users: cookie ? parts.userHashesOf('cookie', cookie.id, cookie.first?.userKey ?? null) : [],
    name: textOf(query, 'name', MAX_NAME) ?? DEFAULT_NAME,
    valueMicros: valueMicrosOf(textOf(query, 'value', 50)),
    order: null,
    atMs: parts.clock.nowMs(),
    isTest: query.get('test') === '1',
  }
  return tallied(await countAction(db, action, parts, PIXEL_WAIT_MS), parts.tally)
}

export async function countServerAction(
  db: Db,
  cuid: number,
  body: NewAction,
  parts: ActionCallParts,
): Promise<ActionAnswer> {
  const { click, user, name, value, order, time, test } = body
  const action = {
    cuid,
    pixel: null,
    clickId: click ?? null,
    users: user ? parts.userHashesOf('user', user, null) : [],
    name: name ?? DEFAULT_NAME,
    valueMicros: value === undefined || value === null ? null : Math.round(value * MICROS_PER_UNIT),
    order: order ?? null,
    atMs: time === undefined || time === null ? parts.clock.nowMs() : time * 1000,
    isTest: test === true,
  }
  return tallied(await countAction(db, action, parts, SERVER_WAIT_MS), parts.tally)
}

function tallied(answer: ActionAnswer, tally: Tally): ActionAnswer {
  if (answer === 'unavailable') tally('action', 'unacknowledged')
  else tally('action', answer.counted ? 'counted' : answer.reason)
  return answer
}

/** Trimmed, without control characters, at most this many code points; null if nothing is left. */
function textOf(query: URLSearchParams, name: string, maxLength: number): string | null {
  const text = (query.get(name) ?? '').replace(/\p{Cc}/gu, '').trim()
  return text === '' ? null : [...text].slice(0, maxLength).join('')
}

/** An invalid amount is ignored: the action matters more than its value. */
function valueMicrosOf(text: string | null): number | null {
  if (text === null || !VALUE.test(text) || Number(text) > MAX_VALUE) return null
  return Math.round(Number(text) * MICROS_PER_UNIT)
}
