// Gives a command its database: the one at DATABASE_URL, the embedded one of a running service, or the embedded one
// started just for this command. It must have the tables of this version: only a start of the service, or
// `marquee migrate`, brings them up to date.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, systemClock } from '../kernel/time/clock.ts'
import { type Config, readConfig } from '../platform/config.ts'
import { type Database, openDatabase } from '../platform/database.ts'
import { hasCluster } from '../platform/embedded-postgres/cluster.ts'
import {
  DatabaseEnded,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../platform/embedded-postgres/embedded.ts'
import { DATABASE } from '../platform/embedded-postgres/server.ts'
import { runningUrl } from '../platform/embedded-postgres/socket.ts'
import { mustBeReady } from '../platform/migrate.ts'
import { mustBeReachable } from '../platform/reachable.ts'
import { isConnectionLost } from '../platform/trouble.ts'
import { sandboxClockOf } from '../sandbox/open.ts'
import { Refused } from './exit.ts'

/** A server that lost one of its processes tries to recover before it ends. */
const ENDING_MS = 10_000

interface Ways {
  /** The command may set up a new service. Other commands, in the wrong folder, would answer from an empty database. */
  isFirst?: boolean
}

export async function withDatabaseUrl<T>(
  config: Config,
  work: (url: string) => Promise<T>,
  { isFirst = false }: Ways = {},
): Promise<T> {
  if (config.DATABASE_URL) {
    await mustBeReachable(config.DATABASE_URL)
    return work(config.DATABASE_URL)
  }
  const running = await runningUrl(config.DATA_DIR, DATABASE)
  if (running) return work(running)
  if (!isFirst && !(await hasCluster(config.DATA_DIR)))
    throw new Refused(
      `there is no database in DATA_DIR ${config.DATA_DIR}: set DATA_DIR to the folder of your service, or set \
DATABASE_URL. The first start of \`marquee serve\` creates a new one`,
    )
  const embedded = await startEmbeddedPostgres({
    dataDir: config.DATA_DIR,
    programs: config.EMBEDDED_POSTGRES,
    log: () => {},
  })
  try {
    return await work(embedded.url)
  } catch (error) {
    throw (await endOf(embedded, error)) ?? error
  } finally {
    await embedded.stop()
  }
}

/** When a server ends, connections break; the reason of its end says more. Null if it has not ended. */
async function endOf({ exited }: EmbeddedPostgres, error: unknown): Promise<DatabaseEnded | null> {
  if (!isConnectionLost(error)) return null
  const late = new AbortController()
  try {
    return await Promise.race([
      exited.then(why => new DatabaseEnded(why)),
      sleep(ENDING_MS, null, { signal: late.signal }),
    ])
  } finally {
    late.abort()
  }
}

export async function withDatabase<T>(
  work: (db: Database, config: Config, clock: Clock) => Promise<T>,
  ways: Ways = {},
): Promise<T> {
  const config = readConfig(process.env)
  const ready = async (url: string) => {
    await mustBeReady(url, { mayCreate: !!ways.isFirst })
    const db = openDatabase({ url, maxConnections: 2, name: 'marquee command', onError: () => {} })
    try {
      return await work(db, config, await clockOf(url))
    } finally {
      await db.close()
    }
  }
  return withDatabaseUrl(config, ready, ways)
}

/** Beside a sandbox, its clock, so that commands see the time of the sandbox. */
async function clockOf(url: string): Promise<Clock> {
  return (await sandboxClockOf(url)) ?? systemClock
}
