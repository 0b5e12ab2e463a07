// Where figures are. What was counted is folded into `rollup`, `rollup_customer` and `rollup_dimension`; what is old is
// packed by months; what is new is still in `fresh`; and what conversions were worth stands beside each. Each question
// has one shape here, with the sums of all these sources, so that nobody else knows of them: another source is added in
// this file. Each returns a subquery. Each of its parts is added up by its own key, so that few rows meet.

/** What figures are asked of. */
export type Kind = 'customer' | 'campaign' | 'flight' | 'persona' | 'banner'

const COUNT_SUMS = `sum(imps) as imps, sum(views) as views, sum(clicks) as clicks, sum(actions) as actions,
  sum(spend_micros) as spend_micros`

/** Sums of figures. */
export const SUMS = `${COUNT_SUMS}, sum(value_micros) as value_micros`

const FOLDED = `${COUNT_SUMS}, 0::bigint as value_micros`
const FRESH = `count(*) filter (where kind = 'i') as imps, count(*) filter (where kind = 'v') as views,
  count(*) filter (where kind = 'c') as clicks, count(*) filter (where kind = 'a') as actions,
  sum(spend_micros) as spend_micros, 0::bigint as value_micros`
const VALUES = `0::bigint as imps, 0::bigint as views, 0::bigint as clicks, 0::bigint as actions,
  0::bigint as spend_micros, sum(value_micros) as value_micros`

/** `key`: null for one sum of everything. */
function part(key: string | null, sums: string, from: string): string {
  return key === null
    ? `select ${sums} from ${from}`
    : `select ${key} as key, ${sums} from ${from} group by 1`
}

/** What is not folded yet. */
const fresh = (key: string | null, where: string): [string, string] => [
  part(key, FRESH, `fresh where ${where}`),
  part(key, VALUES, `fresh_value where ${where}`),
]

const all = (parts: string[]) => `(\n    ${parts.join('\n    union all\n    ')}\n    ) figures`

/** Selects leaves: $1 is the id, $2 its campaign. */
const LEAVES_OF: Record<Kind, string> = {
  customer: 'cuid = $1 and $2::bigint is null',
  campaign: 'cid = $1 and cid = $2',
  flight: 'fid = $1 and cid = $2',
  persona: 'pid = $1 and cid = $2',
  banner: 'bid = $1 and cid = $2',
}

/** Ids with figures that are older than leaves; a customer's are those of its campaigns. */
const OLD_IDS_OF: Record<Kind, string> = {
  customer: 'array(select cid from campaign where cuid = $1)',
  campaign: 'array[$1::bigint]',
  flight: 'array[$1::bigint]',
  persona: 'array[$1::bigint]',
  banner: 'array[$1::bigint]',
}

/** The customer determines the partition to search, and any leaf of a campaign has its customer. */
const IN_PART = 'cuid = (select cuid from leaf where cid = $2 limit 1) and cid = $2'
const OF_LEAVES = (kind: Kind) =>
  `${IN_PART} and leaf = any(array(select leaf from leaf where ${LEAVES_OF[kind]}))`

/** Selects fresh rows: $1 is the id, $2 its campaign. */
const FRESH_OF: Record<Kind, string> = {
  customer: 'cuid = $1 and $2::bigint is null',
  campaign: `${IN_PART} and cid = $1`,
  flight: OF_LEAVES('flight'),
  persona: OF_LEAVES('persona'),
  banner: OF_LEAVES('banner'),
}

/** SQL of a time from a first moment to an end, and of the numbers of the quarters that begin there. */
export interface Quarters {
  from: string
  to: string
  fromQuarter: string
  toQuarter: string
}

/** What figures are of: a condition for `id`, and for fresh rows, with the column there that is that id. */
interface Of {
  id: string
  isFresh: string
  freshId: string
}

/** Figures of one thing by quarter of an hour. `$1`: its id; `$2`: its campaign, null for a customer. */
export const ofOne = (kind: Kind): Of => ({ id: 'id = $1', isFresh: FRESH_OF[kind], freshId: '$1::bigint' })
/** Of some customers, `ids` being an array. */
export const ofCustomers = (ids: string): Of => ({
  id: `id = any(${ids})`,
  isFresh: `cuid = any(${ids})`,
  freshId: 'cuid',
})
/** Of these campaigns of a customer. */
export const ofCampaigns = (cuid: string, ids: string): Of => ({
  id: `id = any(${ids})`,
  isFresh: `cuid = ${cuid}`,
  freshId: 'cid',
})

/** `key` is made of the id and the second at which the quarter begins. */
export function byQuarter(
  { id, isFresh, freshId }: Of,
  { from, to, fromQuarter, toQuarter }: Quarters,
  key: ((id: string, beginS: string) => string) | null = null,
): string {
  const keyOf = (id: string, beginS: string) => key?.(id, beginS) ?? null
  const time = `quarter >= ${from} and quarter < ${to}`
  const numbers = `quarter >= ${fromQuarter} and quarter < ${toQuarter}`
  const [folded, packed] = ["date_part('epoch', quarter)", 'quarter * 900.0::float8']
  return all([
    part(keyOf('id', folded), FOLDED, `rollup where ${id} and ${time}`),
    part(
      keyOf('id', packed),
      FOLDED,
      `rollup_unpacked where ${id} and ${numbers}
       and month >= date_trunc('month', ${from}::timestamptz at time zone 'UTC') and month < ${to}::timestamptz at time zone 'UTC'`,
    ),
    ...fresh(keyOf(freshId, packed), `${isFresh} and ${numbers}`),
    part(keyOf('id', folded), VALUES, `rollup_value where ${id} and ${time}`),
  ])
}

