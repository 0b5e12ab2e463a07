// SQL of breakdowns, one statement each over the rollups and `fresh`. Names are stored as numbers (see the migration).
// Names that the program knows are passed as a list; names of places and actions are in the database.

import type { Db } from '../../platform/database.ts'
import type { Counts } from './figures.ts'
import {
  ALL_SUMS,
  type Asked,
  type Bounds,
  FRESH_OF,
  FRESH_SUMS,
  LEAVES_OF,
  OLD_IDS_OF,
  SUMS,
  VALUE_SUMS,
} from './queries.ts'

export interface NamedRow extends Counts {
  /** Null: the row of all the rest. */
  name: string | null
}

export interface Code {
  code: number
  name: string
}

/** The name of unknown values. */
export const UNKNOWN = 'unknown'
/** Ads shown elsewhere: those in apps in the breakdown by domain, and those on sites in the breakdown by app. */
export const IN_APPS = '(app)'
export const ON_SITES = '(web)'

/** Largest first; everything beyond the limit is one last row. `named` selects names and sums; names may repeat. */
function ranked(named: string, order: string, limit: string): string {
  return `select name, sum(imps) as imps, sum(views) as views, sum(clicks) as clicks, sum(actions) as actions,
      sum(spend_micros) as "spendMicros", sum(value_micros) as "valueMicros"
    from (
      select case when row_number() over w <= ${limit} then name end as name, row_number() over w as place, imps, views,
        clicks, actions, spend_micros, value_micros
      from (select name, ${ALL_SUMS} from (${named}) n group by name) whole
      window w as (order by ${order}, name)
    ) ranked group by name order by min(place)`
}

const COUNTS = 'imps, views, clicks, actions, spend_micros, 0::bigint as value_micros'

const BY_IMPS = 'imps desc, clicks desc, actions desc'
const BY_ACTIONS = 'actions desc, imps desc'

export type CodedDimension = 'os' | 'device' | 'country' | 'category' | 'age' | 'gender'

const CODED: Record<CodedDimension, { letter: string; fresh: string }> = {
  os: { letter: 'o', fresh: 'os::integer' },
  device: { letter: 'd', fresh: 'device::integer' },
  country: { letter: 'c', fresh: 'country' },
  category: { letter: 'k', fresh: 'audience / 16' },
  age: { letter: 'u', fresh: 'audience % 16' },
  gender: { letter: 'u', fresh: 'audience % 16' },
}

const SINCE = '(select day from customer_sums_since)'

/** Selects sums by leaf, and figures that are older than leaves. */
const OF_LEAVES = (kind: Asked['kind']) =>
  `id = any(array(select leaf from leaf where ${LEAVES_OF[kind]}) || ${OLD_IDS_OF[kind]}) and day >= $3 and day < $4`

/** A customer has sums of its own. Figures older than those are read from its leaves if the period includes them. */
const WHERE: Record<Asked['kind'], string[]> = {
  customer: [
    `id = -$1::bigint and day >= greatest($3::date, ${SINCE}) and day < $4`,
    `id = any(case when $3::date < ${SINCE}
        then array(select leaf from leaf where ${LEAVES_OF.customer}) || ${OLD_IDS_OF.customer} end)
      and day >= $3 and day < least($4::date, ${SINCE})`,
  ],
  campaign: [OF_LEAVES('campaign')],
  flight: [OF_LEAVES('flight')],
  persona: [OF_LEAVES('persona')],
  banner: [OF_LEAVES('banner')],
}

const VALUES_OF_LEAVES = (kind: Asked['kind']) =>
  `id = any(array(select leaf from leaf where ${LEAVES_OF[kind]})) and day >= $3 and day < $4`
/** Selects values; a customer has all of its own. */
const VALUES_OF: Record<Asked['kind'], string> = {
  customer: 'id = -$1::bigint and day >= $3 and day < $4',
  campaign: VALUES_OF_LEAVES('campaign'),
  flight: VALUES_OF_LEAVES('flight'),
  persona: VALUES_OF_LEAVES('persona'),
  banner: VALUES_OF_LEAVES('banner'),
}

/** The months that the days from $3 to $4 touch. */
const MONTHS = `month >= date_trunc('month', $3::date) and month < $4::date`

/** Sums by the number that stands for a name, from the rollups (packed or not) and from fresh rows. */
function byNumber(kind: Asked['kind'], letter: string, fresh: string, freshOnly = ''): string {
  const folded = WHERE[kind].flatMap(where => [
    `select name::bigint as code, ${SUMS} from rollup_dimension where ${where} and dimension = '${letter}' group by name`,
    `select name, ${SUMS} from rollup_dimension_unpacked where ${where} and dimension = '${letter}' and ${MONTHS}
      group by name`,
  ])
  return `${folded.join('\n    union all\n    ')}
    union all
    select (${fresh})::bigint, ${FRESH_SUMS} from fresh where ${FRESH_OF[kind]} and day >= $3 and day < $4 ${freshOnly}
    group by 1
    union all
    select name, ${VALUE_SUMS} from rollup_value_dimension where ${VALUES_OF[kind]} and dimension = '${letter}' group by name`
}

