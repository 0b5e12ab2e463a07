// Reports once per crossing that a balance is low or spent. A look adds up only balances that may have crossed, which
// are those with nearly everything granted; every ten minutes it checks all. The report is noted in the transaction
// that records the event, so each event is sent once, however many processes watch.

import { recordEvent, recordMail } from '../../changes/outbox.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { selectCheapest } from '../../manage/campaigns/state-queries.ts'
import { buysNothing } from '../../manage/campaigns/status.ts'
import type { Database, Db } from '../../platform/database.ts'
import { readAccount } from './accounts.ts'
import type { Account } from './contract.ts'
import { noteSent, selectWatched, type WatchedRow } from './queries.ts'

export interface WatchParts {
  db: Database
  clock: Clock
  currency: string
}

const PAGE = 100
const ALL_EVERY_MS = 10 * 60_000
/** Nearly every impression costs less: a balance with more than this not granted is not spent. */
const NEARLY_ALL_MICROS = 1_000_000

/** Each call looks once. */
export function createAccountWatch(parts: WatchParts): () => Promise<void> {
  let allAtMs = Number.NEGATIVE_INFINITY
  return async () => {
    const nowMs = parts.clock.nowMs()
    const isFull = nowMs < allAtMs || nowMs - allAtMs >= ALL_EVERY_MS
    await look(parts, isFull ? Number.MAX_SAFE_INTEGER : NEARLY_ALL_MICROS)
    if (isFull) allAtMs = nowMs
  }
}

async function look(parts: WatchParts, leastMicros: number): Promise<void> {
  let page: WatchedRow[] | null = null
  while (page === null || page.length === PAGE) {
    page = await selectWatched(parts.db, leastMicros, page?.at(-1)?.cuid ?? 0, PAGE)
    for (const row of page) await lookAt(row, parts)
  }
}

async function lookAt(row: WatchedRow, { db, clock, currency }: WatchParts): Promise<void> {
  const { cuid } = row
  const account = await readAccount(db, cuid, currency)
  const at = new Date(clock.nowMs())
  if (!row.low_sent && account.lowBalance !== null && account.balance <= account.lowBalance) {
    await db.transaction(tx => tell(tx, 'low', account, at))
  }
  if (!row.spent_sent && (await isSpent(db, account, at))) {
    await db.transaction(tx => tell(tx, 'spent', account, at))
  }
}

/** A balance rarely reaches 0 exactly: one that buys no impression of any campaign counts as spent. */
async function isSpent(db: Db, { cuid, balance }: Account, now: Date): Promise<boolean> {
  return balance <= 0 || buysNothing(Math.round(balance * 1e6), await selectCheapest(db, cuid, now))
}

async function tell(tx: Db, what: 'low' | 'spent', account: Account, at: Date): Promise<void> {
  const { cuid, balance, lowBalance } = account
  if (!(await noteSent(tx, cuid, what))) return
  await recordEvent(tx, { at, type: `customer.balance_${what}`, cuid, data: account })
  const about = `${what} ${at.getTime()}`
  await recordMail(tx, { at, cuid, kind: 'balance', about, facts: { what, balance, lowBalance } })
}
