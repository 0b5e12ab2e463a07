// A user as the ledger and the links know them: 64 bits of the user key, made with the secrets of the day.

import type { DatedUser, UserHash } from '../../budget/caps/caps.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { keysAnywhere } from '../../kernel/time/day.ts'
import { DAY_MS } from '../../kernel/time/units.ts'
import { idKey } from '../audience/user.ts'
import type { AdRequest } from '../targeting/request.ts'
import type { SecretsAt } from './user-secrets.ts'

/** `userKey`: hexadecimal. */
export function userHashOf(userKey: string): UserHash {
  return { hi: Number.parseInt(userKey.slice(0, 8), 16), lo: Number.parseInt(userKey.slice(8, 16), 16) }
}

/** The user of an ad request; null: there is none. `todayKey`: the deployment's date, for which its key is. */
export function userOf({ userKey, userKeyOn }: AdRequest, todayKey: number): DatedUser | null {
  if (userKey === null) return null
  const { hi, lo } = userHashOf(userKey)
  if (!userKeyOn) return { hi, lo }
  const today = { hi, lo }
  let other = { key: todayKey, hash: today }
  return {
    hi,
    lo,
    on(dayKey) {
      if (dayKey === todayKey) return today
      if (dayKey !== other.key) other = { key: dayKey, hash: userHashOf(userKeyOn(dayKey)) }
      return other.hash
    },
  }
}

/** All hashes of a user in this period, on the dates of all customers: an ad has the hash of the date that pays. */
export function userHashesOf(
  secretsAt: SecretsAt,
  clock: Clock,
  windowS: number,
  kind: 'cookie' | 'user',
  id: string,
): UserHash[] {
  const nowMs = clock.nowMs()
  const days = Math.ceil((windowS * 1000) / DAY_MS)
  const moments = Array.from({ length: days + 1 }, (_, i) => nowMs - i * DAY_MS)
  const dayKeys = [...new Set(moments.flatMap(keysAnywhere))]
  return dayKeys.map(dayKey => userHashOf(idKey(kind, id, secretsAt(nowMs).on(dayKey).idSecret)))
}
