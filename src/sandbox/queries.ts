// SQL of sandboxes: the mark and the clock in the database, and what falls due next.

import type pg from 'pg'
import type { WantedAttributes } from '../manage/attributes/contract.ts'
import { wantedInOrder } from '../manage/attributes/wanted.ts'
import { isWanted } from '../manage/campaigns/state-queries.ts'
import type { Db } from '../platform/database.ts'

export interface StoredClock {
  startMs: number
  nowMs: number
  seed: string
  /** How often the sandbox was reset. */
  resets: number
}

/** The functions by which statements get the time. Ours are found before PostgreSQL's. */
const FUNCTIONS = ['now', 'transaction_timestamp', 'statement_timestamp', 'clock_timestamp']

/** Null: the database is not a sandbox. */
export async function selectClock(client: pg.ClientBase): Promise<StoredClock | null> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('sandbox.clock') is not null as there`,
  )
  if (!rows[0]!.there) return null
  const found = await client.query<{ start_ms: number; now_ms: number; seed: string; resets: number }>(
    // Sandboxes of the first version have no column for resets.
    `select extract(epoch from start_at)::float8 * 1000 as start_ms, extract(epoch from now_at)::float8 * 1000 as now_ms,
       seed, coalesce((to_jsonb(c) ->> 'resets')::integer, 0) as resets from sandbox.clock c`,
  )
  const { start_ms, now_ms, seed, resets } = found.rows[0]!
  return { startMs: Math.round(start_ms), nowMs: Math.round(now_ms), seed, resets }
}

/** Whether a deployment has started on this database before. */
export async function hasTables(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('public.migration') is not null as there`,
  )
  return rows[0]!.there
}

/**
 * Marks an empty database as a sandbox forever. New tables are created in `public` as always; the search path applies
 * to connections opened from now on.
 */
export async function createSandbox(client: pg.ClientBase, { startMs, seed }: StoredClock): Promise<void> {
  await client.query('begin')
  await client.query('create schema sandbox')
  await client.query(
    `create table sandbox.clock (
       only_row boolean primary key default true check (only_row), start_at timestamptz not null,
       now_at timestamptz not null, seed text not null, resets integer not null default 0
     )`,
  )
  for (const name of FUNCTIONS)
    await client.query(
      `create function sandbox.${name}() returns timestamptz language sql stable parallel safe
       as 'select now_at from sandbox.clock'`,
    )
  await client.query(
    `insert into sandbox.clock (start_at, now_at, seed)
     values (to_timestamp($1::float8 / 1000), to_timestamp($1::float8 / 1000), $2)`,
    [startMs, seed],
  )
  await client.query(
    `do $$ begin
       execute format('alter database %I set search_path = public, sandbox, pg_catalog', current_database());
     end $$`,
  )
  await client.query('commit')
}

/** A search path cannot replace keywords, so functions of migrations that use them are created again without. */
export async function replaceKeywords(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ text: string }>(
    `select pg_get_functiondef(p.oid) as text from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname = 'public' and p.prokind = 'f'
       and p.prosrc ~* '\\m(current_date|current_timestamp|localtimestamp)\\M'`,
  )
  for (const { text } of rows)
    await client.query(
      text
        .replaceAll(/\bcurrent_date\b/gi, '(now()::date)')
        .replaceAll(/\b(current_timestamp|localtimestamp)\b/gi, '(now())'),
    )
}

/**
 * Gives rows that background work adds ids from a range of their own; otherwise the ids of customers, campaigns and so
 * on would depend on the moment at which that work runs.
 */
export async function separateIds(client: pg.ClientBase): Promise<void> {
  await client.query('create sequence if not exists sandbox.ids start 1000000000000')
  for (const [table, column] of [
    ['webhook_delivery', 'did'],
    ['leaf', 'leaf'],
  ])
    await client.query(`alter table ${table} alter column ${column} set default nextval('sandbox.ids')`)
}

/** Users are told apart by this secret, so that the same seed gives the same figures. */
export async function keepSecret(client: pg.ClientBase, name: string, value: Buffer): Promise<void> {
  await client.query('insert into secret (name, value) values ($1, $2) on conflict do nothing', [name, value])
}

/** Forward only, because another process may move it too. */
export async function setClock(db: Db, nowMs: number): Promise<void> {
  await db.run('update sandbox.clock set now_at = greatest(now_at, to_timestamp($1::float8 / 1000))', [nowMs])
}

export async function selectNowMs(db: Db): Promise<number> {
  const row = await db.row<{ ms: number }>(
    'select extract(epoch from now_at)::float8 * 1000 as ms from sandbox.clock',
  )
  return Math.round(row!.ms)
}

/**
 * Everything that waits for its time: a job, an attempt of a webhook or an email, a campaign's date, a report, the rest
 * of an erasure, the end of a proposal. A test checks that no such column is missing here.
 */
