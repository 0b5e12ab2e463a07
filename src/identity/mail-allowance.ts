// How many emails may be sent per hour: to one address, or at the request of one caller.

import { type Problem, refusal } from '../kernel/errors/problem.ts'
import { HOUR_MS } from '../kernel/time/units.ts'
import type { Db } from '../platform/database.ts'
import { selectMailTimes, takeMailAllowance } from './queries.ts'

/** Throws 429 if the limit is reached. */
export async function takeAllowanceFor(
  db: Db,
  name: string,
  most: number,
  reason: 'too_many_invitations' | 'too_many_passcode_mails',
  now: Date,
): Promise<void> {
  const since = new Date(now.getTime() - HOUR_MS)
  if (await takeMailAllowance(db, name, most, since, now)) return
  throw await tooMany(db, name, most, reason, now)
}

export async function tooMany(
  db: Db,
  name: string,
  most: number,
  reason: 'too_many_invitations' | 'too_many_passcode_mails',
  now: Date,
): Promise<Problem> {
  const nowMs = now.getTime()
  const times = (await selectMailTimes(db, name))?.sent ?? []
  const oldest = Math.min(nowMs, ...times.map(time => time.getTime()).filter(ms => ms > nowMs - HOUR_MS))
  const retryAfterS = Math.max(1, Math.ceil((oldest + HOUR_MS - nowMs) / 1000))
  return refusal(reason, { max: most }, { headers: { 'retry-after': String(retryAfterS) } })
}
