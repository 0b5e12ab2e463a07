// The console sessions of the signed-in person, and how to end them.

import { Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Body, Created, Deleted, Id, Nullable, UnixTime } from '../../http/schema.ts'
import { common, ONLY_CONSOLE } from '../contract.ts'

export const OwnSession = Body({
  id: Id('Session id.'),
  browser: Nullable(
    Type.String({
      description: 'The browser that signed in, as it called itself. Null: not known.',
      examples: ['Firefox, Windows'],
    }),
  ),
  created: Created,
  lastUsed: UnixTime({ description: 'When it was last used, to about five minutes.' }),
  isThis: Type.Boolean({ description: 'Whether it is the session of this call.' }),
})

const example = {
  id: 1020,
  browser: 'Firefox, Windows',
  created: 1_790_000_000,
  lastUsed: 1_790_000_900,
  isThis: true,
}
const problems = ['session_ended', 'session_refused', 'passkey_needed'] as const

export const listSessions = endpoint({
  ...common,
  id: 'listSessions',
  method: 'GET',
  path: '/console/api/sessions',
  summary: 'Where the person is signed in',
  description:
    'Their sessions in this app, the last used first, at most 100; for people who signed in by email. Sessions by a link of the app belong to nobody in particular, and are not listed.',
  answer: Type.Array(OwnSession),
  problems,
  examples: { answer: [example] },
})

export const endSession = endpoint({
  ...common,
  id: 'endSession',
  method: 'DELETE',
  path: '/console/api/sessions/:id',
  summary: 'Sign out one session of the person',
  description: `Ends it: at once here, within 1 s in other processes of the service. ${ONLY_CONSOLE}`,
  answer: Body({ id: Id('Session id.'), deleted: Deleted }),
  problems: [...problems, 'not_found'],
  examples: { answer: { id: 1020, deleted: true } },
})

export const endOtherSessions = endpoint({
  ...common,
  id: 'endOtherSessions',
  method: 'DELETE',
  path: '/console/api/sessions',
  summary: 'Sign out everywhere else',
  description: `Ends all sessions of the person but this one, those that still wait for a passkey too. ${ONLY_CONSOLE}`,
  answer: Body({ ended: Type.Integer({ description: 'How many there were.', minimum: 0 }) }),
  problems,
  examples: { answer: { ended: 2 } },
})
