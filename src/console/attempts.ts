// Limits on failed sign-ins and on requested passcodes. They count whether or not the customer exists, so that they
// reveal nothing. The requests and failures of one visitor do not count against others, except to keep a mailbox from
// being flooded; and even then the first request of each network, and a known browser, get a code.

import { createFailures, refuseBeyond } from '../access/failures.ts'
import { type Asker, consoleLimits } from '../access/passcodes.ts'
import { emailKey } from '../kernel/address.ts'
import type { Clock } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import { householdOf, networkOf } from '../platform/http/network.ts'
import { createRateLimiter } from '../platform/http/rate-limit.ts'

export interface Attempts {
  /** Runs an attempt to sign in, when it is its turn; 429 if this address has failed too often. */
  signIn<T>(ip: string, attempt: () => Promise<T>): Promise<T>
  /** Both throw 429 when it is enough for now. */
  passcodeBy(ip: string): void
  passcodeFor(asker: Asker, appId: number, email: string): void
}

export interface AttemptLimits {
  signInLimit: number
  passcodeLimit: number
}

const TEN_MINUTES_S = 600
const HOUR_S = 3600
/** How many visitors behind one address may ask, each for their own account. */
const PASSCODES_BY_ADDRESS = 30

export function createAttempts({ signInLimit, passcodeLimit }: AttemptLimits, clock: Clock): Attempts {
  const limit = (times: number, seconds: number) =>
    createRateLimiter({ rate: times / seconds, burst: times, clock })
  const failed = createFailures(signInLimit, clock)
  const byAddress = limit(PASSCODES_BY_ADDRESS, TEN_MINUTES_S)
  const byVisitor = limit(passcodeLimit, HOUR_S)
  const byBrowser = limit(passcodeLimit, HOUR_S)
  const firsts = limit(consoleLimits(passcodeLimit).first, HOUR_S)
  const others = limit(consoleLimits(passcodeLimit).more, HOUR_S)
  const ofNetwork = limit(1, HOUR_S)
  let last: Promise<unknown> = Promise.resolve()

  /** One after the other: a burst from many addresses must not keep everybody else from the database. */
  function inLine<T>(attempt: () => Promise<T>): Promise<T> {
    const done = last.then(attempt)
    last = done.catch(() => {})
    return done
  }

  return {
    async signIn(ip, attempt) {
      failed.begin(ip)
      try {
        const result = await inLine(attempt)
        failed.giveBack(ip)
        return result
      } catch (error) {
        if (!(error instanceof Problem && error.status === 401)) failed.giveBack(ip)
        throw error
      }
    },
    passcodeBy: ip => refuseBeyond(byAddress.take(householdOf(ip)), 'passcode requests'),
    passcodeFor(asker, appId, email) {
      const mailbox = `${appId} ${emailKey(email)}`
      if ('browser' in asker) {
        refuseBeyond(byBrowser.take(`${asker.browser} ${mailbox}`), 'passcode requests')
        return
      }
      refuseBeyond(byVisitor.take(`${householdOf(asker.ip)} ${mailbox}`), 'passcode requests')
      const isFirst = ofNetwork.take(`${networkOf(asker.ip)} ${mailbox}`).allowed
      if (isFirst && firsts.take(mailbox).allowed) return
      refuseBeyond(others.take(mailbox), 'passcode requests')
    },
  }
}
