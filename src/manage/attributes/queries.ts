// SQL of attributes: what apps have declared, which values requests had, and which personas target them.

import type { Db } from '../../platform/database.ts'
import type { AttributeKind, AttributeUse } from './contract.ts'
import type { SeenValue } from './seen-value.ts'

export interface AttributeRow {
  attribute_id: number
  app_id: number
  key: string
  label: string
  kind: AttributeKind
  choices: { value: string; label: string }[]
  app_only: boolean
  from_public: boolean
  version: number
  created_at: Date
  updated_at: Date
}

/** Values of one key that are remembered; of words, there may be any number. */
export const MOST_SEEN = 10_000

export type AttributeAction = 'add' | 'edit' | 'remove'

const COLUMNS = `attribute_id, app_id, key, label, kind, choices, app_only, from_public, version,
  created_at, updated_at`

/** `appId` null: of all apps. */
export function selectAttributes(db: Db, appId: number | null) {
  if (appId === null) return db.rows<AttributeRow>(`select ${COLUMNS} from attribute order by app_id, key`)
  return db.rows<AttributeRow>(`select ${COLUMNS} from attribute where app_id = $1 order by key`, [appId])
}

export function selectAttribute(db: Db, appId: number, key: string) {
  return db.row<AttributeRow>(`select ${COLUMNS} from attribute where app_id = $1 and key = $2`, [appId, key])
}

export function lockAttribute(db: Db, appId: number, key: string) {
  return db.row<AttributeRow>(`select ${COLUMNS} from attribute where app_id = $1 and key = $2 for update`, [
    appId,
    key,
  ])
}

export async function insertAttribute(
  db: Db,
  row: Omit<AttributeRow, 'attribute_id' | 'version'>,
): Promise<AttributeRow> {
  const { app_id, key, label, kind, choices, app_only, from_public, created_at } = row
  const made = await db.row<AttributeRow>(
    `insert into attribute (app_id, key, label, kind, choices, app_only, from_public, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8) returning ${COLUMNS}`,
    [app_id, key, label, kind, JSON.stringify(choices), app_only, from_public, created_at],
  )
  return made!
}

export async function updateAttribute(db: Db, row: AttributeRow, now: Date): Promise<AttributeRow> {
  const { attribute_id, label, choices, app_only, from_public } = row
  const changed = await db.row<AttributeRow>(
    `update attribute set version = version + 1, updated_at = $2, label = $3, choices = $4, app_only = $5,
       from_public = $6
     where attribute_id = $1 returning ${COLUMNS}`,
    [attribute_id, now, label, JSON.stringify(choices), app_only, from_public],
  )
  return changed!
}

export async function removeAttribute(db: Db, { attribute_id, app_id, key }: AttributeRow): Promise<void> {
  await db.run('delete from attribute where attribute_id = $1', [attribute_id])
  await db.run('delete from attribute_seen where app_id = $1 and key = $2', [app_id, key])
}

/**
 * Personas of the app that target the key, or one of these of its values, of these customers (null: any); `uses`
 * counts them all. The index has only
 * personas with attributes, and `?` asks for their keys.
 */
export async function selectUses(
  db: Db,
  { app_id, key }: Pick<AttributeRow, 'app_id' | 'key'>,
  {
    values,
    cuids,
    most,
  }: { values: readonly string[] | null; cuids: readonly number[] | null; most: number },
): Promise<{ uses: number; usedBy: AttributeUse[] }> {
  const rows = await db.rows<AttributeUse & { uses: number }>(
    `select c.cuid, p.cid, p.pid, count(*) over ()::int as uses
     from persona p join campaign c using (cid) join customer cu using (cuid)
     where p.attributes <> '{}' and p.attributes ? $2 and p.deleted_at is null and c.deleted_at is null
       and cu.deleted_at is null and cu.app_id = $1
       and ($5::bigint[] is null or cu.cuid = any($5))
       and ($3::text[] is null or exists (
         select from jsonb_each(p.attributes -> $2) list
         cross join lateral jsonb_array_elements_text(case jsonb_typeof(list.value) when 'array' then list.value else '[]' end) one
         where one = any($3::text[])))
     order by p.pid limit $4`,
    [app_id, key, values, most, cuids],
  )
  const usedBy = rows.map(({ cuid, cid, pid }) => ({ cuid, cid, pid }))
  return { uses: rows[0]?.uses ?? 0, usedBy }
}

/** Those of the values that requests of the app had since then, or of which that is not known: there are too many. */
export function selectSeen(db: Db, appId: number, values: readonly SeenValue[], since: Date) {
  return db.rows<SeenValue>(
    `select asked.key, asked.value from unnest($2::text[], $3::text[]) as asked(key, value)
     where exists (select from attribute_seen s
         where s.app_id = $1 and s.key = asked.key and s.value = asked.value and s.seen_at >= $4)
       or exists (select from attribute_seen f where f.app_id = $1 and f.key = asked.key offset ${MOST_SEEN - 1})`,
    [appId, values.map(({ key }) => key), values.map(({ value }) => value), since],
  )
}

/** `name`: as `attributeName` makes it. A key that was deleted meanwhile is left out. */
export function upsertSeen(db: Db, seen: readonly { name: string; value: string }[], at: Date) {
  return db.run(
    `insert into attribute_seen (app_id, key, value, seen_at)
     select a.app_id, a.key, s.value, $3
     from (select distinct split_part(name, '/', 1)::bigint as app_id, split_part(name, '/', 2) as key, value
           from unnest($1::text[], $2::text[]) as given(name, value)) s
     join attribute a using (app_id, key)
     where exists (select from attribute_seen o where (o.app_id, o.key, o.value) = (a.app_id, a.key, s.value))
       or (select count(*) from (select from attribute_seen o where o.app_id = a.app_id and o.key = a.key limit ${MOST_SEEN}) o) < ${MOST_SEEN}
     order by 1, 2, 3
     on conflict (app_id, key, value) do update set seen_at = excluded.seen_at`,
    [seen.map(({ name }) => name), seen.map(({ value }) => value), at],
  )
}

/** Deletes what no request had since then. */
export function deleteUnseen(db: Db, before: Date) {
  return db.run('delete from attribute_seen where seen_at < $1', [before])
}
