// Emails that are due because of the time: a report, or a campaign that stopped delivering. Each is recorded once,
// whichever process notices it and however late.

import { recordMail } from '../../changes/outbox.ts'
import { duePeriod, nextDueMs } from '../../kernel/report-period.ts'
import { nowSeconds, toSeconds } from '../../kernel/time/clock.ts'
import { createHours, openMs } from '../../kernel/time/hours.ts'
import { calendarIn, zoneAt } from '../../kernel/time/zones.ts'
import {
  type CampaignParts,
  calendarOfCustomer,
  findCampaign,
  show,
} from '../../manage/campaigns/campaigns.ts'
import type { Database, Db } from '../../platform/database.ts'
import { type DueReportRow, lockDueReports, setReportAt } from './queries.ts'
import { type StoppedRow, selectStopped } from './report-queries.ts'

export interface NewsParts extends CampaignParts {
  db: Database
}

const PAGE = 100
/** A campaign that delivers never pauses for this long. */
export const STALLED_MS = 3 * 3_600_000
/** Fewer impressions in that time prove nothing. */
export const LEAST_IMPS = 10

export async function recordReports(parts: NewsParts): Promise<void> {
  while ((await parts.db.transaction(tx => recordDue(tx, parts))) === PAGE);
}

/** If several periods passed unnoticed, only the last one is reported. */
async function recordDue(tx: Db, parts: NewsParts): Promise<number> {
  const nowMs = parts.clock.nowMs()
  const due = await lockDueReports(tx, new Date(nowMs), PAGE)
  for (const row of due) await recordReport(tx, row, nowMs, parts)
  return due.length
}

async function recordReport(tx: Db, row: DueReportRow, nowMs: number, { calendar }: NewsParts) {
  const { cuid, report } = row
  const zones = { timezone: row.timezone, before: row.timezone_before ?? [] }
  const zone = zoneAt(zones, nowMs) ?? calendar.zone
  const days = calendarIn(zones, calendar.zone)
  const { about, ...facts } = duePeriod(report, days, nowMs)
  await recordMail(tx, { at: new Date(nowMs), cuid, kind: 'report', about, facts: { ...facts, zone } })
  await setReportAt(tx, cuid, new Date(nextDueMs(report, days, nowMs)))
}

export async function recordStopped(parts: NewsParts): Promise<void> {
  const nowMs = parts.clock.nowMs()
  const stalledFrom = new Date(nowMs - STALLED_MS)
  const question = { now: new Date(nowMs), stalledFrom, least: LEAST_IMPS, limit: PAGE }
  let page: StoppedRow[] | null = null
  while (page === null || page.length === PAGE) {
    page = await selectStopped(parts.db, { ...question, after: page?.at(-1)?.cid ?? 0 })
    for (const row of page) {
      if (!hadSpent(row, stalledFrom.getTime(), parts))
        await parts.db.transaction(tx => tellStopped(tx, row, parts))
    }
  }
}

/** Whether it had spent its budget of that day, which explains the stop. */
function hadSpent({ spent_day, timezone, timezone_before }: StoppedRow, ms: number, { calendar }: NewsParts) {
  return calendarIn({ timezone, before: timezone_before ?? [] }, calendar.zone).dayAt(ms).key === spent_day
}

/**
 * Reports only campaigns that should deliver, did deliver in a flight that had begun, and were open all the time:
 * deliberate stops are not news.
 */
async function tellStopped(tx: Db, { cid, cuid, last }: StoppedRow, parts: NewsParts): Promise<void> {
  const found = await findCampaign(tx, { cuid }, { cid })
  const { campaign } = await show(tx, parts, found)
  const nowS = nowSeconds(parts.clock)
  const began = found.ownFlights.find(({ startS, endS }) => startS <= nowS && nowS < endS)?.startS ?? 0
  if (campaign.status !== 'running' || began > toSeconds(last)) return
  const hours = found.hours && createHours(found.hours, await calendarOfCustomer(tx, cuid, parts.calendar))
  if (openMs(hours, nowS * 1000 - STALLED_MS, nowS * 1000) < STALLED_MS) return
  const at = new Date(parts.clock.nowMs())
  const facts = { cid, since: toSeconds(last) }
  await recordMail(tx, { at, cuid, kind: 'stopped', about: `${cid} ${toSeconds(last)}`, facts })
}
