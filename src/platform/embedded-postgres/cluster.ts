// The database cluster on disk. It is created in a temporary folder and renamed when complete, so a cluster in its
// final place is always finished. It is never deleted.

import { randomUUID } from 'node:crypto'
import { chmod, chown, lchown, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Binaries, copyBinaries, versionIn } from './binaries.ts'
import { dieWithParent } from './guardian.ts'
import { attempt, type RunAs, waysToRun } from './run-as.ts'
import { remedyOf } from './server-log.ts'

export const SUPERUSER = 'marquee'
const UNFINISHED = 'postgres.unfinished-'
const INITDB_TIMEOUT_MS = 300_000

export interface Cluster {
  dir: string
  binaries: Binaries
  runAs: RunAs
  /** Of the programs, such as `18.4`. */
  version: string
}

export function hasCluster(dataDir: string): Promise<boolean> {
  return isFinished(join(dataDir, 'postgres'))
}

/** Opens the cluster of this data directory, and creates it first if there is none. */
export async function openCluster(
  dataDir: string,
  binaries: Binaries,
  only: RunAs['how'] | undefined,
): Promise<Cluster> {
  const dir = join(dataDir, 'postgres')
  await removeUnfinished(dataDir)
  const finished = await isFinished(dir)
  const ways = (await waysToRun(finished ? dir : dataDir, finished)).filter(way => !only || way.how === only)
  const doing = finished ? `open the database in ${dir}` : `create a database in ${dir}`
  const failures: string[] = []
  for (const runAs of ways) {
    let opening = false
    try {
      const reachable = await reachableBinaries(runAs, binaries, dataDir)
      const version = versionIn((await attempt(runAs, reachable.postgres, ['--version'])).output)
      opening = finished
      const cluster: Cluster = { dir, binaries: reachable, runAs, version }
      if (finished) await tryExisting(dir, runAs, reachable)
      else await create(cluster, dataDir)
      return cluster
    } catch (error) {
      const { message } = error as Error
      const remedy = remedyOf(message)
      // The same for every user.
      if (remedy) throw new Error(`the embedded PostgreSQL cannot ${doing}: ${remedy}`)
      failures.push(`${nameOf(runAs)}: ${message}`)
      // A faulty finished cluster is not repaired by giving it to another user.
      if (opening) break
    }
  }
  throw new Error(
    `the embedded PostgreSQL cannot ${doing}.\n${failures.join('\n')}\n` +
      'Set DATABASE_URL to use a PostgreSQL server instead.',
  )
}

function nameOf(runAs: RunAs): string {
  if (runAs.how === 'user') return `as uid ${runAs.user?.uid}`
  return runAs.how === 'namespace' ? 'in a user namespace' : 'as this user'
}

async function removeUnfinished(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (name.startsWith(UNFINISHED)) await rm(join(dataDir, name), { recursive: true, force: true })
  }
}

async function isFinished(dir: string): Promise<boolean> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [] as string[]
    throw error
  })
  if (names.length === 0) return false
  if (names.includes('PG_VERSION')) return true
  throw new Error(`${dir} is neither empty nor a PostgreSQL cluster; move it away to start anew`)
}

/** The user that runs the server may be unable to enter the package's folder; then a copy is used. */
async function reachableBinaries(runAs: RunAs, binaries: Binaries, dataDir: string): Promise<Binaries> {
  if (runAs.user) await letEnter(dataDir, runAs.user.gid, runAs.isShared ?? false)
  const tried = await attempt(runAs, binaries.postgres, ['--version'])
  if (tried.ok) return binaries
  const canRunAnything = runAs.how !== 'direct' && (await attempt(runAs, 'true', [])).ok
  if (!canRunAnything) throw new Error(tried.output)
  const copy = await copyBinaries(binaries, dataDir)
  const again = await attempt(runAs, copy.postgres, ['--version'])
  if (again.ok) return copy
  throw new Error(`${again.output} (can this user enter every folder above ${dataDir}?)`)
}

