// SQL of breakdowns, one statement each. Names are stored as numbers (see the migration). Names that the program knows
// are passed as a list; names of places and actions are in the database.

import { byHour, byName, byOwn, byPart, SUMS } from '../../count/fold/figures-queries.ts'
import type { Db } from '../../platform/database.ts'
import type { Counts } from './figures.ts'
import type { Asked, Bounds } from './queries.ts'

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
      from (select name, ${SUMS} from (${named}) n group by name) whole
      window w as (order by ${order}, name)
    ) ranked group by name order by min(place)`
}

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

export function sumCoded(
  db: Db,
  { id, kind, cid }: Asked,
  dimension: CodedDimension,
  { from, to }: Bounds,
  limit: number,
  codes: Code[],
) {
  const { letter, fresh } = CODED[dimension]
  const named = `select coalesce(t.name, '${UNKNOWN}') as name, figures.* from ${byName(kind, letter, fresh)}
    left join unnest($6::bigint[], $7::text[]) as t(code, name) on t.code = figures.key`
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
      as name, figures.* from ${byName(kind, 'p', 'place_hash')} left join place p on p.place_hash = figures.key`
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
  const named = `select coalesce(${LOCALITY_NAME[dimension]}, '${UNKNOWN}') as name, figures.*
    from ${byName(kind, 'l', 'locality')} left join locality l on l.locality = figures.key`
  return db.rows<NamedRow>(ranked(named, BY_IMPS, '$5'), [id, cid, from, to, limit])
}

export function sumActions(db: Db, { id, kind, cid }: Asked, { from, to }: Bounds, limit: number) {
  const named = `select coalesce(a.name, '${UNKNOWN}') as name, figures.*
    from ${byName(kind, 'a', 'action_hash', 'and action_hash <> 0')} left join action_name a on a.action_hash = figures.key`
  return db.rows<NamedRow>(ranked(named, BY_ACTIONS, '$5'), [id, cid, from, to, limit])
}

export function sumParts(
  db: Db,
  { id, kind, cid }: Asked,
  dimension: 'banner' | 'persona',
  { from, to }: Bounds,
  limit: number,
) {
  const named = `select key::text as name, figures.* from ${byPart(kind, dimension)}`
  return db.rows<NamedRow>(ranked(named, BY_IMPS, '$5'), [id, cid, from, to, limit])
}

/** `300x250`: the size of the banner. */
export function sumSizes(db: Db, { id, kind, cid }: Asked, { from, to }: Bounds, limit: number) {
  const named = `select coalesce(b.width || 'x' || b.height, '${UNKNOWN}') as name, figures.*
    from ${byPart(kind, 'banner')}
      left join lateral (select width, height from banner where bid = figures.key offset 0) b on true`
  return db.rows<NamedRow>(ranked(named, BY_IMPS, '$5'), [id, cid, from, to, limit])
}

/** By hour of the day, on the clocks of the zone. */
export function sumHours(
  db: Db,
  { id, kind, cid }: Asked,
  { from, to }: Bounds,
  limit: number,
  timeZone: string,
) {
  const named = `select key as name, figures.* from ${byHour(kind, '$6')}`
  return db.rows<NamedRow>(ranked(named, BY_IMPS, '$5'), [id, cid, from, to, limit, timeZone])
}

/** A customer's campaigns or personas by id, as text. Includes deleted ones: their figures stay in the customer's. */
export function sumOwn(
  db: Db,
  cuid: number,
  dimension: 'campaign' | 'persona',
  { from, to }: Bounds,
  limit: number,
) {
  const named = `select key::text as name, figures.* from ${byOwn(dimension, '$1', { from: '$2', to: '$3' })}`
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
