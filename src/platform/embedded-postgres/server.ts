// One run of the server: it is started with our settings, awaited until it answers and has our database, and stopped in
// order. If it ends at its start, the error repeats its last lines.

import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Cluster } from './cluster.ts'
import { dieWithParent, watchOver } from './guardian.ts'
import { SHUTDOWN_STEPS } from './orphan.ts'
import { launch, type RunAs } from './run-as.ts'
import { LINE_PREFIX, readServerLog, type ServerLog } from './server-log.ts'
import { PORT, urlFor } from './socket.ts'

export const DATABASE = 'marquee'

const SETTINGS: Record<string, string> = {
  listen_addresses: '',
  port: String(PORT),
  max_connections: '100',
  // A query over all days of events locks each day's table and indexes: 2,000 locks for 400 days.
  max_locks_per_transaction: '256',
  shared_buffers: '128MB',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  checkpoint_timeout: '15min',
  max_wal_size: '1GB',
  wal_compression: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_destination: 'stderr',
  logging_collector: 'off',
  log_line_prefix: LINE_PREFIX,
  log_checkpoints: 'off',
  log_min_messages: 'warning',
  // Statements contain personal data, which the log must not.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
}

const POLL_MS = 15
/** Replaying the WAL after a crash takes time; until then the server refuses connections. */
const START_TIMEOUT_MS = 600_000
/** Backends notice within moments that their postmaster was killed; until they end, no new server can start. */
const LINGERING_BACKENDS_MS = 15_000
const RETRY_MS = 250

/** How the server learns of our death; `none` only to create an orphan on purpose. */
export type Guardian = 'kernel' | 'watcher' | 'none'

export interface ServerOptions {
  socketFolder: string
  settings: Record<string, string>
  guardian: Guardian
  log: (line: string) => void
}

export interface Server {
  pid: number
  /** Settles when the server has ended, with the reason if the server gave one. */
  exited: Promise<string | null>
  stop(): Promise<void>
}

export async function startServer(cluster: Cluster, options: ServerOptions): Promise<Server> {
  const mortal =
    options.guardian === 'kernel' ? await dieWithParent(cluster.runAs, cluster.binaries.postgres) : null
  const needsWatcher = mortal === null && options.guardian !== 'none'
  for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
    const running = run(mortal ?? cluster.runAs, cluster, options)
    const pid = running.child.pid ?? 0
    const watcher = needsWatcher && pid ? watchOver(pid, cluster.dir) : null
    const exited = running.ended.then(() => {
      watcher?.kill('SIGKILL')
      return running.output.reason()
    })
    try {
      await untilReady(running, options.socketFolder)
      return { pid, exited, stop: () => shutDown(running) }
    } catch (error) {
      await shutDown(running)
      const lingering = running.output.lastLines().includes('pre-existing shared memory block')
      if (!lingering || waitedMs >= LINGERING_BACKENDS_MS) throw error
      await sleep(RETRY_MS)
    }
  }
}

interface Running {
  child: ChildProcess
  output: ServerLog
  /** How it ended, in words. */
  ended: Promise<string>
  isOver(): boolean
}

function run(runAs: RunAs, cluster: Cluster, options: ServerOptions): Running {
  const settings = {
    ...SETTINGS,
    unix_socket_directories: quoteListItem(options.socketFolder),
    ...options.settings,
  }
  const args = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])
  const child = launch(runAs, cluster.binaries.postgres, ['-D', cluster.dir, ...args])
  if (!child.stderr) throw new Error('the PostgreSQL server has no standard error stream')
  const output = readServerLog(child.stderr, options.log)
  let over = false
  const ended = new Promise<string>(resolve => {
    const end = (how: string) => {
      over = true
      resolve(how)
    }
    child.once('error', error => end(error.message))
    child.once('close', (code, signal) => end(signal ? `killed by ${signal}` : `exit code ${code}`))
  })
  return { child, output, ended, isOver: () => over }
}

async function untilReady(running: Running, socketFolder: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < START_TIMEOUT_MS && !running.isOver(); waitedMs += POLL_MS) {
    if (await hasDatabase(socketFolder)) return
    await sleep(POLL_MS)
  }
  const how = running.isOver() ? `ended at its start (${await running.ended})` : 'does not become ready'
  const why = running.output.reason()
  throw new Error(
    `the embedded PostgreSQL server ${how}${why ? `: ${why}` : ''}. Its last words:\n${running.output.lastLines()}`,
  )
}

/** True as soon as the server answers; creates our database if it does not exist. */
async function hasDatabase(socketFolder: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: urlFor(socketFolder, 'postgres') })
  client.on('error', () => undefined)
  try {
    await client.connect()
  } catch {
    await client.end().catch(() => undefined)
    return false
  }
  try {
    const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE])
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`)
    return true
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function shutDown(running: Running): Promise<void> {
  for (const { signal, patienceMs } of SHUTDOWN_STEPS) {
    if (running.isOver()) return
    running.child.kill(signal)
    const patience = new AbortController()
    const outOfPatience = sleep(patienceMs, null, { signal: patience.signal }).catch(() => null)
    await Promise.race([running.ended, outOfPatience])
    patience.abort()
  }
}

/** The setting is a list, so a folder's name with a comma or space must be quoted. */
function quoteListItem(path: string): string {
  return `"${path.replaceAll('"', '""')}"`
}
