// Who did something, as an email says it. A name that somebody wrote is only shown if it is plain words, so that nobody
// can have us mail a text or a link of their own; otherwise the email address, or nothing, has to do.

import type { By } from '../access/contract.ts'

export interface Who {
  kind: By['kind']
  /** A person by name and email, a key by its name; null: not known, or not shown. */
  name: string | null
  isStaff: boolean
}

/** About who may use an account: a new member, a new key, or a key in a new network. */
export interface AccessFact {
  what: 'member' | 'key' | 'network'
  email?: string
  role?: 'viewer' | 'editor' | 'manager' | 'owner'
  key?: string
  scope?: 'read' | 'propose' | 'spend' | 'all'
  by: By
}

/** Words, and nothing that a mail program would make a link of. */
export const isPlain = (name: string) => PLAIN.test(name)

const PLAIN = /^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N} _'-]{0,39}$/u

/** Sentences on one line, without anything that a mail program would make a link of; else null. */
export function linkless(text: string): string | null {
  return LINKS.test(text) ? null : text.trim().replaceAll(/\s+/g, ' ')
}

const LINKS = /[@\\<>]|:\/\/|www|\S[.。．](\p{L}{2}|xn-)|\d\.\d+\.\d+\.\d/iu

export function whoIn({ kind, name, email, as }: By): Who {
  const plain = name !== null && PLAIN.test(name) ? name : null
  const shown = email === null ? plain : plain === null ? email : `${plain} (${email})`
  return { kind, name: shown, isStaff: as === 'customer' }
}

/** Enough of a key to find it in the list. */
export function shortKey(key: string): string {
  return `${key.slice(0, 12)}…`
}
