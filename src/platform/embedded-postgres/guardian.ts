// The server must not outlive us, however we end. If possible, the kernel stops it when its parent dies. Otherwise a
// shell waits for the end of a pipe that we hold open, which closes when we end.

import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { attempt, type RunAs } from './run-as.ts'

/**
 * The same way to run, with the kernel watching; null if there is no tool for that. To the kernel the parent is the
 * thread that starts the server, so start it from the main thread, not from a worker.
 */
export async function dieWithParent(runAs: RunAs, program: string): Promise<RunAs | null> {
  if (process.platform !== 'linux') return null
  // Must come last before the program: a later change of user or namespace would make the kernel forget it.
  const mortal = { ...runAs, prefix: [...runAs.prefix, 'setpriv', '--pdeathsig', 'INT'] }
  return (await attempt(mortal, program, ['--version'])).ok ? mortal : null
}

/** Kills only the process that the cluster's lock file names, so never a stranger that got the server's pid. */
const WATCH = `
while read -r _; do :; done
for attempt in 1 2 3 4 5; do
  read -r owner < "$2" && [ "$owner" = "$1" ] && kill -INT "$1" && exit
  sleep 1
done`

export function watchOver(pid: number, clusterDir: string): ChildProcess {
  const args = ['-c', WATCH, 'sh', String(pid), join(clusterDir, 'postmaster.pid')]
  const watcher = spawn('/bin/sh', args, { cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  watcher.on('error', () => undefined)
  watcher.stdin?.on('error', () => undefined)
  watcher.unref()
  return watcher
}