export const WAITING = [
  ['run_at', 'graphile_worker.jobs', 'attempts < max_attempts'],
  ['next_at', 'webhook_delivery', "state = 'pending'"],
  ['next_at', 'mail', "state = 'waiting'"],
  ['due_at', 'campaign_watch', 'true'],
  ['report_at', 'mail_choice', 'true'],
  ['mail_at', 'saved_view', 'true'],
  ['erasure_due_at', 'customer', 'true'],
  ['next_at', 'landing_page', 'true'],
  ['expires_at', 'proposal', "status = 'pending'"],
]

export interface NextDue {
  /** Null: nothing falls due. */
  nextMs: number | null
  /** Whether something is overdue. */
  isLate: boolean
}

export async function selectNextDue(db: Db, nowMs: number): Promise<NextDue> {
  const row = await db.row<NextDue>(
    `select extract(epoch from least(
       ${WAITING.map(([at, table, where]) => `(select min(${at}) from ${table} where ${at} > $1 and ${where})`).join(', ')}
     ))::float8 * 1000 as "nextMs",
     ${WAITING.map(([at, table, where]) => `exists (select from ${table} where ${at} <= $1 and ${where})`).join(' or ')}
       as "isLate"`,
    [new Date(nowMs)],
  )
  return row!
}

/** Keeps staff signed in who move the clock in the console. */
export function prolongStaffSessions(db: Db, byMs: number) {
  return db.run(
    `update console_session set idle_until = idle_until + $1 * interval '1 millisecond',
       ends_at = ends_at + $1 * interval '1 millisecond'
     where super_key is not null and idle_until > now() and ends_at > now()`,
    [byMs],
  )
}

/** The time zones of all customers that are not deleted. */
export async function selectZones(db: Db): Promise<string[]> {
  const rows = await db.rows<{ timezone: string }>(
    'select distinct timezone from customer where timezone is not null and deleted_at is null order by timezone',
  )
  return rows.map(row => row.timezone)
}

/** Whether banners are compared: a campaign is paid by click, or a persona takes the best of its banners. */
export async function isAnyByClick(db: Db): Promise<boolean> {
  const row = await db.row(
    `(select cid from campaign where cpc_micros is not null limit 1)
     union all (select cid from persona where rotation = 'best' and deleted_at is null limit 1)`,
  )
  return row !== null
}

/** The owner of a campaign, if it is this app's and exists. */
export async function selectCampaignOwner(db: Db, appId: number, cid: number): Promise<number | null> {
  const row = await db.row<{ cuid: number }>(
    `select c.cuid from campaign c join customer u on u.cuid = c.cuid
     where c.cid = $1 and u.app_id = $2 and c.deleted_at is null and u.deleted_at is null`,
    [cid, appId],
  )
  return row?.cuid ?? null
}

/** The owner of a proposal, if it is this app's and exists. */
export async function selectProposalOwner(db: Db, appId: number, id: number): Promise<number | null> {
  const row = await db.row<{ cuid: number }>(
    `select p.cuid from proposal p join customer u on u.cuid = p.cuid
     where p.proposal_id = $1 and u.app_id = $2 and u.deleted_at is null`,
    [id, appId],
  )
  return row?.cuid ?? null
}

/** The place of a banner, if it is this app's and exists. */
export function selectBannerPlace(
  db: Db,
  appId: number,
  bid: number,
): Promise<{ cuid: number; cid: number; pid: number } | null> {
  return db.row(
    `select c.cuid, c.cid, p.pid from banner b join persona p on p.pid = b.pid join campaign c on c.cid = p.cid
       join customer u on u.cuid = c.cuid
     where b.bid = $1 and u.app_id = $2 and b.deleted_at is null and u.deleted_at is null`,
    [bid, appId],
  )
}

export interface TargetedPersona {
  geo: { geos: string[] } | { radius: number; geocode: [lat: number, lon: number] }
  cat: string[]
}

const RUNNING = `${isWanted('now()')} and p.enabled and p.deleted_at is null`

/** The targeting of the newest personas of campaigns that are not over. */
export function selectTargeted(db: Db, most: number): Promise<TargetedPersona[]> {
  return db.rows<TargetedPersona>(
    `select p.geo, p.cat from persona p join campaign c using (cid) where ${RUNNING} order by p.pid desc limit $1`,
    [most],
  )
}

/** What the newest personas of the app want of its attributes, of campaigns that are not over. */
export async function selectWanted(db: Db, appId: number, most: number): Promise<WantedAttributes[]> {
  const rows = await db.rows<{ attributes: WantedAttributes }>(
    `select p.attributes from persona p join campaign c using (cid) join customer u using (cuid)
     where u.app_id = $1 and p.attributes <> '{}' and ${RUNNING} order by p.pid desc limit $2`,
    [appId, most],
  )
  return rows.map(({ attributes }) => wantedInOrder(attributes))
}

/** The sizes of the newest banners, as `300x250`. */
export async function selectSizes(db: Db, most: number): Promise<string[]> {
  const rows = await db.rows<{ size: string }>(
    `select b.width || 'x' || b.height as size
     from banner b join persona p using (pid) join campaign c using (cid)
     where b.status = 'approved' and b.enabled and b.deleted_at is null and ${RUNNING} order by b.bid desc limit $1`,
    [most],
  )
  return [...new Set(rows.map(({ size }) => size))]
}
