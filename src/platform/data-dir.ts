// The folder of DATA_DIR, tried before anything starts: if it cannot be written, the start stops and says so.

import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BadSetting } from './config.ts'
import { reasonOf } from './trouble.ts'

export async function mustBeWritable(dir: string): Promise<void> {
  const probe = join(dir, `.written-${randomUUID()}`)
  try {
    await makeFolder(dir)
    await writeFile(probe, 'x', { mode: 0o600 })
    await unlink(probe)
  } catch (error) {
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
