// The web origins of an app: pages there may call the API with the pairs of its customers. What is registered is cached
// like pairs, so a change counts within a second in every process.

import type { Origins } from '../http/cross-origin.ts'
import type { Clock } from '../kernel/time/clock.ts'
import type { Database, Db } from '../platform/database.ts'
import { livingAppId } from './apps.ts'
import { type Cached, cached } from './credentials.ts'
import { selectOrigins, selectOriginsOf, updateOrigins } from './queries.ts'

export async function originsOf(db: Db, name: string): Promise<string[]> {
  return (await selectOriginsOf(db, await livingAppId(db, name)))!.origins
}

export async function setOrigins(db: Db, name: string, origins: readonly string[]): Promise<void> {
  await updateOrigins(db, await livingAppId(db, name), origins)
}

type ByOrigin = ReadonlyMap<string, ReadonlySet<number>>

const NO_APPS: ReadonlySet<number> = new Set()

export function createOrigins(db: Database, clock: Clock): Origins {
  const known = new Map<'all', Cached<ByOrigin>>()
  return {
    async appsOf(origin) {
      if (origin === undefined) return NO_APPS
      const all = await cached(known, 'all', clock, () => load(db))
      return all?.get(origin) ?? NO_APPS
    },
  }
}

async function load(db: Db): Promise<ByOrigin> {
  const all = new Map<string, Set<number>>()
  for (const { app_id, origin } of await selectOrigins(db)) {
    const apps = all.get(origin) ?? new Set()
    all.set(origin, apps.add(app_id))
  }
  return all
}
