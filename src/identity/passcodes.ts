// Emailed passcodes: 6 digits, 10 minutes, one use, 5 attempts. A passcode and the limit of emails per hour belong to
// the place where it was requested, so strangers at a sign-in page use up neither the app's limit nor a code that is
// being typed in. With five attempts, a fast hash keyed by a secret of the deployment is enough; a slow one would block
// threads that file operations need.

import { createHmac, hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { emailKey } from '../kernel/address.ts'
import { type Problem, refusal } from '../kernel/errors/problem.ts'
import { type Clock, isSandbox } from '../kernel/time/clock.ts'
import { HOUR_MS } from '../kernel/time/units.ts'
import type { Db } from '../platform/database.ts'
import { type LetterBrand, layOut } from '../platform/letter.ts'
import type { Mail, Mailer } from '../platform/mail.ts'
import { networkOf } from '../platform/network.ts'
import { secretNamed } from '../platform/secrets.ts'
import { letterBrand, readApp } from './apps.ts'
import { tooMany } from './mail-allowance.ts'
import { randomText } from './pair.ts'
import { deletePasscode, type PasscodeKey, takeMailAllowance, takeTry, upsertPasscode } from './queries.ts'

export const PASSCODE_MINUTES = 10
export const MAX_TRIES = 5
/** Strangers at several addresses may request codes for one customer; more than this is a flood of email. */
export const CONSOLE_FACTOR = 2
/** Also, this many networks may request one code each, so that strangers at some of them do not lock the owner out. */
export const NETWORKS_FACTOR = 10
/** An id that nobody has. */
const NOBODY = 0
const NO_CODE = { salt: Buffer.alloc(16), code_hash: Buffer.alloc(32) }
const SECRET = 'passcode'
/** For tests that sign in to a sandbox: every address of this domain gets this code. */
const SANDBOX_MAILBOX = '@passcode.example'
const SANDBOX_CODE = '000000'

export interface PasscodeParts {
  db: Db
  mail: Mailer
  clock: Clock
  publicUrl: string
  /** Emails to one address per hour. */
  passcodeLimit: number
}

/** Where a passcode is entered: in an app, or in the browser that got a `request` to send with the code. */
export type Channel = { by: 'api' } | { by: 'console'; request: string }

/** Who requests it in the console: a browser that has signed in with this address before, or anyone at an address. */
export type Asker = { browser: string } | { address: string }

/** Where a passcode is requested. */
type Asking = { by: 'api' } | { by: 'console'; request: string; asker: Asker }

const REQUEST_CHARACTERS = 22

/** What a browser that requests a code gets, whether or not one is emailed. */
export function newPasscodeRequest(): string {
  return `mqpr_${randomText(REQUEST_CHARACTERS)}`
}

/** How many emails the console sends to one address per hour: the first of each network, and all others. */
export function consoleLimits(passcodeLimit: number): { first: number; more: number } {
  return { first: passcodeLimit * NETWORKS_FACTOR, more: passcodeLimit * CONSOLE_FACTOR }
}

/**
 * Makes a passcode, which voids the previous one of the same channel, and emails it. `ownerId`: a customer (if it is
 * its own email) or a member.
 *
 * In the console, the browser has its answer long before the email is sent, and a fast reader has the email before we
 * know that it was, so the code is stored first: a request of its own, it voids nothing. In an app, the code before it
 * stays good until a new one was sent.
 */
export async function mailPasscode(
  parts: PasscodeParts,
  customer: { appId: number; ownerId: number; email: string; language: 'en' | 'de' | null },
  channel: Asking,
): Promise<void> {
  const { db, mail, clock } = parts
  const secret = await secretNamed(db, SECRET)
  await takeAllowance(parts, customer, channel, secret)
  const code = isSandbox(clock) && customer.email.endsWith(SANDBOX_MAILBOX) ? SANDBOX_CODE : newCode()
  const salt = randomBytes(16)
  const codeHash = hashOf(secret, salt, code)
  const store = () => {
    const expiresAt = new Date(clock.nowMs() + PASSCODE_MINUTES * 60_000)
    return upsertPasscode(db, keyOf(customer.ownerId, channel), { codeHash, salt, expiresAt })
  }
  if (channel.by === 'console') await store()
  try {
    const { email, language } = customer
    const brand = letterBrand((await readApp(db, customer.appId)).brand, parts.publicUrl)
    await mail.send(passcodeMail({ email, language: language ?? 'en', brand }, code, PASSCODE_MINUTES))
  } catch (error) {
    throw refusal('mail_failed', {}, { cause: error })
  }
  if (channel.by === 'api') await store()
}

/** Throws 401 unless the passcode is right; uses it up if it is. */
export async function consumePasscode(
  db: Db,
  ownerId: number,
  channel: Channel,
  code: string,
  clock: Clock,
): Promise<void> {
  const key = keyOf(ownerId, channel)
  const secret = await secretNamed(db, SECRET)
  const stored = await takeTry(db, key, MAX_TRIES, new Date(clock.nowMs()))
  const { salt, code_hash: wanted } = stored ?? NO_CODE
  const right = timingSafeEqual(hashOf(secret, salt, code.slice(0, 100)), wanted)
  if (!stored || !right || !(await deletePasscode(db, key, wanted))) throw wrongPasscode()
}

/** Refuses after the same work as a real check, so that the time taken does not reveal whether there was a passcode. */
export async function refusePasscode(db: Db, channel: Channel, code: string, clock: Clock): Promise<never> {
  await consumePasscode(db, NOBODY, channel, code, clock)
  throw wrongPasscode()
}

function newCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0')
}

