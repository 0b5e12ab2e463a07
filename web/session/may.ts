// What the reader may do, by their role. The service decides; pages only leave out what it would refuse.

import type { Role } from '../../src/customers/members/contract.ts'
import { type Session, useSession } from './session.ts'

export interface May {
  /** Change what costs nothing more, and propose the rest. */
  edit: boolean
  /** Pause what delivers. */
  pause: boolean
  /** Spend, and decide about proposals. */
  spend: boolean
  /** Change people and keys, and freeze. */
  rights: boolean
  /** Decide about banners that wait for a person; of staff only. */
  review: boolean
  /** Credit what a customer has paid; of staff only. */
  credit: boolean
}

const NOTHING: May = {
  edit: false,
  pause: false,
  spend: false,
  rights: false,
  review: false,
  credit: false,
}
const EVERYTHING: May = {
  edit: true,
  pause: true,
  spend: true,
  rights: true,
  review: true,
  credit: true,
}

const OF_MEMBER: ReadonlyMap<Role, May> = new Map([
  ['editor', { ...NOTHING, edit: true, pause: true }],
  ['manager', { ...NOTHING, edit: true, pause: true, spend: true }],
  ['owner', EVERYTHING],
])

const OF_STAFF: Record<NonNullable<Session['right']>, May> = {
  read: NOTHING,
  support: { ...NOTHING, pause: true, review: true },
  finance: { ...NOTHING, credit: true },
  all: EVERYTHING,
}

/** A customer that a link of its app has signed in may do everything. */
export function useMay(): May {
  const { person, right } = useSession()
  if (right) return OF_STAFF[right]
  return person?.role ? (OF_MEMBER.get(person.role) ?? NOTHING) : EVERYTHING
}
