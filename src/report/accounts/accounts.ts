// The verbs of accounts: begin and end one, read its balance, credit it. A balance is a pool that delivery draws its
// shares from (src/budget/shares/), so nothing here has to stop delivery: what is not in the pool cannot be promised.

import { closeBalance, openBalance, raiseBalance } from '../../budget/shares/pool-queries.ts'
import { recordChange } from '../../changes/changes.ts'
import { recordEvent } from '../../changes/outbox.ts'
import type { Tx } from '../../changes/tx.ts'
import { whoIs } from '../../identity/who.ts'
import type { ActorText } from '../../kernel/actor.ts'
import { invalidField, notFound, refusal } from '../../kernel/errors/problem.ts'
import { fromMicros, MAX_UNITS, MICROS_PER_UNIT, toMicros } from '../../kernel/money.ts'
import { type Clock, toSeconds } from '../../kernel/time/clock.ts'
import type { Accounts } from '../../manage/customers/customers.ts'
import type { Db } from '../../platform/database.ts'
import type { Account, AccountEntry, Credited, NewCredit } from './contract.ts'
import {
  type AccountRow,
  type EntryRow,
  endAccount,
  insertAccount,
  insertEntry,
  lockOwner,
  selectAccount,
  selectEntry,
  selectLastEntry,
  watchAgain,
} from './queries.ts'

export interface AccountParts {
  clock: Clock
  currency: string
}

const MOST_MICROS = MAX_UNITS * MICROS_PER_UNIT

/** The verbs of accounts that customers use. */
export const accounts: Accounts = {
  async begin(db, cuid, now) {
    await openBalance(db, cuid, await insertAccount(db, cuid, now))
  },
  async end(db, cuid, now) {
    await closeBalance(db, cuid)
    await endAccount(db, cuid, now)
  },
  async watchAgain(db, cuid) {
    await watchAgain(db, cuid, { low: true, spent: false })
  },
}

export async function readAccount(db: Db, cuid: number, currency: string): Promise<Account> {
  const row = await selectAccount(db, cuid)
  if (!row) throw notFound('customer')
  return toAccount(cuid, row, currency)
}

/** The last credit or correction; null if there was none. */
export async function lastEntry(db: Db, cuid: number): Promise<AccountEntry | null> {
  const row = await selectLastEntry(db, cuid)
  return row && toEntry(row)
}

export interface CreditMade extends Credited {
  /** False: an earlier call made the credit. */
  isNew: boolean
}

/** `actor`: the key half of the caller's pair, or the operator. */
export async function creditCustomer(
  db: Tx,
  cuid: number,
  { amount, reference, note }: NewCredit,
  actor: ActorText,
  { clock, currency }: AccountParts,
): Promise<CreditMade> {
  const micros = toMicros(amount)!
  if (micros === 0) throw invalidField('/amount', 'zero_amount')
  const owner = await lockOwner(db, cuid)
  if (!owner) throw notFound('customer')
  const known = await selectEntry(db, cuid, reference)
  if (known) {
    if (known.amount_micros !== micros)
      throw refusal('reference_taken', { reference, amount: fromMicros(known.amount_micros) })
    return { entry: toEntry(known), account: await readAccount(db, cuid, currency), isNew: false }
  }
  if (owner.account_no === null) throw refusal('not_prepaid', { cuid })
  await move(db, cuid, micros)
  const at = new Date(clock.nowMs())
  const made = await insertEntry(db, {
    cuid,
    account_no: owner.account_no,
    at,
    kind: micros > 0 ? 'credit' : 'correction',
    amount_micros: micros,
    reference,
    note: note ?? null,
  })
  const entry = toEntry(made)
  const account = await readAccount(db, cuid, currency)
  const { balance, lowBalance } = account
  await watchAgain(db, cuid, { low: lowBalance !== null && balance > lowBalance, spent: balance > 0 })
  const by = await whoIs(db, cuid, actor)
  await recordEvent(db, { at, type: 'customer.credited', cuid, data: { ...account, entry, by } })
  // As soon as delivery reads this change, it asks for money again.
  const change = { at, noun: 'customer' as const, id: cuid, action: 'credit', cuid, cid: null, actor }
  await recordChange(db, { ...change, before: null, after: entry })
  return { entry, account, isNew: true }
}

async function move(db: Db, cuid: number, micros: number): Promise<void> {
  const { credited } = (await selectAccount(db, cuid))!
  if (credited + micros > MOST_MICROS) {
    const max = fromMicros(MOST_MICROS - credited)
    throw invalidField('/amount', 'too_large', { expected: 'amount', min: -MAX_UNITS, max })
  }
  if (await raiseBalance(db, cuid, micros)) return
  const { granted } = (await selectAccount(db, cuid))!
  throw refusal('balance_too_low', { most: fromMicros(credited - granted) })
}

function toAccount(cuid: number, row: AccountRow, currency: string): Account {
  const { prepaid, credited, granted, spent, low_balance_micros } = row
  return {
    cuid,
    prepaid,
    balance: fromMicros(credited - spent),
    reserved: fromMicros(granted - spent),
    credited: fromMicros(credited),
    spent: fromMicros(spent),
    lowBalance: low_balance_micros === null ? null : fromMicros(low_balance_micros),
    currency,
  }
}

function toEntry({ at, kind, amount_micros, reference, note }: EntryRow): AccountEntry {
  return {
    time: toSeconds(at),
    kind,
    amount: fromMicros(amount_micros),
    ...(reference === null ? {} : { reference }),
    ...(note === null ? {} : { note }),
  }
}
