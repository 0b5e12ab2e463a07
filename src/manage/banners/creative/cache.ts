// Copies of creatives on this machine's disk. Their name is the hash of their content, so a damaged copy (after a power
// cut or a disk error) is ignored. A full or missing disk only makes reading slower.

import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface CreativeCache {
  /** Null if there is no complete copy. */
  read(name: string): Promise<Buffer | null>
  write(name: string, bytes: Buffer): Promise<void>
  remove(name: string): Promise<void>
}

/** How many checked names are remembered; when there are more, all are checked again. */
const MAX_LOOKED_AT = 100_000

export function creativeCache(dir: string): CreativeCache {
  const lookedAt = new Set<string>()

  async function read(name: string): Promise<Buffer | null> {
    const bytes = await readFile(join(dir, name))
    if (!bytes || lookedAt.has(name)) return bytes
    if (!isNamed(name, bytes)) return null
    if (lookedAt.size >= MAX_LOOKED_AT) lookedAt.clear()
    lookedAt.add(name)
    return bytes
  }

  /** Renames the file when it is complete, so that nobody reads half of one. */
  async function write(name: string, bytes: Buffer): Promise<void> {
    const temporary = join(dir, `.${randomUUID()}.tmp`)
    try {
      await mkdir(dir, { recursive: true })
      await writeFile(temporary, bytes, { flag: 'wx' })
      await rename(temporary, join(dir, name))
    } catch {
      await rm(temporary, { force: true }).catch(() => {})
    }
  }

  return {
    read,
    write,
    async remove(name) {
      lookedAt.delete(name)
      await rm(join(dir, name), { force: true }).catch(() => {})
    },
  }
}

export function isNamed(name: string, bytes: Buffer): boolean {
  return name.startsWith(`${hashOf(bytes)}.`)
}

export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Null for anything that cannot be read, including links: this cache creates none. */
async function readFile(path: string): Promise<Buffer | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      return (await file.stat()).isFile() ? await file.readFile() : null
    } finally {
      await file.close()
    }
  } catch {
    return null
  }
}
