// Issues pairs, and checks those that come with requests. A check is cached for at most 1 s, so that what was
// revoked or switched off stops within that time and a busy caller does not cost a query per request.

import { timingSafeEqual } from 'node:crypto'
import { type ActorText, actorOf } from '../kernel/actor.ts'
import type { Caller } from '../kernel/caller.ts'
import { type StoredCeilings, shownCeilings } from '../kernel/ceilings.ts'
import { notFound } from '../kernel/errors/problem.ts'
import { lesserScope, type Scope, scopeOf } from '../kernel/permissions.ts'
import { type Clock, isSandbox, toSeconds } from '../kernel/time/clock.ts'
import type { Database, Db } from '../platform/database.ts'
import { selectToken, type TokenRow } from './agents/queries.ts'
import { createNetworks } from './networks.ts'
import { hashToken, isAccessToken, isCustomerKey, isPairOf, type Level, newPair, type Pair } from './pair.ts'
import {
  type CredentialRow,
  insertCredential,
  lockCustomer,
  revokeOldCredentials,
  revokePair,
  selectAnyCredential,
  selectCredential,
  selectCustomerAccess,
  selectOwnCids,
  selectPairs,
  touchCredential,
} from './queries.ts'
import { whoActed } from './who.ts'

export const CACHE_MS = 1_000
/** The precision of a pair's last use. */
const USE_MS = 60_000
const MAX_LIVE_PAIRS = 10
/** Pairs kept per customer, so that the user of an old pair learns what happened to it. */
const MAX_REMEMBERED_PAIRS = 100
const MAX_CACHED = 50_000

export interface IssuedPair extends Pair {
  /** Unix seconds. */
  expires: number
}

export interface ListedPair {
  key: string
  name: string | null
  scope: Scope
  cids: number[] | null
  ceilings: StoredCeilings | null
  created: number
  createdBy: string | null
  expires: number
  lastUsed: number | null
  byApp: boolean
  /** The person that an agent acts for, and its program. */
  agent: { mid: number; email: string; host: string | null } | null
}

/** The valid pairs of a customer, oldest first. Only the hash of each token is stored. */
export async function listPairs(db: Db, cuid: number, clock: Clock): Promise<ListedPair[]> {
  const rows = await selectPairs(db, cuid, new Date(clock.nowMs()))
  const who = await whoActed(db, cuid, [...new Set(rows.flatMap(row => row.created_by ?? []))])
  return rows.map(row => ({
    key: row.key,
    name: row.name,
    scope: row.scope,
    cids: row.cids,
    ceilings: shownCeilings(row.ceilings),
    created: toSeconds(row.created_at),
    createdBy: row.created_by && (who.get(row.created_by)?.email ?? shownMaker(row.created_by)),
    expires: toSeconds(row.expires_at),
    lastUsed: row.used_at && toSeconds(row.used_at),
    byApp: row.by_app,
    agent: row.mid === null ? null : { mid: row.mid, email: row.email!, host: programHost(row.client_id!) },
  }))
}

/** The host of the document that describes a program; null if it only registered. */
export function programHost(clientId: string): string | null {
  return URL.canParse(clientId) && clientId.startsWith('http') ? new URL(clientId).host : null
}

/** A pair is shown by its key. The app and the console are shown by name, which is all that a customer may see. */
export function shownMaker(key: string | null): string | null {
  if (key === null) return null
  const { kind } = actorOf(key)
  if (kind === 'pair') return key
  return kind === 'member' ? 'console' : 'app'
}

export async function revokeCustomerPair(db: Db, cuid: number, key: string, clock: Clock): Promise<void> {
  const found =
    isCustomerKey(key, isSandbox(clock)) && (await revokePair(db, cuid, key, new Date(clock.nowMs()))) > 0
  if (!found) throw notFound('credential')
}

/** Ends a pair, if it has not ended yet. */
export const endPair = revokePair

/** Selects the campaigns that the customer has, so that a pair can be limited to them. */
export const ownCampaigns = selectOwnCids

/** The owner of a pair. `byApp`: the app obtained it for itself, to act as the customer. */
export interface PairOwner {
  appId: number
  cuid: number
  byApp: boolean
  /** The key of the caller that makes it. */
  by?: string
  /** The person that an agent acts for. */
  mid?: number
}

/** What a pair may do; by default, everything that its customer may. */
export interface PairRights {
  name?: string | null
  scope?: Scope
  cids?: number[] | null
  ceilings?: StoredCeilings | null
}

/**
 * Issues a new pair to a customer. Earlier ones stay valid, but only the newest ten of the customer's own, the newest
 * ten of the app's and the newest ten agents of each person are kept, so that an app that acts as the customer every
 * night does not shut it out.
 */
