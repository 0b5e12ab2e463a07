// SQL of proposals, and of the versions that they are bound to. Every read for a customer is scoped to it.

import type { ProposalResult, ProposalStatus } from '../../http/proposed.ts'
import type { ActorText } from '../../kernel/actor.ts'
import type { Db } from '../../platform/database.ts'

export type Noun = 'campaign' | 'flight' | 'persona' | 'banner'

/** An object as it was when the proposal was made. */
export interface Bound {
  noun: Noun
  id: number
  version: number
  before: object | null
}

export interface ProposalRow {
  proposal_id: number
  cuid: number
  status: ProposalStatus
  operation: string
  params: Record<string, string>
  body: unknown
  cids: number[]
  bound: Bound[]
  before: Shown
  after: Shown
  costs_micros: number
  actor: ActorText
  created_at: Date
  expires_at: Date
  decided_by: ActorText | null
  decided_at: Date | null
  reason: string | null
  result: ProposalResult | null
}

export type Shown = Record<string, unknown> | (Record<string, unknown> | null)[] | null

const COLUMNS = `proposal_id, cuid, status, operation, params, body, to_jsonb(cids) as cids, bound, before, after,
  costs_micros::float8 as costs_micros, actor, created_at, expires_at, decided_by, decided_at, reason, result`

export type NewProposalRow = Pick<
  ProposalRow,
  | 'cuid'
  | 'operation'
  | 'params'
  | 'body'
  | 'cids'
  | 'bound'
  | 'before'
  | 'after'
  | 'costs_micros'
  | 'actor'
  | 'created_at'
  | 'expires_at'
>

export async function insertProposal(tx: Db, row: NewProposalRow): Promise<ProposalRow> {
  const json = (value: unknown) => (value === null || value === undefined ? null : JSON.stringify(value))
  const inserted = await tx.row<ProposalRow>(
    `insert into proposal (cuid, operation, params, body, cids, bound, before, after, costs_micros, actor, created_at,
       expires_at)
     values ($1, $2, $3, $4, $5::bigint[], $6, $7, $8, $9, $10, $11, $12) returning ${COLUMNS}`,
    [
      ...[row.cuid, row.operation, json(row.params), json(row.body), row.cids, json(row.bound)],
      ...[json(row.before), json(row.after), row.costs_micros, row.actor, row.created_at, row.expires_at],
    ],
  )
  return inserted!
}

/** Callers for the same customer wait here, so that the limit holds in parallel too. */
export async function countPending(tx: Db, cuid: number): Promise<number> {
  await tx.row('select 1 from customer where cuid = $1 for no key update', [cuid])
  const row = await tx.row<{ count: number }>(
    "select count(*) as count from proposal where cuid = $1 and status = 'pending'",
    [cuid],
  )
  return row!.count
}

export function selectProposals(db: Db, cuid: number, after: number, limit: number) {
  return db.rows<ProposalRow>(
    `select ${COLUMNS} from proposal where cuid = $1 and proposal_id > $2 order by proposal_id limit $3`,
    [cuid, after, limit],
  )
}

export function selectProposal(db: Db, cuid: number, id: number) {
  return db.row<ProposalRow>(`select ${COLUMNS} from proposal where proposal_id = $2 and cuid = $1`, [
    cuid,
    id,
  ])
}

/** Locks the proposal: other decisions wait. */
export function lockProposal(tx: Db, cuid: number, id: number) {
  return tx.row<ProposalRow>(
    `select ${COLUMNS} from proposal where proposal_id = $2 and cuid = $1 for update`,
    [cuid, id],
  )
}

export interface Decision {
  status: ProposalStatus
  by: ActorText
  at: Date
  reason: string | null
  result: ProposalResult | null
}

export async function settleProposal(tx: Db, id: number, { status, by, at, reason, result }: Decision) {
  return (await tx.row<ProposalRow>(
    `update proposal set status = $2, decided_by = $3, decided_at = $4, reason = $5, result = $6 where proposal_id = $1
     returning ${COLUMNS}`,
    [id, status, by, at, reason, result && JSON.stringify(result)],
  ))!
}

/** Expires proposals that are due; other processes get other rows. */
export function expireProposals(tx: Db, now: Date, limit: number) {
  return tx.rows<ProposalRow>(
    `update proposal set status = 'expired', decided_at = $1 where proposal_id = any(array(
       select proposal_id from proposal where status = 'pending' and expires_at <= $1
       order by expires_at limit $2 for update skip locked))
     returning ${COLUMNS}`,
    [now, limit],
  )
}

export function deleteSettled(db: Db, before: Date) {
  return db.run('delete from proposal where decided_at < $1', [before])
}

/** Leaves the last `keep` settled proposals of a customer; what somebody reads or deletes just now is passed over. */
export function deleteOldSettled(tx: Db, cuid: number, keep: number) {
  return tx.run(
    `delete from proposal where proposal_id = any(array(
       select proposal_id from proposal where proposal_id = any(array(
         select proposal_id from proposal where cuid = $1 and decided_at is not null
         order by proposal_id desc offset $2
       )) for update skip locked))`,
    [cuid, keep],
  )
}

const VERSIONS: Record<Noun, string> = {
  campaign: 'select cid as id, version from campaign where cid = any($1::bigint[]) order by cid',
  flight: 'select fid as id, version from flight where fid = any($1::bigint[]) order by fid',
  persona: 'select pid as id, version from persona where pid = any($1::bigint[]) order by pid',
  banner: 'select bid as id, version from banner where bid = any($1::bigint[]) order by bid',
}
export const NOUNS = Object.keys(VERSIONS) as Noun[]

/**
 * The versions of these objects, including deleted ones. `locked`: none of them can change until the transaction ends.
 */
export function selectVersions(tx: Db, noun: Noun, ids: number[], locked: boolean) {
  const text = locked ? `${VERSIONS[noun]} for update` : VERSIONS[noun]
  return tx.rows<{ id: number; version: number }>(text, [ids])
}

/**
 * The object after its last change; null: it is deleted, or its history is gone. Many places that this change left as
 * they were are not in its entry.
 */
export async function selectLastState(tx: Db, cuid: number, id: number): Promise<object | null> {
  const row = await tx.row<{ after: object | null }>(
    `select case when noun = 'persona' and not after ? 'geo' then after || (
         select jsonb_build_object('geo', p.geo) from persona p where p.pid = audit.id
       ) else after end as after
     from audit where id = $2 and cuid = $1 order by audit_id desc limit 1`,
    [cuid, id],
  )
  return row?.after ?? null
}

/** The number of a customer's proposals that wait for a decision. */
export async function countWaiting(db: Db, cuid: number, now: Date): Promise<number> {
  const row = await db.row<{ count: number }>(
    "select count(*) as count from proposal where cuid = $1 and status = 'pending' and expires_at > $2",
    [cuid, now],
  )
  return row!.count
}
