// SQL of agents: codes, grants and access tokens. A code is used and a refresh token is rotated by single statements,
// or under the lock of its row, so that only one of several calls wins.

import type { StoredCeilings } from '../../kernel/ceilings.ts'
import type { AgentScope, Role } from '../../kernel/permissions.ts'
import type { Db } from '../../platform/database.ts'

/** What a person has approved. */
export interface ApprovedRow {
  cuid: number
  mid: number
  name: string
  client_id: string
  redirect_uri: string
  challenge: string
  scope: AgentScope
  ceilings: StoredCeilings | null
}

export function insertCode(db: Db, codeHash: Buffer, row: ApprovedRow, expiresAt: Date) {
  return db.run(
    `insert into agent_code (code_hash, cuid, mid, name, client_id, redirect_uri, challenge, scope, ceilings, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      ...[codeHash, row.cuid, row.mid, row.name, row.client_id, row.redirect_uri, row.challenge, row.scope],
      ...[row.ceilings && JSON.stringify(row.ceilings), expiresAt],
    ],
  )
}

/** Uses a code up. Null: there is none, or it was used or has expired. */
export function takeCode(db: Db, codeHash: Buffer, now: Date) {
  return db.row<ApprovedRow>(
    `update agent_code set used_at = $2 where code_hash = $1 and used_at is null and expires_at > $2
     returning cuid, mid, name, client_id, redirect_uri, challenge, scope, ceilings`,
    [codeHash, now],
  )
}

export function updateCodeKey(db: Db, codeHash: Buffer, key: string) {
  return db.run('update agent_code set key = $2 where code_hash = $1', [codeHash, key])
}

/** The pair that a code was exchanged for. */
export function selectOfCode(db: Db, codeHash: Buffer) {
  return db.row<{ cuid: number; key: string }>(
    'select cuid, key from agent_code where code_hash = $1 and key is not null',
    [codeHash],
  )
}

/** The person, if still at the customer, and the customer, if still there. */
export function selectPerson(db: Db, cuid: number, mid: number) {
  return db.row<{ app_id: number; role: Role; api_access: boolean }>(
    `select u.app_id, m.role, u.api_access from member m join customer u using (cuid) join app a using (app_id)
     where m.mid = $2 and u.cuid = $1 and m.removed_at is null and u.deleted_at is null and a.revoked_at is null`,
    [cuid, mid],
  )
}

export interface NewGrantRow {
  key: string
  clientId: string
  family: string
  refreshHash: Buffer
  refreshUntil: Date
  at: Date
}

export function insertGrant(db: Db, row: NewGrantRow) {
  return db.run(
    `insert into agent_grant (key, client_id, family, refresh_hash, refresh_until, rotated_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [row.key, row.clientId, row.family, row.refreshHash, row.refreshUntil, row.at],
  )
}

export interface GrantRow {
  key: string
  cuid: number
  client_id: string
  scope: AgentScope
  role: Role
  refresh_hash: Buffer
  previous_hash: Buffer | null
  rotated_at: Date
  refresh_until: Date
  expires_at: Date
}

/** A living grant by the family of its refresh tokens; others that rotate it wait. */
export function lockGrant(db: Db, family: string, now: Date) {
  return db.row<GrantRow>(
    `select g.key, c.cuid, g.client_id, c.scope, m.role, g.refresh_hash, g.previous_hash, g.rotated_at,
       g.refresh_until, c.expires_at
     from agent_grant g join credential c using (key) join member m on m.mid = c.mid and m.cuid = c.cuid
       join customer u on u.cuid = c.cuid join app a on a.app_id = c.app_id
     where g.family = $1 and c.revoked_at is null and c.expires_at > $2 and g.refresh_until > $2
       and m.removed_at is null and u.deleted_at is null and a.revoked_at is null
     for update of g`,
    [family, now],
  )
}

export function rotateGrant(db: Db, key: string, next: Buffer, refreshUntil: Date, now: Date) {
  return db.run(
    `update agent_grant set previous_hash = refresh_hash, refresh_hash = $2, refresh_until = $3, rotated_at = $4
     where key = $1`,
    [key, next, refreshUntil, now],
  )
}

/** Adds an access token and forgets all but the newest `keep` of the grant. */
export async function insertToken(
  db: Db,
  row: { tokenHash: Buffer; key: string; expiresAt: Date },
  keep: number,
): Promise<void> {
  await db.run('insert into agent_token (token_hash, key, expires_at) values ($1, $2, $3)', [
    row.tokenHash,
    row.key,
    row.expiresAt,
  ])
  await db.run(
    `delete from agent_token where key = $1 and token_hash not in (
       select token_hash from agent_token where key = $1
       order by token_hash = $3 desc, expires_at desc, token_hash limit $2)`,
    [row.key, keep, row.tokenHash],
  )
}

export interface TokenRow {
  key: string
  expires_at: Date
}

export function selectToken(db: Db, tokenHash: Buffer, now: Date) {
  return db.row<TokenRow>(
    'select key, expires_at from agent_token where token_hash = $1 and expires_at > $2',
    [tokenHash, now],
  )
}

/** The grant of an access token, or of any refresh token of a family, for the program that it was made for. */
export function selectToRevoke(db: Db, by: { tokenHash: Buffer; family: string | null }, clientId: string) {
  return db.row<{ key: string; cuid: number }>(
    `select g.key, c.cuid from agent_grant g join credential c using (key)
     where g.client_id = $3
       and (g.family = $2 or g.key = (select key from agent_token where token_hash = $1))`,
    [by.tokenHash, by.family, clientId],
  )
}

/** Whether anything that this program was given is still remembered. */
export async function hasGrant(db: Db, clientId: string): Promise<boolean> {
  const row = await db.row(
    'select 1 from agent_grant where md5(client_id) = md5($1) and client_id = $1 limit 1',
    [clientId],
  )
  return row !== null
}

export interface OwnAgentRow {
  key: string
  cuid: number
  company: string
  name: string | null
  client_id: string
  scope: AgentScope
  ceilings: StoredCeilings | null
  created_at: Date
  expires_at: Date
  used_at: Date | null
}

/** What acts for a person, by their seats, the newest first. */
export function selectAgentsOf(db: Db, mids: readonly number[], now: Date) {
  return db.rows<OwnAgentRow>(
    `select c.key, c.cuid, u.company, c.name, g.client_id, c.scope, c.ceilings, c.created_at, c.expires_at,
       (select used_at from credential_use s where s.key = c.key) as used_at
     from credential c join agent_grant g using (key) join customer u on u.cuid = c.cuid
     where c.mid = any($1::bigint[]) and c.revoked_at is null and c.expires_at > $2
     order by c.created_at desc, c.key`,
    [mids, now],
  )
}

/** Used codes are kept for a while, to notice one that comes twice. */
export async function deleteExpiredOfAgents(db: Db, now: Date): Promise<void> {
  await db.run("delete from agent_code where expires_at < $1::timestamptz - interval '1 hour'", [now])
  await db.run('delete from agent_token where expires_at < $1', [now])
}