/** The numbers of the first and the last quarter with figures, of each source. `$1`, `$2`: as in `ofOne`. */
export function spansOf(kind: Kind): string {
  const quarters = (table: string) =>
    `select date_part('epoch', min(quarter)) / 900 as first, date_part('epoch', max(quarter)) / 900 as last
     from ${table} where id = $1`
  return all([
    quarters('rollup'),
    'select min(quarters[1]), max(quarters[array_length(quarters, 1)]) from rollup_packed where id = $1',
    `select min(quarter), max(quarter) from fresh where ${FRESH_OF[kind]}`,
    quarters('rollup_value'),
  ])
}

/** SQL of dates, half open. */
export interface Days {
  from: string
  to: string
}

const within = ({ from, to }: Days) => `day >= ${from} and day < ${to}`

/** What is not folded yet, by an id of its leaf. By leaf first, so that few leaves are looked up. */
const byLeaf = (id: string, where: string) =>
  fresh('leaf', where).map(
    leaves => `select ${id}, imps, views, clicks, actions, spend_micros, value_micros
     from (${leaves}) f join leaf l on l.leaf = f.key`,
  )

/** Figures of a customer's campaigns or personas by id, including deleted ones. */
export function byOwn(own: 'campaign' | 'persona', cuid: string, days: Days): string {
  const isFresh = `cuid = ${cuid} and ${within(days)}`
  const values = (letter: string) =>
    part(
      'name',
      VALUES,
      `rollup_value_dimension where id = -${cuid}::bigint and dimension = '${letter}' and ${within(days)}`,
    )
  const folded = (id: string) => part(id, FOLDED, `rollup_customer where cuid = ${cuid} and ${within(days)}`)
  if (own === 'campaign') return all([folded('cid'), ...fresh('cid', isFresh), values('g')])
  return all([folded('pid'), ...byLeaf('l.pid', isFresh), values('n')])
}

const SINCE = '(select day from customer_sums_since)'

/** Sums by leaf, and figures that are older than leaves. Days are $3 and $4. */
const BY_LEAF = (kind: Kind) =>
  `id = any(array(select leaf from leaf where ${LEAVES_OF[kind]}) || ${OLD_IDS_OF[kind]}) and day >= $3 and day < $4`

/** A customer has sums of its own. Figures older than those are read from its leaves if the period includes them. */
const FOLDED_OF: Record<Kind, string[]> = {
  customer: [
    `id = -$1::bigint and day >= greatest($3::date, ${SINCE}) and day < $4`,
    `id = any(case when $3::date < ${SINCE}
        then array(select leaf from leaf where ${LEAVES_OF.customer}) || ${OLD_IDS_OF.customer} end)
      and day >= $3 and day < least($4::date, ${SINCE})`,
  ],
  campaign: [BY_LEAF('campaign')],
  flight: [BY_LEAF('flight')],
  persona: [BY_LEAF('persona')],
  banner: [BY_LEAF('banner')],
}

/** Selects values; a customer has all of its own. */
const VALUES_OF = (kind: Kind) =>
  kind === 'customer'
    ? 'id = -$1::bigint and day >= $3 and day < $4'
    : `id = any(array(select leaf from leaf where ${LEAVES_OF[kind]})) and day >= $3 and day < $4`

/** The months that the days from $3 to $4 touch. */
const MONTHS = `month >= date_trunc('month', $3::date) and month < $4::date`
const FRESH_DAYS = 'day >= $3 and day < $4'

/**
 * By the number that stands for a name of a dimension. `$1`, `$2`: as in `ofOne`; `$3`, `$4`: the days. `freshName`
 * makes the number of a fresh row.
 */
export function byName(kind: Kind, letter: string, freshName: string, freshOnly = ''): string {
  const dimension = `dimension = '${letter}'`
  return all([
    ...FOLDED_OF[kind].flatMap(where => [
      part('name::bigint', FOLDED, `rollup_dimension where ${where} and ${dimension}`),
      part('name', FOLDED, `rollup_dimension_unpacked where ${where} and ${dimension} and ${MONTHS}`),
    ]),
    ...fresh(`(${freshName})::bigint`, `${FRESH_OF[kind]} and ${FRESH_DAYS} ${freshOnly}`),
    part('name', VALUES, `rollup_value_dimension where ${VALUES_OF(kind)} and ${dimension}`),
  ])
}

const OLD_LETTER = { banner: 'b', persona: 'n' }
const PART_ID = { banner: 'bid', persona: 'pid' }

/**
 * By the id of a banner or persona. Its sums are read by device, the dimension with the fewest rows, and looked up for
 * each leaf: no plan goes through the leaves for each sum.
 */
