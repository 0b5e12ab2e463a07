// The super pairs of an app. The first has no name and may do everything. Each other one has a name, and may be limited
// to reading, to some customers, or in time. A new pair replaces those with its name.

import { notFound, refusal } from '../kernel/errors/problem.ts'
import type { SuperScope } from '../kernel/permissions.ts'
import { type Clock, isSandbox } from '../kernel/time/clock.ts'
import type { Db } from '../platform/database.ts'
import { hashToken, newPair, type Pair } from './pair.ts'
import { insertCredential } from './queries.ts'
import {
  endThese,
  lockApp,
  revokeSuperPair as revoke,
  type SuperPairRow,
  selectOwnCuids,
  selectSuperPairs,
} from './super-pair-queries.ts'

export interface NewSuperPair {
  /** Null: the app's first pair. */
  name: string | null
  scope: SuperScope
  /** Only these customers; null: all. */
  cuids: number[] | null
  /** Null: it does not expire. */
  expiresAt: Date | null
}

export interface SuperPair {
  key: string
  name: string | null
  scope: SuperScope
  cuids: number[] | null
  created: Date
  expires: Date | null
  lastUsed: Date | null
}

export const MAX_SUPER_PAIRS = 50
/** Limited because each call with such a pair searches the list. */
export const MAX_CHOSEN = 1_000
const FIRST: NewSuperPair = { name: null, scope: 'all', cuids: null, expiresAt: null }

export async function listSuperPairs(db: Db, appId: number, clock: Clock): Promise<SuperPair[]> {
  return (await selectSuperPairs(db, appId, new Date(clock.nowMs()))).map(toSuperPair)
}

/** Adds a pair whose name no other pair has. */
export async function addSuperPair(db: Db, appId: number, wanted: NewSuperPair, clock: Clock): Promise<Pair> {
  const { name, cuids } = wanted
  await lockApp(db, appId)
  const living = await selectSuperPairs(db, appId, new Date(clock.nowMs()))
  if (living.length >= MAX_SUPER_PAIRS) throw refusal('too_many_super_pairs', { max: MAX_SUPER_PAIRS })
  if (living.some(pair => pair.name === name)) throw refusal('super_pair_exists', { name: name ?? '' })
  const own = cuids === null ? new Set<number>() : await selectOwnCuids(db, appId, cuids)
  const unknown = cuids?.find(cuid => !own.has(cuid))
  if (unknown !== undefined) throw notFound(`customer ${unknown} of this app`)
  return issue(db, appId, wanted, clock)
}

/** Replaces the pairs with this name (null: the first) by a new one; they end after `overlapS` seconds. */
export async function replaceSuperPair(
  db: Db,
  appId: number,
  name: string | null,
  overlapS: number,
  clock: Clock,
): Promise<Pair> {
  const nowMs = clock.nowMs()
  await lockApp(db, appId)
  const earlier = (await selectSuperPairs(db, appId, new Date(nowMs))).filter(pair => pair.name === name)
  const last = earlier.reduce<SuperPairRow | undefined>(
    (best, pair) => (best && endMs(best) >= endMs(pair) ? best : pair),
    undefined,
  )
  if (name !== null && !last) throw notFound(`a super pair named "${name}"`)
  const pair = await issue(db, appId, last ? { ...last, expiresAt: lifeFrom(last, nowMs) } : FIRST, clock)
  const keys = earlier.map(({ key }) => key)
  await endThese(db, appId, keys, new Date(nowMs + overlapS * 1000))
  return pair
}

const endMs = ({ expires_at }: SuperPairRow) => expires_at?.getTime() ?? Number.POSITIVE_INFINITY

/** The new pair lasts as long as the previous one was to last. */
function lifeFrom({ expires_at, created_at }: SuperPairRow, nowMs: number): Date | null {
  return expires_at && new Date(nowMs + expires_at.getTime() - created_at.getTime())
}

/** The pair stops working within 1 s, because it is cached. */
export async function revokeSuperPair(db: Db, appId: number, key: string, clock: Clock): Promise<void> {
  if ((await revoke(db, appId, key, new Date(clock.nowMs()))) === 0) throw notFound('super pair')
}

async function issue(db: Db, appId: number, wanted: NewSuperPair, clock: Clock): Promise<Pair> {
  const { name, scope, cuids, expiresAt } = wanted
  const pair = newPair('app', isSandbox(clock))
  await insertCredential(db, {
    key: pair.key,
    tokenHash: hashToken(pair.token),
    appId,
    cuid: null,
    byApp: true,
    createdAt: new Date(clock.nowMs()),
    expiresAt,
    name,
    scope,
    cuids,
  })
  return pair
}

function toSuperPair(row: SuperPairRow): SuperPair {
  return {
    key: row.key,
    name: row.name,
    scope: row.scope,
    cuids: row.cuids,
    created: row.created_at,
    expires: row.expires_at,
    lastUsed: row.used_at,
  }
}
