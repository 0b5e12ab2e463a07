// Erasing a deleted customer for good: the person is gone, figures and money stay. One transaction takes the person out
// of the customer's own row and ends every way in; the rest goes in batches, each a transaction of its own, so that the
// work may be interrupted, repeated and run in parallel. What a call that began before the deletion still wrote is
// found by a last look an hour later.

import type { Clock } from '../kernel/clock.ts'
import { notFound, refusal } from '../kernel/problem.ts'
import { recordChange } from '../platform/changes.ts'
import type { Database } from '../platform/database.ts'
import { forgetMails } from '../platform/mail.ts'
import {
  blankCustomer,
  blankOrders,
  deleteAccess,
  type ErasableRow,
  lockErasable,
  OF_CAMPAIGNS,
  OF_CUSTOMER,
  selectCids,
  selectDueErasures,
  setErasureDue,
} from './erase-queries.ts'

export interface ErasureParts {
  db: Database
  clock: Clock
  /** Where mails are when there is no mail server. */
  outboxDir: string
}

export interface Erasure {
  cuid: number
  /** The app that asks; null: the operator. */
  appId: number | null
  actor: string
}

const BATCH_ROWS = 500
const PAGE_CAMPAIGNS = 50
/** Longer than any call may take that was let in before the deletion. */
const LAST_LOOK_MS = 3_600_000
/** How much one call of the API does; the background does the rest. */
export const BATCHES_A_CALL = 100
const BATCHES_A_SWEEP = 2_000
const CUSTOMERS_A_SWEEP = 100

/** True when nothing is left; false when `mostBatches` were not enough and the background goes on. */
export async function eraseCustomer(
  parts: ErasureParts,
  erasure: Erasure,
  mostBatches = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  const { erasedAt, isDone } = await begin(parts, erasure)
  return isDone || goOn(parts, erasure.cuid, erasedAt, mostBatches)
}

/** Those that were begun and not finished, and the last looks. */
export async function sweepErasures(parts: Pick<ErasureParts, 'db' | 'clock'>): Promise<void> {
  const now = new Date(parts.clock.nowMs())
  for (const { cuid, erased_at } of await selectDueErasures(parts.db, now, CUSTOMERS_A_SWEEP)) {
    await goOn(parts, cuid, erased_at, BATCHES_A_SWEEP)
  }
}

interface Begun {
  erasedAt: Date
  /** By an earlier call: at most the last look is to come. */
  isDone: boolean
}

function begin({ db, clock, outboxDir }: ErasureParts, { cuid, appId, actor }: Erasure): Promise<Begun> {
  return db.transaction(async tx => {
    const row = await lockErasable(tx, appId, cuid)
    if (!row) throw notFound(`customer ${cuid}`)
    if (row.deleted_at === null) throw refusal('not_deleted', { cuid })
    if (row.erased_at) return { erasedAt: row.erased_at, isDone: hasEnded(row) }
    const at = new Date(clock.nowMs())
    await deleteAccess(tx, row)
    await blankCustomer(tx, cuid, at)
    const change = { at, noun: 'customer' as const, id: cuid, action: 'erase', cuid, cid: null, actor }
    await recordChange(tx, { ...change, before: null, after: null })
    await forgetMails(outboxDir, row.email)
    return { erasedAt: at, isDone: false }
  })
}

/** From its beginning on it is due at once, until everything was gone through. */
function hasEnded({ erased_at, erasure_due_at }: ErasableRow): boolean {
  return erasure_due_at === null || erasure_due_at > erased_at!
}

async function goOn(
  { db, clock }: Pick<ErasureParts, 'db' | 'clock'>,
  cuid: number,
  erasedAt: Date,
  mostBatches: number,
): Promise<boolean> {
  let left = mostBatches
  for await (const _ of batches(db, cuid)) {
    if (--left <= 0) return false
  }
  const lastLook = new Date(erasedAt.getTime() + LAST_LOOK_MS)
  await setErasureDue(db, cuid, clock.nowMs() < lastLook.getTime() ? lastLook : null)
  return true
}

/** Everything once, a step at a time; what is already gone costs a look. */
async function* batches(db: Database, cuid: number): AsyncGenerator<void> {
  for (const step of OF_CUSTOMER) yield* untilDone(() => step(db, cuid, BATCH_ROWS))
  let last: string | null = ''
  while (last !== null) {
    last = await blankOrders(db, cuid, last, BATCH_ROWS)
    yield
  }
  let cids = await nextCids(db, cuid, 0)
  while (cids.length > 0) {
    const page = cids
    for (const step of OF_CAMPAIGNS) yield* untilDone(() => step(db, page, BATCH_ROWS))
    cids = await nextCids(db, cuid, page.at(-1)!)
  }
}

async function* untilDone(step: () => Promise<number>): AsyncGenerator<void> {
  let rows: number
  do {
    rows = await step()
    yield
  } while (rows === BATCH_ROWS)
}

async function nextCids(db: Database, cuid: number, after: number): Promise<number[]> {
  return (await selectCids(db, cuid, after, PAGE_CAMPAIGNS)).map(({ cid }) => cid)
}
