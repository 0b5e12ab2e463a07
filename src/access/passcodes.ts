// Mailed passcodes: 6 digits, 10 minutes, one use, 5 tries, at most 5 mails an hour for one address.
// Hashed slowly (scrypt), because 6 digits are quickly guessed from a fast hash.

import { randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { emailKey } from '../kernel/address.ts'
import type { Clock } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import type { Db } from '../platform/database.ts'
import type { Mailer } from '../platform/mail.ts'
import { passcodeMail } from './passcode-mail.ts'
import { deletePasscode, selectMailTimes, takeMailAllowance, takeTry, upsertPasscode } from './queries.ts'

export const PASSCODE_MINUTES = 10
const MAX_TRIES = 5
const MAX_MAILS_AN_HOUR = 5
const HOUR_MS = 3_600_000
const NO_SALT = Buffer.alloc(16)

const derive = promisify<string, Buffer, number, Buffer>(scrypt)

export interface PasscodeParts {
  db: Db
  mail: Mailer
  clock: Clock
}

/** Makes a passcode, which voids the one before, and mails it. The code is kept only once the mail is out. */
export async function mailPasscode(
  { db, mail, clock }: PasscodeParts,
  customer: { cuid: number; email: string },
): Promise<void> {
  await takeAllowance(db, emailKey(customer.email), clock)
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const salt = randomBytes(16)
  const codeHash = await derive(code, salt, 32)
  try {
    await mail.send(passcodeMail(customer.email, code, PASSCODE_MINUTES))
  } catch (error) {
    throw new Problem('mail_failed', 'the passcode could not be e-mailed', { cause: error })
  }
  const expiresAt = new Date(clock.nowMs() + PASSCODE_MINUTES * 60_000)
  await upsertPasscode(db, { cuid: customer.cuid, codeHash, salt, expiresAt })
}

/** Throws 401 unless the passcode is right; uses it up when it is. */
export async function consumePasscode(db: Db, cuid: number, code: string, clock: Clock): Promise<void> {
  const stored = await takeTry(db, cuid, MAX_TRIES, new Date(clock.nowMs()))
  if (!stored) return refusePasscode(code)
  const right = timingSafeEqual(await derive(code.slice(0, 100), stored.salt, 32), stored.code_hash)
  if (!right || !(await deletePasscode(db, cuid, stored.code_hash))) throw wrongPasscode()
}

/** Refuses after as much work as a real check takes, so that the time does not tell whether there was one. */
export async function refusePasscode(code: string): Promise<never> {
  await derive(code.slice(0, 100), NO_SALT, 32)
  throw wrongPasscode()
}

function wrongPasscode(): Problem {
  return new Problem('passcode_invalid', 'the passcode is expired or invalid')
}

async function takeAllowance(db: Db, address: string, clock: Clock): Promise<void> {
  const nowMs = clock.nowMs()
  const since = new Date(nowMs - HOUR_MS)
  if (await takeMailAllowance(db, address, MAX_MAILS_AN_HOUR, since, new Date(nowMs))) return
  const times = (await selectMailTimes(db, address))?.sent ?? []
  const oldest = Math.min(nowMs, ...times.filter(time => time > since).map(time => time.getTime()))
  const retryAfterS = Math.max(1, Math.ceil((oldest + HOUR_MS - nowMs) / 1000))
  throw new Problem('too_many_requests', `at most ${MAX_MAILS_AN_HOUR} passcodes an hour go to one address`, {
    headers: { 'retry-after': String(retryAfterS) },
  })
}
