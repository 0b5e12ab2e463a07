// Finds PostgreSQL's programs in the npm package of this platform and makes them runnable even if npm ran no install
// scripts: missing library links and execute bits are repaired in place or in a copy.

import { constants } from 'node:fs'
import { access, chmod, cp, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'

export interface Binaries {
  /** The folder that holds bin/, lib/ and share/. */
  root: string
  initdb: string
  postgres: string
}

/** The programs that we run; the package's others are not needed. */
const PROGRAMS = ['initdb', 'postgres']

/** Where Debian and its relatives keep server programs, by major version. */
export const SYSTEM_FOLDER = '/usr/lib/postgresql'
/** The oldest that Marquee works with. */
const OLDEST_MAJOR = 15
/** The newest release that is known here, in November 2026. */
const NEWEST = { major: 18, minor: 6 }

export const PROGRAM_SOURCES = ['package', 'system'] as const
export type ProgramSource = (typeof PROGRAM_SOURCES)[number]

/** What to say of a version that lacks fixes; null for one that is not known to. */
export function missingFixes(version: string): { text: string; advice: string } | null {
  const [major, minor] = version.split('.').map(Number)
  if (major !== NEWEST.major || minor! >= NEWEST.minor) return null
  return {
    text: `The embedded PostgreSQL is ${version}; ${NEWEST.major}.${NEWEST.minor} with its fixes is out.`,
    advice: "Install a newer Marquee, or run the system's own programs with EMBEDDED_POSTGRES=system.",
  }
}

/** `18.4` of `postgres (PostgreSQL) 18.4 (Debian 18.4-1)`. */
export function versionIn(output: string): string {
  return /\(PostgreSQL\) (\d+(?:\.\d+)?)/.exec(output)?.[1] ?? ''
}

/** The system's programs of the cluster's own major version, or the newest for a new cluster. */
export async function findSystemBinaries(dataDir: string, folder = SYSTEM_FOLDER): Promise<Binaries> {
  const names = await readdir(folder).catch(() => [] as string[])
  const majors = names.map(Number).filter(major => major >= OLDEST_MAJOR)
  const there: number[] = []
  for (const major of majors)
    if (await exists(join(folder, String(major), 'bin', 'initdb'))) there.push(major)
  const cluster = await readFile(join(dataDir, 'postgres', 'PG_VERSION'), 'utf8').catch(() => null)
  const wanted = cluster === null ? Math.max(...there) : Number(cluster)
  if (there.includes(wanted)) return binariesIn(join(folder, String(wanted)))
  const found = there.length > 0 ? `only ${there.toSorted((a, b) => a - b).join(', ')}` : 'none'
  throw new Error(
    cluster === null
      ? `EMBEDDED_POSTGRES is system, but ${folder} has no PostgreSQL server from ${OLDEST_MAJOR} on. ` +
          'Install the package postgresql, or remove EMBEDDED_POSTGRES.'
      : `EMBEDDED_POSTGRES is system and the database in ${dataDir} is of PostgreSQL ${wanted}, but ${folder} has ` +
          `${found}. Install the package postgresql-${wanted}, or remove EMBEDDED_POSTGRES.`,
  )
}

export function platformName(): string {
  return `${process.platform}-${process.arch}`
}

export async function findBinaries(platform: string = platformName()): Promise<Binaries> {
  const name = `@embedded-postgres/${platform}`
  let entry: string
  try {
    entry = createRequire(import.meta.url).resolve(name)
  } catch {
    throw new Error(
      `no embedded PostgreSQL for ${platform}: the package ${name} is not installed. ` +
        'Install it (do not omit optional dependencies), or set DATABASE_URL to a PostgreSQL server.',
    )
  }
  return binariesIn(join(dirname(dirname(entry)), 'native'))
}

/** The same programs, repaired; in `<dataDir>/postgres-binaries` if the package cannot be written. */
export async function runnableBinaries(found: Binaries, dataDir: string): Promise<Binaries> {
  try {
    await mend(found.root)
    return found
  } catch {
    return copyBinaries(found, dataDir)
  }
}

/** A copy that other users can reach as far as they can reach the data directory. */
export async function copyBinaries(found: Binaries, dataDir: string): Promise<Binaries> {
  const version = await packageVersion(found.root)
  const parent = join(dataDir, 'postgres-binaries')
  const target = join(parent, version)
  if (!(await exists(target))) {
    const unfinished = join(parent, `${version}.copying`)
    await rm(unfinished, { recursive: true, force: true })
    await mkdir(unfinished, { recursive: true })
    await chmod(parent, 0o755)
    await cp(found.root, unfinished, { recursive: true, verbatimSymlinks: true, filter: neededAtRunTime })
    await openToAll(unfinished)
    await mend(unfinished)
    await rename(unfinished, target)
  }
  return binariesIn(target)
}

function binariesIn(root: string): Binaries {
  return { root, initdb: join(root, 'bin', 'initdb'), postgres: join(root, 'bin', 'postgres') }
}

function neededAtRunTime(path: string): boolean {
  return !path.endsWith('.a') && basename(path) !== 'pkgconfig' && basename(path) !== 'pgxs'
}

/** Needed because the package may be readable only by its owner. */
async function openToAll(root: string): Promise<void> {
  await chmod(root, 0o755)
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    await chmod(path, ((await stat(path)).mode & 0o777) | (entry.isDirectory() ? 0o755 : 0o444))
  }
}

/** npm packs no symbolic links, so the package lists them in a file and expects an install script to create them. */
async function mend(root: string): Promise<void> {
  for (const link of await listedLinks(root)) {
    // A link that leads nowhere counts as missing, because exists() follows it.
    if (await exists(link.path)) continue
    await rm(link.path, { force: true })
    await symlink(link.to, link.path).catch(ignoreExisting)
  }
  for (const program of PROGRAMS) {
    const path = join(root, 'bin', program)
    const mode = (await stat(path)).mode & 0o777
    if ((mode & 0o111) === 0o111) continue
    // Being able to execute it is enough: another user's package cannot be changed, but need not be.
    await chmod(path, mode | 0o555).catch(() => access(path, constants.X_OK))
  }
}

async function listedLinks(root: string): Promise<{ path: string; to: string }[]> {
  const text = await readFile(join(root, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const list = JSON.parse(text) as { source: string; target: string }[]
  // Paths in the list begin at the package's folder ("native/lib/…"); ours begin below `native`.
  const inRoot = (path: string) => join(root, relative('native', path))
  return list.map(({ source, target }) => ({
    path: inRoot(target),
    to: relative(dirname(target), source),
  }))
}

async function packageVersion(root: string): Promise<string> {
  const text = await readFile(join(dirname(root), 'package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
