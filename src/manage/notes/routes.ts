// Note endpoints, each bound to its verb.

import { type Api, withEtag } from '../../http/api.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import type { Note } from './contract.ts'
import * as contract from './contract.ts'
import {
  createNote,
  deleteNote,
  editNote,
  type FoundNote,
  findNote,
  listNotes,
  refuseStrange,
} from './notes.ts'
import type { NoteFilter } from './queries.ts'

interface At {
  db: Db
  caller: Caller
  cuid: number
  params: Record<string, string>
}

export function noteRoutes(api: Api, { clock }: { clock: Clock }): void {
  const find = (call: At) => findNote(call.db, call.caller, call.cuid, call.params.nid!)
  const answer = async (shown: Promise<FoundNote>) => {
    const { note, etag } = await shown
    return withEtag(note, etag)
  }

  api.bind(contract.createNote, {
    stillThere: (call, { nid }) => find({ ...call, params: { nid: String(nid) } }),
    handle: ({ db, caller, cuid, body }) => answer(createNote(db, caller, cuid, body, clock)),
  })
  api.bindList(contract.listNotes, {
    find: call => refuseStrange(call.db, call.cuid, call.query as NoteFilter),
    idOf: (note: Note) => note.nid,
    page: ({ db, caller, cuid, query }) => listNotes(db, caller, cuid, query as NoteFilter),
  })
  api.bind(contract.readNote, {
    find,
    handle: async ({ found }) => withEtag(found.note, found.etag),
  })
  api.bind(contract.editNote, {
    find,
    present: async ({ found }) => found.note,
    handle: ({ db, caller, found, body, ifMatch }) =>
      answer(editNote(db, caller, found.note, body, ifMatch, clock)),
  })
  api.bind(contract.deleteNote, {
    find,
    handle: ({ db, caller, found, ifMatch }) => deleteNote(db, caller, found.note, ifMatch, clock),
  })
}
