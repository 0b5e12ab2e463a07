// Who is behind the actors of a history: a person by name and email, a pair by its name, the app.

import { memberOfKey, staffOfKey } from '../kernel/caller.ts'
import type { Db } from '../platform/database.ts'
import type { By } from './contract.ts'
import { levelOfKey } from './pair.ts'
import { selectMemberNames, selectPairNames } from './queries.ts'
import { selectStaffNames } from './staff-queries.ts'
import { selectSuperNames } from './super-pair-queries.ts'

/** Of a customer; an actor that is no longer known has no name. */
export async function whoActed(db: Db, cuid: number, actors: readonly string[]): Promise<Map<string, By>> {
  const mids = actors.map(memberOfKey).filter(mid => mid !== null)
  const keys = actors.filter(actor => levelOfKey(actor) === 'customer')
  const members = mids.length === 0 ? [] : await selectMemberNames(db, cuid, mids)
  const superKeys = actors.filter(actor => levelOfKey(actor) === 'app')
  const pairs = [
    ...(keys.length === 0 ? [] : await selectPairNames(db, cuid, keys)),
    ...(superKeys.length === 0 ? [] : await selectSuperNames(db, cuid, superKeys)),
  ]
  const nameOf = new Map(pairs.map(({ key, name }) => [key, name]))
  const sids = actors.map(staffOfKey).filter(sid => sid !== null)
  const staff = sids.length === 0 ? [] : await selectStaffNames(db, cuid, sids)
  // Ids of members and staff are of one sequence.
  const personOf = new Map<number, { name: string | null; email: string }>([
    ...members.map(member => [member.mid, member] as const),
    ...staff.map(person => [person.sid, person] as const),
  ])
  return new Map(
    actors.map(actor => {
      const { name = null, email = null } = personOf.get(memberOfKey(actor) ?? staffOfKey(actor) ?? 0) ?? {}
      const as = isStaff(actor) ? 'customer' : null
      return [actor, { kind: kindOf(actor), name: nameOf.get(actor) ?? name, email, as }]
    }),
  )
}

/** By email, or with a super pair. */
function isStaff(actor: string): boolean {
  return staffOfKey(actor) !== null || actor.startsWith('app-session:')
}

function kindOf(actor: string): By['kind'] {
  if (levelOfKey(actor) === 'customer') return 'key'
  if (levelOfKey(actor) === 'app' || actor.startsWith('app-session:')) return 'app'
  if (staffOfKey(actor) !== null) return 'person'
  return memberOfKey(actor) !== null || actor.startsWith('session:') ? 'person' : 'service'
}
