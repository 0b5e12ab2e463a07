// Finds out who the actors of a history are: a person by name and email, a pair by its name, or the app.

import { memberOfKey, staffOfKey } from '../kernel/caller.ts'
import type { Db } from '../platform/database.ts'
import type { By } from './contract.ts'
import { levelOfKey } from './pair.ts'
import { selectAppOf, selectMemberNames, selectPairNames } from './queries.ts'
import { selectStaffNames } from './staff/queries.ts'
import { selectSuperNames } from './super-pair-queries.ts'

interface Names {
  pairs: { key: string; name: string | null }[]
  people: { id: number; name: string | null; email: string }[]
}

/** The actors of a customer's history. An actor that is no longer known has no name. */
export async function whoActed(db: Db, cuid: number, actors: readonly string[]): Promise<Map<string, By>> {
  const mids = actors.map(memberOfKey).filter(mid => mid !== null)
  const keys = actors.filter(actor => levelOfKey(actor) === 'customer')
  const members = mids.length === 0 ? [] : await selectMemberNames(db, cuid, mids)
  const pairs = keys.length === 0 ? [] : await selectPairNames(db, cuid, keys)
  const appId = actors.some(isOfApp) ? await selectAppOf(db, cuid) : null
  const ofApp = appId === null ? { pairs: [], people: [] } : await namesOfApp(db, appId, actors)
  return byActor(actors, {
    pairs: [...pairs, ...ofApp.pairs],
    // Ids of members and staff come from one sequence, so they do not collide.
    people: [...members.map(({ mid, ...rest }) => ({ id: mid, ...rest })), ...ofApp.people],
  })
}

export async function whoIs(db: Db, cuid: number, actor: string): Promise<By> {
  return (await whoActed(db, cuid, [actor])).get(actor)!
}

/** The actors of an app's own history. */
export async function whoActedForApp(
  db: Db,
  appId: number,
  actors: readonly string[],
): Promise<Map<string, By>> {
  const known = byActor(actors, await namesOfApp(db, appId, actors))
  return new Map([...known].map(([actor, by]) => [actor, { ...by, as: null }]))
}

const isOfApp = (actor: string) => levelOfKey(actor) === 'app' || staffOfKey(actor) !== null

async function namesOfApp(db: Db, appId: number, actors: readonly string[]): Promise<Names> {
  const keys = actors.filter(actor => levelOfKey(actor) === 'app')
  const sids = actors.map(staffOfKey).filter(sid => sid !== null)
  const staff = sids.length === 0 ? [] : await selectStaffNames(db, appId, sids)
  return {
    pairs: keys.length === 0 ? [] : await selectSuperNames(db, appId, keys),
    people: staff.map(({ sid, ...rest }) => ({ id: sid, ...rest })),
  }
}

function byActor(actors: readonly string[], { pairs, people }: Names): Map<string, By> {
  const nameOf = new Map(pairs.map(({ key, name }) => [key, name]))
  const personOf = new Map(people.map(person => [person.id, person]))
  return new Map(
    actors.map(actor => {
      const { name = null, email = null } = personOf.get(memberOfKey(actor) ?? staffOfKey(actor) ?? 0) ?? {}
      const as = isStaff(actor) ? 'customer' : null
      return [actor, { kind: kindOf(actor), name: nameOf.get(actor) ?? name, email, as }]
    }),
  )
}

/** Whether staff acted: signed in by email, or with a super pair. */
function isStaff(actor: string): boolean {
  return staffOfKey(actor) !== null || actor.startsWith('app-session:')
}

function kindOf(actor: string): By['kind'] {
  if (levelOfKey(actor) === 'customer') return 'key'
  if (levelOfKey(actor) === 'app' || actor.startsWith('app-session:')) return 'app'
  if (staffOfKey(actor) !== null) return 'person'
  return memberOfKey(actor) !== null || actor.startsWith('session:') ? 'person' : 'service'
}
