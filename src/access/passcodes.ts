// Mailed passcodes: 6 digits, 10 minutes, one use, 5 tries, at most 5 mails an hour for one address.
// Five tries are all that a guesser has, so a fast hash does; it is keyed by a secret of the deployment, so that the
// table alone does not give the codes away. A slow one would keep everybody's files waiting for its threads.

import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { emailKey } from '../kernel/address.ts'
import type { Clock } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import type { Db } from '../platform/database.ts'
import type { Mailer } from '../platform/mail.ts'
import { secretNamed } from '../platform/secrets.ts'
import { passcodeMail } from './passcode-mail.ts'
import { deletePasscode, selectMailTimes, takeMailAllowance, takeTry, upsertPasscode } from './queries.ts'

export const PASSCODE_MINUTES = 10
const MAX_TRIES = 5
const MAX_MAILS_AN_HOUR = 5
const HOUR_MS = 3_600_000
/** No customer has this id. */
const NOBODY = 0
const NO_CODE = { salt: Buffer.alloc(16), code_hash: Buffer.alloc(32) }
const SECRET = 'passcode'

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
  const codeHash = hashOf(await secretNamed(db, SECRET), salt, code)
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
  const secret = await secretNamed(db, SECRET)
  const stored = await takeTry(db, cuid, MAX_TRIES, new Date(clock.nowMs()))
  const { salt, code_hash: wanted } = stored ?? NO_CODE
  const right = timingSafeEqual(hashOf(secret, salt, code.slice(0, 100)), wanted)
  if (!stored || !right || !(await deletePasscode(db, cuid, wanted))) throw wrongPasscode()
}

/** Refuses after as much work as a real check takes, so that the time does not tell whether there was one. */
export async function refusePasscode(db: Db, code: string, clock: Clock): Promise<never> {
  await consumePasscode(db, NOBODY, code, clock)
  throw wrongPasscode()
}

function hashOf(secret: Buffer, salt: Buffer, code: string): Buffer {
  return createHmac('sha256', secret).update(salt).update(code).digest()
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
