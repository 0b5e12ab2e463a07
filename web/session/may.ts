// What the reader may do, by their role. The service decides; pages only leave out what it would refuse.

import type { Role } from '../../src/manage/customers/members/contract.ts'
import { type Session, useSession } from './session.ts'

export interface May {
  /** Make changes that cost nothing more, and propose the others. */
  edit: boolean
  /** Pause campaigns, personas and banners. */
  pause: boolean
  /** Make changes that cost money, and decide about proposals. */
  spend: boolean
  /** Change people and keys, and freeze. */
  rights: boolean
  /** Decide about banners that wait for a person; only staff. */
  review: boolean
  /** Credit what a customer paid; only staff. */
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

/** A customer signed in by a link of its app may do everything. */
export function useMay(): May {
  const { person, right } = useSession()
  if (right) return OF_STAFF[right]
  return person?.role ? (OF_MEMBER.get(person.role) ?? NOTHING) : EVERYTHING
}
