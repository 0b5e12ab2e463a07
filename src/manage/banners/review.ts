// The background review of a banner: gets the image, inspects and judges it, stores our own copy and records the
// result, or retries later if the host is down. Reviews have rounds, so that an earlier result never applies to a later
// creative. A review may run twice or be interrupted anywhere, with the same result.

import { isDeepStrictEqual } from 'node:util'
import { recordChange } from '../../changes/changes.ts'
import { recordEvent, recordMail } from '../../changes/outbox.ts'
import { inTx, type Tx } from '../../changes/tx.ts'
import type { ActorText } from '../../kernel/actor.ts'
import { type Finding, finding } from '../../kernel/errors/finding.ts'
import { Problem } from '../../kernel/errors/problem.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Database, Db } from '../../platform/database.ts'
import type { ImageType } from '../../platform/images/type.ts'
import { addJob, addJobs, type Task } from '../../platform/job-queue.ts'
import { type Banner, MAX_UPLOAD_BYTES } from './contract.ts'
import { fetchCreative } from './creative/fetch.ts'
import type { Inspect, Inspection } from './creative/inspection.ts'
import { type CreativeLimits, type Review, reviewCreative } from './creative/rules.ts'
import { type Creatives, creativeName } from './creative/store.ts'
import { withoutMetadata } from './creative/strip.ts'
import { lockImageShared } from './image-queries.ts'
import { toBanner } from './object.ts'
import {
  type BannerRow,
  lockAwaiting,
  lockAwaitingPerson,
  lockForReview,
  type ReviewRow,
  type SweptRow,
  selectAwaiting,
  selectAwaitingPerson,
  selectForReview,
  selectPending,
  updateBanner,
} from './queries.ts'
import { UPLOAD_PATH } from './source.ts'

export const REVIEW_TASK = 'review-banner'
const KEY_PREFIX = 'review:'
/** The actor of a review in the audit. */
const ACTOR = 'review'
const SWEEP_PAGE = 500
/** Every process has loaded a change after this time: when an app learns of an approval, the banner can be served. */
const DELIVERS_AFTER_MS = 2_000
/** How long an email about a rejection waits for others to join it. */
const GATHER_MS = 120_000

/** The waits before each retry of a host that is down, as parts of the whole time, increasing. */
const RETRY_SHARES = [1 / 40, 1 / 10, 11 / 40, 24 / 40]
const ATTEMPTS = RETRY_SHARES.length + 1

export interface ReviewParts {
  db: Database
  clock: Clock
  files: Creatives
  limits: CreativeLimits
  allowPrivate: boolean
  fetchTimeoutMs(url: string): number
  retryForMs: number
  inspect: Inspect
}

interface ReviewJob {
  bid: number
  round: number
  attempt: number
  /** How often nobody could read the image, which does not count as an attempt. */
  unread?: number
}

type Obtained = { ok: true; bytes: Buffer } | { ok: false; finding: Finding; retry: boolean }

/** Runs in the transaction that made the banner pending. */
export function askForReview(db: Db, { bid, review_round: round }: { bid: number; review_round: number }) {
  return addReviewJob(db, { bid, round, attempt: 1 }, 0)
}

/** `askForReview` for many banners, in one statement. */
export function askForReviews(db: Db, rows: { bid: number; review_round: number }[]) {
  return addJobs(
    db,
    rows.map(({ bid, review_round: round }) => {
      const payload: ReviewJob = { bid, round, attempt: 1 }
      return { task: REVIEW_TASK, payload, key: keyOf(payload), priority: payload.attempt }
    }),
  )
}

function keyOf({ bid, round }: ReviewJob): string {
  return `${KEY_PREFIX}${bid}:${round}`
}

/** First attempts go first, so that hosts that are down do not delay others. */
function addReviewJob(db: Db, payload: ReviewJob, delayMs: number): Promise<void> {
  return addJob(db, { task: REVIEW_TASK, payload, key: keyOf(payload), priority: payload.attempt, delayMs })
}

/**
 * The banner as it waits for the next round. If its source is unchanged, the review uses our own copy of the approved
 * image and needs no other host. Otherwise nothing is known about the image yet.
 */
export function backToReview(row: BannerRow, wanted: BannerRow): BannerRow {
  const round = {
    status: 'pending' as const,
    ...because([]),
    awaits_website: false,
    awaits_person_since: null,
    review_round: row.review_round + 1,
  }
  if (wanted.creative_name !== null && wanted.creative_url === row.creative_url)
    return { ...wanted, ...round }
  const { declared_width: width, declared_height: height } = wanted
  return { ...wanted, ...round, width, height, type: null, bytes: null, animated: false, creative_name: null }
}

