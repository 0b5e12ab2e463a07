// The site lists of all apps, in memory. Campaigns hold what they name, and an edit replaces what is in it: it takes
// effect for all of them at once, however many they are.

import {
  LIST,
  listsNamedIn,
  type NamedSites,
  type SiteRule,
  type SiteRules,
  type StoredSites,
  siteSetOf,
} from '../../kernel/sites.ts'
import {
  type ServedList,
  servedLists,
  servedListsNamed,
  servedListsOf,
} from '../../manage/site-lists/served.ts'
import type { Db } from '../../platform/database.ts'

export interface SiteLists {
  /** Where a campaign may be shown: by what it says itself, and by what its customer says. */
  rulesOf(appId: number, sites: readonly (StoredSites | null)[]): SiteRules | null
  set(list: ServedList): void
  /** It is gone. */
  remove(listId: number): void
  ids(): Iterable<number>
}

const PAGE_ROWS = 100

export function createSiteLists(): SiteLists {
  /** By app and key; also those that are named and not there. */
  const named = new Map<string, NamedSites>()
  const keys = new Map<number, string>()

  function namedAs(key: string): NamedSites {
    const known = named.get(key) ?? { set: null }
    named.set(key, known)
    return known
  }

  function ruleOf(appId: number, entries: readonly string[]): SiteRule {
    const own = entries.filter(entry => !entry.startsWith(LIST))
    return {
      own: own.length === 0 ? null : siteSetOf(own),
      named: entries
        .filter(entry => entry.startsWith(LIST))
        .map(entry => namedAs(`${appId} ${entry.slice(LIST.length)}`)),
    }
  }

  return {
    rulesOf(appId, sites) {
      const given = sites.filter(one => one !== null)
      if (given.length === 0) return null
      const rules = (side: keyof StoredSites) =>
        given.filter(one => one[side].length > 0).map(one => ruleOf(appId, one[side]))
      return { only: rules('only'), not: rules('not') }
    },
    set({ list_id, app_id, key, entries }) {
      const name = `${app_id} ${key}`
      namedAs(name).set = siteSetOf(entries)
      keys.set(list_id, name)
    },
    remove(listId) {
      const name = keys.get(listId)
      if (name === undefined) return
      keys.delete(listId)
      // A list that was made again has the key by now.
      if (![...keys.values()].includes(name)) namedAs(name).set = null
    },
    ids: () => keys.keys(),
  }
}

/** Reads all lists by pages. */
export async function reloadSiteLists(db: Db, lists: SiteLists): Promise<void> {
  const there = new Set<number>()
  for (let after = 0; ; ) {
    const rows = await servedLists(db, after, PAGE_ROWS)
    for (const row of rows) {
      there.add(row.list_id)
      lists.set(row)
    }
    if (rows.length < PAGE_ROWS) break
    after = rows.at(-1)!.list_id
  }
  for (const listId of [...lists.ids()]) if (!there.has(listId)) lists.remove(listId)
}

export async function reloadChangedLists(
  db: Db,
  lists: SiteLists,
  changed: ReadonlySet<number>,
): Promise<void> {
  const ids = [...changed]
  for (let at = 0; at < ids.length; at += PAGE_ROWS) {
    const some = ids.slice(at, at + PAGE_ROWS)
    const rows = await servedListsOf(db, some)
    const there = new Set(rows.map(({ list_id }) => list_id))
    for (const listId of some) if (!there.has(listId)) lists.remove(listId)
    for (const row of rows) lists.set(row)
  }
}

/** Only the lists that these name, as they are in the database now. */
export async function readSiteLists(
  db: Db,
  appId: number,
  sites: readonly (StoredSites | null)[],
): Promise<SiteLists> {
  const lists = createSiteLists()
  const keys = sites.flatMap(one => (one === null ? [] : listsNamedIn(one)))
  for (const row of keys.length === 0 ? [] : await servedListsNamed(db, appId, keys)) lists.set(row)
  return lists
}
