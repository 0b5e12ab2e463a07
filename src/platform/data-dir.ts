// The folder of DATA_DIR, tried before anything starts: if it cannot be written, the start stops and says so. A wrong
// folder is a bad setting; a disk that is full or fails is not, and another start may succeed.

import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BadSetting } from './config.ts'
import { reasonOf } from './trouble.ts'

/** The disk of DATA_DIR cannot take anything now. The message says what to do. */
export class DiskFailure extends Error {}

const DISK_FAILURES: Record<string, string> = {
  ENOSPC: 'the disk of DATA_DIR is full: free space, then start again',
  EDQUOT: 'the disk quota of DATA_DIR is used up: free space or raise it, then start again',
  EIO: 'the disk of DATA_DIR fails: check the disk, then start again',
}

export async function mustBeWritable(dir: string): Promise<void> {
  const probe = join(dir, `.written-${randomUUID()}`)
  try {
    await makeFolder(dir)
    await writeFile(probe, 'x', { mode: 0o600 })
    await unlink(probe)
  } catch (error) {
    // Without room, the file may be there and empty.
    await unlink(probe).catch(() => {})
    const { code } = error as NodeJS.ErrnoException
    if (code !== undefined && code in DISK_FAILURES)
      throw new DiskFailure(`${DISK_FAILURES[code]} (DATA_DIR is "${dir}")`)
    throw new BadSetting(`DATA_DIR must be a folder that can be written, but is "${dir}": ${wordsOf(error)}`)
  }
}

/**
 * Creates missing parents too. Not with mkdir's `recursive`: where nothing can be created, as in /proc, Node tries
 * forever.
 */
async function makeFolder(dir: string): Promise<void> {
  const above = dirname(dir)
  if (above !== dir && !existsSync(above)) await makeFolder(above)
  try {
    await mkdir(dir, { mode: 0o700 })
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST' && (await stat(dir)).isDirectory()
    if (!isThere) throw error
  }
}

function wordsOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOTDIR' || code === 'EEXIST') return 'a part of the path is a file'
  // A link that leads nowhere, or a read-only disk, for which mkdir reports the same code.
  if (code === 'ENOENT') return 'it does not exist and cannot be created'
  return reasonOf(error) ?? message
}
