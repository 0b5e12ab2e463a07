// What the contracts of an app's staff and of a customer's members have in common.

import { Type } from 'typebox'
import { Created, Email, Maybe, Nullable, Text, UnixTime } from '../http/schema.ts'

/** `of`: the scope in which an email is unique. */
export function personGiven(of: 'app' | 'customer', example: { email: string; name: string }) {
  return {
    email: Email({
      description: `Where passcodes go, and the invitation. Compared without case; once per ${of}.`,
      examples: [example.email],
    }),
    name: Maybe(Text(1, 255, { description: 'For people.', examples: [example.name] })),
  }
}

export const personShown = {
  email: Type.String({ description: 'Where passcodes go.' }),
  name: Nullable(Type.String({ description: 'For people.' })),
}

export const personTimes = {
  joined: Nullable(UnixTime({ description: 'When they first signed in. Null: not yet.' })),
  created: Created,
}

/** For endpoints that add a person. */
export const personAdded = { method: 'POST', status: 201 } as const
export const AT_ONCE = 'They can sign in to the console by emailed passcode at once.'
