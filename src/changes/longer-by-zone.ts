// Campaigns that may spend more by the new time zone of their customer: what is left of them touches a day more than by
// the zone before, and no total ends them first.

import { type Calendar, daysTouched } from '../kernel/time/day.ts'
import { calendarIn, type Zones } from '../kernel/time/zones.ts'
import type { Db } from '../platform/database.ts'
import { lockCeilings } from './ceilings.ts'
import { zonesOf } from './customer-zones.ts'

export interface ZoneChange {
  cuid: number
  at: Date
  zonesBefore: Zones
  /** The deployment's. */
  ownZone: string
}

const QUARTER_MS = 15 * 60_000

/** What is created from here to the end of the transaction is checked by the new zone. */
export async function longerByZone(
  tx: Db,
  { cuid, at, zonesBefore, ownZone }: ZoneChange,
): Promise<number[]> {
  await lockCeilings(tx, cuid)
  const was = remembering(calendarIn(zonesBefore, ownZone))
  const is = remembering(calendarIn(await zonesOf(tx, cuid), ownZone))
  const nowS = Math.floor(at.getTime() / 1000)
  const isLonger = ({ start_s, end_s, daily, total }: Run) => {
    const fromS = Math.max(start_s, nowS)
    const days = daysTouched(was, fromS, end_s)
    return daysTouched(is, fromS, end_s) > days && (total === null || days * daily < total)
  }
  return (await selectRuns(tx, cuid, at)).filter(isLonger).map(({ cid }) => cid)
}

/** Dates change at whole quarters of an hour, and many campaigns begin or end in the same one. */
function remembering(calendar: Calendar): Pick<Calendar, 'dayAt'> {
  const days = new Map<number, ReturnType<Calendar['dayAt']>>()
  return {
    dayAt(ms) {
      const quarter = Math.floor(ms / QUARTER_MS)
      const known = days.get(quarter) ?? calendar.dayAt(ms)
      days.set(quarter, known)
      return known
    },
  }
}

interface Run {
  cid: number
  start_s: number
  end_s: number
  daily: number
  total: number | null
}

function selectRuns(tx: Db, cuid: number, now: Date) {
  return tx.rows<Run>(
    `select cid, extract(epoch from start_at)::float8 as start_s, extract(epoch from end_at)::float8 as end_s,
       daily_spend_micros as daily, total_spend_micros as total
     from campaign where cuid = $1 and enabled and deleted_at is null and end_at > $2 order by end_at, cid`,
    [cuid, now],
  )
}
