// Where the server listens: on a Unix socket in a folder that only its owner can enter, which is why it asks for no
// password. Paths of sockets must be short, so a long one moves to the temp folder.

import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { SUPERUSER } from './cluster.ts'
import type { RunAs } from './run-as.ts'

/** The port is only part of the socket's file name; nothing listens on the network. */
export const PORT = 5432
const SOCKET_FILE = `.s.PGSQL.${PORT}`
const MAX_PATH_BYTES = process.platform === 'linux' ? 107 : 103
const TEMP_PREFIX = 'marquee-pg-'

export interface SocketFolder {
  path: string
  remove(): Promise<void>
}

/** The caller has made sure that no server is running on this data directory. */
export async function makeSocketFolder(dataDir: string, runAs: RunAs): Promise<SocketFolder> {
  await removeLeftover(dataDir)
  const near = join(dataDir, 'run')
  // A killed server leaves its socket's lock file, and the next one would trust the pid in it.
  await rm(near, { recursive: true, force: true })
  const path = fits(near) ? near : await mkdtemp(join(shortTemp(), TEMP_PREFIX))
  await mkdir(path, { recursive: true, mode: 0o700 })
  await chmod(path, 0o700)
  if (runAs.user && runAs.isShared) {
    await chown(path, 0, runAs.user.gid)
    await chmod(path, 0o770)
  } else if (runAs.user) await chown(path, runAs.user.uid, runAs.user.gid)
  if (path === near) return { path, remove: async () => undefined }
  // Written down, so that the next start can remove the folder if we are killed.
  await writeFile(notePath(dataDir), path, { mode: 0o600 })
  return { path, remove: () => removeLeftover(dataDir) }
}

/** Whether a server answers on the socket of this data directory, even from another container. */
export async function isServerReachable(dataDir: string): Promise<boolean> {
  const folder = (await noted(dataDir)) ?? join(dataDir, 'run')
  if (!fits(folder)) return false
  return new Promise(resolve => {
    const socket = connect(join(folder, SOCKET_FILE))
    const answer = (reachable: boolean) => {
      socket.destroy()
      resolve(reachable)
    }
    socket.once('connect', () => answer(true))
    socket.once('error', () => answer(false))
  })
}

/** The URL of the server that runs on this data directory; null if none does. */
export async function runningUrl(dataDir: string, database: string): Promise<string | null> {
  if (!(await isServerReachable(dataDir))) return null
  return urlFor((await noted(dataDir)) ?? join(dataDir, 'run'), database)
}

export function urlFor(folder: string, database: string): string {
  return `postgresql://${SUPERUSER}@/${database}?host=${encodeURIComponent(folder)}&port=${PORT}`
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, SOCKET_FILE)) <= MAX_PATH_BYTES
}

function shortTemp(): string {
  return fits(join(tmpdir(), `${TEMP_PREFIX}XXXXXX`)) ? tmpdir() : '/tmp'
}

function notePath(dataDir: string): string {
  return join(dataDir, 'postgres.socket-folder')
}

/** Accepts only a folder with our own name pattern, because the noted folder will be deleted. */
async function noted(dataDir: string): Promise<string | null> {
  const path = await readFile(notePath(dataDir), 'utf8').catch(() => '')
  return path.startsWith('/') && basename(path).startsWith(TEMP_PREFIX) ? path : null
}

async function removeLeftover(dataDir: string): Promise<void> {
  const path = await noted(dataDir)
  if (path) await rm(path, { recursive: true, force: true })
  await rm(notePath(dataDir), { force: true })
}
