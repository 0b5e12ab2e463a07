// Transactions that stay open, and others that wait for them: for tests of two processes that act at the same moment.

import { expect } from 'vitest'
import type { Database, Db } from '../../src/platform/database.ts'

export interface OpenTransaction {
  pid: number
  commit(): Promise<void>
}

/** Does `work` in a transaction that then stays open until it is committed. */
export function leaveOpen(db: Database, work: (tx: Db) => Promise<unknown>): Promise<OpenTransaction> {
  return new Promise((resolve, reject) => {
    const done: Promise<void> = db.transaction(async tx => {
      await work(tx)
      const { pid } = (await tx.row<{ pid: number }>('select pg_backend_pid() as pid'))!
      await new Promise<void>(end => {
        const commit = () => {
          end()
          return done
        }
        resolve({ pid, commit })
      })
    })
    done.catch(reject)
  })
}

/** Waits until another transaction waits for a lock of this one. */
export function untilWaitedFor(db: Db, { pid }: OpenTransaction): Promise<void> {
  const waits = `select from pg_stat_activity where ${pid} = any(pg_blocking_pids(pid)) limit 1`
  return expect.poll(() => db.row(waits)).not.toBeNull()
}

export function untilWaiting(db: Db, count: number): Promise<void> {
  return expect.poll(() => waitingForLocks(db)).toBe(count)
}

/** The number of statements in this database that wait for a lock. */
export async function waitingForLocks(db: Db): Promise<number> {
  const row = await db.row<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return row!.count
}