export async function issueCustomerPair(
  db: Db,
  owner: PairOwner,
  ttlSeconds: number,
  clock: Clock,
  rights: PairRights = {},
): Promise<IssuedPair> {
  const now = new Date(clock.nowMs())
  const pair = newPair('customer', isSandbox(clock))
  const expiresAt = new Date(now.getTime() + ttlSeconds * 1000)
  await lockCustomer(db, owner.cuid)
  await insertCredential(db, {
    key: pair.key,
    tokenHash: hashToken(pair.token),
    ...owner,
    ...rights,
    createdBy: owner.by ?? null,
    createdAt: now,
    expiresAt,
  })
  await revokeOldCredentials(db, owner, { keep: MAX_LIVE_PAIRS, remember: MAX_REMEMBERED_PAIRS }, now)
  return { ...pair, expires: toSeconds(expiresAt) }
}

export interface CustomerAccess {
  appId: number
  apiAccess: boolean
}

export type PairFault =
  | 'credentials_invalid'
  | 'credentials_expired'
  | 'credentials_revoked'
  | 'credentials_of_sandbox'
  | 'credentials_not_of_sandbox'

export interface CredentialCheck {
  /** The owner of this pair, used from `address`; null if the pair is wrong, unknown, expired or revoked. */
  identify(level: Level, pair: Pair, address?: string): Promise<{ caller: Caller; apiAccess: boolean } | null>
  /** The same by an access token of an agent. */
  identifyAgent(accessToken: string, address?: string): Promise<AgentIdentity | null>
  /** The customer or app of this pair, if it was valid recently: costs no query. */
  ownerOf(level: Level, pair: Pair): string | null
  ownerOfAgent(accessToken: string): string | null
  /** Whether this key, or access token, was valid recently: looking it up again costs at most one query per second. */
  knows(key: string): boolean
  knowsAgent(accessToken: string): boolean
  /** Why a pair is not accepted. Only a caller with the right token learns that it was once valid. */
  faultOf(level: Level, pair: Pair): Promise<PairFault>
  /** The app that a customer belongs to. */
  accessOf(cuid: number): Promise<CustomerAccess | null>
  /** Clears the cache for a customer, after a change in this process. */
  forget(cuid: number): void
  /** Clears all caches, because the database was replaced. */
  forgetAll(): void
}

/** `secret`: the same for all access tokens of an agent. */
export interface AgentIdentity {
  caller: Caller
  apiAccess: boolean
  secret: string
}

export interface Cached<T> {
  value: T
  untilMs: number
}

