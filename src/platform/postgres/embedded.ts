// The database without a database server: runs PostgreSQL as a child process on `<dataDir>/postgres`.
// It ends when we end, even by SIGKILL, and whatever a killed predecessor left behind is put in order.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findBinaries, runnableBinaries } from './binaries.ts'
import { type Cluster, openCluster } from './cluster.ts'
import { lockDirectory } from './lock.ts'
import { clearOrphan, SHUTDOWN_STEPS } from './orphan.ts'
import { dieWithParent, launch, type RunAs } from './run-as.ts'
import { LINE_PREFIX, readServerLog, type ServerLog } from './server-log.ts'
import { isServerReachable, makeSocketFolder, PORT, urlFor } from './socket.ts'

export interface EmbeddedPostgres {
  /** For `pg`: the database `marquee` over the Unix socket. */
  url: string
  pid: number
  /** Settles when the server has ended, by stop() or by itself. */
  exited: Promise<void>
  stop(): Promise<void>
}

export interface EmbeddedPostgresOptions {
  dataDir: string
  log: (line: string) => void
  /** Further server settings, such as `fsync: 'off'` for tests. */
  settings?: Record<string, string>
  /** Permits only this way to run the server, and only this way to notice our death (for tests). */
  only?: { runAs?: RunAs['how']; guardian?: 'watcher' }
}

const DATABASE = 'marquee'
const POLL_MS = 15
/** Replaying the log after a crash takes as long as it takes; while it does, the server answers so. */
const START_TIMEOUT_MS = 600_000
/** Backends notice within moments that their postmaster was killed; until then no new one can start. */
const LINGERING_BACKENDS_MS = 15_000

const SETTINGS: Record<string, string> = {
  listen_addresses: '',
  port: String(PORT),
  max_connections: '100',
  shared_buffers: '128MB',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  checkpoint_timeout: '15min',
  max_wal_size: '1GB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_destination: 'stderr',
  logging_collector: 'off',
  log_line_prefix: LINE_PREFIX,
  log_checkpoints: 'off',
  log_min_messages: 'warning',
  // Statements carry personal data; the log does not.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
}

export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const found = await findBinaries()
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 })
  const dataDir = await realpath(options.dataDir)
  const lock = await lockDirectory(dataDir, () => isServerReachable(dataDir))
  try {
    const binaries = await runnableBinaries(found, dataDir)
    await clearOrphan(join(dataDir, 'postgres'), options.log)
    const cluster = await openCluster(dataDir, binaries, options.only?.runAs)
    const server = await startServer(dataDir, cluster, options)
    const stop = async () => {
      await server.stop()
      await lock.release()
    }
    return { url: server.url, pid: server.pid, exited: server.exited, stop: once(stop) }
  } catch (error) {
    await lock.release()
    throw error
  }
}

interface Server {
  url: string
  pid: number
  exited: Promise<void>
  stop(): Promise<void>
}

async function startServer(
  dataDir: string,
  cluster: Cluster,
  options: EmbeddedPostgresOptions,
): Promise<Server> {
  const folder = await makeSocketFolder(dataDir, cluster.runAs)
  const settings = { ...SETTINGS, unix_socket_directories: quoteListItem(folder.path), ...options.settings }
  const args = [
    '-D',
    cluster.dir,
    ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
  ]
  const words =
    options.only?.guardian === 'watcher'
      ? null
      : await dieWithParent(cluster.runAs, cluster.binaries.postgres)
  const runAs = { ...cluster.runAs, prefix: [...cluster.runAs.prefix, ...(words ?? [])] }

  for (let waitedMs = 0; ; waitedMs += 250) {
    const running = run(runAs, cluster, args, options.log)
    const watcher = words === null && running.child.pid ? watchOver(running.child.pid, cluster.dir) : null
    const stop = async () => {
      await shutDown(running)
      watcher?.kill('SIGKILL')
      await folder.remove()
    }
    try {
      await untilReady(running, folder.path)
      const exited = running.ended.then(() => void watcher?.kill('SIGKILL'))
      return { url: urlFor(folder.path, DATABASE), pid: running.child.pid ?? 0, exited, stop }
    } catch (error) {
      await shutDown(running)
      watcher?.kill('SIGKILL')
      const lingering = /pre-existing shared memory block/.test(running.output.lastLines())
      if (lingering && waitedMs < LINGERING_BACKENDS_MS) {
        await sleep(250)
        continue
      }
      await folder.remove()
      throw error
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

function run(runAs: RunAs, cluster: Cluster, args: string[], log: (line: string) => void): Running {
  const child = launch(runAs, cluster.binaries.postgres, args)
  if (!child.stderr) throw new Error('the PostgreSQL server has no standard error stream')
  const output = readServerLog(child.stderr, log)
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

async function untilReady(running: Running, folder: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < START_TIMEOUT_MS; waitedMs += POLL_MS) {
    if (running.isOver()) break
    if (await prepareDatabase(folder)) return
    await sleep(POLL_MS)
  }
  const how = running.isOver() ? `ended at its start (${await running.ended})` : 'does not become ready'
  throw new Error(`the embedded PostgreSQL server ${how}. Its last words:\n${running.output.lastLines()}`)
}

/** True as soon as the server answers and has our database. */
async function prepareDatabase(folder: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: urlFor(folder, 'postgres') })
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
    await Promise.race([
      running.ended,
      sleep(patienceMs, null, { signal: patience.signal }).catch(() => null),
    ])
    patience.abort()
  }
}

/**
 * Where the kernel cannot be asked to stop the server when we die, a shell waits for the end of a pipe
 * that we hold: it closes with us, however we end.
 */
function watchOver(pid: number, clusterDir: string): ChildProcess {
  const script = 'while read -r _; do :; done; read -r now < "$2" && [ "$now" = "$1" ] && kill -INT "$1"'
  const args = ['-c', script, 'sh', String(pid), join(clusterDir, 'postmaster.pid')]
  const watcher = spawn('/bin/sh', args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  watcher.on('error', () => undefined)
  watcher.stdin?.on('error', () => undefined)
  watcher.unref()
  return watcher
}

/** The setting is a list: a folder's name with a comma or a space in it has to be quoted. */
function quoteListItem(path: string): string {
  return `"${path.replaceAll('"', '""')}"`
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null
  return () => {
    done ??= action()
    return done
  }
}
