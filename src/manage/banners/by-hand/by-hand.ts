// Decisions of people about banners that have passed all checks, for apps and customers that want them. Their results
// are those of any review: delivery, webhooks, emails, issues and the history treat them alike.

import { refuseFrozen } from '../../../changes/frozen.ts'
import type { Tx } from '../../../changes/tx.ts'
import type { AppCaller } from '../../../kernel/caller.ts'
import { finding } from '../../../kernel/errors/finding.ts'
import { notFound, refusal } from '../../../kernel/errors/problem.ts'
import { parseId } from '../../../kernel/id.ts'
import { type Clock, toSeconds } from '../../../kernel/time/clock.ts'
import type { Db } from '../../../platform/database.ts'
import type { Banner } from '../contract.ts'
import { type BannerRow, lockAwaitingPerson } from '../queries.ts'
import { because, conclude } from '../review.ts'
import { UPLOAD_PATH } from '../source.ts'
import type { QueuedBanner } from './contract.ts'
import { type QueuedRow, type QueueScope, selectOwner, selectQueue } from './queries.ts'

export async function listQueue(
  db: Db,
  scope: QueueScope,
  after: number,
  limit: number,
  clock: Clock,
): Promise<QueuedBanner[]> {
  return (await selectQueue(db, scope, after, limit, new Date(clock.nowMs()))).map(toQueued)
}

/** The banner of a path's `:bid`; throws 404 for a banner of another app. */
export async function findOwner(
  db: Db,
  scope: QueueScope,
  bidText: string,
): Promise<{ bid: number; cuid: number }> {
  const bid = parseId(bidText)
  const owner = bid === null ? null : await selectOwner(db, scope, bid)
  if (!owner) throw notFound('banner')
  return { bid: bid!, cuid: owner.cuid }
}

export function approve(
  db: Tx,
  found: { bid: number; cuid: number },
  round: number,
  caller: AppCaller,
  clock: Clock,
): Promise<Banner> {
  return decide(db, found, round, caller, clock, row => ({ ...row, status: 'approved', ...because([]) }))
}

export function reject(
  db: Tx,
  found: { bid: number; cuid: number },
  { round, reason }: { round: number; reason: string },
  caller: AppCaller,
  clock: Clock,
): Promise<Banner> {
  const why = because([finding('rejected_by_hand', { reason })])
  const change = (row: BannerRow) => ({ ...row, status: 'rejected' as const, ...why, creative_name: null })
  return decide(db, found, round, caller, clock, change)
}

/** Locks the row: if two people decide at once, the second finds the review settled. */
async function decide(
  db: Tx,
  { bid, cuid }: { bid: number; cuid: number },
  round: number,
  caller: AppCaller,
  clock: Clock,
  change: (row: BannerRow) => BannerRow,
): Promise<Banner> {
  await refuseFrozen(db, cuid)
  const row = await lockAwaitingPerson(db, bid)
  if (!row || row.review_round !== round) throw refusal('review_settled')
  return conclude(db, row, { ...change(row), awaits_person_since: null }, caller.key, clock)
}

function toQueued({ creative_name, click_url, review_round, awaits_person_since, ...row }: QueuedRow) {
  return {
    ...row,
    image: UPLOAD_PATH + creative_name,
    clickUrl: click_url,
    round: review_round,
    since: toSeconds(awaits_person_since),
  }
}