function hashOf(secret: Buffer, salt: Buffer, code: string): Buffer {
  return createHmac('sha256', secret).update(salt).update(code).digest()
}

function wrongPasscode(): Problem {
  return refusal('passcode_invalid')
}

function keyOf(ownerId: number, channel: Channel): PasscodeKey {
  const requestHash = channel.by === 'console' ? hash('sha256', channel.request, 'buffer') : Buffer.alloc(0)
  return { ownerId, channel: channel.by, requestHash }
}

async function takeAllowance(
  { db, clock, passcodeLimit }: PasscodeParts,
  customer: { appId: number; email: string },
  channel: Asking,
  secret: Buffer,
): Promise<void> {
  const mailbox = `${customer.appId} ${channel.by} ${emailKey(customer.email)}`
  const nowMs = clock.nowMs()
  const since = new Date(nowMs - HOUR_MS)
  const take = async (name: string, most: number) =>
    (await takeMailAllowance(db, name, most, since, new Date(nowMs))) ? null : { name, most }

  async function refused(): Promise<{ name: string; most: number } | null> {
    if (channel.by === 'api') return take(mailbox, passcodeLimit)
    const { asker } = channel
    if ('browser' in asker) return take(`${mailbox} browser ${asker.browser}`, passcodeLimit)
    const { first, more } = consoleLimits(passcodeLimit)
    const network = createHmac('sha256', secret).update(networkOf(asker.address)).digest('base64url')
    const isFirst = (await take(`${mailbox} network ${network}`, 1)) === null
    if (isFirst && (await take(`${mailbox} networks`, first)) === null) return null
    return take(mailbox, more)
  }

  const full = await refused()
  if (full === null) return
  throw await tooMany(db, full.name, full.most, 'too_many_passcode_mails', new Date(nowMs))
}

// The passcode email, in the customer's language. It contains nothing that a customer wrote or that
// came in a request, because nobody must be able to send texts of their own through us.

const WORDS = {
  en: {
    subject: (code: string) => `${code} is your passcode`,
    hello: 'Hello,',
    is: 'Your passcode is:',
    life: (minutes: number) => `It is valid for ${minutes} minutes and can be used once.`,
    ignore: 'If you did not request it, you can ignore this email: no one can sign in without the passcode.',
  },
  de: {
    subject: (code: string) => `${code} ist Ihr Code`,
    hello: 'Guten Tag,',
    is: 'Ihr Anmeldecode lautet:',
    life: (minutes: number) => `Er ist ${minutes} Minuten gültig und kann einmal verwendet werden.`,
    ignore:
      'Falls Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail: Ohne den Code kann sich niemand anmelden.',
  },
}

interface Addressed {
  email: string
  language: keyof typeof WORDS
  brand: LetterBrand
}

function passcodeMail({ email, language, brand }: Addressed, code: string, minutes: number): Mail {
  const { subject, hello, is, life, ignore } = WORDS[language]
  const blocks = [{ text: hello }, { words: is, code }, { text: life(minutes) }]
  return layOut({ to: email, language, brand, subject: subject(code), blocks, why: ignore })
}
