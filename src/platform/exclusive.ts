// One process at a time keeps the ledger of a database: a lock that lives as long as its connection. It is waited
// for, because a former process may just be going; a lock that another process took meanwhile is the end of this one.

import pg from 'pg'
import { LOCKS } from './locks.ts'

const RETRY_MS = 250

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

  async function tryLock(): Promise<pg.Client | null> {
    const opened = new pg.Client({
      connectionString: options.databaseUrl,
      application_name: 'marquee ledger',
      keepAlive: true,
    })
    opened.on('error', () => undefined)
    try {
      await opened.connect()
      const { rows } = await opened.query('select pg_try_advisory_lock($1) as locked', [LOCKS.ledger])
      if (rows[0].locked) return opened
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
      const locked = await tryLock()
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
    tryLock().then(
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
