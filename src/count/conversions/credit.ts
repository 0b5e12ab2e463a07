// Decides which ad an action is credited to: a click within its window; without one, the latest impression by the same
// user within a day. Or says why it is credited to none.

import type { Db } from '../../platform/database.ts'
import { adKeyOf, readAdKey, readClickId } from '../tracking/ad.ts'
import { countryName, deviceName, osName } from '../tracking/codes.ts'
import type { CreditedAd } from '../tracking/event.ts'
import type { ActionRefusal } from './contract.ts'
import { type CreditRow, selectClick, selectLatestImpressions } from './queries.ts'
import type { ReportedAction } from './reported.ts'

/** `view` means an impression here; the API and the table use that name. */
export type Credited = { ad: CreditedAd; creditedTo: 'click' | 'view' }
/** A refusal includes the ad if it is known, for the figures of what was not counted. */
export type Credit = Credited | ({ refusal: ActionRefusal } & Partial<Credited>)

export interface CreditWindows {
  clickWindowS: number
  impressionWindowS: number
}

/** The clocks of servers differ a little. */
const CLOCK_SLACK_MS = 5 * 60_000
/** An ad is seen at most this long after it was served; limits the days to search. */
const LONGEST_RESERVATION_MS = 86_400_000

export async function creditOf(
  db: Db,
  action: ReportedAction,
  windows: CreditWindows,
  nowMs: number,
): Promise<Credit> {
  if (action.atMs > nowMs + CLOCK_SLACK_MS) return { refusal: 'future_time' }
  const credit = await clickOrImpression(db, action, windows)
  if (!action.pixel || !credit.ad) return credit
  if (action.pixel.isBot) return { ...credit, refusal: 'bot' }
  return action.pixel.isPrefetch ? { ...credit, refusal: 'prefetch' } : credit
}

async function clickOrImpression(db: Db, action: ReportedAction, windows: CreditWindows): Promise<Credit> {
  const byClick = action.clickId === null ? null : await creditOfClick(db, action, action.clickId, windows)
  if (byClick && !('refusal' in byClick)) return byClick
  const bySight = action.users.length === 0 ? null : await creditOfImpression(db, action, windows)
  if (bySight && !('refusal' in bySight)) return bySight
  return byClick ?? bySight ?? { refusal: 'no_credit' }
}

async function creditOfClick(
  db: Db,
  action: ReportedAction,
  clickId: string,
  { clickWindowS }: CreditWindows,
): Promise<Credit> {
  const named = readClickId(clickId)
  const row = named && (await selectClick(db, adKeyOf(named)))
  // Another customer's click looks as unknown as one that never existed.
  if (!row || (action.cuid !== null && row.cuid !== action.cuid)) return { refusal: 'unknown_click' }
  const credit = { ad: creditedAd(row), creditedTo: 'click' as const }
  if (action.atMs < row.at_ms - CLOCK_SLACK_MS) return { refusal: 'before_click', ...credit }
  if (action.atMs >= row.at_ms + clickWindowS * 1000) return { refusal: 'too_old', ...credit }
  if (!action.pixel) return credit
  if (!row.was_seen) return { refusal: 'uncounted_ad', ...credit }
  const isOther = row.browser !== null && row.browser !== action.pixel.browserOf(credit.ad)
  return isOther ? { refusal: 'other_visitor', ...credit } : credit
}

/** A pixel that does not name its customer is credited only if the user saw ads of just one customer. */
async function creditOfImpression(
  db: Db,
  { users, atMs, cuid }: ReportedAction,
  { impressionWindowS }: CreditWindows,
): Promise<Credit> {
  const fromMs = atMs - impressionWindowS * 1000
  const window = { fromMs, toMs: atMs, servedFromMs: fromMs - LONGEST_RESERVATION_MS }
  const rows = await selectLatestImpressions(db, users, window, cuid)
  if (rows.length > 1) return { refusal: 'ambiguous' }
  return rows[0] ? { ad: creditedAd(rows[0]), creditedTo: 'view' } : { refusal: 'no_credit' }
}

function creditedAd(row: CreditRow): CreditedAd {
  const { cuid, cid, fid, pid, bid } = row
  return {
    ...readAdKey(row.ad),
    cuid,
    cid,
    fid,
    pid,
    bid,
    placeHash: row.place_hash || null,
    locality: row.locality,
    audience: row.audience,
    country: countryName(row.country),
    device: deviceName(row.device),
    os: osName(row.os),
  }
}