export function createCredentialCheck(db: Database, clock: Clock): CredentialCheck {
  const inSandbox = isSandbox(clock)
  const networks = createNetworks(db, clock)
  const pairs = new Map<string, Cached<CredentialRow>>()
  /** Lookups under way: many concurrent calls with one key cost one query. */
  const loading = new Map<string, Promise<CredentialRow | null>>()
  const customers = new Map<number, Cached<CustomerAccess>>()
  /** The keys of agents, by the hash of an access token. */
  const tokens = new Map<string, Cached<TokenRow>>()

  /** Text that does not have the form of a pair costs no query. */
  async function load(level: Level, pair: Pair): Promise<CredentialRow | null> {
    return isPairOf(level, pair, inSandbox) ? loadKey(pair.key) : null
  }

  async function loadKey(key: string): Promise<CredentialRow | null> {
    let found = loading.get(key)
    if (!found) {
      found = cached(pairs, key, clock, () => selectCredential(db, key, new Date(clock.nowMs())))
      loading.set(key, found)
      found.then(
        () => loading.delete(key),
        () => loading.delete(key),
      )
    }
    return found
  }

  /** Only for people to see, so errors are ignored: a read-only database must not shut anybody out. */
  async function noteUse(row: CredentialRow, key: string): Promise<void> {
    const nowMs = clock.nowMs()
    if (Math.abs(nowMs - (row.used_at?.getTime() ?? 0)) < USE_MS) return
    row.used_at = new Date(nowMs)
    await touchCredential(db, key, row.used_at).catch(() => {})
  }

  async function keyOfToken(accessToken: string): Promise<string | null> {
    const hash = hashToken(accessToken)
    const nowMs = clock.nowMs()
    const row = await cached(tokens, hash.toString('hex'), clock, () =>
      selectToken(db, hash, new Date(nowMs)),
    )
    return row && row.expires_at.getTime() > nowMs ? row.key : null
  }

  const knownToken = (accessToken: string) =>
    tokens.get(hashToken(accessToken).toString('hex'))?.value ?? null

  return {
    async identifyAgent(accessToken, address) {
      const key = isAccessToken(accessToken) ? await keyOfToken(accessToken) : null
      const row = key && (fresh(pairs, key, clock) ?? (await loadKey(key)))
      if (!key || !row) return null
      await noteUse(row, key)
      if (address !== undefined) await networks.note(row, key, address)
      const secret = row.token_hash.toString('hex')
      return { caller: callerOf(row, key), apiAccess: row.api_access ?? true, secret }
    },
    ownerOfAgent(accessToken) {
      const row = pairs.get(knownToken(accessToken)?.key ?? '')?.value
      return row ? `customer ${row.cuid}` : null
    },
    knowsAgent: accessToken => knownToken(accessToken) !== null,
    async identify(level, pair, address) {
      const row = fresh(pairs, pair.key, clock) ?? (await load(level, pair))
      if (!row || levelOf(row) !== level) return null
      if (!timingSafeEqual(row.token_hash, hashToken(pair.token))) return null
      await noteUse(row, pair.key)
      if (address !== undefined) await networks.note(row, pair.key, address)
      return { caller: callerOf(row, pair.key), apiAccess: row.api_access ?? true }
    },
    ownerOf(level, { key, token }) {
      const row = pairs.get(key)?.value
      if (!row || levelOf(row) !== level || !timingSafeEqual(row.token_hash, hashToken(token))) return null
      return row.cuid === null ? `app ${row.app_id}` : `customer ${row.cuid}`
    },
    knows: key => pairs.has(key),
    async faultOf(level, pair) {
      // The key is valid, so the token was wrong: there is nothing to look up.
      if (fresh(pairs, pair.key, clock)) return 'credentials_invalid'
      if (isPairOf(level, pair, !inSandbox))
        return inSandbox ? 'credentials_not_of_sandbox' : 'credentials_of_sandbox'
      const row = isPairOf(level, pair, inSandbox) ? await selectAnyCredential(db, pair.key) : null
      if (!row || !timingSafeEqual(row.token_hash, hashToken(pair.token))) return 'credentials_invalid'
      if (row.is_revoked) return 'credentials_revoked'
      const hasEnded = row.expires_at !== null && row.expires_at.getTime() <= clock.nowMs()
      return hasEnded ? 'credentials_expired' : 'credentials_invalid'
    },
    accessOf: cuid =>
      cached(customers, cuid, clock, async () => {
        const row = await selectCustomerAccess(db, cuid)
        return row && { appId: row.app_id, apiAccess: row.api_access }
      }),
    forget(cuid) {
      customers.delete(cuid)
      for (const [key, { value }] of pairs) if (value.cuid === cuid) pairs.delete(key)
    },
    forgetAll() {
      customers.clear()
      pairs.clear()
      tokens.clear()
      networks.forget()
    },
  }
}

function callerOf(row: CredentialRow, text: string): Caller {
  const key = text as ActorText
  return row.cuid === null
    ? {
        level: 'app',
        appId: row.app_id,
        key,
        right: row.scope === 'all' ? 'all' : 'read',
        cuids: row.cuids,
        mayPasscode: row.may_passcode,
        mayNoPasscode: row.may_nopasscode,
        maySources: row.may_sources,
      }
    : { level: 'customer', appId: row.app_id, cuid: row.cuid, key, cids: row.cids, ...scopeIn(row) }
}

/** An agent may never do more than the person that it acts for. */
function scopeIn({ scope, role }: CredentialRow): { scope: Scope; isAgent?: true } {
  return role === null ? { scope } : { scope: lesserScope(scope, scopeOf(role)), isAgent: true }
}

function levelOf(row: CredentialRow): Level {
  return row.cuid === null ? 'app' : 'customer'
}

function fresh<K, T>(cache: Map<K, Cached<T>>, key: K, clock: Clock): T | null {
  const hit = cache.get(key)
  if (!hit) return null
  // An entry that would last longer than that was made before the clock was set back.
  const leftMs = hit.untilMs - clock.nowMs()
  return leftMs > 0 && leftMs <= cacheMs(clock) ? hit.value : null
}

/** The clock of a sandbox stands still, so nothing that is cached there would end. */
function cacheMs(clock: Clock): number {
  return isSandbox(clock) ? 0 : CACHE_MS
}

/** Only hits are cached, so that a pair or customer created a moment ago is found immediately. */
export async function cached<K, T>(
  cache: Map<K, Cached<T>>,
  key: K,
  clock: Clock,
  load: () => Promise<T | null>,
): Promise<T | null> {
  const known = fresh(cache, key, clock)
  if (known !== null) return known
  const nowMs = clock.nowMs()
  const value = await load()
  if (value === null) cache.delete(key)
  else {
    if (cache.size >= MAX_CACHED) cache.clear()
    cache.set(key, { value, untilMs: nowMs + cacheMs(clock) })
  }
  return value
}
