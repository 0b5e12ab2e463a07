// The figures of an id, and a check that all figures equal the events, added up independently.

import { expect } from 'vitest'
import type { Db } from '../../src/platform/database.ts'
import { breakdown } from '../../src/report/figures/breakdown.ts'
import { DIMENSIONS as DIMENSION_NAMES } from '../../src/report/figures/contract.ts'
import { zoneOfSetting } from '../../src/report/figures/zone.ts'

export const NONE = { imps: 0, clicks: 0, actions: 0, spend: 0 }

const FRESH_COUNTS = `(kind = 'i')::integer as imps, (kind = 'c')::integer as clicks, (kind = 'a')::integer as actions,
  spend_micros`

/** Figures that are folded, and those that are not yet. */
const QUARTERS = `(
  select id, quarter, imps, clicks, actions, spend_micros from rollup
  union all
  select id, to_timestamp(quarter * 900), imps, clicks, actions, spend_micros from rollup_unpacked
  union all
  select id, to_timestamp(quarter * 900), ${FRESH_COUNTS} from fresh join leaf using (leaf, cid, cuid),
    unnest(array[cuid, cid, fid, pid, bid]) as id
)`

const FRESH_DIMENSIONS = `lateral (values ('p', place_hash), ('o', os::integer), ('d', device::integer), ('c', country),
    ('h', hour), ('l', locality), ('k', audience / 16), ('u', audience % 16), ('a', nullif(action_hash, 0))
  ) as d(dimension, name) where d.name is not null`

const DIMENSIONS = `(
  select id, dimension::text, day, name, imps, clicks, actions, spend_micros from rollup_dimension
  where id > 0
  union all
  select id, dimension::text, day, name, imps, clicks, actions, spend_micros from rollup_dimension_unpacked
  where id > 0
  union all
  select leaf, d.dimension, day, d.name, ${FRESH_COUNTS} from fresh, ${FRESH_DIMENSIONS}
)`

/** The customers' own sums, under their negated ids; their hours are counted by quarters. */
const OWN_DIMENSIONS = `(
  select id, dimension::text, day, name, imps, clicks, actions, spend_micros from rollup_dimension
  where id < 0
  union all
  select id, dimension::text, day, name, imps, clicks, actions, spend_micros from rollup_dimension_unpacked
  where id < 0
  union all
  select -cuid, d.dimension, day, d.name, ${FRESH_COUNTS} from fresh, ${FRESH_DIMENSIONS} and d.dimension <> 'h'
)`

const CUSTOMERS = `(
  select cuid, day, cid, pid, imps, clicks, actions, spend_micros from rollup_customer
  union all
  select cuid, day, cid, pid, ${FRESH_COUNTS} from fresh join leaf using (leaf, cid, cuid)
)`

/** What conversions were worth, folded and not yet. */
const VALUES = `(
  select id, quarter, value_micros from rollup_value
  union all
  select id, to_timestamp(quarter * 900), value_micros from fresh_value join leaf using (leaf, cid, cuid),
    unnest(array[cuid, cid, fid, pid, bid]) as id
)`

const WORTH = `lateral (
    select o.id, d.dimension, d.name from (values (leaf), (-cuid)) as o(id), (values ('p', place_hash), ('o', os::integer),
      ('d', device::integer), ('c', country), ('l', locality), ('k', audience / 16), ('u', audience % 16), ('a', action_hash)
    ) as d(dimension, name)
    union all
    values (-cuid, 'g', cid), (-cuid, 'n', pid)
  ) as d`

const VALUE_DIMENSIONS = `(
  select id, dimension::text, day, name, value_micros from rollup_value_dimension
  union all
  select d.id, d.dimension, day, d.name, value_micros from fresh_value join leaf using (leaf, cid, cuid), ${WORTH}
)`

export function figuresOf(db: Db, id: number) {
  return db.row(
    `select coalesce(sum(imps), 0) as imps, coalesce(sum(clicks), 0) as clicks, coalesce(sum(actions), 0) as actions,
       coalesce(sum(spend_micros), 0) as spend from ${QUARTERS} quarters where id = $1`,
    [id],
  )
}

/** Everything that was counted, in the database's codes. */
const FACTS = (zone: string) => `fact as (
  select kind, at, l.cuid, e.cid, l.fid, l.pid, l.bid, leaf, spend_micros, place_hash, locality, audience, country, device, os,
    null as action, 0 as value_micros
  from event e join leaf l using (leaf)
  union all
  select 'a', at, cuid, cid, fid, pid, bid, leaf, 0, coalesce(place_hash, 0), locality, audience,
    coalesce((ascii(country) - 65) * 26 + ascii(substring(country from 2)) - 64, 0),
    coalesce(left(device, 1), '?')::"char", (case os when 'Windows' then 'w' when 'macOS' then 'm' when 'Linux' then 'l'
      when 'Android' then 'a' when 'iOS' then 'i' when 'Chrome OS' then 'c' when 'other' then 'o' else '?' end)::"char",
    name, value_micros
  from action join leaf l using (cuid, cid, fid, pid, bid)
), counted as (
  select *, (at at time zone '${zone}')::date as day, extract(hour from at at time zone '${zone}') as hour,
    (kind = 'i')::integer as imps, (kind = 'c')::integer as clicks, (kind = 'a')::integer as actions from fact
)`

