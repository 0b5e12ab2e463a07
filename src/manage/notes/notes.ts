// The verbs of notes: write, list, read, change, remove. A note changes no figure and no delivery. Its changes are in
// the history; those of a campaign's note are in the history of the campaign.

import { recordAside } from '../../changes/changes.ts'
import type { Tx } from '../../changes/tx.ts'
import { asRead, etagOf } from '../../http/etag.ts'
import { type FetchPage, only } from '../../http/list.ts'
import type { By } from '../../identity/contract.ts'
import { whoActed } from '../../identity/who.ts'
import type { Caller } from '../../kernel/caller.ts'
import { fieldError } from '../../kernel/errors/field-error.ts'
import { invalidInput, notFound, refusal } from '../../kernel/errors/problem.ts'
import { parseId } from '../../kernel/id.ts'
import { type Clock, toSeconds } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import { MAX_NOTES, type NewNote, type Note, type NoteEdit } from './contract.ts'
import {
  countNotes,
  deleteNoteRow,
  insertNote,
  isCampaign,
  lockNote,
  type NoteFilter,
  type NoteRow,
  selectNote,
  selectNotes,
  updateNote,
} from './queries.ts'

export interface FoundNote {
  note: Note
  etag: string
}

/** A pair that is limited to campaigns sees only notes about them. */
function maySee(caller: Caller, { cid }: Pick<Note, 'cid'>): boolean {
  const own = caller.level === 'customer' ? caller.cids : null
  return own === null || (cid !== null && own.includes(cid))
}

/** The note of a path's `:nid`; throws 404 if there is none. */
export async function findNote(db: Db, caller: Caller, cuid: number, nidText: string): Promise<FoundNote> {
  const nid = parseId(nidText)
  const row = nid === null ? null : await selectNote(db, cuid, nid)
  if (!row || !maySee(caller, row)) throw notFound('note')
  return found(db, row)
}

/** Throws 404 if the filter names a campaign of somebody else. */
export async function refuseStrange(db: Db, cuid: number, { cid }: NoteFilter): Promise<void> {
  if (cid !== undefined && !(await isCampaign(db, cuid, cid))) throw notFound('campaign')
}

export function listNotes(db: Db, caller: Caller, cuid: number, filter: NoteFilter): FetchPage<Note> {
  const page = async (after: number, limit: number) =>
    toNotes(db, cuid, await selectNotes(db, cuid, filter, after, limit))
  return only(
    page,
    ({ nid }) => nid,
    note => maySee(caller, note),
  )
}

export async function createNote(
  db: Tx,
  caller: Caller,
  cuid: number,
  { day, text, cid = null }: NewNote,
  clock: Clock,
): Promise<FoundNote> {
  if (cid !== null && !(await isCampaign(db, cuid, cid)))
    throw invalidInput([fieldError('/cid', 'no_such_campaign', { cid })])
  if ((await countNotes(db, cuid)) >= MAX_NOTES) throw refusal('too_many_notes', { max: MAX_NOTES })
  const now = new Date(clock.nowMs())
  const row = await insertNote(db, { cuid, cid, day, text, actor: caller.key }, now)
  await record(db, caller, now, 'create', null, row)
  return found(db, row)
}

export async function editNote(
  db: Tx,
  caller: Caller,
  { nid, cuid }: Note,
  edit: NoteEdit,
  ifMatch: string | null,
  clock: Clock,
): Promise<FoundNote> {
  const row = await lock(db, cuid, nid, ifMatch)
  const { day = row.day, text = row.text } = edit
  if (day === row.day && text === row.text) return found(db, row)
  const now = new Date(clock.nowMs())
  const after = await updateNote(db, nid, { day, text }, now)
  await record(db, caller, now, 'edit', row, after)
  return found(db, after)
}

export async function deleteNote(
  db: Tx,
  caller: Caller,
  { nid, cuid }: Note,
  ifMatch: string | null,
  clock: Clock,
): Promise<{ nid: number; deleted: true }> {
  const row = await lock(db, cuid, nid, ifMatch)
  await deleteNoteRow(db, nid)
  await record(db, caller, new Date(clock.nowMs()), 'remove', row, null)
  return { nid, deleted: true }
}

async function lock(db: Db, cuid: number, nid: number, ifMatch: string | null): Promise<NoteRow> {
  return asRead(await lockNote(db, cuid, nid), 'note', nid, ifMatch)
}

function record(
  db: Tx,
  caller: Caller,
  at: Date,
  action: string,
  before: NoteRow | null,
  after: NoteRow | null,
): Promise<void> {
  const { nid: id, cuid, cid } = (after ?? before)!
  const said = (row: NoteRow | null) => row && { nid: row.nid, cid: row.cid, day: row.day, text: row.text }
  const change = { at, noun: 'note' as const, id, action, cuid, cid, actor: caller.key }
  return recordAside(db, { ...change, before: said(before), after: said(after) })
}

async function found(db: Db, row: NoteRow): Promise<FoundNote> {
  const [note] = await toNotes(db, row.cuid, [row])
  return { note: note!, etag: etagOf(row.nid, row.version) }
}

async function toNotes(db: Db, cuid: number, rows: readonly NoteRow[]): Promise<Note[]> {
  const who = await whoActed(
    db,
    cuid,
    rows.map(({ actor }) => actor),
  )
  return rows.map(row => toNote(row, who.get(row.actor)!))
}

function toNote({ nid, cuid, cid, day, text, created_at, updated_at }: NoteRow, by: By): Note {
  return { nid, cuid, cid, day, text, by, created: toSeconds(created_at), updated: toSeconds(updated_at) }
}