export function sumCoded(
  db: Db,
  { id, kind, cid }: Asked,
  dimension: CodedDimension,
  { from, to }: Bounds,
  limit: number,
  codes: Code[],
) {
  const { letter, fresh } = CODED[dimension]
  const named = `select coalesce(t.name, '${UNKNOWN}') as name, n.* from (${byNumber(kind, letter, fresh)}) n
    left join unnest($6::bigint[], $7::text[]) as t(code, name) using (code)`
  return db.rows<NamedRow>(ranked(named, BY_IMPS, '$5'), [
    id,
    cid,
    from,
    to,
    limit,
    codes.map(item => item.code),
    codes.map(item => item.name),
  ])
}

export function sumPlaces(
  db: Db,
  { id, kind, cid }: Asked,
  dimension: 'domain' | 'app',
  { from, to }: Bounds,
  limit: number,
) {
  const elsewhere = dimension === 'domain' ? IN_APPS : ON_SITES
  const named = `select case when p.kind is null then '${UNKNOWN}' when p.kind = $6 then p.name else '${elsewhere}' end
      as name, n.* from (${byNumber(kind, 'p', 'place_hash')}) n left join place p on p.place_hash = n.code`
  return db.rows<NamedRow>(ranked(named, BY_IMPS, '$5'), [id, cid, from, to, limit, dimension])
}

const LOCALITY_NAME = {
  region: `l.country || '-' || l.region`,
  city: `case when l.city <> '' then l.country || '-' || l.region || '-' || l.city end`,
}

/** By the codes that personas use: `CA-ON`, `CA-ON-Toronto`. */
export function sumLocalities(
  db: Db,
  { id, kind, cid }: Asked,
  dimension: 'region' | 'city',
  { from, to }: Bounds,
  limit: number,
) {
  const named = `select coalesce(${LOCALITY_NAME[dimension]}, '${UNKNOWN}') as name, n.*
    from (${byNumber(kind, 'l', 'locality')}) n left join locality l on l.locality = n.code`
  return db.rows<NamedRow>(ranked(named, BY_IMPS, '$5'), [id, cid, from, to, limit])
}

export function sumActions(db: Db, { id, kind, cid }: Asked, { from, to }: Bounds, limit: number) {
  const named = `select coalesce(a.name, '${UNKNOWN}') as name, n.*
    from (${byNumber(kind, 'a', 'action_hash', "and kind = 'a'")}) n left join action_name a on a.action_hash = n.code`
  return db.rows<NamedRow>(ranked(named, BY_ACTIONS, '$5'), [id, cid, from, to, limit])
}

const BEFORE = { banner: 'b', persona: 'n' }
const ID = { banner: 'bid', persona: 'pid' }

/** By id. A leaf is of one banner and persona; its sums are read by device, the dimension with the fewest rows. */
const byPart = (kind: Asked['kind'], dimension: 'banner' | 'persona') => `
    select l.${ID[dimension]} as part, ${SUMS}
    from (select * from leaf where ${LEAVES_OF[kind]} offset 0) l join rollup_dimension d on d.id = l.leaf
    where d.dimension = 'd' and d.day >= $3 and d.day < $4 group by 1
    union all
    select l.${ID[dimension]}, ${SUMS}
    from (select * from leaf where ${LEAVES_OF[kind]} offset 0) l join rollup_dimension_unpacked d on d.id = l.leaf
    where d.dimension = 'd' and d.day >= $3 and d.day < $4 and ${MONTHS} group by 1
    union all
    select name, ${SUMS} from rollup_dimension
    where id = any(${OLD_IDS_OF[kind]}) and dimension = '${BEFORE[dimension]}' and day >= $3 and day < $4 group by 1
    union all
    select name, ${SUMS} from rollup_dimension_unpacked
    where id = any(${OLD_IDS_OF[kind]}) and dimension = '${BEFORE[dimension]}' and day >= $3 and day < $4 and ${MONTHS}
    group by 1
    union all
    select l.${ID[dimension]}, imps, views, clicks, actions, spend_micros, value_micros from (
      select leaf, ${FRESH_SUMS} from fresh where ${FRESH_OF[kind]} and day >= $3 and day < $4 group by leaf
    ) f join leaf l using (leaf)
    union all
    select l.${ID[dimension]}, ${VALUE_SUMS}
    from (select * from leaf where ${LEAVES_OF[kind]} offset 0) l join rollup_value_dimension d on d.id = l.leaf
    where d.dimension = 'd' and d.day >= $3 and d.day < $4 group by 1`