const SUMS =
  'sum(imps) as imps, sum(clicks) as clicks, sum(actions) as actions, sum(spend_micros) as spend_micros'

/**
 * Checks every quarter of every id, every day of every dimension, what conversions were worth, and every campaign's
 * budget. `hours`: also the hours of the day, which exist until they are packed.
 */
export async function figuresMustBeTheEvents(db: Db, zone = 'UTC', hours = true): Promise<void> {
  const compare = async (keys: string, wanted: string, found: string, sums = SUMS) => {
    const side = (from: string) => `select ${keys}, ${sums} from ${from} group by ${keys}`
    const wrong = await db.rows(
      `with ${FACTS(zone)}, wanted as (${side(`(${wanted}) w`)}), found as (${side(`${found} f`)})
       (select 'wanted' as side, * from (select * from wanted except select * from found) missing)
       union all (select 'found', * from (select * from found except select * from wanted) extra) limit 20`,
    )
    expect(wrong).toEqual([])
  }
  await compare(
    'id, quarter',
    `select id, date_bin('15 minutes', at, 'epoch') as quarter, imps, clicks, actions, spend_micros
     from counted, unnest(array[cuid, cid, fid, pid, bid]) as id`,
    QUARTERS,
  )
  const dimensionsOf = (
    id: string,
  ) => `select ${id} as id, d.dimension, day, d.name, imps, clicks, actions, spend_micros
     from counted left join action_name n on n.name = action,
     lateral (values ('p', place_hash), ('o', os::integer), ('d', device::integer), ('c', country), ('h', hour::bigint),
       ('l', locality), ('k', audience / 16), ('u', audience % 16), ('a', n.action_hash)) as d(dimension, name)
     where d.name is not null`
  const withoutHours = (from: string) => `(select * from ${from} all_of_them where dimension <> 'h')`
  const key = 'id, dimension, day, name'
  if (hours) await compare(key, dimensionsOf('leaf'), DIMENSIONS)
  else await compare(key, withoutHours(`(${dimensionsOf('leaf')})`), withoutHours(DIMENSIONS))
  await compare(key, withoutHours(`(${dimensionsOf('-cuid')})`), OWN_DIMENSIONS)
  await compare(
    'cuid, day, cid, pid',
    'select cuid, day, cid, pid, imps, clicks, actions, spend_micros from counted',
    CUSTOMERS,
  )
  const worth = 'sum(value_micros) as value_micros'
  await compare(
    'id, quarter',
    `select id, date_bin('15 minutes', at, 'epoch') as quarter, value_micros
     from counted, unnest(array[cuid, cid, fid, pid, bid]) as id where value_micros <> 0`,
    VALUES,
    worth,
  )
  await compare(
    key,
    `select d.id, d.dimension, day, d.name, value_micros
     from counted join action_name n on n.name = action, ${WORTH} where value_micros <> 0`,
    VALUE_DIMENSIONS,
    worth,
  )
  const wrongBudgets = await db.rows(
    `select * from (
       select cid, budget_day as day, sum(spend_micros) as spent from event where kind = 'i' or spend_micros > 0 group by 1, 2
     ) w full join budget_day b using (cid, day) where w.spent is distinct from b.spent_micros`,
  )
  expect(wrongBudgets).toEqual([])
}

/** The number of rows that are not folded yet. */
export async function freshRows(db: Db): Promise<number> {
  return (await db.row<{ n: number }>('select count(*) as n from fresh'))!.n
}

/** A campaign's breakdown by every dimension, with keys such as `domain:news.example`: impressions, clicks, actions. */
export async function brokenDown(db: Db, cid: number): Promise<Record<string, [number, number, number]>> {
  const subject = { id: cid, kind: 'campaign' as const, cid, startS: 0, endS: 0 }
  const found: Record<string, [number, number, number]> = {}
  for (const dimension of DIMENSION_NAMES.filter(name => name !== 'campaign')) {
    for (const row of (await breakdown(db, subject, dimension, {}, zoneOfSetting('UTC'))).breakdown)
      found[`${dimension}:${row.name}`] = [row.imps, row.clicks, row.actions]
  }
  return found
}
