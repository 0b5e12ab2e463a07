// The verbs of notes: write, list, read, change, remove. A note changes no figure and no delivery. Its changes are in
// the history; those of a campaign's note are in the history of the campaign.

import { recordAside } from '../../changes/changes.ts'
import type { Tx } from '../../changes/tx.ts'
import { etagOf } from '../../http/etag.ts'
import { type FetchPage, only } from '../../http/list.ts'
import type { By } from '../../identity/contract.ts'
import { whoActed } from '../../identity/who.ts'
import { fieldError } from '../../kernel/errors/field-error.ts'
import { invalidInput, notFound, refusal } from '../../kernel/errors/problem.ts'
import { toSeconds } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import { type Acting, change, idIn, type Kind, type PathIds, record, remove } from '../noun.ts'
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

type Reading = Pick<Acting, 'caller' | 'cuid'>

const notesOf = (cuid: number): Kind<'nid', NoteRow> => ({
  noun: 'note',
  id: 'nid',
  show: ({ nid, cid, day, text }) => ({ nid, cid, day, text }),
  lock: (tx, nid) => lockNote(tx, cuid, nid),
  update: (tx, { nid, day, text }, now) => updateNote(tx, nid, { day, text }, now),
  hide: deleteNoteRow,
  removal: 'remove',
  record: (tx, change) => recordAside(tx, { ...change, noun: 'note' }),
})

/** A pair that is limited to campaigns sees only notes about them. */
function maySee({ caller }: Reading, { cid }: Pick<Note, 'cid'>): boolean {
  const own = caller.level === 'customer' ? caller.cids : null
  return own === null || (cid !== null && own.includes(cid))
}

/** The note of a path's `:nid`; throws 404 if there is none. */
export async function findNote(db: Db, call: Reading, ids: PathIds): Promise<FoundNote> {
  const nid = idIn(ids, 'nid')
  const row = nid === null ? null : await selectNote(db, call.cuid, nid)
  if (!row || !maySee(call, row)) throw notFound('note')
  return found(db, row)
}

/** Throws 404 if the filter names a campaign of somebody else. */
export async function refuseStrange(db: Db, cuid: number, { cid }: NoteFilter): Promise<void> {
  if (cid !== undefined && !(await isCampaign(db, cuid, cid))) throw notFound('campaign')
}

export function listNotes(db: Db, call: Reading, filter: NoteFilter): FetchPage<Note> {
  const { cuid } = call
  const page = async (after: number, limit: number) =>
    toNotes(db, cuid, await selectNotes(db, cuid, filter, after, limit))
  return only(
    page,
    ({ nid }) => nid,
    note => maySee(call, note),
  )
}

export async function createNote(
  tx: Tx,
  call: Acting,
  _above: unknown,
  { day, text, cid = null }: NewNote,
): Promise<FoundNote> {
  const { caller, cuid, clock } = call
  if (cid !== null && !(await isCampaign(tx, cuid, cid)))
    throw invalidInput([fieldError('/cid', 'no_such_campaign', { cid })])
  if ((await countNotes(tx, cuid)) >= MAX_NOTES) throw refusal('too_many_notes', { max: MAX_NOTES })
  const now = new Date(clock.nowMs())
  const row = await insertNote(tx, { cuid, cid, day, text, actor: caller.key }, now)
  await record(tx, call, notesOf(cuid), now, 'create', null, row)
  return found(tx, row)
}

export async function editNote(
  tx: Tx,
  call: Acting,
  { note: { nid } }: FoundNote,
  { day, text }: NoteEdit,
): Promise<FoundNote> {
  const changesOf = (row: NoteRow) => ({ day: day ?? row.day, text: text ?? row.text })
  return found(tx, await change(tx, call, notesOf(call.cuid), nid, 'edit', changesOf))
}

export function deleteNote(tx: Tx, call: Acting, { note: { nid } }: FoundNote) {
  return remove(tx, call, notesOf(call.cuid), nid)
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
