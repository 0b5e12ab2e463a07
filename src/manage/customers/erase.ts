// Erases a deleted customer for good: the person is gone, figures and money stay. One transaction blanks the customer's
// own row and removes all access. The rest is done in batches with a transaction each, so that it may be interrupted,
// repeated and run in parallel. An hour later, a last look finds what calls that began before the deletion still wrote.

import { recordChange } from '../../changes/changes.ts'
import { inTx } from '../../changes/tx.ts'
import type { ActorText } from '../../kernel/actor.ts'
import { notFound, refusal } from '../../kernel/errors/problem.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Database } from '../../platform/database.ts'
import { forgetMails } from '../../platform/mail.ts'
import {
  blankCustomer,
  blankOrders,
  deleteAccess,
  type ErasableRow,
  lockErasable,
  OF_CAMPAIGNS,
  OF_CUSTOMER,
  selectAddresses,
  selectCids,
  selectDueErasures,
  setErasureDue,
} from './erase-queries.ts'

export interface ErasureParts {
  db: Database
  clock: Clock
  /** The directory for emails when there is no mail server. */
  outboxDir: string
}

export interface Erasure {
  cuid: number
  /** The app that asks for it; null: the operator. */
  appId: number | null
  actor: ActorText
}

const BATCH_ROWS = 500
const PAGE_CAMPAIGNS = 50
/** Longer than any call that began before the deletion may take. */
const LAST_LOOK_MS = 3_600_000
/** Batches per call of the API; the background does the rest. */
export const BATCHES_A_CALL = 100
const BATCHES_A_SWEEP = 2_000
const CUSTOMERS_A_SWEEP = 100

/** Returns true if nothing is left, false if `mostBatches` were not enough and the background continues. */
export async function eraseCustomer(
  parts: ErasureParts,
  erasure: Erasure,
  mostBatches = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  const { erasedAt, isDone } = await begin(parts, erasure)
  return isDone || goOn(parts, erasure.cuid, erasedAt, mostBatches)
}

/** Continues erasures that were begun and not finished, and does the last looks. */
export async function sweepErasures(parts: ErasureParts): Promise<void> {
  const now = new Date(parts.clock.nowMs())
  for (const { cuid, erased_at } of await selectDueErasures(parts.db, now, CUSTOMERS_A_SWEEP)) {
    await goOn(parts, cuid, erased_at, BATCHES_A_SWEEP)
    await forgetMails(parts.outboxDir, cuid, [])
  }
}

interface Begun {
  erasedAt: Date
  /** An earlier call has finished, except perhaps for the last look. */
  isDone: boolean
}

function begin({ db, clock, outboxDir }: ErasureParts, { cuid, appId, actor }: Erasure): Promise<Begun> {
  return inTx(db, async tx => {
    const row = await lockErasable(tx, appId, cuid)
    if (!row) throw notFound(`customer ${cuid}`)
    if (row.deleted_at === null) throw refusal('not_deleted', { cuid })
    if (row.erased_at) return { erasedAt: row.erased_at, isDone: hasEnded(row) }
    const at = new Date(clock.nowMs())
    const addresses = await selectAddresses(tx, row)
    await deleteAccess(tx, row, addresses)
    await blankCustomer(tx, cuid, at)
    const change = { at, noun: 'customer' as const, id: cuid, action: 'erase', cuid, cid: null, actor }
    await recordChange(tx, { ...change, before: null, after: null })
    await forgetMails(outboxDir, cuid, addresses)
    return { erasedAt: at, isDone: false }
  })
}

/** An erasure is due immediately when it begins, and until everything was gone through. */
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

/** Goes through everything once; a step that finds nothing left costs one query. */
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
