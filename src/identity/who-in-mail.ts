// The person or key behind a change, as written in an email. A name that somebody entered is shown only if it is plain
// words, so that nobody can use our emails to send a text or a link. Otherwise the email address, or nothing, is shown.

import type { By } from './contract.ts'

export interface Who {
  kind: By['kind']
  /** A person by name and email, a key by its name; null: not known, or not shown. */
  name: string | null
  isStaff: boolean
}

/** A fact about who may use an account: a new member, a new key, or a key in a new network. */
export interface AccessFact {
  what: 'member' | 'key' | 'network'
  email?: string
  role?: 'viewer' | 'editor' | 'manager' | 'owner'
  key?: string
  scope?: 'read' | 'propose' | 'spend' | 'all'
  by: By
}

/** Words only, nothing that a mail program would turn into a link. */
export const isPlain = (name: string) => PLAIN.test(name)

const PLAIN = /^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N} _'-]{0,39}$/u

/** The text on one line, if it has nothing that a mail program would turn into a link; otherwise null. */
export function linkless(text: string): string | null {
  return LINKS.test(text) ? null : text.trim().replaceAll(/\s+/g, ' ')
}

const LINKS = /[@\\<>]|:\/\/|www|\S[.。．](\p{L}{2}|xn-)|\d\.\d+\.\d+\.\d/iu

export function personOf({ kind, name, email, as }: By): Who {
  const plain = name !== null && PLAIN.test(name) ? name : null
  const shown = email === null ? plain : plain === null ? email : `${plain} (${email})`
  return { kind, name: shown, isStaff: as === 'customer' }
}

/** Enough of a key to find it in the list. */
export function shortKey(key: string): string {
  return `${key.slice(0, 12)}…`
}
