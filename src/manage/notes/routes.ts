// Note endpoints, each bound to its verb.

import type { Api } from '../../http/api.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { bindVerbs } from '../noun.ts'
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

export function noteRoutes(api: Api, parts: { clock: Clock }): void {
  api.bindList(contract.listNotes, {
    find: call => refuseStrange(call.db, call.cuid, call.query as NoteFilter),
    idOf: (note: Note) => note.nid,
    page: call => listNotes(call.db, call, call.query as NoteFilter),
  })
  const endpoints = {
    create: contract.createNote,
    read: contract.readNote,
    edit: contract.editNote,
    remove: contract.deleteNote,
  }
  bindVerbs(api, parts, endpoints, {
    find: findNote,
    show: (_db, _call, found: FoundNote) => found,
    answer: ({ note, etag }) => ({ body: note, etag }),
    create: createNote,
    edit: editNote,
    remove: deleteNote,
  })
}
