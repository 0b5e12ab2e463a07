// Failed credentials are limited by the address they come from, before the database is asked. A try is counted when it
// begins and given back when it succeeds, so that concurrent tries count too and a valid caller does not notice.

import type { Clock } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import { householdOf } from '../platform/http/network.ts'
import { createRateLimiter, type Taken } from '../platform/http/rate-limit.ts'

export interface Failures {
  /** Counts a try; 429 when this address has failed too often. */
  begin(ip: string): void
  /** It was no failure. */
  giveBack(ip: string): void
  /** Counts one that cost nothing to find out. */
  note(ip: string): void
}

const PERIOD_S = 600

/** `limit`: failures in ten minutes. */
export function createFailures(limit: number, clock: Clock): Failures {
  const limiter = createRateLimiter({ rate: limit / PERIOD_S, burst: limit, clock })
  return {
    begin: ip => refuseBeyond(limiter.take(householdOf(ip)), 'wrong credentials or failed sign-ins'),
    giveBack: ip => limiter.giveBack(householdOf(ip)),
    note: ip => void limiter.take(householdOf(ip)),
  }
}

/** 429 when nothing is left; `what` names the kind of tries. */
export function refuseBeyond({ allowed, retryAfterS }: Taken, what: string): void {
  if (allowed) return
  throw new Problem('too_many_requests', `too many ${what}; try again in ${retryAfterS} s`, {
    headers: { 'retry-after': String(retryAfterS) },
  })
}
