// Notes: what people wrote about a day, shown beside its figures. The object and its endpoints, as seen from outside.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Body, Created, Day, Deleted, Id, Maybe, Nullable, Text, Updated } from '../../http/schema.ts'
import { By } from '../../identity/contract.ts'

/** Per customer, including notes of deleted campaigns. */
export const MAX_NOTES = 1000
export const MAX_TEXT = 200

const day = Day({
  description: "The day that it is about, as the customer's time zone has it.",
  examples: ['2026-11-10'],
})
const text = Text(1, MAX_TEXT, { description: 'What happened.', examples: ['New prices from today'] })
const ofCampaign = Id('The campaign that it is about; null: the whole customer.')

export const NewNote = Body({ day, text, cid: Maybe(ofCampaign) })
export type NewNote = Static<typeof NewNote>

export const NoteEdit = Body({ day: Type.Optional(day), text: Type.Optional(text) })
export type NoteEdit = Static<typeof NoteEdit>

export const Note = Body({
  nid: Id('Note id.'),
  cuid: Id('Customer id.'),
  cid: Nullable(ofCampaign),
  day,
  text,
  by: By,
  created: Created,
  updated: Updated,
})
export type Note = Static<typeof Note>

const written = { day: '2026-11-10', text: 'New prices from today' }
const example = {
  nid: 1030,
  cuid: 1001,
  cid: null,
  ...written,
  by: { kind: 'person', name: 'Ann', email: 'ann@bluebikes.example', as: null },
  created: 1_794_300_000,
  updated: 1_794_300_000,
}

const ofCustomer = { access: 'customer', cuid: true, ofAnyCampaign: true, tag: 'Notes' } as const

export const createNote = endpoint({
  ...ofCustomer,
  id: 'createNote',
  needs: 'edit',
  method: 'POST',
  path: '/note',
  summary: 'Write a note on a day',
  description: `The console shows it, numbered, in the charts of the customer, and with \`cid\` in those of that campaign. It changes
no figure. At most ${MAX_NOTES.toLocaleString('en')} per customer (409).`,
  body: NewNote,
  status: 201,
  makes: ['nid'],
  etag: true,
  dryRun: true,
  answer: Note,
  problems: ['conflict'],
  examples: { body: written, answer: example },
})

export const listNotes = endpoint({
  ...ofCustomer,
  id: 'listNotes',
  method: 'GET',
  path: '/note',
  summary: 'List notes',
  description:
    'Oldest first, by when they were written; those of deleted campaigns are left out. A pair that is limited to campaigns sees those of its campaigns.',
  list: true,
  query: {
    cid: {
      schema: Id('Campaign id.'),
      description: 'Only those of this campaign and those of the whole customer.',
    },
    from: { schema: Day(), description: 'Only those on this day or later.' },
    to: { schema: Day(), description: 'Only those before this day.' },
  },
  answer: Type.Array(Note),
  examples: { answer: [example] },
})

export const readNote = endpoint({
  ...ofCustomer,
  id: 'readNote',
  method: 'GET',
  path: '/note/:nid',
  summary: 'Read a note',
  description: 'Its words, its day, what it is about, and who wrote it.',
  etag: true,
  answer: Note,
  examples: { answer: example },
})

export const editNote = endpoint({
  ...ofCustomer,
  id: 'editNote',
  needs: 'edit',
  method: 'PUT',
  path: '/note/:nid',
  summary: 'Change a note',
  description: 'Its words, or its day. What it is about stays.',
  body: NoteEdit,
  etag: true,
  dryRun: true,
  answer: Note,
  examples: { body: { text: 'New prices' }, answer: { ...example, text: 'New prices' } },
})

export const deleteNote = endpoint({
  ...ofCustomer,
  id: 'deleteNote',
  needs: 'edit',
  method: 'DELETE',
  path: '/note/:nid',
  summary: 'Remove a note',
  description: 'For good: it is not restored. The history of its campaign still tells what it said.',
  etag: true,
  dryRun: true,
  answer: Body({ nid: Id('Note id.'), deleted: Deleted }),
  examples: { answer: { nid: 1030, deleted: true } },
})
