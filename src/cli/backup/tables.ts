// Which tables and sequences are Marquee's: those that the text of the migrations creates. A test compares them with a
// migrated database, so that a migration that creates one in another way is noticed.

import { migrationTexts } from '../../platform/migrate.ts'

const MADE = /create (?:unlogged )?(?:table|sequence) (?:if not exists )?([a-z_]+)/g
const RENAMED = /\balter table (\w+) rename to (\w+)/gi

export async function ourNames(): Promise<Set<string>> {
  const names = new Set<string>()
  for (const text of (await migrationTexts()).values()) {
    for (const [, name] of text.matchAll(MADE)) names.add(name!)
    for (const [, , name] of text.matchAll(RENAMED)) names.add(name!)
  }
  return names
}
