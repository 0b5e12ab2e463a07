// Cleans up after a Marquee that was killed: stops its server in order if that still runs, and makes sure that a lock
// file whose pid now belongs to another process does not prevent a start.

import { open, readFile, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processInfo } from '../process-info.ts'
import { postmasterPid } from './cluster.ts'

/** First a fast shutdown, then one without a checkpoint (recovery replays the log), then force. */
export const SHUTDOWN_STEPS: readonly { signal: NodeJS.Signals; patienceMs: number }[] = [
  { signal: 'SIGINT', patienceMs: 30_000 },
  { signal: 'SIGQUIT', patienceMs: 10_000 },
  { signal: 'SIGKILL', patienceMs: 10_000 },
]
const POLL_MS = 20

/** The caller holds the lock of the data directory, so the Marquee of a server found here is gone. */
export async function clearOrphan(dir: string, log: (line: string) => void): Promise<void> {
  const pid = await postmasterPid(dir)
  if (pid === null) return removeEmptyPidFile(dir)
  if (await isServerOf(pid, dir)) {
    log(`stopping a PostgreSQL server (process ${pid}) left behind by a killed Marquee`)
    await stopOrphan(pid, dir)
  }
  await disownPidFile(dir)
}

async function stopOrphan(pid: number, dir: string): Promise<void> {
  for (const { signal, patienceMs } of SHUTDOWN_STEPS) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return
      throw new Error(
        `cannot stop the PostgreSQL server (process ${pid}) on ${dir}: ${(error as Error).message}`,
      )
    }
    for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += POLL_MS) {
      if (!(await isServerOf(pid, dir))) return
      await sleep(POLL_MS)
    }
  }
  throw new Error(`the PostgreSQL server (process ${pid}) on ${dir} does not stop`)
}

async function isServerOf(pid: number, dir: string): Promise<boolean> {
  const info = await processInfo(pid)
  if (!info) return false
  // A server's working directory is its cluster's folder; where the system hides that, its command line names the
  // folder.
  if (info.cwd !== null) return info.cwd === (await realpath(dir)) && isPostgres(info.commandLine)
  return isPostgres(info.commandLine) && info.commandLine.join(' ').includes(dir)
}

function isPostgres(commandLine: string[]): boolean {
  return commandLine.some(word => /(^|\/)(postgres|postmaster)$/.test(word))
}

/**
 * The server respects the file while any process has its pid. It knows that its own parent is not a server, so we write
 * our pid. The rest must stay: by the shared memory segment in it, the server notices backends that outlived their
 * postmaster.
 */
async function disownPidFile(dir: string): Promise<void> {
  const pid = await postmasterPid(dir)
  if (pid === null) return
  const path = join(dir, 'postmaster.pid')
  const [, ...rest] = (await readFile(path, 'utf8')).split('\n')
  const file = await open(path, 'r+')
  try {
    const text = [String(process.pid), ...rest].join('\n')
    await file.truncate(0)
    await file.write(text, 0)
  } finally {
    await file.close()
  }
}

/** A file without a pid (after a full disk or a power cut) would prevent every start. */
async function removeEmptyPidFile(dir: string): Promise<void> {
  await rm(join(dir, 'postmaster.pid'), { force: true })
}
