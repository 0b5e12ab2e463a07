// Mailed passcodes: 6 digits, 10 minutes, one use, 5 tries. Each belongs to where it was asked for, and so does the number
// of mails that go to one address within an hour: strangers at a sign-in page use up neither what the app may ask for nor
// the code that somebody is typing in. Five tries are all that a guesser has, so a fast hash does, keyed by a secret of
// the deployment. A slow one would keep everybody's files waiting for its threads.

import { createHmac, hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { emailKey } from '../kernel/address.ts'
import type { Clock } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import type { Db } from '../platform/database.ts'
import type { Mailer } from '../platform/mail.ts'
import { secretNamed } from '../platform/secrets.ts'
import { randomText } from './pair.ts'
import { passcodeMail } from './passcode-mail.ts'
import {
  deletePasscode,
  type PasscodeKey,
  selectMailTimes,
  takeMailAllowance,
  takeTry,
  upsertPasscode,
} from './queries.ts'

export const PASSCODE_MINUTES = 10
const MAX_TRIES = 5
/** Strangers at several addresses may ask for codes for one customer; more than this is a flood of mail. */
const CONSOLE_FACTOR = 2
const HOUR_MS = 3_600_000
/** No customer has this id. */
const NOBODY = 0
const NO_CODE = { salt: Buffer.alloc(16), code_hash: Buffer.alloc(32) }
const SECRET = 'passcode'

export interface PasscodeParts {
  db: Db
  mail: Mailer
  clock: Clock
  /** Mails to one address within an hour. */
  passcodeLimit: number
}

/** Where a passcode is asked for: by an app, or by a browser that was given a `request` to show again with the code. */
export type Channel = { by: 'api' } | { by: 'console'; request: string }

const REQUEST_CHARACTERS = 22

/** What a browser gets that asks for a code, whether or not one is mailed. */
export function newPasscodeRequest(): string {
  return `mqpr_${randomText(REQUEST_CHARACTERS)}`
}

/** How many mails go to one address by the console within an hour, whoever asks. */
export function consoleLimit(passcodeLimit: number): number {
  return passcodeLimit * CONSOLE_FACTOR
}

/**
 * Makes a passcode, which voids the one before of the same channel, and mails it. The code is kept only once the mail
 * is out.
 */
export async function mailPasscode(
  parts: PasscodeParts,
  customer: { appId: number; cuid: number; email: string },
  channel: Channel,
): Promise<void> {
  const { db, mail, clock } = parts
  await takeAllowance(parts, customer, channel)
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const salt = randomBytes(16)
  const codeHash = hashOf(await secretNamed(db, SECRET), salt, code)
  try {
    await mail.send(passcodeMail(customer.email, code, PASSCODE_MINUTES))
  } catch (error) {
    throw new Problem('mail_failed', 'the passcode could not be e-mailed', { cause: error })
  }
  const expiresAt = new Date(clock.nowMs() + PASSCODE_MINUTES * 60_000)
  await upsertPasscode(db, keyOf(customer.cuid, channel), { codeHash, salt, expiresAt })
}

/** Throws 401 unless the passcode is right; uses it up when it is. */
export async function consumePasscode(
  db: Db,
  cuid: number,
  channel: Channel,
  code: string,
  clock: Clock,
): Promise<void> {
  const key = keyOf(cuid, channel)
  const secret = await secretNamed(db, SECRET)
  const stored = await takeTry(db, key, MAX_TRIES, new Date(clock.nowMs()))
  const { salt, code_hash: wanted } = stored ?? NO_CODE
  const right = timingSafeEqual(hashOf(secret, salt, code.slice(0, 100)), wanted)
  if (!stored || !right || !(await deletePasscode(db, key, wanted))) throw wrongPasscode()
}

/** Refuses after as much work as a real check takes, so that the time does not tell whether there was one. */
export async function refusePasscode(db: Db, channel: Channel, code: string, clock: Clock): Promise<never> {
  await consumePasscode(db, NOBODY, channel, code, clock)
  throw wrongPasscode()
}

function hashOf(secret: Buffer, salt: Buffer, code: string): Buffer {
  return createHmac('sha256', secret).update(salt).update(code).digest()
}

function wrongPasscode(): Problem {
  return new Problem('passcode_invalid', 'the passcode is expired or invalid')
}

function keyOf(cuid: number, channel: Channel): PasscodeKey {
  const requestHash = channel.by === 'console' ? hash('sha256', channel.request, 'buffer') : Buffer.alloc(0)
  return { cuid, channel: channel.by, requestHash }
}

async function takeAllowance(
  { db, clock, passcodeLimit }: PasscodeParts,
  customer: { appId: number; email: string },
  channel: Channel,
): Promise<void> {
  const limit = channel.by === 'api' ? passcodeLimit : consoleLimit(passcodeLimit)
  const name = `${customer.appId} ${channel.by} ${emailKey(customer.email)}`
  const nowMs = clock.nowMs()
  const since = new Date(nowMs - HOUR_MS)
  if (await takeMailAllowance(db, name, limit, since, new Date(nowMs))) return
  const times = (await selectMailTimes(db, name))?.sent ?? []
  const oldest = Math.min(nowMs, ...times.filter(time => time > since).map(time => time.getTime()))
  const retryAfterS = Math.max(1, Math.ceil((oldest + HOUR_MS - nowMs) / 1000))
  throw new Problem('too_many_requests', `at most ${limit} passcodes an hour go to one address`, {
    headers: { 'retry-after': String(retryAfterS) },
  })
}
