// Cleans up after a Marquee that was killed: its server, if it still runs, is stopped in order, and a
// lock file whose pid now belongs to another process does not keep the server from starting.

import { open, readFile, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processInfo } from '../platform/process-info.ts'
import { postmasterPid } from './cluster.ts'

/** Fast shutdown, then without a checkpoint (recovery replays the log), then by force. */
export const SHUTDOWN_STEPS: readonly { signal: NodeJS.Signals; patienceMs: number }[] = [
  { signal: 'SIGINT', patienceMs: 30_000 },
  { signal: 'SIGQUIT', patienceMs: 10_000 },
  { signal: 'SIGKILL', patienceMs: 10_000 },
]
const POLL_MS = 20

/** The caller holds the lock of the data directory, so a server found here has lost its Marquee. */
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
  // A server works in its cluster's folder; where the system hides that, its command line names it.
  if (info.cwd !== null) return info.cwd === (await realpath(dir)) && isPostgres(info.commandLine)
  return isPostgres(info.commandLine) && info.commandLine.join(' ').includes(dir)
}

function isPostgres(commandLine: string[]): boolean {
  return commandLine.some(word => /(^|\/)(postgres|postmaster)$/.test(word))
}

/**
 * The server respects the file while its pid is in use by any process. It knows that its own parent is not a server, so
 * that pid goes in. The rest must stay: by its shared memory segment the server notices backends that outlived their
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

/** A file without a pid (the disk was full, the power failed) would stop the server for good. */
async function removeEmptyPidFile(dir: string): Promise<void> {
  await rm(join(dir, 'postmaster.pid'), { force: true })
}
