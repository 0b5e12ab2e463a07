// What a campaign is doing, and what keeps it from delivering: the one rule, in SQL, computed at every read and never
// stored. All who ask whether a campaign delivers build on it: lists, issues, the cockpit, webhooks, mails, accounts.
// These are expressions about a campaign `c` and its flights `f` (`flightsAt`); what is not asked for is not read.

import type { Db } from '../../platform/database.ts'
import type { Campaign, Missing } from './contract.ts'

/** SQL of the moment, and of the customer that owns the campaigns. */
export interface Moment {
  cuid: string
  now: string
  /** The customer's day, yyyymmdd. */
  day: string
  /** The customer's weekday (0 is Monday) and hour. */
  weekday: string
  hour: string
}

/**
 * What a budget must have left to buy another impression or click, times 1000. What is left rarely gets to exactly 0,
 * so a budget with less than this is spent.
 */
export const PRICE = 'coalesce(c.cpc_micros * 1000, c.cpm_micros)'

/** The campaign is switched on and not over. */
export const isWanted = (now: string) => `c.enabled and c.deleted_at is null and c.end_at > ${now}`

/**
 * A campaign with flights of its own delivers only in them, so they, not its dates, decide whether it is scheduled,
 * running or over. `paying` is the running flight with a total of its own.
 */
export const flightsAt = (now: string) => `cross join lateral (
         select bool_and(end_at <= ${now}) as are_over, bool_or(start_at <= ${now} and ${now} < end_at) as is_one_now,
           min(start_at) filter (where start_at > ${now}) as next_at,
           max(fid) filter (where start_at <= ${now} and ${now} < end_at and total_spend_micros is not null) as paying
         from flight where flight.cid = c.cid and deleted_at is null and not is_default
       ) f`

export const isOver = (now: string) => `coalesce(f.are_over, c.end_at <= ${now})`
export const isNow = (now: string) => `coalesce(f.is_one_now, c.start_at <= ${now} and ${now} < c.end_at)`

/** What is left of these limits above days, if anything of them was spent. */
const leftOf = (id: string) =>
  `(select limit_micros - spent_micros from pools_used(array[${id}]) where spent_micros > 0)`

export const isDaySpent = (day: string) => `(
         select sum(s.billed_micros) > 0 and (c.daily_spend_micros - sum(s.billed_micros)) * 1000 < ${PRICE}
         from share s where s.day = ${day} and s.cid = c.cid
       )`
/** The campaign's own total; null if it has none. */
export const IS_LIFE_SPENT = `(c.total_spend_micros is not null and ${leftOf('c.cid')} * 1000 < ${PRICE})`
export const IS_FLIGHT_SPENT = `(f.paying is not null and ${leftOf('f.paying')} * 1000 < ${PRICE})`
export const IS_TOTAL_SPENT = `coalesce(${IS_LIFE_SPENT}, false) or coalesce(${IS_FLIGHT_SPENT}, false)`
/** Of the month of this day. */
export const isMonthSpent = (day: string) =>
  `(c.monthly_spend_micros is not null and ${leftOf(`month_pool(c.cid, ${day}::integer)`)} * 1000 < ${PRICE})`
/** Of a customer that pays in advance. */
export const isBalanceSpent = (cuid: string) => `(
         select limit_micros - spent_micros from pools_used(array[${cuid}::bigint])
         where (select prepaid from customer where cuid = ${cuid})
       ) * 1000 < ${PRICE}`

/** The used-up budget that keeps it from delivering; of several, the longest-lasting. Null: none. */
const spentBy = ({ cuid, day }: Moment) => `case
         when ${IS_TOTAL_SPENT} then 'total'
         when ${isBalanceSpent(cuid)} then 'balance'
         when ${isMonthSpent(day)} then 'month'
         when ${isDaySpent(day)} then 'day'
       end`

export const isClosed = ({ weekday, hour }: Pick<Moment, 'weekday' | 'hour'>) =>
  `(c.hours[${weekday}::integer + 1] >> ${hour}::integer) & 1 = 0`

/**
 * As in the catalog, a banner is shown when it and its persona are enabled, it is approved, and a click on it leads
 * somewhere.
 */
