// SQL of site lists. Every read is scoped to the app.

import type { ActorText } from '../../kernel/actor.ts'
import type { Db } from '../../platform/database.ts'
import { LOCKS, lockUntilCommit } from '../../platform/locks.ts'

export interface SiteListRow {
  list_id: number
  app_id: number
  key: string
  name: string
  entries: string[]
  /** Who changed it last. */
  actor: ActorText
  version: number
  created_at: Date
  updated_at: Date
}

export interface UsesRow {
  customers: number
  campaigns: number
}

const COLUMNS = 'list_id, app_id, key, name, entries, actor, version, created_at, updated_at'

/** The lists that a customer or a campaign names, as the index has them. */
const named = (of: string) => `jsonb_path_query_array(${of}.sites, '$.*[*] ? (@ starts with "list:")')`

/** Who names a list. `$2`: only these customers; null: all. */
const USES = `
  (select count(*) from customer u where u.sites is not null and ${named('u')} ? ('list:' || l.key)
     and u.app_id = l.app_id and u.deleted_at is null and ($2::bigint[] is null or u.cuid = any($2))) as customers,
  (select count(*) from campaign c where c.sites is not null and ${named('c')} ? ('list:' || l.key)
     and c.deleted_at is null and ($2::bigint[] is null or c.cuid = any($2))
     and exists (select from customer u where u.cuid = c.cuid and u.app_id = l.app_id and u.deleted_at is null)
  ) as campaigns`

export function selectLists(db: Db, appId: number, cuids: readonly number[] | null) {
  return db.rows<Omit<SiteListRow, 'entries'> & UsesRow & { count: number }>(
    `select list_id, app_id, key, name, jsonb_array_length(entries) as count, actor, version, created_at, updated_at,
       ${USES}
     from site_list l where app_id = $1 order by key`,
    [appId, cuids],
  )
}

export function selectList(db: Db, appId: number, key: string) {
  return db.row<SiteListRow>(`select ${COLUMNS} from site_list where app_id = $1 and key = $2`, [appId, key])
}

export async function selectUses(db: Db, appId: number, cuids: readonly number[] | null, key: string) {
  const row = await db.row<UsesRow>(`select ${USES} from site_list l where l.app_id = $1 and l.key = $3`, [
    appId,
    cuids,
    key,
  ])
  return row ?? { customers: 0, campaigns: 0 }
}

/** Whoever else creates, replaces or deletes this list waits, and so does whoever names it. */
export function lockList(tx: Db, appId: number, key: string) {
  return tx.row<SiteListRow>(`select ${COLUMNS} from site_list where app_id = $1 and key = $2 for update`, [
    appId,
    key,
  ])
}

/** Others who create a list for the same app wait here, so that the limit holds in parallel too. */
export async function countLists(tx: Db, appId: number): Promise<number> {
  await lockUntilCommit(tx, LOCKS.siteLists, String(appId))
  const row = await tx.row<{ count: number }>('select count(*) as count from site_list where app_id = $1', [
    appId,
  ])
  return row!.count
}

export type WantedList = Pick<SiteListRow, 'app_id' | 'key' | 'name' | 'entries' | 'actor'>

export async function upsertList(tx: Db, { app_id, key, name, entries, actor }: WantedList, now: Date) {
  return (await tx.row<SiteListRow>(
    `insert into site_list as l (app_id, key, name, entries, actor, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $6)
     on conflict (app_id, key) do update set name = excluded.name, entries = excluded.entries,
       actor = excluded.actor, updated_at = excluded.updated_at, version = l.version + 1
     returning ${COLUMNS}`,
    [app_id, key, name, JSON.stringify(entries), actor, now],
  ))!
}

export function deleteList(tx: Db, listId: number) {
  return tx.run('delete from site_list where list_id = $1', [listId])
}

/** Of these keys, those that the app has; they cannot be deleted before this transaction ends. */
export function lockNamedLists(tx: Db, appId: number, keys: string[]) {
  return tx.rows<{ key: string }>(
    'select key from site_list where app_id = $1 and key = any($2::text[]) order by key for share',
    [appId, keys],
  )
}

/** What delivery reads of a list. */
export type ServedList = Pick<SiteListRow, 'list_id' | 'app_id' | 'key' | 'entries'>

export function selectServedLists(db: Db, after: number, limit: number) {
  return db.rows<ServedList>(
    'select list_id, app_id, key, entries from site_list where list_id > $1 order by list_id limit $2',
    [after, limit],
  )
}

export function selectServedListsOf(db: Db, listIds: number[]) {
  return db.rows<ServedList>(
    'select list_id, app_id, key, entries from site_list where list_id = any($1::bigint[])',
    [listIds],
  )
}

export function selectServedListsNamed(db: Db, appId: number, keys: string[]) {
  return db.rows<ServedList>(
    'select list_id, app_id, key, entries from site_list where app_id = $1 and key = any($2::text[])',
    [appId, keys],
  )
}
