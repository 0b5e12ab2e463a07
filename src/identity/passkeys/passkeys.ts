// Passkeys: the second factor of a person, after the emailed passcode. A challenge can be used once within 5 minutes
// and belongs to a session. The person gets an email about every change.

import { createHash, randomBytes } from 'node:crypto'
import { notFound, refusal } from '../../kernel/errors/problem.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import type { Mailer } from '../../platform/mail.ts'
import { letterBrand, readApp } from '../apps.ts'
import { checkProof, checkRegistration, type Proof, type Registration } from './ceremony.ts'
import { type PasskeyEvent, passkeyMail } from './passkey-mail.ts'
import {
  deletePasskey,
  deletePasskeys,
  deleteSessionsOf,
  insertPasskey,
  lockPasskeys,
  noteUse,
  type PasskeyRow,
  type Person,
  type Purpose,
  selectPasskeys,
  takeChallenge,
  upsertChallenge,
} from './queries.ts'

export type { PasskeyRow, Person }

/** The owner of passkeys, and where to write to. */
export interface Owner extends Person {
  email: string
  language: 'en' | 'de' | null
}

export interface PasskeyParts {
  mail: Mailer
  clock: Clock
  publicUrl: string
}

export const CHALLENGE_MINUTES = 5
export const MAX_PASSKEYS = 20
const CHALLENGE_BYTES = 32

export function listPasskeys(db: Db, person: Person): Promise<PasskeyRow[]> {
  return selectPasskeys(db, person)
}

/** The id by which an authenticator knows a person: always the same, and no address. */
export function userHandleOf({ appId, person }: Person): Buffer {
  return createHash('sha256').update(`${appId} ${person}`).digest()
}

export async function newChallenge(
  db: Db,
  sessionId: number,
  purpose: Purpose,
  clock: Clock,
): Promise<Buffer> {
  const challenge = randomBytes(CHALLENGE_BYTES)
  const expiresAt = new Date(clock.nowMs() + CHALLENGE_MINUTES * 60_000)
  await upsertChallenge(db, sessionId, { purpose, challenge, expiresAt })
  return challenge
}

/** Uses up the challenge of a session. Not part of the transaction that follows, so that a failure uses it up too. */
export async function redeemChallenge(
  db: Db,
  sessionId: number,
  purpose: Purpose,
  clock: Clock,
): Promise<Buffer> {
  const taken = await takeChallenge(db, sessionId, purpose)
  if (!taken || taken.expires_at.getTime() <= clock.nowMs()) throw refusal('passkey_invalid')
  return taken.challenge
}

export async function registerPasskey(
  db: Db,
  owner: Owner,
  given: Registration & { name: string },
  challenge: Buffer,
  parts: PasskeyParts,
): Promise<void> {
  const registered = await checkRegistration(given, challenge, parts.publicUrl)
  if (!registered) throw refusal('passkey_invalid')
  if ((await lockPasskeys(db, owner)).length >= MAX_PASSKEYS) {
    throw refusal('too_many_passkeys', { max: MAX_PASSKEYS })
  }
  const { appId, person } = owner
  const { name, transports } = given
  const createdAt = new Date(parts.clock.nowMs())
  const made = await insertPasskey(db, { appId, person, ...registered, name, transports, createdAt })
  if (!made) throw refusal('passkey_exists')
  await tell(db, owner, 'added', parts)
}

/** Throws 401 unless a passkey of this person has signed the challenge. */
export async function provePasskey(
  db: Db,
  person: Person,
  given: Proof,
  challenge: Buffer,
  { clock, publicUrl }: Pick<PasskeyParts, 'clock' | 'publicUrl'>,
): Promise<void> {
  const id = Buffer.from(given.id, 'base64url')
  const passkey = (await selectPasskeys(db, person)).find(({ credential_id }) => credential_id.equals(id))
  const counter = passkey ? await checkProof(given, passkey, challenge, publicUrl) : null
  if (!passkey || counter === null) throw refusal('passkey_invalid')
  const noted = await noteUse(db, passkey.passkey_id, counter, new Date(clock.nowMs()))
  if (!noted) throw refusal('passkey_invalid')
}

/** `required`: the last passkey must stay. */
export async function removePasskey(
  db: Db,
  owner: Owner,
  passkeyId: number | null,
  required: boolean,
  parts: PasskeyParts,
): Promise<void> {
  const present = await lockPasskeys(db, owner)
  if (!present.some(({ passkey_id }) => passkey_id === passkeyId)) throw notFound('passkey')
  if (required && present.length === 1) throw refusal('last_passkey')
  await deletePasskey(db, owner, passkeyId!)
  await tell(db, owner, 'removed', parts)
}

/** For a person who has lost their passkeys: removes them, ends all sessions, and returns how many there were. */
export async function resetPasskeys(db: Db, owner: Owner, parts: PasskeyParts): Promise<number> {
  const removed = await deletePasskeys(db, owner)
  if (removed === 0) return 0
  await deleteSessionsOf(db, owner)
  await tell(db, owner, 'reset', parts)
  return removed
}

/** Runs in the transaction of the change: if the email cannot be sent, nothing changes. */
async function tell(
  db: Db,
  { appId, email, language }: Owner,
  event: PasskeyEvent,
  { mail, publicUrl }: PasskeyParts,
): Promise<void> {
  const brand = letterBrand((await readApp(db, appId)).brand, publicUrl)
  const link = `${publicUrl}/console/`
  try {
    await mail.send(passkeyMail(email, event, { link, language: language ?? 'en', brand }))
  } catch (error) {
    throw refusal('passkey_mail_failed', {}, { cause: error })
  }
}