export function reviewTask(parts: ReviewParts): Task {
  return async payload => {
    const job = payload as ReviewJob
    const subject = await selectForReview(parts.db, job.bid, job.round)
    if (!subject) return
    const obtained = await obtain(subject, parts)
    if (obtained.ok) await judge(parts, job, subject, obtained.bytes)
    else if (obtained.retry && job.attempt < ATTEMPTS) await tryAgain(parts, job, obtained.finding)
    else await settle(parts, job, row => ({ ...row, status: 'rejected', ...because([obtained.finding]) }))
  }
}

async function obtain(subject: ReviewRow, parts: ReviewParts): Promise<Obtained> {
  const { creative_name: kept, creative_url: source } = subject
  const uploaded = source.startsWith(UPLOAD_PATH) ? source.slice(UPLOAD_PATH.length) : null
  const name = kept ?? uploaded
  const own = name === null ? null : await parts.files.read(name)
  if (own) return { ok: true, bytes: own.bytes }
  if (uploaded !== null) {
    return { ok: false, finding: finding('upload_gone'), retry: false }
  }
  return fetchCreative(source, {
    allowPrivate: parts.allowPrivate,
    maxBytes: MAX_UPLOAD_BYTES,
    timeoutMs: parts.fetchTimeoutMs(source),
  })
}

async function judge(parts: ReviewParts, job: ReviewJob, subject: ReviewRow, bytes: Buffer): Promise<void> {
  const declared = {
    declaredWidth: subject.declared_width,
    declaredHeight: subject.declared_height,
    clickUrl: subject.click_url,
    website: subject.website,
  }
  const inspection = await inspectOrWait(parts, job, subject, bytes)
  if (!inspection) return
  const review = reviewCreative(inspection, declared, parts.limits)
  const copy = review.approved && review.type ? withoutMetadata(bytes, review.type, 1) : null
  const name = copy && creativeName(copy, review.type!)
  // Runs in the transaction of the result and with the image locked, so that the copy is not cleaned up in between.
  const keepCopy = async (tx: Db) => {
    if (copy === null || name === null) return
    await lockImageShared(tx, name)
    await parts.files.put(tx, copy, review.type!)
  }
  const awaitsWebsite = !review.approved && !subject.click_url && !subject.website
  const judged = (row: ReviewRow): BannerRow => ({
    ...row,
    ...whatItIs(row, copy ? { ...review, bytes: copy.length } : review),
    status: name === null ? 'rejected' : 'approved',
    ...because(review.findings),
    creative_name: name,
    awaits_website: awaitsWebsite,
  })
  const change = (row: ReviewRow) =>
    row.by_hand && name !== null ? leftToPerson(judged(row), parts.clock) : judged(row)
  await settle(parts, job, change, keepCopy)
}

/** Null if images cannot be read: that is not the image's fault, so the review waits, however long it takes. */
async function inspectOrWait(
  parts: ReviewParts,
  job: ReviewJob,
  subject: ReviewRow,
  bytes: Buffer,
): Promise<Inspection | null> {
  try {
    return await parts.inspect(bytes, subject.cuid)
  } catch (error) {
    if (!(error instanceof Problem && error.reason === 'images_unavailable')) throw error
    const { unread = 0 } = job
    const share = RETRY_SHARES[Math.min(unread, RETRY_SHARES.length - 1)]!
    await postpone(parts, job, [finding('review_waits')], { ...job, unread: unread + 1 }, share)
    return null
  }
}

/** The checks found nothing wrong: from now on the banner waits for a person. */
function leftToPerson(row: BannerRow, clock: Clock): BannerRow {
  const since = new Date(clock.nowMs())
  return { ...row, status: 'pending', ...because([finding('review_by_hand')]), awaits_person_since: since }
}

/** The findings as data, and as text for versions that know only text. */
export function because(findings: Finding[]): Pick<BannerRow, 'findings' | 'reasons'> {
  return { findings, reasons: findings.map(({ message }) => message) }
}

/** The real size, or the declared one if the bytes have none. */
function whatItIs(row: BannerRow, review: Review) {
  const { width, height, type, bytes, animated } = review
  const size =
    width && height ? { width, height } : { width: row.declared_width, height: row.declared_height }
  return { ...size, type: type && mediaType(type), bytes, animated }
}

export function mediaType(type: ImageType): `image/${ImageType}` {
  return `image/${type}`
}

