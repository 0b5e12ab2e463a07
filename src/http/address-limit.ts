// A limit per address that also applies to the networks around it: see rangesOf(). The widest network is asked first,
// so that a caller who has used up a whole network cannot fill memory with ever new addresses.

import type { Clock } from '../kernel/time/clock.ts'
import { RANGE_ALLOWANCES, rangesOf } from '../platform/network.ts'
import { createRateLimiter, type Taken } from './rate-limit.ts'

export interface AddressLimit {
  /** `about`: what is being tried, if each thing has a limit of its own. */
  take(address: string, about?: string): Taken
  /** Puts back one that was taken in vain. */
  giveBack(address: string, about?: string): void
}

/** `times`: how many tries one address has in `seconds`. */
export function createAddressLimit(times: number, seconds: number, clock: Clock): AddressLimit {
  const limiters = RANGE_ALLOWANCES.map(allowance =>
    createRateLimiter({ rate: (times * allowance) / seconds, burst: times * allowance, clock }),
  )
  const keysOf = (address: string, about: string) => rangesOf(address).map(range => `${range} ${about}`)
  return {
    take(address, about = '') {
      const keys = keysOf(address, about)
      for (let n = keys.length - 1; n > 0; n--) {
        const taken = limiters[n]!.take(keys[n]!)
        if (taken.allowed) continue
        for (let wider = n + 1; wider < keys.length; wider++) limiters[wider]!.giveBack(keys[wider]!)
        return taken
      }
      const taken = limiters[0]!.take(keys[0]!)
      if (!taken.allowed) for (let n = 1; n < keys.length; n++) limiters[n]!.giveBack(keys[n]!)
      return taken
    },
    giveBack(address, about = '') {
      for (const [n, key] of keysOf(address, about).entries()) limiters[n]!.giveBack(key)
    },
  }
}
