// SQL of the ingest. Each write is one statement, and so one transaction and one round trip: new events are written,
// paid for and added to `fresh`. Figures are made later: see ../fold. Rows are touched in the order of their keys, and
// tables always in the same order, so that two processes may wait for each other but never deadlock.

import type { Db } from '../../platform/database.ts'
import type { DatabaseMark } from '../../platform/rewind-check.ts'
import { mustNotBeRewound } from '../../platform/rewind-queries.ts'
import { mustBePaid, type PayFor, payPart } from './pay-queries.ts'

/** PostgreSQL's text form of arrays, prepared beforehand: `{1,2,NULL}`. One entry per event. */
export interface EventColumns {
  /** When the ad was served, and its id, as 32 hexadecimal digits. */
  ads: string
  kinds: string
  atMs: string
  leaves: string
  cuids: string
  cids: string
  sourceIds: string
  budgetDays: string
  spendMicros: string
  userHis: string
  userLos: string
  placeHashes: string
  localities: string
  devices: string
  oses: string
  countries: string
  audiences: string
  /** Quarters of an hour since 1970, and what the customer's clocks show then: days since 1970, and the hour. */
  quarters: string
  days: string
  hours: string
  /** The nodes whose shares pay, and the caps of the campaigns. */
  nodeIds: string
  freqs: string
  /** The flights that pay; null: no flight pays. */
  payers: string | null
}

/** `payers` is the number of their parameter; null: no flight pays. */
const inputOf = (payers: number | null) => `
  select n, ad, kind, to_timestamp(at_ms / 1000.0) as at, leaf, cuid, cid, source_id, budget_day, spend_micros, user_hi,
    user_lo, place_hash, locality, device, os, country, audience, quarter, date '1970-01-01' + day as day, hour, node_id,
    freq${payers ? ', payer' : ''}
  from unnest($1::uuid[], $2::"char"[], $3::float8[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
    $8::integer[], $9::integer[], $10::integer[], $11::integer[], $12::bigint[], $13::bigint[], $14::"char"[],
    $15::"char"[], $16::smallint[], $17::smallint[], $18::integer[], $19::integer[], $20::smallint[], $21::integer[],
    $22::integer[]${payers ? `, $${payers}::bigint[]` : ''})
    with ordinality
    as t(ad, kind, at_ms, leaf, cuid, cid, source_id, budget_day, spend_micros, user_hi, user_lo, place_hash, locality,
      device, os, country, audience, quarter, day, hour, node_id, freq${payers ? ', payer' : ''}, n)`

const EVENT = `ad, at, cid, leaf, source_id, place_hash, locality, user_hi, user_lo, spend_micros, budget_day, country,
    audience, kind, device, os`

const FRESH = `cuid, cid, leaf, place_hash, locality, action_hash, quarter, day, spend_micros, hour, country, audience, kind,
    device, os`

/** Avoids `exists`, which the planner turns into a join that reads every day of events for a handful of views. */
const SEEN = `(select true from event i where i.ad = input.ad and i.kind = 'i')`
/** An impression may be in the same batch as its click. */
const SEEN_CLICK = `(kind <> 'c' or ${SEEN}
      or input.ad = any(array(select s.ad from input s where s.kind = 'i')))`

/** Views and clicks count only if their impression was counted. */
function filterOf(pays: PayFor | null): string {
  if (pays === null) return ` where ${SEEN}`
  return pays.clicks ? ` where ${SEEN_CLICK}` : ''
}

/** `pays` is null for views. */
const insertText = (pays: PayFor | null) => `
  with input as materialized (${inputOf(pays?.flights ? (pays.others ? 27 : 26) : null)}),
  written as (
    insert into event (${EVENT}) select ${EVENT} from input${filterOf(pays)} order by ad, kind
    on conflict do nothing returning ad, kind
  ),
  counted as materialized (select input.*, 0 as action_hash from input join written using (ad, kind)),
  into_fresh as (insert into fresh (${FRESH}) select ${FRESH} from counted)${pays ? `,${payPart(pays)}` : ''}
  select ${pays?.clicks ? `case when ${SEEN_CLICK} then n - 1 else -n end` : 'n - 1'} as known
  from input where not exists (select from counted where counted.n = input.n)
  union all ${mustNotBeRewound(23)}${pays ? ` union all ${mustBePaid(pays)}` : ''}`

const BOTH = [false, true]
const INSERT_VIEWS = insertText(null)
/** The statement by what a batch contains; most contain none of these. */
const INSERT_EVENTS = BOTH.map(caps =>
  BOTH.map(others => BOTH.map(clicks => BOTH.map(flights => insertText({ caps, others, clicks, flights })))),
)

