// What a person gives a program: first a code, which the program exchanges once for a pair of its own (whose token
// nobody knows) with an access token and a refresh token. All that a pair is bound by binds it; besides, it ends with
// the seat of its person and may never do more than that person. Only hashes are stored.
// A code that comes twice, and a refresh token that was already replaced, end what they belong to: somebody has copied
// them. An answer that was lost on its way may be asked for again for a moment, and is the same.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { covers } from '../../kernel/permissions.ts'
import { type Clock, toSeconds } from '../../kernel/time/clock.ts'
import type { Database, Db } from '../../platform/database.ts'
import { alertKey } from '../alerts.ts'
import { type CredentialCheck, endPair, issueCustomerPair } from '../credentials.ts'
import { hashToken, randomText } from '../pair.ts'
import { OAuthError } from './oauth-error.ts'
import {
  type ApprovedRow,
  deleteExpiredOfAgents,
  type GrantRow,
  insertCode,
  insertGrant,
  insertToken,
  lockGrant,
  rotateGrant,
  selectAgentsOf,
  selectOfCode,
  selectPerson,
  selectToRevoke,
  takeCode,
  updateCodeKey,
} from './queries.ts'
import { readScope, writtenScope } from './request.ts'

const CODE_MS = 60_000
export const ACCESS_MS = 3_600_000
/** A program that does not come back within this time has to ask the person again. */
export const REFRESH_MS = 30 * 86_400_000
/** How long the answer to a refresh may be asked for again. */
export const AGAIN_MS = 10_000
/** Access tokens of one grant that are valid at the same time. */
const MOST_TOKENS = 5
const SECRET_CHARACTERS = 43
const FAMILY_CHARACTERS = 22
const REFRESH = /^mqrt_([0-9A-Za-z]{22})_[\w-]{43}$/

export interface AgentParts {
  db: Database
  clock: Clock
  credentials: CredentialCheck
  /** The longest that a person's consent lasts. */
  credentialTtlSeconds: number
  secret: () => Promise<Buffer>
}

/** As RFC 6749 has it. */
export interface Tokens {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
}

/** Returns the code. */
export async function approve(db: Db, approved: ApprovedRow, clock: Clock): Promise<string> {
  const code = `mqac_${randomText(SECRET_CHARACTERS)}`
  await insertCode(db, hashToken(code), approved, new Date(clock.nowMs() + CODE_MS))
  return code
}

export interface Redemption {
  code: string
  clientId: string
  redirectUri: string | null
  verifier: string
}

/** An attempt uses a code up, whether it succeeds or not. */
export async function redeem(parts: AgentParts, given: Redemption): Promise<Tokens> {
  const { db, clock, credentials } = parts
  const codeHash = hashToken(given.code)
  const made = await db.transaction(async tx => {
    const now = new Date(clock.nowMs())
    const approved = await takeCode(tx, codeHash, now)
    if (!approved) {
      const before = await selectOfCode(tx, codeHash)
      if (before) await endPair(tx, before.cuid, before.key, now)
      return { cuid: before?.cuid ?? null, tokens: null }
    }
    return {
      cuid: approved.cuid,
      tokens: isFor(approved, given) ? await give(tx, parts, approved, codeHash) : null,
    }
  })
  if (made.cuid !== null) credentials.forget(made.cuid)
  if (!made.tokens)
    throw new OAuthError(
      'invalid_grant',
      'the code is unknown, used or expired, or it is not for this request',
    )
  return made.tokens
}

function isFor({ client_id, redirect_uri, challenge }: ApprovedRow, given: Redemption): boolean {
  const proof = createHash('sha256').update(given.verifier).digest('base64url')
  const isProven = timingSafeEqual(Buffer.from(proof), Buffer.from(challenge))
  const isThere = given.redirectUri === null || given.redirectUri === redirect_uri
  return isProven && isThere && given.clientId === client_id
}

