// One process at a time keeps the ledger of a database: a lock that lives as long as its connection. It is waited
// for, because a former process may just be going; a lock that another process took meanwhile is the end of this one.
// What a former process had sent is either on disk or never will be when the lock is had.

import pg from 'pg'
import { LOCKS } from './locks.ts'

/** The sessions that spend, by name. The database may be busy with one long after its process was killed. */
export const SPENDING_SESSIONS = 'marquee counting'

const RETRY_MS = 250
const POLL_MS = 20
const END_PATIENCE_MS = 15_000

export interface ExclusiveOptions {
  databaseUrl: string
  waitMs: number
  /** Another process has the lock that was ours. */
  onLost: () => void
}

export async function holdExclusively(options: ExclusiveOptions): Promise<() => Promise<void>> {
  let stopped = false
  let client = await lockWithin(options.waitMs)
  watch(client)

  async function tryLock(isFirst: boolean): Promise<pg.Client | null> {
    const opened = new pg.Client({
      connectionString: options.databaseUrl,
      application_name: 'marquee ledger',
      keepAlive: true,
    })
    opened.on('error', () => undefined)
    try {
      await opened.connect()
      const { rows } = await opened.query('select pg_try_advisory_lock($1) as locked', [LOCKS.ledger])
      if (rows[0].locked) {
        if (isFirst) await endSpendingSessions(opened)
        return opened
      }
    } catch (error) {
      await opened.end().catch(() => undefined)
      throw error
    }
    await opened.end()
    return null
  }

  async function lockWithin(waitMs: number): Promise<pg.Client> {
    const untilMs = Date.now() + waitMs
    for (;;) {
      const locked = await tryLock(true)
      if (locked) return locked
      if (Date.now() >= untilMs) throw new Error('another process is delivering from this database')
      await new Promise(resolve => setTimeout(resolve, RETRY_MS))
    }
  }

  function watch(held: pg.Client): void {
    held.on('end', () => {
      if (!stopped && held === client) regain()
    })
  }

  /** The database is away: nobody else can have the lock either. Whoever gets it first when it is back, has it. */
  function regain(): void {
    tryLock(false).then(
      async locked => {
        if (stopped) await locked?.end()
        else if (locked) {
          client = locked
          watch(locked)
        } else options.onLost()
      },
      () => {
        if (!stopped) setTimeout(regain, RETRY_MS).unref()
      },
    )
  }

  return async () => {
    stopped = true
    await client.end().catch(() => undefined)
  }
}

/** Those of a process that lives are tried again by it; those of a dead one must not write after we have read. */
async function endSpendingSessions(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select pid, backend_start::text as started, pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = $1`,
    [SPENDING_SESSIONS],
  )
  const ended = [rows.map(row => row.pid), rows.map(row => row.started)]
  for (const untilMs = Date.now() + END_PATIENCE_MS; rows.length > 0; ) {
    const left = await client.query(
      `select from pg_stat_activity where (pid, backend_start) in
         (select * from unnest($1::integer[], $2::timestamptz[]))`,
      ended,
    )
    if (left.rowCount === 0) return
    if (Date.now() >= untilMs) throw new Error('a former process is still writing to this database')
    await new Promise(resolve => setTimeout(resolve, POLL_MS))
  }
}
