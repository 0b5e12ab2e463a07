// Finds out who the actors of a history are: a person by name and email, a pair by its name, an agent also by the email
// of the person it acts for, or the app.

import { selectAppChanges } from '../changes/app-changes.ts'
import { type Actor, actorOf, memberOf, staffOf } from '../kernel/actor.ts'
import { toSeconds } from '../kernel/time/clock.ts'
import type { Db } from '../platform/database.ts'
import type { By } from './contract.ts'
import { selectAppOf, selectMemberNames, selectPairNames } from './queries.ts'
import { selectStaffNames } from './staff/queries.ts'
import { selectSuperNames } from './super-pair-queries.ts'

/** Names of pairs by their keys, and of people by their numbers: those of members and staff do not collide. */
type Names = Map<string, { name: string | null; email?: string | null }>

/** The actors of a customer's history. An actor that is no longer known has no name. */
export async function whoActed(db: Db, cuid: number, texts: readonly string[]): Promise<Map<string, By>> {
  const actors = [...new Set(texts)].map(actorOf)
  const mids = actors.map(memberOf).filter(mid => mid !== null)
  const keys = idsOf(actors, 'pair')
  const members = mids.length === 0 ? [] : await selectMemberNames(db, cuid, mids)
  const pairs = keys.length === 0 ? [] : await selectPairNames(db, cuid, keys)
  const appId = actors.some(isOfApp) ? await selectAppOf(db, cuid) : null
  const names: Names = appId === null ? new Map() : await namesOfApp(db, appId, actors)
  for (const { mid, ...person } of members) names.set(String(mid), person)
  for (const { key, ...named } of pairs) names.set(key, named)
  return byText(texts, names)
}

export async function whoIs(db: Db, cuid: number, actor: string): Promise<By> {
  return (await whoActed(db, cuid, [actor])).get(actor)!
}

/** The actors of an app's own history. */
export async function whoActedForApp(
  db: Db,
  appId: number,
  texts: readonly string[],
): Promise<Map<string, By>> {
  const known = byText(texts, await namesOfApp(db, appId, [...new Set(texts)].map(actorOf)))
  return new Map([...known].map(([text, by]) => [text, { ...by, as: null }]))
}

/** The history of an app's staff, or of the sources, with who made each change. `appId` reads it. */
export async function listAppChanges<Action extends string, Seen>(
  db: Db,
  appId: number,
  page: Parameters<typeof selectAppChanges>[1],
) {
  const rows = await selectAppChanges<Action, Seen>(db, page)
  const who = await whoActedForApp(
    db,
    appId,
    rows.map(({ actor }) => actor),
  )
  return rows.map(({ change_id, id, at, action, actor, before, after }) => {
    return { id: change_id, at: toSeconds(at), of: id, action, by: who.get(actor)!, before, after }
  })
}

const idsOf = (actors: Actor[], wanted: Actor['kind']) =>
  actors.flatMap(({ kind, id, isSession }) => (kind === wanted && !isSession ? [id] : []))

const isOfApp = ({ kind, isSession }: Actor) => kind === 'staff' || (kind === 'app' && !isSession)

async function namesOfApp(db: Db, appId: number, actors: Actor[]): Promise<Names> {
  const keys = idsOf(actors, 'app')
  const sids = actors.map(staffOf).filter(sid => sid !== null)
  const staff = sids.length === 0 ? [] : await selectStaffNames(db, appId, sids)
  const pairs = keys.length === 0 ? [] : await selectSuperNames(db, appId, keys)
  const people = staff.map(({ sid, ...person }) => [String(sid), person] as const)
  return new Map([...people, ...pairs.map(({ key, name }) => [key, { name }] as const)])
}

const KIND = {
  pair: 'key',
  app: 'app',
  member: 'person',
  staff: 'person',
  operator: 'service',
  service: 'service',
} as const

function byText(texts: readonly string[], names: Names): Map<string, By> {
  return new Map(
    texts.map(text => {
      const actor = actorOf(text)
      const { kind, id, isSession } = actor
      const { name, email = null } = (isSession ? null : names.get(id)) ?? { name: null }
      // Staff: signed in by email, or with a super pair.
      const as = kind === 'staff' || (kind === 'app' && isSession) ? 'customer' : null
      return [text, { kind: KIND[kind], name, email, as }]
    }),
  )
}
