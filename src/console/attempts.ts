// Limits on attempts to sign in and on passcodes asked for: by the address of the customer and by that of the caller.
// They count whether or not the customer exists, so that they do not tell.

import { emailKey } from '../kernel/address.ts'
import type { Clock } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import { createRateLimiter } from '../platform/http/rate-limit.ts'

export interface Attempts {
  /** Both throw 429 when it is enough for now. */
  signIn(ip: string, email: string | null): void
  passcode(ip: string, email: string): void
}

const TEN_MINUTES_S = 600
const HOUR_S = 3600

export function createAttempts(clock: Clock): Attempts {
  const limit = (times: number, seconds: number) =>
    createRateLimiter({ rate: times / seconds, burst: times, clock })
  const signInsByIp = limit(60, TEN_MINUTES_S)
  const signInsByEmail = limit(10, TEN_MINUTES_S)
  const passcodesByIp = limit(30, TEN_MINUTES_S)
  const passcodesByEmail = limit(5, HOUR_S)
  const take = (limiter: ReturnType<typeof limit>, key: string) => {
    const { allowed, retryAfterS } = limiter.take(key)
    if (allowed) return
    const headers = { 'retry-after': String(retryAfterS) }
    throw new Problem('too_many_requests', `too many attempts; try again in ${retryAfterS} s`, { headers })
  }
  return {
    signIn(ip, email) {
      take(signInsByIp, network(ip))
      if (email !== null) take(signInsByEmail, emailKey(email))
    },
    passcode(ip, email) {
      take(passcodesByIp, network(ip))
      take(passcodesByEmail, emailKey(email))
    },
  }
}

/** Of IPv6, one subscriber has a whole /64. */
function network(ip: string): string {
  if (!ip.includes(':') || ip.startsWith('::ffff:')) return ip
  const [head = '', tail = ''] = ip.split('::', 2)
  const groups = head.split(':').filter(group => group !== '')
  const after = tail.split(':').filter(group => group !== '')
  const zeros = ip.includes('::') ? Array(Math.max(0, 8 - groups.length - after.length)).fill('0') : []
  return [...groups, ...zeros, ...after].slice(0, 4).join(':')
}
