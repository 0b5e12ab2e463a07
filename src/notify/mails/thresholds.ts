// Alerts by thresholds that a customer has set: a day's spend, the days that its balance lasts, and what a campaign has
// spent of its daily budget. Each crossing is recorded once, whichever process notices it.

import { recordMail } from '../../changes/outbox.ts'
import { MICROS_PER_UNIT } from '../../kernel/money.ts'
import type { Day } from '../../kernel/time/day.ts'
import { HOUR_MS, MINUTE_MS } from '../../kernel/time/units.ts'
import { calendarIn } from '../../kernel/time/zones.ts'
import type { Db } from '../../platform/database.ts'
import { lastEntry, readAccount } from '../../report/accounts/accounts.ts'
import { findSubject, summary } from '../../report/figures/report.ts'
import type { NewsParts } from './news.ts'
import { type DueLookRow, lockDueLooks, setLookAt } from './queries.ts'
import { selectPaceLags } from './report-queries.ts'

export interface ThresholdParts extends NewsParts {
  currency: string
}

/** What an alert says. */
export type ThresholdFact =
  | { what: 'spend'; day: number; spend: number; limit: number }
  | { what: 'balance'; balance: number; days: number }
  | { what: 'pace'; cid: number; day: number; spend: number; budget: number; percent: number }

const PAGE = 100
const EVERY_MS = 10 * MINUTE_MS
/** A day is judged as a whole, and reported in the morning like a report. */
const MORNING_MS = 7 * HOUR_MS
/** How long a balance lasts is estimated from so many whole days. */
const DAYS = 7

export async function recordThresholds(parts: ThresholdParts): Promise<void> {
  while ((await parts.db.transaction(tx => lookAtDue(tx, parts))) === PAGE);
}

async function lookAtDue(tx: Db, parts: ThresholdParts): Promise<number> {
  const nowMs = parts.clock.nowMs()
  const due = await lockDueLooks(tx, new Date(nowMs), PAGE)
  for (const row of due) {
    if (row.isServed) await lookAt(tx, row, nowMs, parts)
    await setLookAt(tx, row.cuid, new Date(nowMs + EVERY_MS))
  }
  return due.length
}

async function lookAt(tx: Db, row: DueLookRow, nowMs: number, parts: ThresholdParts): Promise<void> {
  const { cuid, spendOver, balanceDays, paceBelow } = row
  const calendar = calendarIn(
    { timezone: row.timezone, before: row.timezone_before ?? [] },
    parts.calendar.zone,
  )
  const today = calendar.dayAt(nowMs)
  const tell = (about: string, facts: ThresholdFact) =>
    recordMail(tx, { at: new Date(nowMs), cuid, kind: 'threshold', about, facts })
  const spentIn = async (startMs: number, endMs: number) => {
    const subject = await findSubject(tx, cuid, String(cuid))
    return (await summary(tx, subject, { start: startMs / 1000, end: endMs / 1000 })).spend
  }
  if (spendOver !== null) {
    const spend = await spentIn(today.startMs, today.endMs)
    const facts = { what: 'spend', day: today.key, spend, limit: spendOver } as const
    if (spend > spendOver) await tell(`spend ${today.key} ${spendOver}`, facts)
  }
  if (balanceDays !== null && row.prepaid) {
    let first = today
    for (let n = 0; n < DAYS; n++) first = calendar.dayAt(first.startMs - 1)
    const perDay = (await spentIn(first.startMs, today.startMs)) / DAYS
    const { balance } = await readAccount(tx, cuid, parts.currency)
    const days = perDay > 0 ? Math.floor(balance / perDay) : Number.POSITIVE_INFINITY
    // Once for each credit: it is low until the next.
    const credit = (await lastEntry(tx, cuid))?.time ?? 0
    if (balance > 0 && days < balanceDays)
      await tell(`balance ${credit} ${balanceDays}`, { what: 'balance', balance, days })
  }
  if (paceBelow !== null && nowMs >= today.startMs + MORNING_MS)
    await tellPaceLags(
      tx,
      { cuid, paceBelow, day: calendar.dayAt(today.startMs - 1), now: new Date(nowMs) },
      tell,
    )
}

/** Campaigns that ran all day and spent too little of their daily budget. */
async function tellPaceLags(
  tx: Db,
  { cuid, paceBelow, day, now }: { cuid: number; paceBelow: number; day: Day; now: Date },
  tell: (about: string, facts: ThresholdFact) => Promise<void>,
): Promise<void> {
  const since = new Date(day.startMs)
  for (const row of await selectPaceLags(tx, {
    cuid,
    now,
    since,
    day: day.key,
    part: paceBelow / 100,
    limit: PAGE,
  })) {
    const [spend, budget] = [row.spentMicros / MICROS_PER_UNIT, row.budgetMicros / MICROS_PER_UNIT]
    const percent = spend / budget
    await tell(`pace ${row.cid} ${day.key}`, {
      what: 'pace',
      cid: row.cid,
      day: day.key,
      spend,
      budget,
      percent,
    })
  }
}