function textOf({ caps, others, clicks, flights }: PayFor): string {
  return INSERT_EVENTS[Number(caps)]![Number(others)]![Number(clicks)]![Number(flights)]!
}

/** Positions of events that existed before, and of clicks whose impression was not counted. */
export interface NotCounted {
  known: number[]
  unseen: number[]
}

/** Writes events as the node `nodeId`. `pays` is null for views. */
export async function insertEvents(
  db: Db,
  columns: EventColumns,
  known: DatabaseMark,
  nodeId: number,
  pays: PayFor | null,
): Promise<NotCounted> {
  const text = pays === null ? INSERT_VIEWS : textOf(pays)
  const rows = await db.rows<{ known: number }>(text, [
    columns.ads,
    columns.kinds,
    columns.atMs,
    columns.leaves,
    columns.cuids,
    columns.cids,
    columns.sourceIds,
    columns.budgetDays,
    columns.spendMicros,
    columns.userHis,
    columns.userLos,
    columns.placeHashes,
    columns.localities,
    columns.devices,
    columns.oses,
    columns.countries,
    columns.audiences,
    columns.quarters,
    columns.days,
    columns.hours,
    columns.nodeIds,
    columns.freqs,
    ...[known.process, known.mark, known.place],
    ...(pays?.others ? [nodeId] : []),
    ...(pays?.flights ? [columns.payers] : []),
  ])
  const at = rows.map(row => row.known)
  return { known: at.filter(n => n >= 0), unseen: at.filter(n => n < 0).map(n => -n - 1) }
}

/** `ad` has the form of the column. */
export async function hasImpression(db: Db, ad: string): Promise<boolean> {
  return (await db.row(`select from event where ad = $1::uuid and kind = 'i'`, [ad])) !== null
}

export interface LeafRow {
  leaf: number
  cuid: number
  cid: number
  fid: number
  pid: number
  bid: number
}

/** Returns the leaves of these rows, and creates missing ones. Duplicates are returned once. */
export async function ensureLeaves(db: Db, rows: Omit<LeafRow, 'leaf'>[]): Promise<LeafRow[]> {
  const columns = (['cuid', 'cid', 'fid', 'pid', 'bid'] as const).map(name => rows.map(row => row[name]))
  const wanted = `unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
    as w(cuid, cid, fid, pid, bid)`
  await db.run(
    `insert into leaf (cuid, cid, fid, pid, bid) select distinct w.* from ${wanted}
     where not exists (
       select from leaf l where (l.cid, l.fid, l.pid, l.bid, l.cuid) = (w.cid, w.fid, w.pid, w.bid, w.cuid)
     ) order by 2, 3, 4, 5, 1 on conflict do nothing`,
    columns,
  )
  return db.rows<LeafRow>(
    `select distinct l.leaf, l.cuid, l.cid, l.fid, l.pid, l.bid from ${wanted} join leaf l using (cuid, cid, fid, pid, bid)`,
    columns,
  )
}

export interface PlaceRow {
  place_hash: number
  kind: 'domain' | 'app'
  name: string
}

export function insertPlaces(db: Db, rows: PlaceRow[]) {
  return db.run(
    `insert into place (place_hash, kind, name)
     select * from unnest($1::bigint[], $2::text[], $3::text[]) as t(place_hash, kind, name) order by place_hash
     on conflict do nothing`,
    [rows.map(row => row.place_hash), rows.map(row => row.kind), rows.map(row => row.name)],
  )
}

export interface LocalityRow {
  locality: number
  country: string
  region: string
  city: string
}

export function insertLocalities(db: Db, rows: LocalityRow[]) {
  return db.run(
    `insert into locality (locality, country, region, city)
     select * from unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) as t(locality, country, region, city)
     order by locality on conflict do nothing`,
    [
      rows.map(row => row.locality),
      rows.map(row => row.country),
      rows.map(row => row.region),
      rows.map(row => row.city),
    ],
  )
}

export interface FilteredColumns {
  ids: number[]
  days: string[]
  reasons: string[]
  imps: number[]
  clicks: number[]
  actions: number[]
}

export function addFiltered(db: Db, columns: FilteredColumns) {
  return db.run(
    `insert into rollup_filtered as r (id, day, reason, imps, clicks, actions)
     select id, day, reason, sum(imps), sum(clicks), sum(actions)
     from unnest($1::bigint[], $2::date[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])
       as t(id, day, reason, imps, clicks, actions)
     group by id, day, reason order by id, day, reason
     on conflict (id, day, reason) do update set imps = r.imps + excluded.imps,
       clicks = r.clicks + excluded.clicks, actions = r.actions + excluded.actions`,
    [columns.ids, columns.days, columns.reasons, columns.imps, columns.clicks, columns.actions],
  )
}
