// An object store in a folder. A file gets its name only when it is on disk, by a link. The link fails if the name is
// taken, so of two writers of the same key one succeeds.

import { randomUUID } from 'node:crypto'
import { type FileHandle, link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { checkedKey } from './address.ts'
import type { ObjectStore } from './store.ts'

/** The next process that writes deletes what a crash left in this folder. */
const UNFINISHED = '.unfinished'
const FORGOTTEN_AFTER_MS = 86_400_000
/** File systems without links: there the name is checked right before the file is renamed to it. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK'])

export function folderStore(root: string): ObjectStore {
  const pathOf = (key: string) => join(root, checkedKey(key))
  let swept: Promise<void> | null = null

  async function put(key: string, bytes: Buffer): Promise<boolean> {
    const path = pathOf(key)
    if (await exists(path)) return false
    await mkdir(dirname(path), { recursive: true })
    const temporary = join(root, UNFINISHED, randomUUID())
    await mkdir(dirname(temporary), { recursive: true })
    // A file that cannot be deleted must not stop anybody from writing.
    swept ??= sweep(join(root, UNFINISHED)).catch(() => undefined)
    await swept
    try {
      await withFile(temporary, 'wx', async file => {
        await file.writeFile(bytes)
        await file.sync()
      })
      if (!(await name(temporary, path))) return false
    } finally {
      await rm(temporary, { force: true })
    }
    for (let folder = dirname(path); folder.length >= root.length; folder = dirname(folder))
      await withFile(folder, 'r', handle => handle.sync())
    return true
  }

  return {
    url: root,
    put,
    get: key => readFile(pathOf(key)).catch(nullIfMissing),
    has: key => exists(pathOf(key)),
    async list(prefix) {
      const folder = prefix === '' ? root : pathOf(prefix.slice(0, -1))
      const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(nullIfMissing)
      return (entries ?? [])
        .filter(entry => entry.isFile())
        .map(entry => join(entry.parentPath, entry.name).slice(root.length + 1))
        .filter(key => !key.split('/').some(part => part.startsWith('.')))
        .sort()
    },
    remove: key => rm(pathOf(key), { force: true }),
  }
}

/** False if the name is taken. */
async function name(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    if (!NO_LINKS.has(code ?? '')) throw error
  }
  if (await exists(path)) return false
  await rename(temporary, path)
  return true
}

async function sweep(folder: string): Promise<void> {
  for (const entry of await readdir(folder)) {
    const path = join(folder, entry)
    const info = await stat(path).catch(nullIfMissing)
    if (info && Date.now() - info.mtimeMs > FORGOTTEN_AFTER_MS) await rm(path, { force: true })
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(nullIfMissing)) !== null
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
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
