// What can be known about another process: whether it is running, and a mark that distinguishes it from a later process
// with the same pid. A zombie counts as dead: it holds nothing, even if nobody reaps it.

import { execFile } from 'node:child_process'
import { readFile, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface ProcessInfo {
  pid: number
  /** When it started, in the system's own notation; null if the system does not say. */
  startedAt: string | null
  commandLine: string[]
  /** Its working directory; null if the system does not say. */
  cwd: string | null
}

/** Null if no such process is running. */
export async function processInfo(pid: number): Promise<ProcessInfo | null> {
  if (!canSignal(pid)) return null
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid)
}

function canSignal(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function fromProc(pid: number): Promise<ProcessInfo | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  // It is running, but hidden from us (hidepid), so nothing more is known.
  if (stat === null) return canSignal(pid) ? { pid, startedAt: null, commandLine: [], cwd: null } : null
  // The name in parentheses may contain anything, so fields are counted from the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return null
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => null)
  return { pid, startedAt: fields[19] ?? null, commandLine: commandLine.split('\0'), cwd }
}

async function fromPs(pid: number): Promise<ProcessInfo | null> {
  try {
    const { stdout } = await run('ps', ['-ww', '-o', 'state=,lstart=,command=', '-p', String(pid)], {
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' },
    })
    // "S    Sat Nov 15 02:20:00 2025 /path/to/program …": the date has five words.
    const [state = '', ...words] = stdout.trim().split(/\s+/)
    if (state.startsWith('Z')) return null
    return { pid, startedAt: words.slice(0, 5).join(' '), commandLine: words.slice(5), cwd: null }
  } catch {
    return canSignal(pid) ? { pid, startedAt: null, commandLine: [], cwd: null } : null
  }
}
