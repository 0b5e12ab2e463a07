// SQL that counts actions, in one statement and so in one transaction. Each action is written once per customer and
// `dedupe`. For exactly the new ones, a row is added to `fresh`, and one to `fresh_value` if they are worth something.
// Figures are made from these (see count/fold).

import type { Db } from '../../platform/database.ts'
import type { DatabaseMark } from '../../platform/rewind-check.ts'
import { mustNotBeRewound } from '../../platform/rewind-queries.ts'

const ACTION = `cuid, dedupe, at, name, value_micros, served_at, ad_id, credited_to, cid, fid, pid, bid, place_hash,
    locality, device, os, country, audience, by_pixel`

const FRESH = `cuid, cid, leaf, place_hash, locality, action_hash, quarter, day, spend_micros, hour, country, audience, kind,
    device, os`

const FRESH_VALUE = `cuid, cid, leaf, place_hash, locality, action_hash, value_micros, quarter, day, hour, country, audience,
    device, os`

/** Tells the trigger of the version before that it has nothing to add up; until the end of the transaction. */
const WITHOUT_TRIGGER = `(select set_config('marquee.values', 'fresh', true)) as told`

const INSERT_ACTIONS = `
  with input as materialized (
    select n, cuid, dedupe, to_timestamp(at_ms / 1000.0) as at, name, value_micros,
      to_timestamp(served_s) as served_at, decode(ad, 'hex') as ad_id, credited_to, cid, fid, pid, bid, place_hash,
      locality, device, os, country, audience, by_pixel, leaf, action_hash, quarter,
      date '1970-01-01' + day as day, hour, device_code, os_code, country_number
    from ${WITHOUT_TRIGGER}, rows from (json_to_recordset($1::json) as (cuid bigint, dedupe text, at_ms float8, name text,
      value_micros bigint, served_s bigint, ad text, credited_to text, cid bigint, fid bigint, pid bigint, bid bigint,
      place_hash bigint, locality bigint, device text, os text, country text, audience smallint, by_pixel boolean,
      leaf bigint, action_hash bigint, quarter integer, day integer, hour smallint, device_code "char", os_code "char",
      country_number smallint)) with ordinality
      as t(cuid, dedupe, at_ms, name, value_micros, served_s, ad, credited_to, cid, fid, pid, bid, place_hash, locality,
        device, os, country, audience, by_pixel, leaf, action_hash, quarter, day, hour, device_code, os_code,
        country_number, n)
  ),
  written as (
    insert into action (${ACTION}) select ${ACTION} from input order by cuid, dedupe
    on conflict (cuid, dedupe) do nothing returning cuid, dedupe
  ),
  counted as materialized (select input.* from input join written using (cuid, dedupe)),
  named as (
    insert into action_name (action_hash, name)
    select action_hash, min(name) from counted group by action_hash order by action_hash on conflict do nothing
  ),
  into_fresh as (
    insert into fresh (${FRESH})
    select cuid, cid, leaf, coalesce(place_hash, 0), locality, action_hash, quarter, day, 0, hour, country_number, audience,
      'a', device_code, os_code from counted
  ),
  into_values as (
    insert into fresh_value (${FRESH_VALUE})
    select cuid, cid, leaf, coalesce(place_hash, 0), locality, action_hash, value_micros, quarter, day, hour,
      country_number, audience, device_code, os_code from counted where value_micros <> 0
  )
  select n - 1 as known from input where not exists (select from counted where counted.n = input.n)
  union all ${mustNotBeRewound(2)} order by 1`

/** `actions` is JSON. Returns the positions of those that existed before. */
export async function insertActions(db: Db, actions: string, known: DatabaseMark): Promise<number[]> {
  const { process, mark, place } = known
  const rows = await db.rows<{ known: number }>(INSERT_ACTIONS, [actions, process, mark, place])
  return rows.map(row => row.known)
}
