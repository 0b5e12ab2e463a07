// Who acted: whoever made a call, or a part of the service by itself. In histories, limits and idempotency keys it is
// one text; only this file puts that together and takes it apart.

/** What the keys of pairs begin with. */
export const KEY_PREFIX = { app: 'mqsk_', customer: 'mqck_' } as const

/** Who acted, as a text: a pair or a super pair by its key, a person by their number. */
export type ActorText =
  | `${(typeof KEY_PREFIX)[keyof typeof KEY_PREFIX]}${string}`
  | `${'member' | 'staff' | 'session' | 'app-session'}:${string | number}`
  | (typeof OPERATORS)[number]
  | (typeof PARTS)[number]

/** Who has the command line. */
const OPERATORS = ['operator', 'command line'] as const
/** What acts by itself. */
const PARTS = ['service', 'review', 'console'] as const

/**
 * `member`: a person who works for a customer; `staff`: one who works for an app. A session that a program asked for
 * belongs to a person without a number, so it is a `member` or `app` by the id of that session.
 */
export interface Actor {
  kind: 'pair' | 'member' | 'staff' | 'app' | 'operator' | 'service'
  id: string
  isSession: boolean
}

const KIND_OF: Record<string, Actor['kind']> = {
  member: 'member',
  session: 'member',
  staff: 'staff',
  'app-session': 'app',
}

export function actorOf(text: string): Actor {
  if (text.startsWith(KEY_PREFIX.customer)) return { kind: 'pair', id: text, isSession: false }
  if (text.startsWith(KEY_PREFIX.app)) return { kind: 'app', id: text, isSession: false }
  const [name, id] = text.split(':', 2)
  const kind = KIND_OF[name!]
  if (kind && id !== undefined) return { kind, id, isSession: name!.endsWith('session') }
  const isOperator = OPERATORS.some(operator => operator === text)
  return { kind: isOperator ? 'operator' : 'service', id: text, isSession: false }
}

/** The number of a member; null if it was somebody else. */
export function memberOf({ kind, id, isSession }: Actor): number | null {
  return kind === 'member' && !isSession ? Number(id) : null
}

/** The number of a person of the staff; null if it was somebody else. */
export function staffOf({ kind, id }: Actor): number | null {
  return kind === 'staff' ? Number(id) : null
}