export function byPart(kind: Kind, noun: 'banner' | 'persona'): string {
  const id = `l.${PART_ID[noun]}`
  const leaves = (table: string, and = '') =>
    `(select * from leaf where ${LEAVES_OF[kind]} offset 0) l cross join lateral (
       select * from ${table} where id = l.leaf and dimension = 'd' and day >= $3 and day < $4${and} offset 0
     ) d`
  const old = (table: string, and = '') =>
    `${table} where id = any(${OLD_IDS_OF[kind]}) and dimension = '${OLD_LETTER[noun]}' and day >= $3 and day < $4${and}`
  return all([
    part(id, FOLDED, leaves('rollup_dimension')),
    part(id, FOLDED, leaves('rollup_dimension_unpacked', ` and ${MONTHS}`)),
    part('name', FOLDED, old('rollup_dimension')),
    part('name', FOLDED, old('rollup_dimension_unpacked', ` and ${MONTHS}`)),
    ...byLeaf(id, `${FRESH_OF[kind]} and ${FRESH_DAYS}`),
    part(id, VALUES, leaves('rollup_value_dimension')),
  ])
}

/**
 * By the hour of the day, `00` to `23`, on the clocks of a zone. `$1` to `$4`: as in `byName`. The bounds by time are
 * wide enough for any zone; the dates decide.
 */
export function byHour(kind: Kind, zone: string): string {
  const local = (table: string, quarter: string, near: string) =>
    `${table} cross join lateral (select ${quarter} at time zone ${zone}) as t(local)
      where id = $1 and local >= $3::date and local < $4::date and ${near}`
  const near = `quarter >= $3::date - interval '2 days' and quarter < $4::date + interval '2 days'`
  const months = `month >= date_trunc('month', $3::date - interval '2 days') and month < $4::date + interval '2 days'`
  const hour = "to_char(local, 'HH24')"
  return all([
    part(hour, FOLDED, local('rollup', 'quarter', near)),
    part(hour, FOLDED, local('rollup_unpacked', 'to_timestamp(quarter * 900.0)', months)),
    ...fresh("lpad(hour::text, 2, '0')", `${FRESH_OF[kind]} and ${FRESH_DAYS}`),
    part(hour, VALUES, local('rollup_value', 'quarter', near)),
  ])
}

/**
 * Figures by campaign and day of the customers in `mine`, a set of the statement. All of `fresh` is read, whoever owns
 * it, because it is small: looking up each row among all customers took longer. Never joined by a loop: a full join
 * matches two sets by hashing or sorting, and `offset 0` keeps it a full join.
 */
export function ofEach(mine: string, days: Days): string {
  return all([
    `select r.cuid, r.cid, r.day, r.imps, r.views, r.clicks, r.actions, r.spend_micros, 0::bigint as value_micros
     from ${mine} mine cross join lateral (
       select * from rollup_customer where rollup_customer.cuid = mine.cuid and ${within(days)} offset 0
     ) r`,
    ...[`${FRESH} from fresh`, `${VALUES} from fresh_value`].map(
      sums => `select cuid, cid, day, imps, views, clicks, actions, spend_micros, value_micros from (
       select f.*, mine.cuid is not null as is_mine
       from ${mine} mine full join (
         select cuid, cid, day, ${sums} where ${within(days)} group by cuid, cid, day
       ) f on f.cuid = mine.cuid offset 0
     ) joined where is_mine and cuid is not null`,
    ),
    `select mine.cuid, v.name, v.day, 0, 0, 0, 0, 0, v.value_micros from ${mine} mine cross join lateral (
       select name, day, value_micros from rollup_value_dimension
       where id = -mine.cuid and dimension = 'g' and ${within(days)} offset 0
     ) v`,
  ])
}

/** What campaigns spent by day, of these customers. */
export function spendByDay(cuids: string, since: string): string {
  const ofDay = (table: string) =>
    `select cuid, day, sum(spend_micros) as spend_micros from ${table}
     where cuid = any(${cuids}) and day >= ${since} group by 1, 2`
  return all([ofDay('rollup_customer'), ofDay('fresh')])
}

/** What is counted of a leaf since a day; without that of the last minutes, which is not folded yet. */
export const ofLeaf = (leaf: string, since: string): string =>
  all([
    `select imps, clicks, actions from rollup_dimension r where r.id = ${leaf} and r.dimension = 'd' and r.day >= ${since}`,
    `select imps, clicks, actions from rollup_dimension_unpacked r
     where r.id = ${leaf} and r.dimension = 'd' and r.month >= date_trunc('month', ${since}) and r.day >= ${since}`,
  ])

/** What conversions of a banner were worth since a moment; without those of the last minutes. */
export const valueOfBanner = (bid: string, since: string): string =>
  `select sum(value_micros) from rollup_value v where v.id = ${bid} and v.quarter >= ${since}`

/** The last day with figures of a customer; without those of the last minutes, which are not folded yet. */
export const lastDayOf = (cuid: string) =>
  `(select day from rollup_customer where rollup_customer.cuid = ${cuid} order by day desc limit 1)`
