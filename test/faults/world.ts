// A service and its database that can be killed and restarted, and whose database sessions can be ended.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/platform/embedded-postgres/embedded.ts'
import type { Random } from './random.ts'

/** One run of the service, from start to death. */
export interface Life {
  /** The URL, as soon as the service can be reached; rejects if it ended before. */
  started: Promise<string>
  /** Kills it by SIGKILL, even during its start; resolves when it is gone. */
  kill(): Promise<void>
  /** The id of the running process, if it is a process. */
  pid?(): number
}

export interface World {
  readonly databaseUrl: string
  readonly dataDir: string
  /** The address of the service now; null while it is down. */
  url(): string | null
  /** How often the service was started. */
  lives(): number
  killService(): Promise<void>
  /** Resolves when the service can be reached. */
  startService(): Promise<void>
  killDatabase(): Promise<void>
  startDatabase(): Promise<void>
  /** Ends some of the service's database sessions, chosen at random. */
  endSessions(random: Random): Promise<void>
  /** Stalls the writing of figures in the database, like a stalled disk, until told to continue. */
  stallCounting(): Promise<() => Promise<void>>
  end(): Promise<void>
}

/** `live` starts the service; the database may be down at that moment. */
export async function createWorld(live: (databaseUrl: string, dataDir: string) => Life): Promise<World> {
  const dir = await mkdtemp(join(tmpdir(), 'marquee-fault-'))
  const startPostgres = () => startEmbeddedPostgres({ dataDir: join(dir, 'database'), log: () => {} })
  let postgres: EmbeddedPostgres = await startPostgres()
  const databaseUrl = postgres.url
  const dataDir = join(dir, 'service')
  let life: Life | null = null
  let url: string | null = null
  let lives = 0

  async function killService(): Promise<void> {
    const dying = life
    life = null
    url = null
    await dying?.kill()
  }

  return {
    databaseUrl,
    dataDir,
    url: () => url,
    lives: () => lives,
    killService,
    async startService() {
      const born = live(databaseUrl, dataDir)
      life = born
      lives++
      const reached = await born.started
      if (life === born) url = reached
    },
    async killDatabase() {
      process.kill(postgres.pid, 'SIGKILL')
      await postgres.exited
      await postgres.stop()
    },
    async startDatabase() {
      postgres = await startPostgres()
      if (postgres.url !== databaseUrl) throw new Error('the database has moved')
    },
    endSessions: random => endSessions(databaseUrl, random),
    stallCounting: () => stallCounting(databaseUrl),
    async end() {
      await killService()
      await postgres.stop()
      await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

async function connect(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'fault test' })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

async function endSessions(databaseUrl: string, random: Random): Promise<void> {
  const client = await connect(databaseUrl)
  const { rows } = await client.query(
    `select pid from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
     order by backend_start`,
  )
  const chosen = rows.map(row => row.pid as number).filter(() => random(4) > 0)
  await client.query('select pg_terminate_backend(pid) from unnest($1::integer[]) as pid', [chosen])
  await client.end()
}

async function stallCounting(databaseUrl: string): Promise<() => Promise<void>> {
  const client = await connect(databaseUrl)
  await client.query('begin')
  await client.query('lock table fresh in share row exclusive mode')
  return () => client.end()
}