async function settle(
  parts: ReviewParts,
  { bid, round }: ReviewJob,
  change: (row: ReviewRow) => BannerRow,
  first: (tx: Db) => Promise<void> = async () => {},
): Promise<void> {
  await inTx(parts.db, async tx => {
    const row = await lockForReview(tx, bid, round)
    if (!row) return
    await first(tx)
    const wanted = change(row)
    if (wanted.status === 'pending') await write(tx, row, wanted, 'postpone', ACTOR, parts.clock)
    else await conclude(tx, row, wanted, ACTOR, parts.clock)
  })
}

/** Stores the result of a review, whoever decided it, and reports it. */
export async function conclude(
  tx: Tx,
  row: ReviewRow,
  wanted: BannerRow,
  actor: ActorText,
  clock: Clock,
): Promise<Banner> {
  const approved = wanted.status === 'approved'
  const banner = toBanner(await write(tx, row, wanted, approved ? 'approve' : 'reject', actor, clock))
  const type = approved ? 'banner.approved' : 'banner.rejected'
  const at = new Date(clock.nowMs())
  const notBefore = new Date(at.getTime() + (approved ? DELIVERS_AFTER_MS : 0))
  await recordEvent(tx, { at, type, cuid: row.cuid, data: banner, notBefore })
  if (!approved) await mailRejection(tx, row.cuid, banner, row.review_round, at)
  return banner
}

/** Many rejections within 2 minutes are reported in one email. */
function mailRejection(db: Db, cuid: number, { cid, pid, bid }: Banner, round: number, at: Date) {
  const notBefore = new Date(at.getTime() + GATHER_MS)
  const news = {
    at,
    cuid,
    kind: 'bannerRejected',
    about: `${bid} ${round}`,
    facts: { cid, pid, bid },
  } as const
  return recordMail(db, { ...news, notBefore })
}

function tryAgain(parts: ReviewParts, job: ReviewJob, why: Finding): Promise<void> {
  const { attempt } = job
  const findings = [why, finding('review_postponed', { attempt, attempts: ATTEMPTS })]
  return postpone(parts, job, findings, { ...job, attempt: attempt + 1 }, RETRY_SHARES[attempt - 1]!)
}

/** Records the findings, so that the customer sees what the review waits for. */
async function postpone(
  parts: ReviewParts,
  { bid, round }: ReviewJob,
  findings: Finding[],
  next: ReviewJob,
  share: number,
): Promise<void> {
  await inTx(parts.db, async tx => {
    const row = await lockForReview(tx, bid, round)
    if (!row) return
    if (!isDeepStrictEqual(row.findings, findings))
      await write(tx, row, { ...row, ...because(findings) }, 'postpone', ACTOR, parts.clock)
    await addReviewJob(tx, next, parts.retryForMs * share)
  })
}

async function write(
  tx: Tx,
  row: ReviewRow,
  wanted: BannerRow,
  action: string,
  actor: ActorText,
  clock: Clock,
): Promise<BannerRow> {
  const at = new Date(clock.nowMs())
  const changed = await updateBanner(tx, wanted, at)
  await recordChange(tx, {
    at,
    noun: 'banner',
    id: row.bid,
    action,
    cuid: row.cuid,
    cid: row.cid,
    actor,
    before: toBanner(row),
    after: toBanner(changed),
  })
  return changed
}

/**
 * Repairs gaps. A pending banner without a job gets one. A banner that lacked only a website is reviewed again once its
 * customer has one, and so is a banner that waits for a person who is no longer needed.
 */
export async function sweepReviews(db: Database, clock: Clock): Promise<void> {
  for await (const row of due(after => selectPending(db, KEY_PREFIX, after, SWEEP_PAGE))) {
    await askForReview(db, row)
  }
  for await (const { bid } of due(after => selectAwaiting(db, after, SWEEP_PAGE))) {
    await inTx(db, async tx => {
      const row = await lockAwaiting(tx, bid)
      if (row) await askAgain(tx, row, clock)
    })
  }
  for await (const { bid } of due(after => selectAwaitingPerson(db, after, SWEEP_PAGE))) {
    await inTx(db, async tx => {
      const row = await lockAwaitingPerson(tx, bid)
      if (row && !row.by_hand) await askAgain(tx, row, clock)
    })
  }
}

async function askAgain(tx: Tx, row: ReviewRow, clock: Clock): Promise<void> {
  await askForReview(tx, await write(tx, row, backToReview(row, row), 'review', ACTOR, clock))
}

async function* due(fetchPage: (after: number) => Promise<SweptRow[]>): AsyncGenerator<SweptRow> {
  let page = await fetchPage(0)
  while (page.length > 0) {
    yield* page.filter(row => row.due)
    page = page.length < SWEEP_PAGE ? [] : await fetchPage(page.at(-1)!.bid)
  }
}
