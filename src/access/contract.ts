// Who did something, as histories show it.

import { type Static, Type } from 'typebox'
import { Body, Choice, Nullable } from '../http/schema.ts'

export const By = Body(
  {
    kind: Choice(['person', 'key', 'app', 'service'], {
      description: 'A person in the console, a program with a pair, the app, or the service by itself.',
    }),
    name: Nullable(Type.String({ description: 'Of a person or a pair, if it has one.' })),
    email: Nullable(
      Type.String({ description: 'Of a person who signed in by email, removed since or not.' }),
    ),
    as: Nullable(
      Choice(['customer'], { description: '`customer`: staff of the app, who acted as the customer.' }),
    ),
  },
  { description: 'Who it was.' },
)
export type By = Static<typeof By>
