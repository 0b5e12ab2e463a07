// Limits on failed sign-ins and on passcodes asked for. They count whether or not the customer exists, so that they do not
// tell. What one visitor asks for, or gets wrong, does not count against others, but for what would flood a mailbox.

import { createFailures, refuseBeyond } from '../access/failures.ts'
import { consoleLimit } from '../access/passcodes.ts'
import { emailKey } from '../kernel/address.ts'
import type { Clock } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import { householdOf } from '../platform/http/network.ts'
import { createRateLimiter } from '../platform/http/rate-limit.ts'

export interface Attempts {
  /** Runs an attempt to sign in; 429 where this address has failed too often. */
  signIn<T>(ip: string, attempt: () => Promise<T>): Promise<T>
  /** Both throw 429 when it is enough for now. */
  passcodeBy(ip: string): void
  passcodeFor(ip: string, appId: number, email: string): void
}

export interface AttemptLimits {
  signInLimit: number
  passcodeLimit: number
}

const TEN_MINUTES_S = 600
const HOUR_S = 3600
/** So many visitors behind one address may ask, each for its own. */
const PASSCODES_BY_ADDRESS = 30

export function createAttempts({ signInLimit, passcodeLimit }: AttemptLimits, clock: Clock): Attempts {
  const limit = (times: number, seconds: number) =>
    createRateLimiter({ rate: times / seconds, burst: times, clock })
  const failed = createFailures(signInLimit, clock)
  const byAddress = limit(PASSCODES_BY_ADDRESS, TEN_MINUTES_S)
  const byVisitor = limit(passcodeLimit, HOUR_S)
  const byMailbox = limit(consoleLimit(passcodeLimit), HOUR_S)
  return {
    async signIn(ip, attempt) {
      failed.begin(ip)
      try {
        const result = await attempt()
        failed.giveBack(ip)
        return result
      } catch (error) {
        if (!(error instanceof Problem && error.status === 401)) failed.giveBack(ip)
        throw error
      }
    },
    passcodeBy: ip => refuseBeyond(byAddress.take(householdOf(ip)), 'passcodes asked for'),
    passcodeFor(ip, appId, email) {
      const mailbox = `${appId} ${emailKey(email)}`
      refuseBeyond(byVisitor.take(`${householdOf(ip)} ${mailbox}`), 'passcodes asked for')
      refuseBeyond(byMailbox.take(mailbox), 'passcodes asked for')
    },
  }
}
