// Keeps creatives by what is in them: the name is the SHA-256 of the bytes, so a file never changes, the same
// image is kept once, and a copy that was answered for is on disk. Two functions, so that an object store may
// stand behind them.

import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, opendir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { ImageType } from './inspect.ts'

export interface StoredCreative {
  bytes: number
  contentType: string
  /** Read it to its end or destroy it: the file stays open until then. */
  stream: Readable
}

const EXTENSION_OF: Record<ImageType, string> = { jpeg: 'jpg', png: 'png', gif: 'gif', webp: 'webp' }
const CONTENT_TYPE_OF: Record<string, string> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
}
const NAME = /^[0-9a-f]{64}\.(png|jpg|gif|webp)$/

const HASH_LENGTH = 64

export function creativeName(bytes: Buffer, type: ImageType): string {
  return `${createHash('sha256').update(bytes).digest('hex')}.${EXTENSION_OF[type]}`
}

export async function putCreative(
  dir: string,
  bytes: Buffer,
  type: ImageType,
): Promise<{ hash: string; name: string }> {
  const name = creativeName(bytes, type)
  const hash = name.slice(0, HASH_LENGTH)
  const path = join(dir, name)
  // Compared whole: a file that went bad on disk is replaced by the good bytes at hand.
  const present = await readFile(path).catch(() => null)
  if (!present?.equals(bytes)) await writeWhole(dir, path, bytes)
  return { hash, name }
}

/** Null for what is not there, and for every name that this store never gives. */
export async function openCreative(dir: string, name: string): Promise<StoredCreative | null> {
  const extension = NAME.exec(name)?.[1]
  if (!extension) return null
  let file: FileHandle
  try {
    file = await open(join(dir, name), constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
  const stat = await file.stat()
  if (!stat.isFile()) {
    await file.close()
    return null
  }
  return { bytes: stat.size, contentType: CONTENT_TYPE_OF[extension]!, stream: file.createReadStream() }
}

/** The names of all that is kept. */
export async function* listCreatives(dir: string): AsyncGenerator<string> {
  const folder = await opendir(dir).catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })
  if (folder) for await (const { name } of folder) if (NAME.test(name)) yield name
}

export async function removeCreative(dir: string, name: string): Promise<void> {
  if (NAME.test(name)) await rm(join(dir, name), { force: true })
}

/** Nobody ever sees half a file: it gets its name only when it is on disk. */
async function writeWhole(dir: string, path: string, bytes: Buffer): Promise<void> {
  await mkdir(dir, { recursive: true })
  const temporary = join(dir, `.${randomUUID()}.tmp`)
  try {
    await withFile(temporary, 'wx', async file => {
      await file.writeFile(bytes)
      await file.sync()
    })
    await rename(temporary, path)
    await withFile(dir, 'r', folder => folder.sync())
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

async function withFile(
  path: string,
  flags: string,
  work: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const file = await open(path, flags)
  try {
    await work(file)
  } finally {
    await file.close()
  }
}

/** ELOOP is a symbolic link, which this store never makes. */
function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP'
}