/** Null: the person has lost their seat meanwhile. */
async function give(
  tx: Db,
  parts: AgentParts,
  approved: ApprovedRow,
  codeHash: Buffer,
): Promise<Tokens | null> {
  const { cuid, mid, name, scope, ceilings, client_id: clientId } = approved
  const person = await selectPerson(tx, cuid, mid)
  if (!person?.api_access) return null
  const by = `member:${mid}` as const
  const owner = { appId: person.app_id, cuid, byApp: false, by, mid }
  const ttlS = parts.credentialTtlSeconds
  const { key, expires } = await issueCustomerPair(tx, owner, ttlS, parts.clock, { name, scope, ceilings })
  const at = new Date(parts.clock.nowMs())
  const family = randomText(FAMILY_CHARACTERS)
  const refresh = `mqrt_${family}_${randomText(SECRET_CHARACTERS)}`
  const refreshUntil = new Date(at.getTime() + REFRESH_MS)
  await insertGrant(tx, { key, clientId, family, refreshHash: hashToken(refresh), refreshUntil, at })
  await updateCodeKey(tx, codeHash, key)
  await alertKey(tx, { at, cuid, actor: by }, { key, name, scope, created: toSeconds(at), expires })
  return tokensFor(tx, { key, scope, expires_at: new Date(expires * 1000) }, refresh, at)
}

async function tokensFor(
  tx: Db,
  { key, scope, expires_at }: Pick<GrantRow, 'key' | 'scope' | 'expires_at'>,
  refresh: string,
  at: Date,
): Promise<Tokens> {
  const access = `mqat_${randomText(SECRET_CHARACTERS)}`
  const lifeMs = Math.min(ACCESS_MS, expires_at.getTime() - at.getTime())
  const expiresAt = new Date(at.getTime() + lifeMs)
  await insertToken(tx, { tokenHash: hashToken(access), key, expiresAt }, MOST_TOKENS)
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: Math.floor(lifeMs / 1000),
    refresh_token: refresh,
    scope: writtenScope(scope),
  }
}

export interface Refreshing {
  refreshToken: string
  clientId: string
  scope: string | null
}

export async function refresh(parts: AgentParts, given: Refreshing): Promise<Tokens> {
  const family = familyOf(given.refreshToken)
  const secret = await parts.secret()
  const { db, clock, credentials } = parts
  const done = await db.transaction(async tx => {
    const at = new Date(clock.nowMs())
    const grant = family === null ? null : await lockGrant(tx, family, at)
    if (!grant || grant.client_id !== given.clientId) return 'unknown'
    const asked = readScope(given.scope)
    if (asked !== null && !covers(grant.scope, asked)) return 'too_much'
    const hash = hashToken(given.refreshToken)
    const next = successorOf(given.refreshToken, family!, secret)
    if (hash.equals(grant.refresh_hash)) {
      await rotateGrant(tx, grant.key, hashToken(next), new Date(at.getTime() + REFRESH_MS), at)
      return tokensFor(tx, grant, next, at)
    }
    const isAgain =
      grant.previous_hash?.equals(hash) && Math.abs(at.getTime() - grant.rotated_at.getTime()) <= AGAIN_MS
    if (isAgain) return tokensFor(tx, grant, next, at)
    await endPair(tx, grant.cuid, grant.key, at)
    return grant.cuid
  })
  if (typeof done === 'number') credentials.forget(done)
  if (done === 'too_much') throw new OAuthError('invalid_scope', 'the person did not give that much')
  if (typeof done !== 'object')
    throw new OAuthError('invalid_grant', 'the refresh token is unknown, replaced, expired or revoked')
  return done
}

function familyOf(token: string): string | null {
  return REFRESH.exec(token)?.[1] ?? null
}

/** The same for the same token, so that a lost answer can be given again; only we can make it from that token. */
function successorOf(token: string, family: string, secret: Buffer): string {
  return `mqrt_${family}_${createHmac('sha256', secret).update(token).digest('base64url')}`
}

/** Ends what the token belongs to, access and refresh together. A token that is not known is no error (RFC 7009). */
export async function revoke(parts: AgentParts, token: string, clientId: string): Promise<void> {
  const by = { tokenHash: hashToken(token), family: familyOf(token) }
  const grant = await selectToRevoke(parts.db, by, clientId)
  if (!grant) return
  await endPair(parts.db, grant.cuid, grant.key, new Date(parts.clock.nowMs()))
  parts.credentials.forget(grant.cuid)
}

/** What acts for a person, by the numbers of their seats; the newest first. */
export const listAgents = selectAgentsOf

export async function sweepAgents(db: Db, clock: Clock): Promise<void> {
  await deleteExpiredOfAgents(db, new Date(clock.nowMs()))
}
