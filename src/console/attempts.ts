// Limits on failed sign-ins and on requested passcodes. They count whether or not the customer exists, so that they
// reveal nothing. The requests and failures of one visitor do not count against others, except to keep a mailbox from
// being flooded. Even then the first request of each network, and a known browser, get a code.

import { createAddressLimit } from '../http/address-limit.ts'
import { createRateLimiter } from '../http/rate-limit.ts'
import { createFailures, refuseBeyond } from '../identity/failures.ts'
import { type Asker, consoleLimits } from '../identity/passcodes.ts'
import { emailKey } from '../kernel/address.ts'
import { Problem } from '../kernel/errors/problem.ts'
import type { Clock } from '../kernel/time/clock.ts'
import { networkOf } from '../platform/network.ts'

export interface Attempts {
  /** Runs a sign-in when its turn comes; throws 429 if this address has failed too often. */
  signIn<T>(address: string, attempt: () => Promise<T>): Promise<T>
  /** Both throw 429 beyond their limit. */
  passcodeBy(address: string): void
  passcodeFor(asker: Asker, appId: number, email: string): void
}

export interface AttemptLimits {
  signInLimit: number
  passcodeLimit: number
}

export const TEN_MINUTES_S = 600
const HOUR_S = 3600
/** How many visitors behind one address may ask, each for their own account. */
export const PASSCODES_BY_ADDRESS = 30

export function createAttempts({ signInLimit, passcodeLimit }: AttemptLimits, clock: Clock): Attempts {
  const limit = (times: number, seconds: number) =>
    createRateLimiter({ rate: times / seconds, burst: times, clock })
  const failed = createFailures(signInLimit, clock)
  const byAddress = createAddressLimit(PASSCODES_BY_ADDRESS, TEN_MINUTES_S, clock)
  const byVisitor = createAddressLimit(passcodeLimit, HOUR_S, clock)
  const byBrowser = limit(passcodeLimit, HOUR_S)
  const firsts = limit(consoleLimits(passcodeLimit).first, HOUR_S)
  const others = limit(consoleLimits(passcodeLimit).more, HOUR_S)
  const ofNetwork = limit(1, HOUR_S)
  let last: Promise<unknown> = Promise.resolve()

  /** Runs attempts one after the other: a burst from many addresses must not keep everybody else from the database. */
  function inLine<T>(attempt: () => Promise<T>): Promise<T> {
    const done = last.then(attempt)
    last = done.catch(() => {})
    return done
  }

  return {
    async signIn(address, attempt) {
      failed.begin(address)
      try {
        const result = await inLine(attempt)
        failed.giveBack(address)
        return result
      } catch (error) {
        if (!(error instanceof Problem && error.status === 401)) failed.giveBack(address)
        throw error
      }
    },
    passcodeBy: address => refuseBeyond(byAddress.take(address), 'too_many_passcodes'),
    passcodeFor(asker, appId, email) {
      const mailbox = `${appId} ${emailKey(email)}`
      if ('browser' in asker) {
        refuseBeyond(byBrowser.take(`${asker.browser} ${mailbox}`), 'too_many_passcodes')
        return
      }
      refuseBeyond(byVisitor.take(asker.address, mailbox), 'too_many_passcodes')
      const isFirst = ofNetwork.take(`${networkOf(asker.address)} ${mailbox}`).allowed
      if (isFirst && firsts.take(mailbox).allowed) return
      refuseBeyond(others.take(mailbox), 'too_many_passcodes')
    },
  }
}
