// The verbs of landing pages: read what is known, look now, and the daily look at all of them. What is away for a
// moment is looked at again before it is reported; what begins to be wrong is reported once, by a webhook.

import { recordEvent } from '../../../changes/outbox.ts'
import type { Finding } from '../../../kernel/errors/finding.ts'
import { type Clock, toSeconds } from '../../../kernel/time/clock.ts'
import { DAY_MS, HOUR_MS } from '../../../kernel/time/units.ts'
import type { Database, Db } from '../../../platform/database.ts'
import { clickUrlOf } from '../banners.ts'
import type { BrokenLandingPage, LandingPage } from './contract.ts'
import { type FollowPage, isPassing } from './follow.ts'
import {
  claimDue,
  deleteUnseen,
  isTimeToNotice,
  lockPage,
  noticePageOf,
  noticePages,
  type PageRow,
  selectLeading,
  selectPageOf,
  selectRunning,
  updatePage,
} from './queries.ts'

export interface LandingParts {
  clock: Clock
  followPage: FollowPage
}

const CAMPAIGNS_AT_ONCE = 200
const NOTICE_MS = HOUR_MS
/** A page to which nothing leads is forgotten. */
const FORGET_MS = DAY_MS
const PAGES_AT_ONCE = 16
const FOLLOWED_AT_ONCE = 4
/** A look takes part of a minute; a process that dies meanwhile gives the page back. */
const CLAIM_MS = 600_000
const LOOK_AGAIN_MS = 600_000
/** A passing fault is reported when it was seen this often in a row. */
const FAILURES = 2
const FRESH_MS = 10_000
const MOST_BANNERS = 20

export async function readLandingPage(db: Db, bid: number): Promise<LandingPage> {
  const url = await clickUrlOf(db, bid)
  return shown(url, url === null ? null : await selectPageOf(db, bid))
}

/** Looks while no transaction is open. */
export async function checkLandingPage(db: Database, bid: number, parts: LandingParts): Promise<LandingPage> {
  const url = await clickUrlOf(db, bid)
  const now = new Date(parts.clock.nowMs())
  const page = url === null ? null : await noticePageOf(db, bid, now)
  if (url === null || page === null) return shown(null, null)
  if (page.checked_at && now.getTime() - page.checked_at.getTime() < FRESH_MS) return shown(url, page)
  const findings = await parts.followPage(url)
  return shown(url, await settle(db, { page, url, findings, isAsked: true }, parts.clock))
}

/** Called often: notices the pages of running campaigns once an hour, and looks at those that are due. */
export async function checkDuePages(db: Database, parts: LandingParts): Promise<void> {
  const now = new Date(parts.clock.nowMs())
  if (await isTimeToNotice(db, now, NOTICE_MS)) await notice(db, now)
  const claimedUntil = new Date(now.getTime() + CLAIM_MS)
  for (;;) {
    const pages = await claimDue(db, now, claimedUntil, PAGES_AT_ONCE)
    const rest = [...pages]
    const work = async () => {
      for (let page = rest.shift(); page; page = rest.shift()) await look(db, page, parts)
    }
    await Promise.all(Array.from({ length: FOLLOWED_AT_ONCE }, work))
    if (pages.length < PAGES_AT_ONCE) return
  }
}

async function notice(db: Database, now: Date): Promise<void> {
  for (let after = 0; ; ) {
    const running = await selectRunning(db, now, after, CAMPAIGNS_AT_ONCE)
    const cids = running.map(({ cid }) => cid)
    if (cids.length > 0) await noticePages(db, cids, now)
    if (cids.length < CAMPAIGNS_AT_ONCE) break
    after = cids.at(-1)!
  }
  await deleteUnseen(db, new Date(now.getTime() - FORGET_MS))
}

async function look(db: Database, page: PageRow, { clock, followPage }: LandingParts): Promise<void> {
  const url = await clickUrlOf(db, page.bid)
  // What leads nowhere any more is soon forgotten.
  const findings = url === null ? [] : await followPage(url)
  await settle(db, { page, url, findings, isAsked: false }, clock)
}

interface Looked {
  page: PageRow
  url: string | null
  findings: Finding[]
  /** Somebody waits for the answer: nothing is looked at twice. */
  isAsked: boolean
}

async function settle(
  db: Database,
  { page, url, findings, isAsked }: Looked,
  clock: Clock,
): Promise<PageRow> {
  const now = new Date(clock.nowMs())
  return db.transaction(async tx => {
    const before = await lockPage(tx, page)
    if (!before) return page
    const failures = findings.some(isPassing) ? before.failures + 1 : 0
    const isSure = isAsked || failures === 0 || failures >= FAILURES
    const isWrong = isSure ? findings.length > 0 : before.findings.length > 0
    const after: PageRow = {
      ...before,
      checked_at: now,
      failures,
      findings: isSure ? findings : before.findings,
      since: isWrong ? (before.since ?? now) : null,
    }
    await updatePage(tx, after, new Date(now.getTime() + (isSure ? DAY_MS : LOOK_AGAIN_MS)))
    if (isWrong && before.since === null) await report(tx, after, url, now)
    return after
  })
}

async function report(tx: Db, page: PageRow, url: string | null, now: Date): Promise<void> {
  const { cuid } = page
  const banners = await selectLeading(tx, page, now, MOST_BANNERS)
  const data: BrokenLandingPage = { ...shown(url, page), cuid, banners }
  await recordEvent(tx, { at: now, type: 'landing_page.broken', cuid, data })
}

function shown(url: string | null, page: PageRow | null): LandingPage {
  return {
    url,
    checked: page?.checked_at ? toSeconds(page.checked_at) : null,
    brokenSince: page?.since ? toSeconds(page.since) : null,
    findings: page?.findings ?? [],
  }
}
