// Fair use of the database: calls wait for a slot at each pool, so that no customer and no app can use up the
// connections of others. A call counts for the customer it is made for, and also for the app if a super pair makes it.

import type { Caller } from '../kernel/caller.ts'
import { type Problem, refusal } from '../kernel/errors/problem.ts'
import type { Database } from '../platform/database.ts'
import {
  createFairQueue,
  type Done,
  type FairQueue,
  type Owner,
  type QueueRefusal,
} from '../platform/fair-queue.ts'
import type { Metrics } from '../platform/metrics.ts'

export interface FairPools {
  /** Calls together may use this many connections of a pool at once. */
  add(name: string, db: Database, atOnce: number): void
  /** The same database for one call: each statement and each transaction waits for a slot until the signal aborts. */
  databaseFor(db: Database, call: PooledCall): Database
  /** Waits for the call's turn to read many rows: they take time of the process itself, which all calls share. */
  longRead(call: PooledCall): Promise<Done>
}

export interface PooledCall {
  caller: Caller | null
  /** The customer it is made for. */
  cuid: number | null
  signal: AbortSignal
  /** Part of it was already answered, so it can no longer be refused. */
  isAnswering(): boolean
}

export interface FairPoolOptions {
  /** Slots of one customer at once. */
  atOnce: number
  metrics: Metrics
  waitMs?: number
  waitingEach?: number
  waiting?: number
}

export const WAIT_MS = 10_000
export const WAITING_EACH = 100
const WAITING = 1_000
/** Reads of many rows: how many run at once, and how many wait with their first rows in memory. */
export const LONG_READS = { perCustomer: 1, perApp: 2, atOnce: 3, waiting: 300 }

export function createFairPools(options: FairPoolOptions): FairPools {
  const { atOnce, metrics, waitMs = WAIT_MS, waitingEach = WAITING_EACH, waiting = WAITING } = options
  const pools = new Map<Database, { name: string; queue: FairQueue }>()
  const refused = metrics.counter('marquee_calls_refused_total', REFUSED_HELP, ['outcome'])
  metrics.readings('marquee_calls_waiting', WAITING_HELP, 'pool', () => [
    ...[...pools.values()].map(({ name, queue }): [string, number] => [name, queue.waiting()]),
    ['lists', longReads.waiting()],
  ])

  const refuser =
    (bounds: Share) =>
    (why: QueueRefusal): Problem => {
      refused.inc({ outcome: why === 'late' ? 'late' : 'full' })
      const again = { headers: { 'retry-after': '2' } }
      return why === 'late'
        ? refusal('waited_too_long', { ...bounds, seconds: waitMs / 1000 }, again)
        : refusal('too_many_calls', { ...bounds }, again)
    }

  const share = { perCustomer: atOnce, perApp: atOnce + 1 }
  const longShare = { perCustomer: LONG_READS.perCustomer, perApp: LONG_READS.perApp }
  const longReads = createFairQueue(
    { atOnce: LONG_READS.atOnce, waitMs, waitingEach, waiting: LONG_READS.waiting },
    refuser(longShare),
  )

  return {
    add(name, db, most) {
      const limits = { atOnce: most, waitMs, waitingEach, waiting }
      pools.set(db, { name, queue: createFairQueue(limits, refuser(share)) })
    },
    databaseFor(db, call) {
      const { queue } = pools.get(db)!
      return queued(db.until(call.signal), queue, ownersOf(call, share), call)
    },
    longRead: call =>
      longReads.take(ownersOf(call, longShare), { signal: call.signal, isPatient: call.isAnswering() }),
  }
}

const REFUSED_HELP =
  'Calls answered with 429 because their customer or app had too many at once: full (too many waited), late (waited too long).'
const WAITING_HELP = 'Calls waiting for a slot at a pool.'

/** An app has one slot more than a customer, so that one of its customers alone does not use it up. */
interface Share {
  perCustomer: number
  perApp: number
}

function ownersOf({ caller, cuid }: PooledCall, { perCustomer, perApp }: Share): Owner[] {
  if (caller === null) return [{ name: 'nobody', atOnce: perApp }]
  const customer = caller.level === 'customer' ? caller.cuid : cuid
  return [
    ...(customer === null ? [] : [{ name: `customer ${customer}`, atOnce: perCustomer }]),
    ...(caller.level === 'app' ? [{ name: `app ${caller.appId}`, atOnce: perApp }] : []),
  ]
}

function queued(
  db: Database,
  queue: FairQueue,
  owners: Owner[],
  { signal, isAnswering }: PooledCall,
): Database {
  const inSlot = async <T>(work: () => Promise<T>): Promise<T> => {
    const done = await queue.take(owners, { signal, isPatient: isAnswering() })
    try {
      return await work()
    } finally {
      done()
    }
  }
  return {
    ...db,
    rows: (text, params) => inSlot(() => db.rows(text, params)),
    row: (text, params) => inSlot(() => db.row(text, params)),
    run: (text, params) => inSlot(() => db.run(text, params)),
    copy: (copies, text, params) => inSlot(() => db.copy(copies, text, params)),
    transaction: (work, longestMs) => inSlot(() => db.transaction(work, longestMs)),
  }
}
