// Actions (conversions): each is credited to a click or view, and counted once. A click within its window wins; without
// one, a view by the same user within a day. Pixels and servers are counted apart: anybody can load a pixel, and what
// pixels report never uses up what servers report.

import { type Clock, toSeconds } from '../kernel/clock.ts'
import type { Db } from '../platform/database.ts'
import type { ActionLimits } from './action-limits.ts'
import { wasCountedBefore } from './action-queries.ts'
import { adKeyOf, readAdKey, readClickId, type UserHash } from './ad.ts'
import { type Batcher, idsOf } from './batcher.ts'
import { countryName, deviceName, osName } from './codes.ts'
import type { ACTION_REASONS, SeenActions } from './contract.ts'
import type { CreditedAd } from './event.ts'
import {
  type CreditRow,
  isCustomer,
  selectClick,
  selectLastActions,
  selectLatestViews,
  selectTest,
  upsertTest,
} from './queries.ts'

export type ActionRefusal = (typeof ACTION_REASONS)[number]

export interface ReportedAction {
  /** Null if the pixel does not name it: then the credited click or view tells. */
  cuid: number | null
  /** Null: a server reports with credentials. A pixel may name any number as its customer. */
  pixel: PixelCaller | null
  clickId: string | null
  /** What the visitor may have been known by when an ad was served. */
  users: UserHash[]
  name: string
  valueMicros: number | null
  /** Null if it cannot be trusted: a stranger's pixel must not use up the numbers of real orders. */
  order: string | null
  atMs: number
  /** Only tried out: judged as any other, and counted nowhere. */
  isTest: boolean
}

/** Who loads a pixel. The actions of bots do not count: they are looked up only to show them as filtered. */
export interface PixelCaller {
  isBot: boolean
  isPrefetch: boolean
  address: string
  /** See browserMark(). */
  browserOf(ad: { adId: string; servedS: number }): number
}

export interface ActionParts {
  batcher: Batcher
  actionLimits: ActionLimits
  clock: Clock
  clickWindowS: number
  viewWindowS: number
}

export type ActionAnswer = { counted: true } | { counted: false; reason: ActionRefusal } | 'unavailable'

type Credited = { ad: CreditedAd; creditedTo: 'click' | 'view' }
type Credit = Credited | ({ refusal: ActionRefusal } & Partial<Credited>)

/** Clocks of servers differ a little. */
const CLOCK_SLACK_MS = 5 * 60_000
/** An ad is seen at most so long after it was served: prunes the days to look in. */
const LONGEST_RESERVATION_MS = 86_400_000

export async function countAction(
  db: Db,
  action: ReportedAction,
  parts: ActionParts,
  waitMs: number,
): Promise<ActionAnswer> {
  const { batcher, clock, actionLimits } = parts
  const nowMs = clock.nowMs()
  const credit = await judge(db, action, parts, nowMs)
  if (action.isTest) return noteTest(db, action, credit, parts, nowMs)
  const refuse = (ids: number[], reason: ActionRefusal): ActionAnswer => {
    if (ids.length > 0) batcher.ignore(ids, 'actions', reason, nowMs)
    return { counted: false, reason }
  }
  if ('refusal' in credit)
    return refuse(credit.ad ? idsOf(credit.ad) : await customerOf(db, action), credit.refusal)
  if (!batcher.hasRoom()) return 'unavailable'
  const { name, valueMicros, pixel } = action
  if (pixel && (await wasCountedBefore(db, credit.ad.cuid, keyOf(credit, name))))
    return refuse(idsOf(credit.ad), 'duplicate')
  const refusal = await actionLimits.admit(db, action, credit.ad, nowMs)
  if (refusal) return refuse(idsOf(credit.ad), refusal)
  const dedupe = dedupeOf(action, credit)
  // A server whose clock is ahead does not put figures into the future.
  const atMs = Math.min(action.atMs, nowMs)
  const counted = { ...credit, dedupe, byPixel: pixel !== null, atMs, name, valueMicros }
  const answer = await batcher.addAction(counted, waitMs)
  if (answer === 'counted') return { counted: true }
  actionLimits.giveBack(action, nowMs)
  return answer === 'duplicate' ? { counted: false, reason: 'duplicate' } : 'unavailable'
}

/**
 * A pixel's is kept only if it names a click on one of the customer's ads: otherwise anybody could write there. The
 * name of a server's is known from now on.
 */
