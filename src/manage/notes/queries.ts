// SQL of notes. Every read is scoped to the customer; notes of deleted campaigns are not found.

import type { ActorText } from '../../kernel/actor.ts'
import type { Db } from '../../platform/database.ts'

export interface NoteRow {
  nid: number
  cuid: number
  cid: number | null
  /** `2026-11-10` */
  day: string
  text: string
  actor: ActorText
  version: number
  created_at: Date
  updated_at: Date
}

const COLUMNS = `n.nid, n.cuid, n.cid, to_char(n.day, 'YYYY-MM-DD') as day, n.text, n.actor, n.version, n.created_at,
  n.updated_at`
/** `offset 0`: campaigns are looked up one by one. */
const OF_PRESENT = `(n.cid is null or exists (
  select from campaign c where c.cid = n.cid and c.deleted_at is null offset 0))`

/** Others who write a note for the same customer wait here, so that the limit holds in parallel too. */
export async function countNotes(tx: Db, cuid: number): Promise<number> {
  await tx.row('select 1 from customer where cuid = $1 for no key update', [cuid])
  const row = await tx.row<{ count: number }>('select count(*) as count from note where cuid = $1', [cuid])
  return row!.count
}

/** Whether this customer has such a campaign, not deleted. */
export async function isCampaign(db: Db, cuid: number, cid: number): Promise<boolean> {
  return !!(await db.row('select 1 from campaign where cid = $2 and cuid = $1 and deleted_at is null', [
    cuid,
    cid,
  ]))
}

export type NewNoteRow = Pick<NoteRow, 'cuid' | 'cid' | 'day' | 'text' | 'actor'>

export async function insertNote(tx: Db, { cuid, cid, day, text, actor }: NewNoteRow, now: Date) {
  return (await tx.row<NoteRow>(
    `insert into note as n (cuid, cid, day, text, actor, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $6)
     returning ${COLUMNS}`,
    [cuid, cid, day, text, actor, now],
  ))!
}

export function selectNote(db: Db, cuid: number, nid: number) {
  return db.row<NoteRow>(`select ${COLUMNS} from note n where n.nid = $2 and n.cuid = $1 and ${OF_PRESENT}`, [
    cuid,
    nid,
  ])
}

/** Locks the note: other changes to it wait. */
export function lockNote(tx: Db, cuid: number, nid: number) {
  return tx.row<NoteRow>(`select ${COLUMNS} from note n where n.nid = $2 and n.cuid = $1 for update`, [
    cuid,
    nid,
  ])
}

export interface NoteFilter {
  /** Notes of this campaign, and those of the whole customer. */
  cid?: number
  /** Half open. */
  from?: string
  to?: string
}

export function selectNotes(
  db: Db,
  cuid: number,
  { cid, from, to }: NoteFilter,
  after: number,
  limit: number,
) {
  return db.rows<NoteRow>(
    `select ${COLUMNS} from note n
     where n.cuid = $1 and n.nid > $2 and ($4::bigint is null or n.cid is null or n.cid = $4)
       and ($5::date is null or n.day >= $5) and ($6::date is null or n.day < $6) and ${OF_PRESENT}
     order by n.nid limit $3`,
    [cuid, after, limit, cid ?? null, from ?? null, to ?? null],
  )
}

export async function updateNote(
  tx: Db,
  nid: number,
  { day, text }: Pick<NoteRow, 'day' | 'text'>,
  now: Date,
) {
  return (await tx.row<NoteRow>(
    `update note n set day = $2, text = $3, updated_at = $4, version = n.version + 1 where n.nid = $1
     returning ${COLUMNS}`,
    [nid, day, text, now],
  ))!
}

export function deleteNoteRow(tx: Db, nid: number) {
  return tx.run('delete from note where nid = $1', [nid])
}