export function sumParts(
  db: Db,
  { id, kind, cid }: Asked,
  dimension: 'banner' | 'persona',
  { from, to }: Bounds,
  limit: number,
) {
  const named = `select part::text as name, p.* from (${byPart(kind, dimension)}) p`
  return db.rows<NamedRow>(ranked(named, BY_IMPS, '$5'), [id, cid, from, to, limit])
}

/** `300x250`: the size of the banner. */
export function sumSizes(db: Db, { id, kind, cid }: Asked, { from, to }: Bounds, limit: number) {
  const named = `select coalesce(b.width || 'x' || b.height, '${UNKNOWN}') as name, p.*
    from (${byPart(kind, 'banner')}) p left join banner b on b.bid = p.part`
  return db.rows<NamedRow>(ranked(named, BY_IMPS, '$5'), [id, cid, from, to, limit])
}

/**
 * By hour of the day, on the clocks of the zone, from quarters. The bounds by time are wide enough for any zone; the
 * dates decide.
 */
export function sumHours(
  db: Db,
  { id, kind, cid }: Asked,
  { from, to }: Bounds,
  limit: number,
  timeZone: string,
) {
  const local = (quarter: string) =>
    `cross join lateral (select ${quarter} at time zone $6) as t(local)
      where id = $1 and local >= $3::date and local < $4::date`
  const named = `select to_char(local, 'HH24') as name, ${COUNTS} from rollup ${local('quarter')}
        and quarter >= $3::date - interval '2 days' and quarter < $4::date + interval '2 days'
      union all
      select to_char(local, 'HH24'), ${COUNTS} from rollup_unpacked ${local('to_timestamp(quarter * 900.0)')}
        and month >= date_trunc('month', $3::date - interval '2 days') and month < $4::date + interval '2 days'
      union all
      select lpad(hour::text, 2, '0'), ${FRESH_SUMS} from fresh
      where ${FRESH_OF[kind]} and day >= $3 and day < $4 group by hour
      union all
      select to_char(local, 'HH24'), 0, 0, 0, 0, 0, value_micros from rollup_value ${local('quarter')}
        and quarter >= $3::date - interval '2 days' and quarter < $4::date + interval '2 days'`
  return db.rows<NamedRow>(ranked(named, BY_IMPS, '$5'), [id, cid, from, to, limit, timeZone])
}

const OWN_ID = { campaign: 'cid', persona: 'pid' }
const OWN_LETTER = { campaign: 'g', persona: 'n' }
/** By leaf first, so that few leaves are looked up. */
const FRESH_BY = {
  campaign: `select cid, ${FRESH_SUMS} from fresh where cuid = $1 and day >= $2 and day < $3 group by cid`,
  persona: `select l.pid, imps, views, clicks, actions, spend_micros, value_micros from (
      select leaf, ${FRESH_SUMS} from fresh where cuid = $1 and day >= $2 and day < $3 group by leaf
    ) f join leaf l using (leaf)`,
}

/** A customer's campaigns or personas by id, as text. Includes deleted ones: their figures stay in the customer's. */
export function sumOwn(
  db: Db,
  cuid: number,
  dimension: 'campaign' | 'persona',
  { from, to }: Bounds,
  limit: number,
) {
  const id = OWN_ID[dimension]
  // By number first: converting every row to text would take longer than everything else.
  const named = `select id::text as name, n.* from (
      select ${id} as id, ${SUMS} from rollup_customer where cuid = $1 and day >= $2 and day < $3 group by ${id}
      union all
      ${FRESH_BY[dimension]}
      union all
      select name, ${VALUE_SUMS} from rollup_value_dimension
      where id = -$1::bigint and dimension = '${OWN_LETTER[dimension]}' and day >= $2 and day < $3 group by name
    ) n`
  return db.rows<NamedRow>(ranked(named, BY_IMPS, '$4'), [cuid, from, to, limit])
}

/** Looked up one by one, even if the planner expects few. */
const CAMPAIGN = 'cross join lateral (select * from campaign where campaign.cid = p.cid offset 0) c'

const NAMES = {
  campaign: 'select cid as id, name, deleted_at is not null as deleted from campaign where cid = any($1)',
  persona: `select p.pid as id, p.name, p.deleted_at is not null or c.deleted_at is not null as deleted
    from persona p ${CAMPAIGN} where p.pid = any($1)`,
  banner: `select b.bid as id, b.name,
      b.deleted_at is not null or p.deleted_at is not null or c.deleted_at is not null as deleted
    from banner b cross join lateral (select * from persona where persona.pid = b.pid offset 0) p ${CAMPAIGN}
    where b.bid = any($1)`,
}

/** Includes deleted objects, and those beneath deleted ones. */
export function selectNames(db: Db, noun: keyof typeof NAMES, ids: number[]) {
  return db.rows<{ id: number; name: string; deleted: boolean }>(NAMES[noun], [ids])
}