async function noteTest(
  db: Db,
  action: ReportedAction,
  credit: Credit,
  { actionLimits }: ActionParts,
  nowMs: number,
): Promise<ActionAnswer> {
  const { pixel, name } = action
  const reason = 'refusal' in credit ? credit.refusal : null
  const cuid = pixel ? (credit.creditedTo === 'click' ? credit.ad!.cuid : null) : action.cuid
  if (cuid !== null) {
    if (!pixel) await actionLimits.takeName(db, cuid, name, false, nowMs)
    await upsertTest(db, cuid, { at: new Date(nowMs), name, byPixel: pixel !== null, reason })
  }
  return { counted: false, reason: reason ?? 'test' }
}

/** For the advertiser to see that it works. */
export async function seenActions(db: Db, cuid: number): Promise<SeenActions> {
  const test = await selectTest(db, cuid)
  return {
    actions: (await selectLastActions(db, cuid)).map(({ name, last }) => ({ name, last: toSeconds(last) })),
    test: test && {
      at: toSeconds(test.at),
      name: test.name,
      by: test.by_pixel ? 'pixel' : 'server',
      reason: test.reason,
    },
  }
}

/** Nothing is written for a customer that does not exist, or for an invalid id. */
async function customerOf(db: Db, { cuid, pixel }: ReportedAction): Promise<number[]> {
  if (cuid === null) return []
  return pixel === null || (await isCustomer(db, cuid)) ? [cuid] : []
}

async function judge(db: Db, action: ReportedAction, parts: ActionParts, nowMs: number): Promise<Credit> {
  if (action.atMs > nowMs + CLOCK_SLACK_MS) return { refusal: 'future_time' }
  const credit = await creditOf(db, action, parts)
  if (!action.pixel || !credit.ad) return credit
  if (action.pixel.isBot) return { ...credit, refusal: 'bot' }
  return action.pixel.isPrefetch ? { ...credit, refusal: 'prefetch' } : credit
}

/** Once per order that a server names; else once per click (or view) and name. Those of pixels are their own. */
function dedupeOf({ order, pixel, name }: ReportedAction, credited: Credited): string {
  if (pixel) return `p${keyOf(credited, name)}`
  return order !== null ? `o:${order}` : keyOf(credited, name)
}

function keyOf({ ad, creditedTo }: Credited, name: string): string {
  return `${creditedTo === 'click' ? 'c' : 'v'}:${ad.adId}:${name}`
}

async function creditOf(db: Db, action: ReportedAction, parts: ActionParts): Promise<Credit> {
  const byClick = action.clickId === null ? null : await creditOfClick(db, action, action.clickId, parts)
  if (byClick && !('refusal' in byClick)) return byClick
  const byView = action.users.length === 0 ? null : await creditOfView(db, action, parts)
  if (byView && !('refusal' in byView)) return byView
  return byClick ?? byView ?? { refusal: 'no_credit' }
}

async function creditOfClick(
  db: Db,
  action: ReportedAction,
  clickId: string,
  { clickWindowS }: ActionParts,
): Promise<Credit> {
  const named = readClickId(clickId)
  const row = named && (await selectClick(db, adKeyOf(named)))
  // Another customer's click is as unknown as one that never was.
  if (!row || (action.cuid !== null && row.cuid !== action.cuid)) return { refusal: 'unknown_click' }
  const credit = { ad: creditedAd(row), creditedTo: 'click' as const }
  if (action.atMs < row.at_ms - CLOCK_SLACK_MS) return { refusal: 'before_click', ...credit }
  if (action.atMs >= row.at_ms + clickWindowS * 1000) return { refusal: 'too_old', ...credit }
  if (!action.pixel) return credit
  if (!row.was_seen) return { refusal: 'uncounted_ad', ...credit }
  const isOther = row.browser !== null && row.browser !== action.pixel.browserOf(credit.ad)
  return isOther ? { refusal: 'other_visitor', ...credit } : credit
}

/** A pixel that does not name its customer is credited only if just one customer's ads were seen. */
async function creditOfView(
  db: Db,
  { users, atMs, cuid }: ReportedAction,
  { viewWindowS }: ActionParts,
): Promise<Credit> {
  const fromMs = atMs - viewWindowS * 1000
  const window = { fromMs, toMs: atMs, servedFromMs: fromMs - LONGEST_RESERVATION_MS }
  const rows = await selectLatestViews(db, users, window, cuid)
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
