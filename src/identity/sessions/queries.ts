// SQL of console sessions.

import type { SuperScope } from '../../kernel/permissions.ts'
import type { Db } from '../../platform/database.ts'

export interface SessionRow {
  session_id: number
  app_id: number
  cuid: number | null
  opened_cuid: number | null
  /** The address of a person who signed in by email, in the form used for comparing addresses. */
  person: string | null
  idle_until: Date
  ends_at: Date
  used_at: Date
  may_passcode: boolean
  may_nopasscode: boolean
  may_sources: boolean
  /** The scope of the super pair that started it. */
  scope: SuperScope | null
  cuids: number[] | null
  /** The person has used a passkey in this session. */
  is_proven: boolean
  /** The person has a passkey. */
  has_passkey: boolean
}

export interface NewSessionRow {
  tokenHash: Buffer
  appId: number
  cuid: number | null
  superKey: string | null
  person: string | null
  openedCuid: number | null
  browser: string | null
  createdAt: Date
  idleUntil: Date
  endsAt: Date
}

/** Stored instead of a super key: no pair has this key. */
const OF_PERSON = 'person'

export function insertSession(db: Db, row: NewSessionRow) {
  return db.run(
    `insert into console_session (token_hash, app_id, cuid, super_key, created_at, used_at, idle_until, ends_at, person,
       opened_cuid, browser)
     values ($1, $2, $3, $4, $5, $5, $6, $7, $8, $9, $10)`,
    [
      ...[row.tokenHash, row.appId, row.cuid, row.person === null ? row.superKey : OF_PERSON],
      ...[row.createdAt, row.idleUntil, row.endsAt, row.person, row.openedCuid, row.browser],
    ],
  )
}

/** For a session that an earlier version started, estimated from its end. */
const USED_AT = "coalesce(s.used_at, s.idle_until - interval '12 hours')"

/** A session that is alive now. One started by a super pair is alive only as long as that pair. */
export function selectSession(db: Db, tokenHash: Buffer, now: Date) {
  return db.row<SessionRow>(
    `select s.session_id, s.app_id, s.cuid, s.opened_cuid, s.person, s.idle_until, s.ends_at,
       ${USED_AT} as used_at, a.may_passcode, a.may_nopasscode, a.may_sources, k.scope, to_jsonb(k.cuids) as cuids, s.proven_at is not null as is_proven,
       exists (select 1 from passkey p where p.app_id = s.app_id and p.person = s.person) as has_passkey
     from console_session s join app a using (app_id) left join credential k on k.key = s.super_key
     where s.token_hash = $1 and s.idle_until > $2 and s.ends_at > $2 and a.revoked_at is null
       and (s.super_key is null or s.person is not null
         or (k.key is not null and k.revoked_at is null and (k.expires_at is null or k.expires_at > $2)))`,
    [tokenHash, now],
  )
}

export function updateUsed(db: Db, sessionId: number, usedAt: Date, idleUntil: Date) {
  return db.run('update console_session set used_at = $2, idle_until = $3 where session_id = $1', [
    sessionId,
    usedAt,
    idleUntil,
  ])
}

/** A person of an app. */
export interface PersonOf {
  appId: number
  person: string
}

export interface OwnSessionRow {
  session_id: number
  browser: string | null
  created_at: Date
  used_at: Date
}

/** The live sessions, the last used first. */
export function selectSessionsOf(db: Db, { appId, person }: PersonOf, now: Date, limit: number) {
  return db.rows<OwnSessionRow>(
    `select s.session_id, s.browser, s.created_at, ${USED_AT} as used_at from console_session s
     where s.person = $2 and s.app_id = $1 and s.idle_until > $3 and s.ends_at > $3
     order by used_at desc, s.session_id desc limit $4`,
    [appId, person, now, limit],
  )
}

/** Returns the number deleted: 0 if it is another person's. */
export function deleteSessionOf(db: Db, { appId, person }: PersonOf, id: number): Promise<number> {
  return db.run('delete from console_session where session_id = $3 and person = $2 and app_id = $1', [
    appId,
    person,
    id,
  ])
}

/** Deletes all sessions but one; returns how many were alive. */
export async function deleteOtherSessions(
  db: Db,
  { appId, person }: PersonOf,
  kept: number,
  now: Date,
): Promise<number> {
  const rows = await db.rows<{ alive: boolean }>(
    `delete from console_session where person = $2 and app_id = $1 and session_id <> $3
     returning idle_until > $4 and ends_at > $4 as alive`,
    [appId, person, kept, now],
  )
  return rows.filter(({ alive }) => alive).length
}

export function updateOpened(db: Db, sessionId: number, cuid: number | null) {
  return db.run('update console_session set opened_cuid = $2 where session_id = $1', [sessionId, cuid])
}

export function updateProven(db: Db, sessionId: number, now: Date) {
  return db.run('update console_session set proven_at = $2 where session_id = $1', [sessionId, now])
}

export function updateToken(db: Db, sessionId: number, tokenHash: Buffer) {
  return db.run('update console_session set token_hash = $2 where session_id = $1', [sessionId, tokenHash])
}

export function deleteSession(db: Db, tokenHash: Buffer) {
  return db.run('delete from console_session where token_hash = $1', [tokenHash])
}

export function deleteEndedSessions(db: Db, now: Date) {
  return db.run('delete from console_session where idle_until < $1', [now])
}