/** Lets the group pass through the data directory without letting it list the contents. */
async function letEnter(dataDir: string, gid: number, isShared: boolean): Promise<void> {
  const info = await stat(dataDir)
  const mode = info.mode & 0o777
  // Other services run as this user: the folder is closed to all except the server's own group.
  if (isShared) {
    await chown(dataDir, info.uid, gid)
    return chmod(dataDir, (mode & 0o700) | 0o010)
  }
  if (info.uid !== 0 || (mode & 0o001) !== 0) return
  // A group to which the operator gave access keeps it; then all others may pass.
  if (info.gid !== gid && info.gid !== 0 && (mode & 0o070) !== 0) return chmod(dataDir, mode | 0o001)
  await chown(dataDir, info.uid, gid)
  await chmod(dataDir, (mode & 0o700) | 0o010)
}

async function tryExisting(dir: string, runAs: RunAs, binaries: Binaries): Promise<void> {
  if (runAs.user) {
    const entered = await attempt(runAs, 'test', ['-x', join(dir, '..')])
    if (!entered.ok) throw new Error(`this user cannot enter ${join(dir, '..')}`)
    await giveTo(dir, runAs.user)
  }
  // Reads the configuration as the server would, and exits; this shows whether it can read the files.
  const tried = await attempt(runAs, binaries.postgres, ['-D', dir, '-C', 'port'])
  if (tried.ok) return
  const owner = await stat(dir)
  const stranger = process.getuid?.() !== 0 && owner.uid !== process.getuid?.()
  throw new Error(stranger ? `${tried.output} (${dir} belongs to uid ${owner.uid})` : tried.output)
}

async function create({ dir, runAs, binaries, version }: Cluster, dataDir: string): Promise<void> {
  // A unique name, because an initdb whose parent was killed may still write into its folder.
  const unfinished = join(dataDir, UNFINISHED + randomUUID())
  await mkdir(unfinished, { mode: 0o700 })
  if (runAs.user) await chown(unfinished, runAs.user.uid, runAs.user.gid)
  const mortal = (await dieWithParent(runAs, binaries.initdb)) ?? runAs
  const tried = await attempt(
    mortal,
    binaries.initdb,
    initdbArguments(unfinished, Number.parseInt(version, 10)),
    INITDB_TIMEOUT_MS,
  )
  if (!tried.ok) {
    await rm(unfinished, { recursive: true, force: true })
    throw new Error(tried.output)
  }
  await rename(unfinished, dir)
  await syncFolder(dataDir)
}

const FIRST_WITH_OWN_LOCALE = 17

/** Text sorts by code point and lower() knows Unicode, the same on every machine from PostgreSQL 17 on. */
function initdbArguments(dir: string, major: number): string[] {
  const own = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  return [
    `--pgdata=${dir}`,
    `--username=${SUPERUSER}`,
    '--encoding=UTF8',
    ...(major >= FIRST_WITH_OWN_LOCALE ? own : ['--locale=C.UTF-8']),
    '--auth-local=trust',
    '--auth-host=reject',
    '--no-instructions',
  ]
}

async function giveTo(dir: string, user: { uid: number; gid: number }): Promise<void> {
  if ((await stat(dir)).uid === user.uid) return
  // The folder itself comes last: if we are interrupted, the next start does it all again.
  for (const entry of await readdir(dir, { recursive: true }))
    await lchown(join(dir, entry), user.uid, user.gid)
  await chown(dir, user.uid, user.gid)
}

async function syncFolder(dir: string): Promise<void> {
  const handle = await open(dir, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The pid in the server's own lock file; null if there is no such file. */
export async function postmasterPid(dir: string): Promise<number | null> {
  const text = await readFile(join(dir, 'postmaster.pid'), 'utf8').catch(() => null)
  const pid = Number.parseInt(text?.split('\n')[0] ?? '', 10)
  return Number.isInteger(pid) && pid > 0 ? pid : null
}
