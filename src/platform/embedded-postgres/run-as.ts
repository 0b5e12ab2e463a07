// PostgreSQL refuses to run as root. These are the ways to run it anyway, best first; each is tried until one works. An
// ordinary user simply runs it.

import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'

export interface RunAs {
  how: 'direct' | 'namespace' | 'user'
  /** Words before the program, such as `unshare …`. Each of them execs the next, so the pid stays the same. */
  prefix: string[]
  /** The user to become, who must then own the cluster. */
  user: { uid: number; gid: number } | null
  /** Other services run as this user too, so only a group that no other process has may enter the server's folder. */
  isShared?: boolean
}

const DIRECT: RunAs = { how: 'direct', prefix: [], user: null }
const PROBE_TIMEOUT_MS = 10_000

/** The ways worth trying, in order. `path` is the cluster, or the data directory if there is none. */
export async function waysToRun(path: string, clusterExists: boolean): Promise<RunAs[]> {
  if (process.getuid?.() !== 0) return hasName() ? [DIRECT] : [await inNamespace(), DIRECT]
  const owner = await stat(path)
  const asOwner: RunAs = { how: 'user', prefix: [], user: { uid: owner.uid, gid: owner.gid } }
  // An existing cluster keeps its owner, who can run it again.
  if (clusterExists && owner.uid !== 0) {
    const wasGiven = (await stat(dirname(path))).uid === 0 && owner.uid === (await nobody()).uid
    return [wasGiven ? await asNobody() : asOwner]
  }
  const ways = [await inNamespace(), await asNobody()]
  return owner.uid === 0 ? ways : [asOwner, ...ways]
}

/** initdb asks for the name of its user, but a container may run under a uid without one. */
function hasName(): boolean {
  try {
    userInfo()
    return true
  } catch {
    return false
  }
}

/** Inside the namespace the process is `nobody`; outside, its files still belong to us. Nothing is copied. */
async function inNamespace(): Promise<RunAs> {
  const { uid, gid } = await nobody()
  return {
    how: 'namespace',
    prefix: ['unshare', '-U', `--map-user=${uid}`, `--map-group=${gid}`],
    user: null,
  }
}

/** Many services run as `nobody`, so a group chosen for this start keeps them out. */
async function asNobody(): Promise<RunAs> {
  const { uid } = await nobody()
  return { how: 'user', prefix: [], user: { uid, gid: await unusedGroup() }, isShared: true }
}

/** A group within the range of numbers that containers map too. */
async function unusedGroup(): Promise<number> {
  const files = await Promise.all(
    ['/etc/group', '/etc/passwd'].map(path => readFile(path, 'utf8').catch(() => '')),
  )
  const taken = new Set(files.join('\n').match(/\d+/g))
  for (;;) {
    const gid = randomInt(30_000, 60_000)
    if (!taken.has(String(gid))) return gid
  }
}

async function nobody(): Promise<{ uid: number; gid: number }> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const users = text.split('\n').map(line => line.split(':'))
  const found = users.find(([name]) => name === 'nobody') ?? users.find(([, , uid]) => Number(uid) > 0)
  return { uid: Number(found?.[2] ?? 65_534), gid: Number(found?.[3] ?? 65_534) }
}

/** Passes on nothing of the caller's environment: PGDATA, PGOPTIONS and a locale would change what the server does. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
}

function identity(runAs: RunAs): { uid?: number; gid?: number } {
  return runAs.user ?? {}
}

/** Runs a program to its end and collects its output. */
export async function attempt(
  runAs: RunAs,
  program: string,
  args: string[],
  timeoutMs: number = PROBE_TIMEOUT_MS,
): Promise<{ ok: boolean; output: string }> {
  const [command = program, ...rest] = [...runAs.prefix, program, ...args]
  const options = { ...identity(runAs), env: environment(), cwd: '/', timeout: timeoutMs }
  return new Promise(resolve => {
    try {
      execFile(command, rest, options, (error, stdout, stderr) => {
        const output = `${stdout}${stderr}`.trim()
        resolve({ ok: !error, output: output || (error?.message ?? '') })
      })
    } catch (error) {
      resolve({ ok: false, output: String(error) })
    }
  })
}

/** Starts a long-running program in its own session, so that Ctrl-C does not reach it before us. */
export function launch(runAs: RunAs, program: string, args: string[]): ChildProcess {
  const [command = program, ...rest] = [...runAs.prefix, program, ...args]
  const options: SpawnOptions = {
    ...identity(runAs),
    env: environment(),
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  }
  return spawn(command, rest, options)
}
