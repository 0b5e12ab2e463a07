// SQL of flights. Every writer has locked the campaign's row, so flights need no locks of their own.

import type { Db } from '../../../platform/database.ts'
import type { Page } from '../../noun.ts'

export interface FlightFields {
  name: string
  start_at: Date
  end_at: Date
  /** Null: no limit. */
  total_spend_micros: number | null
}

export interface FlightRow extends FlightFields {
  fid: number
  cid: number
  is_default: boolean
  version: number
  created_at: Date
  updated_at: Date
}

/** The born flight has no dates of its own: its dates, version and last change are the campaign's. */
const COLUMNS = `f.fid, f.cid, f.is_default, f.name,
  coalesce(f.start_at, c.start_at) as start_at, coalesce(f.end_at, c.end_at) as end_at,
  f.total_spend_micros, case when f.is_default then c.version else f.version end as version, f.created_at,
  case when f.is_default then c.updated_at else f.updated_at end as updated_at`
const OWN_COLUMNS =
  'fid, cid, is_default, name, start_at, end_at, total_spend_micros, version, created_at, updated_at'
const OWN = 'f.cid = $1 and f.deleted_at is null and not f.is_default'

export function insertBornFlight(db: Db, cid: number, name: string, now: Date) {
  return db.run(
    'insert into flight (cid, is_default, name, created_at, updated_at) values ($1, true, $2, $3, $3)',
    [cid, name, now],
  )
}

export async function insertFlight(db: Db, cid: number, fields: FlightFields, now: Date) {
  return (await db.row<FlightRow>(
    `insert into flight (cid, is_default, created_at, updated_at, name, start_at, end_at, total_spend_micros)
     values ($1, false, $2, $2, $3, $4, $5, $6) returning ${OWN_COLUMNS}`,
    [cid, now, fields.name, fields.start_at, fields.end_at, fields.total_spend_micros],
  ))!
}

export function selectFlight(db: Db, cid: number, fid: number) {
  return db.row<FlightRow>(
    `select ${COLUMNS} from flight f join campaign c on c.cid = f.cid
     where f.fid = $2 and f.cid = $1 and f.deleted_at is null and c.deleted_at is null`,
    [cid, fid],
  )
}

/** The born flight is never deleted by itself. */
export function selectFlights(db: Db, cid: number, { after, limit, since }: Page) {
  const there = `select ${COLUMNS} from flight f join campaign c on c.cid = f.cid
     where f.cid = $1 and f.fid > $2 and f.deleted_at is null and c.deleted_at is null`
  const deleted = `select ${OWN_COLUMNS}, deleted_at from flight f
     where cid = $1 and fid > $2 and deleted_at is not null and deleted_at > $4`
  return db.rows<FlightRow & { deleted_at?: Date }>(`${since ? deleted : there} order by f.fid limit $3`, [
    ...[cid, after, limit],
    ...(since ? [since] : []),
  ])
}

export async function countOwnFlights(db: Db, cid: number): Promise<number> {
  const row = await db.row<{ count: number }>(`select count(*) as count from flight f where ${OWN}`, [cid])
  return row!.count
}

/** An own flight, other than `fid`, that overlaps `[start, end)`. */
export function selectOverlapping(db: Db, cid: number, fid: number, start: Date, end: Date) {
  return db.row<FlightRow>(
    `select ${OWN_COLUMNS} from flight f
     where ${OWN} and f.fid <> $2 and f.start_at < $4 and f.end_at > $3 order by f.start_at limit 1`,
    [cid, fid, start, end],
  )
}

/** An own flight that is not wholly within `[start, end)`. */
export function selectOutside(db: Db, cid: number, start: Date, end: Date) {
  return db.row<FlightRow>(
    `select ${OWN_COLUMNS} from flight f
     where ${OWN} and (f.start_at < $2 or f.end_at > $3) order by f.start_at limit 1`,
    [cid, start, end],
  )
}

export async function updateFlight(db: Db, fid: number, fields: FlightFields, now: Date) {
  return (await db.row<FlightRow>(
    `update flight set updated_at = $2, version = version + 1, name = $3, start_at = $4, end_at = $5,
       total_spend_micros = $6
     where fid = $1 returning ${OWN_COLUMNS}`,
    [fid, now, fields.name, fields.start_at, fields.end_at, fields.total_spend_micros],
  ))!
}

export function hideFlight(db: Db, fid: number, now: Date) {
  return db.run(
    'update flight set deleted_at = $2, updated_at = $2, version = version + 1 where fid = $1 and deleted_at is null',
    [fid, now],
  )
}
