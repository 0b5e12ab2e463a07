// Processor time as the kernel counts it: for a process, and for PostgreSQL with all its children, including those that
// have ended. PostgreSQL's running processes are read from the scheduler, in nanoseconds: a round has few ticks.

import { readdirSync, readFileSync } from 'node:fs'

/** Ticks per second; what Linux uses on every machine we know. */
const TICKS = 100

interface Stat {
  parent: number
  own: number
  /** The time of children that have ended and were waited for. */
  ended: number
}

function statOf(pid: number | string): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name is in brackets and may contain anything, so the fields after it are counted.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const at = (field: number) => Number(fields[field - 3])
    return { parent: at(4), own: (at(14) + at(15)) / TICKS, ended: (at(16) + at(17)) / TICKS }
  } catch {
    return null
  }
}

/** Of a process with one thread, as those of PostgreSQL are. */
function threadSeconds(pid: number | string, { own }: Stat): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e9
  } catch {
    // This kernel does not tell, or the process has just ended.
    return own
  }
}

export function processSeconds(pid: number): number {
  return statOf(pid)?.own ?? 0
}

/** `pid` is the server process, the parent of all others. */
export function postgresSeconds(pid: number): number {
  const server = statOf(pid)
  if (!server) throw new Error('PostgreSQL is not there')
  let seconds = threadSeconds(pid, server) + server.ended
  for (const name of readdirSync('/proc')) {
    const stat = /^[0-9]+$/.test(name) ? statOf(name) : null
    if (stat?.parent === pid) seconds += threadSeconds(name, stat)
  }
  return seconds
}
