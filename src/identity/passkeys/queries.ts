// SQL of passkeys and of the challenges that they sign. Every statement names the owner of the passkey.

import type { Db } from '../../platform/database.ts'
import { LOCKS, lockUntilCommit } from '../../platform/locks.ts'

/** A person is an email address (normalized) within an app. */
export interface Person {
  appId: number
  person: string
}

export type Purpose = 'prove' | 'register'

export interface PasskeyRow {
  passkey_id: number
  credential_id: Buffer
  public_key: Buffer
  counter: number
  transports: string[]
  name: string
  created_at: Date
  used_at: Date | null
}

const COLUMNS = `passkey_id, credential_id, public_key, counter, to_jsonb(transports) as transports, name, created_at,
  used_at`

export function selectPasskeys(db: Db, { appId, person }: Person) {
  return db.rows<PasskeyRow>(
    `select ${COLUMNS} from passkey where app_id = $1 and person = $2 order by passkey_id`,
    [appId, person],
  )
}

/** Locks the passkeys of a person, those that are being added too: others that change them wait. */
export async function lockPasskeys(db: Db, { appId, person }: Person): Promise<{ passkey_id: number }[]> {
  await lockUntilCommit(db, LOCKS.passkeys, `${appId} ${person}`)
  return db.rows(
    'select passkey_id from passkey where app_id = $1 and person = $2 order by passkey_id for update',
    [appId, person],
  )
}

export interface NewPasskeyRow extends Person {
  credentialId: Buffer
  publicKey: Buffer
  counter: number
  transports: string[]
  name: string
  createdAt: Date
}

/** False: it is already registered, for this person or another. */
export async function insertPasskey(db: Db, row: NewPasskeyRow): Promise<boolean> {
  const made = await db.run(
    `insert into passkey (app_id, person, credential_id, public_key, counter, transports, name, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (credential_id) do nothing`,
    [
      ...[row.appId, row.person, row.credentialId, row.publicKey],
      ...[row.counter, row.transports, row.name, row.createdAt],
    ],
  )
  return made === 1
}

export function deletePasskey(db: Db, { appId, person }: Person, passkeyId: number) {
  return db.run('delete from passkey where passkey_id = $3 and app_id = $1 and person = $2', [
    appId,
    person,
    passkeyId,
  ])
}

/** Deletes all passkeys of a person; returns how many there were. */
export function deletePasskeys(db: Db, { appId, person }: Person) {
  return db.run('delete from passkey where app_id = $1 and person = $2', [appId, person])
}

export function deleteSessionsOf(db: Db, { appId, person }: Person) {
  return db.run('delete from console_session where person = $2 and app_id = $1', [appId, person])
}

/** Records a use; false if the counter has not risen. Authenticators that do not count always send 0. */
export async function noteUse(db: Db, passkeyId: number, counter: number, now: Date): Promise<boolean> {
  const noted = await db.run(
    `update passkey set counter = $2, used_at = $3
     where passkey_id = $1 and (counter < $2 or (counter = 0 and $2 = 0))`,
    [passkeyId, counter, now],
  )
  return noted === 1
}

/** Replaces the previous challenge of the same session. */
export function upsertChallenge(
  db: Db,
  sessionId: number,
  row: { purpose: Purpose; challenge: Buffer; expiresAt: Date },
) {
  return db.run(
    `insert into passkey_challenge (session_id, purpose, challenge, expires_at) values ($1, $2, $3, $4)
     on conflict (session_id) do update set purpose = $2, challenge = $3, expires_at = $4`,
    [sessionId, row.purpose, row.challenge, row.expiresAt],
  )
}

/** Uses the challenge up; if two calls do so at once, only one gets it. */
export function takeChallenge(db: Db, sessionId: number, purpose: Purpose) {
  return db.row<{ challenge: Buffer; expires_at: Date }>(
    'delete from passkey_challenge where session_id = $1 and purpose = $2 returning challenge, expires_at',
    [sessionId, purpose],
  )
}
