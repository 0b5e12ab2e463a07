// A database that needs no database server: runs PostgreSQL as a child process on `<dataDir>/postgres`. It ends when we
// end, even by SIGKILL, and cleans up after a killed predecessor.

import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { findBinaries, findSystemBinaries, type ProgramSource, runnableBinaries } from './binaries.ts'
import { openCluster } from './cluster.ts'
import { lockDirectory } from './lock.ts'
import { clearOrphan } from './orphan.ts'
import type { RunAs } from './run-as.ts'
import { DATABASE, type Guardian, type Server, type ServerOptions, startServer } from './server.ts'
import { isServerReachable, makeSocketFolder, urlFor } from './socket.ts'

export interface EmbeddedPostgres {
  /** A URL for `pg`: the database `marquee` over the Unix socket. */
  url: string
  pid: number
  /** Such as `18.4`. */
  version: string
  /** Settles when the server has ended, by stop() or by itself, with the reason if the server gave one. */
  exited: Promise<string | null>
  stop(): Promise<void>
}

export interface EmbeddedPostgresOptions {
  dataDir: string
  /** Whose programs run: those of our package, or the system's. */
  programs?: ProgramSource
  log: (line: string) => void
  /** Further server settings, such as `fsync: 'off'` for tests. */
  settings?: Record<string, string>
  /** Allows only this way of running the server, or of noticing our death; for tests. */
  only?: { runAs?: RunAs['how']; guardian?: Guardian }
}

/** The database ended, but not because of us. Only the server's message matters; our stack means nothing. */
export class DatabaseEnded extends Error {
  constructor(why: string | null) {
    super(`the embedded database has ended${why ? `: ${why}` : ' unexpectedly'}`)
  }
}

export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const isSystem = options.programs === 'system'
  const found = isSystem ? await findSystemBinaries(options.dataDir) : await findBinaries()
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 })
  const dataDir = await realpath(options.dataDir)
  const lock = await lockDirectory(dataDir, () => isServerReachable(dataDir))
  try {
    const binaries = await runnableBinaries(found, dataDir)
    await clearOrphan(join(dataDir, 'postgres'), options.log)
    const cluster = await openCluster(dataDir, binaries, options.only?.runAs)
    const folder = await makeSocketFolder(dataDir, cluster.runAs)
    const serverOptions: ServerOptions = {
      socketFolder: folder.path,
      settings: options.settings ?? {},
      guardian: options.only?.guardian ?? 'kernel',
      log: options.log,
    }
    const server = await startServer(cluster, serverOptions).catch(async error => {
      await folder.remove()
      throw error
    })
    const stop = once(() => stopAll(server, folder.remove, lock.release))
    return { ...server, url: urlFor(folder.path, DATABASE), version: cluster.version, stop }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** The lock is released last: while anything of ours is left, no other Marquee may start. */
async function stopAll(
  server: Server,
  removeFolder: () => Promise<void>,
  releaseLock: () => Promise<void>,
): Promise<void> {
  await server.stop()
  await removeFolder()
  await releaseLock()
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null
  return () => {
    done ??= action()
    return done
  }
}
