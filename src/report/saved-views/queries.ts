// SQL of saved views. Every read is scoped to the customer; views of deleted campaigns are not found.

import type { ZoneBefore } from '../../kernel/time/zones.ts'
import type { Db } from '../../platform/database.ts'
import type { SavedView } from './contract.ts'

/** What the view shows, with amounts in micros. */
export type StoredShown = Pick<
  SavedView,
  'range' | 'firstDay' | 'lastDay' | 'figure' | 'interval' | 'dimension' | 'q'
> &
  Partial<Pick<SavedView, 'against' | 'againstDay'>> & {
    spendFromMicros: number | null
    spendToMicros: number | null
  }

export interface SavedViewFields {
  name: string
  shown: StoredShown
  every: SavedView['every']
  mail_to: number[]
  mail_at: Date | null
}

export interface SavedViewRow extends SavedViewFields {
  vid: number
  cuid: number
  cid: number | null
  version: number
  created_at: Date
  updated_at: Date
}

const COLUMNS = `v.vid, v.cuid, v.cid, v.name, v.shown, v.every, to_jsonb(v.mail_to) as mail_to, v.mail_at, v.version,
  v.created_at, v.updated_at`
/** `offset 0`: campaigns are looked up one by one. */
const OF_PRESENT = `(v.cid is null or exists (
  select from campaign c where c.cid = v.cid and c.deleted_at is null offset 0))`

/** Others who save a view for the same customer wait here, so that the limit holds in parallel too. */
export async function countSavedViews(tx: Db, cuid: number): Promise<number> {
  await tx.row('select 1 from customer where cuid = $1 for no key update', [cuid])
  const row = await tx.row<{ count: number }>('select count(*) as count from saved_view where cuid = $1', [
    cuid,
  ])
  return row!.count
}

/** Those of `mids` who work for the customer. */
export async function selectMids(db: Db, cuid: number, mids: number[]): Promise<number[]> {
  const rows = await db.rows<{ mid: number }>(
    'select mid from member where mid = any($2::bigint[]) and cuid = $1 and removed_at is null',
    [cuid, mids],
  )
  return rows.map(({ mid }) => mid)
}

const valuesOf = ({ name, shown, every, mail_to, mail_at }: SavedViewFields) => [
  ...[name, JSON.stringify(shown), every, mail_to, mail_at],
]

export async function insertSavedView(
  tx: Db,
  { cuid, cid }: { cuid: number; cid: number | null },
  fields: SavedViewFields,
  now: Date,
) {
  return (await tx.row<SavedViewRow>(
    `insert into saved_view as v (cuid, cid, created_at, updated_at, name, shown, every, mail_to, mail_at)
     values ($1, $2, $3, $3, $4, $5, $6, $7::bigint[], $8) returning ${COLUMNS}`,
    [cuid, cid, now, ...valuesOf(fields)],
  ))!
}

export function selectSavedView(db: Db, cuid: number, vid: number) {
  return db.row<SavedViewRow>(
    `select ${COLUMNS} from saved_view v where v.vid = $2 and v.cuid = $1 and ${OF_PRESENT}`,
    [cuid, vid],
  )
}

/** Locks the view: other changes to it wait. */
export function lockSavedView(tx: Db, cuid: number, vid: number) {
  return tx.row<SavedViewRow>(
    `select ${COLUMNS} from saved_view v where v.vid = $2 and v.cuid = $1 for update`,
    [cuid, vid],
  )
}

export function selectSavedViews(db: Db, cuid: number, after: number, limit: number) {
  return db.rows<SavedViewRow>(
    `select ${COLUMNS} from saved_view v where v.cuid = $1 and v.vid > $2 and ${OF_PRESENT}
     order by v.vid limit $3`,
    [cuid, after, limit],
  )
}

export async function updateSavedView(tx: Db, vid: number, fields: SavedViewFields, now: Date) {
  return (await tx.row<SavedViewRow>(
    `update saved_view v set updated_at = $2, version = v.version + 1, name = $3, shown = $4, every = $5,
       mail_to = $6::bigint[], mail_at = $7
     where v.vid = $1 returning ${COLUMNS}`,
    [vid, now, ...valuesOf(fields)],
  ))!
}

export function deleteSavedViewRow(tx: Db, vid: number) {
  return tx.run('delete from saved_view where vid = $1', [vid])
}

export interface DueViewRow extends SavedViewRow {
  /** The customer's zones; see kernel/time/zones.ts. */
  timezone: string | null
  timezone_before: ZoneBefore[] | null
}

/** The rows stay locked until the transaction ends; other processes get other rows. */
export function lockDueViews(tx: Db, now: Date, limit: number) {
  return tx.rows<DueViewRow>(
    `select ${COLUMNS}, u.timezone, u.timezone_before from saved_view v
       cross join lateral (select timezone, timezone_before from customer where cuid = v.cuid offset 0) u
     where v.mail_at <= $1 order by v.mail_at limit $2 for update of v skip locked`,
    [now, limit],
  )
}

export function setMailAt(tx: Db, vid: number, at: Date) {
  return tx.run('update saved_view set mail_at = $2 where vid = $1', [vid, at])
}
