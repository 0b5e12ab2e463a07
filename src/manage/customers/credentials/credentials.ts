// The verb that makes a customer's pair, which may be limited to what it is for.

import { alertKey } from '../../../identity/alerts.ts'
import { issueCustomerPair, ownCampaigns } from '../../../identity/credentials.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { shownCeilings, storedCeilings } from '../../../kernel/ceilings.ts'
import { type FieldError, fieldError } from '../../../kernel/errors/field-error.ts'
import { invalidInput } from '../../../kernel/errors/problem.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import type { Db } from '../../../platform/database.ts'
import type { FoundCustomer } from '../customers.ts'
import type { CreatedCredential, NewCredential } from './contract.ts'

export interface PairParts {
  credentialTtlSeconds: number
  clock: Clock
}

/** Without a body, the pair may do everything and lasts for the default time. */
export async function createPair(
  db: Db,
  caller: Caller,
  { customer: { cuid }, appId }: FoundCustomer,
  body: NewCredential | undefined,
  { credentialTtlSeconds, clock }: PairParts,
): Promise<CreatedCredential> {
  const { name = null, cids = null, ceilings = null, expires = null } = body ?? {}
  const scope = body?.scope ?? 'all'
  const nowS = Math.floor(clock.nowMs() / 1000)
  const errors: FieldError[] = []
  if (expires !== null && expires <= nowS)
    errors.push(fieldError('/expires', 'not_in_the_future', { now: nowS }))
  const mostS = nowS + credentialTtlSeconds
  if (expires !== null && expires > mostS) {
    errors.push(fieldError('/expires', 'too_large', { expected: 'number', min: nowS + 1, max: mostS }))
  }
  const stored = storedCeilings(ceilings)
  // With the scope `all` it could make itself a pair without that limit.
  for (const [limit, value] of Object.entries({ cids, ceilings: stored }))
    if (value !== null && scope === 'all')
      errors.push(fieldError(`/${limit}`, 'not_together', { field: 'scope all' }))
  const own = cids === null ? new Set<number>() : await ownCampaigns(db, cuid, cids)
  for (const [at, cid] of (cids ?? []).entries()) {
    if (!own.has(cid)) errors.push(fieldError(`/cids/${at}`, 'no_such_campaign', { cid }))
  }
  if (errors.length > 0) throw invalidInput(errors)
  const owner = { appId, cuid, byApp: caller.level === 'app', by: caller.key }
  const ttlS = expires === null ? credentialTtlSeconds : expires - nowS
  const pair = await issueCustomerPair(db, owner, ttlS, clock, { name, scope, cids, ceilings: stored })
  const shown = { key: pair.key, name, scope, created: nowS, expires: pair.expires }
  // No alert for unnamed pairs that the app gets to act as the customer: it gets them all the time. A named pair is
  // meant to stay.
  if (!owner.byApp || name !== null)
    await alertKey(db, { at: new Date(nowS * 1000), cuid, actor: caller.key }, shown)
  return { cuid, ...pair, name, scope, cids, ceilings: shownCeilings(stored) }
}