const shows = ({ cuid }: Moment) => `exists (
         select from persona p cross join lateral (
           select click_url from banner
           where banner.pid = p.pid and banner.enabled and status = 'approved' and banner.deleted_at is null offset 0
         ) b
         where p.cid = c.cid and p.enabled and p.deleted_at is null
           and (b.click_url is not null or (select website from customer where cuid = ${cuid}) is not null)
       )`

/**
 * It is running only if it lacks nothing. `spent` comes before `off_hours`, because a spent budget stays spent when its
 * hours begin. `incomplete` comes last: what is missing is shown beside any status.
 */
export const statusAt = (moment: Moment, known = { spentBy: spentBy(moment), shows: shows(moment) }) => `case
         when ${isOver(moment.now)} then 'ended'
         when not c.enabled then 'paused'
         when (select frozen_at is not null from customer where cuid = ${moment.cuid}) then 'frozen'
         when not ${isNow(moment.now)} then 'scheduled'
         when ${known.spentBy} is not null then 'spent'
         when ${isClosed(moment)} then 'off_hours'
         when ${known.shows} then 'running'
         else 'incomplete'
       end`

/** What a campaign that shows nothing lacks. */
const missing = ({ cuid }: Moment) => `(
         select case
           when not p.any_there then array['no_persona']
           when not p.any_on then array['personas_paused']
           when not b.any_there then array['no_banner']
           else array_remove(array[
             case when b.any_paused then 'banners_paused' end,
             case when b.any_pending then 'banner_pending' end,
             case when b.any_rejected then 'banner_rejected' end,
             case when b.any_without_url then 'no_click_url' end], null)
         end
         from (
           select count(*) > 0 as any_there, coalesce(bool_or(enabled), false) as any_on
           from persona where persona.cid = c.cid and deleted_at is null
         ) p cross join (
           select count(*) > 0 as any_there,
             coalesce(bool_or(status = 'approved' and not enabled), false) as any_paused,
             coalesce(bool_or(status = 'pending'), false) as any_pending,
             coalesce(bool_or(status = 'rejected'), false) as any_rejected,
             coalesce(bool_or(status = 'approved' and enabled and url is null), false) as any_without_url
           from (
             select banner.status, banner.enabled,
               coalesce(banner.click_url, (select website from customer where cuid = ${cuid})) as url
             from persona q cross join lateral (
               select * from banner where banner.pid = q.pid and deleted_at is null offset 0
             ) banner
             where q.cid = c.cid and q.deleted_at is null and q.enabled
           ) shown
         ) b
       )`

/** The values for a moment. */
export interface MomentOf {
  cuid: number
  now: Date
  day: number
  weekHour: { day: number; hour: number }
}

export interface State {
  status: Campaign['status']
  spent_by: Campaign['spentBy']
  /** Empty: it lacks nothing. */
  missing: Missing[]
}

const OF_ONE: Moment = { cuid: '$2', now: '$3', day: '$4', weekday: '$5', hour: '$6' }

/** All campaigns must belong to the customer. */
export function selectStates(db: Db, cids: number[], { cuid, now, day, weekHour }: MomentOf) {
  return db.rows<State & { cid: number }>(
    `select cid, status, case when status = 'spent' then spent_by end as spent_by, missing from (
       select c.cid, ${statusAt(OF_ONE, { spentBy: 'k.spent_by', shows: 'k.shows' })} as status, k.spent_by,
         case when k.shows then '{}' else ${missing(OF_ONE)} end as missing
       from unnest($1::bigint[]) as wanted(cid)
       cross join lateral (select * from campaign where campaign.cid = wanted.cid offset 0) c
       ${flightsAt(OF_ONE.now)}
       cross join lateral (select ${spentBy(OF_ONE)} as spent_by, ${shows(OF_ONE)} as shows offset 0) k
       offset 0
     ) state`,
    [cids, cuid, now, day, weekHour.day, weekHour.hour],
  )
}

/** The price of the cheapest impression or click that the customer wants, in micros times 1000; null: it wants none. */
export async function selectCheapest(db: Db, cuid: number, now: Date): Promise<number | null> {
  const row = await db.row<{ price: number | null }>(
    `select min(${PRICE}) as price from campaign c where c.cuid = $1 and ${isWanted('$2')}`,
    [cuid, now],
  )
  return row!.price
}
