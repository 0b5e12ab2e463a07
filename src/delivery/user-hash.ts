// A user as the ledger and the links know them: 64 bits of the user key, made with the secrets of the day.

import type { UserHash } from '../caps/caps.ts'
import type { Clock } from '../kernel/clock.ts'
import { idKey } from './audience/user.ts'
import type { SecretsAt } from './user-secrets.ts'

const DAY_MS = 86_400_000

/** `userKey`: hexadecimal. */
export function userHashOf(userKey: string): UserHash {
  return { hi: Number.parseInt(userKey.slice(0, 8), 16), lo: Number.parseInt(userKey.slice(8, 16), 16) }
}

/** All hashes of a user in this period: the secrets change daily, so yesterday's ads have yesterday's hash. */
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
  return moments.map(ms => userHashOf(idKey(kind, id, secretsAt(ms).idSecret)))
}
