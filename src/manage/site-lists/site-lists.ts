// The verbs of site lists, and the check of `sites` that needs the database: what they name must be there.

import { isDeepStrictEqual } from 'node:util'
import { recordServed } from '../../changes/changes.ts'
import { checkIfMatch, checkIfMatchNothing, etagOf } from '../../http/etag.ts'
import { whoActedForApp } from '../../identity/who.ts'
import type { AppCaller } from '../../kernel/caller.ts'
import { type FieldError, fieldError } from '../../kernel/errors/field-error.ts'
import { invalidField, invalidInput, notFound, refusal } from '../../kernel/errors/problem.ts'
import { LIST, SOURCE, type StoredSites } from '../../kernel/sites.ts'
import { type Clock, toSeconds } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import { knownSources } from '../sources/sources.ts'
import { LIST_KEY, type ListedSites, MAX_LISTS, type SiteList, type SiteListBody } from './contract.ts'
import { entriesOf } from './entries.ts'
import {
  countLists,
  deleteList,
  lockList,
  lockNamedLists,
  type SiteListRow,
  selectList,
  selectLists,
  selectUses,
  upsertList,
} from './queries.ts'

const KEY = new RegExp(LIST_KEY)

export interface FoundList {
  row: SiteListRow
  etag: string
}

/** The list of a path's `:listKey`; 404 if the app has none. */
export async function findSiteList(db: Db, { appId }: AppCaller, key: string): Promise<FoundList> {
  const row = await selectList(db, appId, key)
  if (!row) throw notFound('site list')
  return { row, etag: etagOf(row.list_id, row.version) }
}

export async function listSiteLists(db: Db, { appId, cuids }: AppCaller): Promise<ListedSites[]> {
  const rows = await selectLists(db, appId, cuids)
  const who = await whoActedForApp(
    db,
    appId,
    rows.map(({ actor }) => actor),
  )
  return rows.map(({ key, name, count, customers, campaigns, actor, created_at, updated_at }) => ({
    key,
    name,
    count,
    uses: { customers, campaigns },
    by: who.get(actor)!,
    created: toSeconds(created_at),
    updated: toSeconds(updated_at),
  }))
}

export async function showSiteList(db: Db, { cuids }: AppCaller, { row }: FoundList): Promise<SiteList> {
  const { app_id: appId, key, name, entries, actor, created_at, updated_at } = row
  const who = await whoActedForApp(db, appId, [actor])
  return {
    key,
    name,
    count: entries.length,
    uses: await selectUses(db, appId, cuids, key),
    by: who.get(actor)!,
    created: toSeconds(created_at),
    updated: toSeconds(updated_at),
    entries,
  }
}

/** Creates or replaces it. Sending what is there changes nothing. */
export async function putSiteList(
  tx: Db,
  { appId, key: actor }: AppCaller,
  key: string,
  body: SiteListBody,
  ifMatch: string | null,
  clock: Clock,
): Promise<FoundList & { created: boolean }> {
  if (!KEY.test(key)) throw invalidField('/listKey', 'wrong_format', { pattern: LIST_KEY })
  const { entries, faults } = entriesOf(body.entries, '/entries', { inList: true })
  if (faults.length > 0) throw invalidInput(faults)
  await refuseUnknownSources(
    tx,
    entries.map((entry, n) => ({ entry, path: `/entries/${n}` })),
  )
  const known = await lockList(tx, appId, key)
  if (known) checkIfMatch(ifMatch, etagOf(known.list_id, known.version))
  else {
    checkIfMatchNothing(ifMatch)
    if ((await countLists(tx, appId)) >= MAX_LISTS) throw refusal('too_many_site_lists', { max: MAX_LISTS })
  }
  const wanted = { app_id: appId, key, name: body.name ?? known?.name ?? key, entries, actor }
  const isSame = known && known.name === wanted.name && isDeepStrictEqual(known.entries, entries)
  const row = isSame ? known : await upsertList(tx, wanted, new Date(clock.nowMs()))
  if (!isSame) await recordServed(tx, 'site_list', row.list_id)
  return { row, etag: etagOf(row.list_id, row.version), created: known === null }
}

/** A list that is named cannot be deleted: a `not` would let everything through that it kept away. */
export async function deleteSiteList(
  tx: Db,
  { appId }: AppCaller,
  key: string,
  ifMatch: string | null,
): Promise<{ key: string; deleted: true }> {
  const row = await lockList(tx, appId, key)
  if (!row) throw notFound('site list')
  checkIfMatch(ifMatch, etagOf(row.list_id, row.version))
  const { customers, campaigns } = await selectUses(tx, appId, null, key)
  if (customers + campaigns > 0) throw refusal('site_list_in_use', { key, customers, campaigns })
  await deleteList(tx, row.list_id)
  await recordServed(tx, 'site_list', row.list_id)
  return { key, deleted: true }
}

/** Throws a 400 that names each list and source which is not there. What was stored before may stay. */
export async function checkSites(
  tx: Db,
  appId: number,
  sites: StoredSites | null,
  before: StoredSites | null = null,
): Promise<void> {
  if (sites === null || isDeepStrictEqual(sites, before)) return
  const named = (['only', 'not'] as const).flatMap(side =>
    sites[side].map((entry, n) => ({ entry, path: `/sites/${side}/${n}` })),
  )
  const keys = named
    .filter(({ entry }) => entry.startsWith(LIST))
    .map(({ entry }) => entry.slice(LIST.length))
  const known = keys.length === 0 ? [] : await lockNamedLists(tx, appId, [...new Set(keys)])
  const names = new Set(known.map(({ key }) => LIST + key))
  const faults = named
    .filter(({ entry }) => entry.startsWith(LIST) && !names.has(entry))
    .map(({ entry, path }) => fieldError(path, 'unknown_site_list', { value: entry.slice(LIST.length) }))
  await refuseUnknownSources(tx, named, faults)
}

async function refuseUnknownSources(
  db: Db,
  named: { entry: string; path: string }[],
  faults: FieldError[] = [],
): Promise<void> {
  const sources = named.filter(({ entry }) => entry.startsWith(SOURCE))
  const idOf = (entry: string) => Number(entry.slice(SOURCE.length))
  const ids = sources.map(({ entry }) => idOf(entry))
  const there = ids.length === 0 ? new Set<number>() : await knownSources(db, ids)
  const unknown = sources
    .filter(({ entry }) => !there.has(idOf(entry)))
    .map(({ entry, path }) => fieldError(path, 'unknown_source', { value: idOf(entry) }))
  if (faults.length + unknown.length > 0) throw invalidInput([...faults, ...unknown])
}
