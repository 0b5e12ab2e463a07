// Failed credentials are limited by the address they come from and the networks around it, before the database is
// asked. An attempt is counted when it begins and uncounted when it succeeds, so concurrent attempts count too and a
// valid caller does not notice.

import { createAddressLimit } from '../http/address-limit.ts'
import type { Taken } from '../http/rate-limit.ts'
import type { Clock } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'

export interface Failures {
  /** Counts a try; 429 when this address has failed too often. */
  begin(address: string): void
  /** It was no failure. */
  giveBack(address: string): void
}

const PERIOD_S = 600

/** `limit`: failures in ten minutes. */
export function createFailures(limit: number, clock: Clock): Failures {
  const tries = createAddressLimit(limit, PERIOD_S, clock)
  return {
    begin: address => refuseBeyond(tries.take(address), 'wrong credentials or failed sign-ins'),
    giveBack: address => tries.giveBack(address),
  }
}

/** 429 when nothing is left; `what` names the kind of tries. */
export function refuseBeyond({ allowed, retryAfterS }: Taken, what: string): void {
  if (allowed) return
  throw new Problem('too_many_requests', `too many ${what}; try again in ${retryAfterS} s`, {
    headers: { 'retry-after': String(retryAfterS) },
  })
}
