// The verbs of click rates: a worker learns them, every delivering process reads them. Ads belong to the hour in which
// they were served, and that hour is added up an hour after its end; later clicks are few and left out.

import { DAY_MS, HOUR_MS } from '../../kernel/time/units.ts'
import type { Database, Db } from '../../platform/database.ts'
import {
  addUsual,
  deleteBannersBefore,
  deleteUsualBefore,
  isAnyBest,
  isAnyByClick,
  lockLearned,
  noteLearned,
  selectBanners,
  selectBannersOf,
  selectCompared,
  selectFirstServed,
  selectUsual,
  selectUsualOf,
  upsertBanners,
} from './queries.ts'
import { type ClickRates, clickRatesOf, NO_CLICK_RATES } from './rates.ts'

/** The period of the figures: 28 days. */
export const KEPT_MS = 28 * DAY_MS
/** The most hours that one run adds up: at the first time there are 28 days of them. */
const MOST_HOURS = 24
const CAMPAIGNS_AT_ONCE = 200
const MOST_USUAL = 20_000
const MOST_BANNERS = 200_000

/** Does nothing as long as no campaign is paid by click and no persona takes the best of its banners. */
export async function learnClickRates(db: Database, nowMs: number): Promise<void> {
  const isByClick = await isAnyByClick(db, new Date(nowMs))
  if (isByClick) {
    for (let hours = 0; hours < MOST_HOURS; hours++) if (!(await learnHour(db, nowMs))) break
    await deleteUsualBefore(db, new Date(nowMs - KEPT_MS))
  }
  if (isByClick || (await isAnyBest(db))) await learnBanners(db, nowMs)
}

/** Adds one hour in one transaction, so that each counts once. False: there is none to add. */
function learnHour(db: Database, nowMs: number): Promise<boolean> {
  return db.transaction(async tx => {
    const learned = (await lockLearned(tx)) ?? (await selectFirstServed(tx))
    if (learned === null) return false
    const fromMs = Math.floor(Math.max(nowMs - KEPT_MS, learned.getTime()) / HOUR_MS) * HOUR_MS
    const toMs = fromMs + HOUR_MS
    if (toMs + HOUR_MS > nowMs) return false
    await addUsual(tx, new Date(fromMs), firstAdOf(fromMs), firstAdOf(toMs))
    await noteLearned(tx, new Date(toMs))
    return true
  })
}

/** Ids are as tracking makes them: the second in which an ad was served comes first. */
function firstAdOf(servedMs: number): string {
  return (servedMs / 1000).toString(16).padStart(8, '0').padEnd(32, '0')
}

async function learnBanners(db: Database, nowMs: number): Promise<void> {
  const now = new Date(nowMs)
  for (let after = 0; ; ) {
    const page = await selectCompared(db, now, after, CAMPAIGNS_AT_ONCE)
    if (page.length === 0) break
    after = page.at(-1)!.cid
    await upsertBanners(
      db,
      page.map(row => row.cid),
      new Date(nowMs - KEPT_MS),
      now,
    )
  }
  await deleteBannersBefore(db, new Date(nowMs - DAY_MS))
}

export async function readClickRates(db: Db, nowMs: number): Promise<ClickRates> {
  return clickRatesOf(
    await selectUsual(db, new Date(nowMs - KEPT_MS), MOST_USUAL),
    await selectBanners(db, MOST_BANNERS),
  )
}

/** The rates that an explanation of these banners needs. */
export async function readClickRatesOf(
  db: Db,
  banners: readonly { bid: number; width: number; height: number }[],
  nowMs: number,
): Promise<ClickRates> {
  if (banners.length === 0) return NO_CLICK_RATES
  const usual = await selectUsualOf(
    db,
    new Date(nowMs - KEPT_MS),
    banners.map(banner => banner.width),
    banners.map(banner => banner.height),
  )
  return clickRatesOf(
    usual,
    await selectBannersOf(
      db,
      banners.map(banner => banner.bid),
    ),
  )
}
