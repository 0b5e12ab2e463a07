// Stores creatives by content: the name is the SHA-256 of the bytes, so a creative never changes and is stored once.
// They are in the database or in an object store. Each process has copies on its own disk and shares no files. An
// upload that was acknowledged is stored.

import type { Db } from '../../../platform/database.ts'
import type { ImageType } from '../../../platform/images/type.ts'
import type { ObjectStore } from '../../../platform/store/store.ts'
import { creativeCache, hashOf, isNamed } from './cache.ts'
import { deleteCreative, insertCreative, selectCreative, selectNames, selectUnkept } from './queries.ts'

export interface StoredCreative {
  bytes: Buffer
  contentType: string
}

export interface Creatives {
  /** Stores an image in the caller's transaction, and returns its name. */
  put(db: Db, bytes: Buffer, type: ImageType): Promise<string>
  /** Null for missing images, and for names that this store never creates. */
  read(name: string): Promise<StoredCreative | null>
  remove(db: Db, name: string): Promise<void>
  /** Names of stored images, in order, after `after`. */
  list(after: string, limit: number): Promise<string[]>
  /** Imports images that an earlier version had only on this disk; returns how many. Running it again does nothing. */
  takeOver(): Promise<number>
}

export interface CreativesOptions {
  db: Db
  /** The directory of this machine's copies. */
  dir: string
  /** Null: images are stored in the database. */
  store: ObjectStore | null
}

const EXTENSION_OF: Record<ImageType, string> = { jpeg: 'jpg', png: 'png', gif: 'gif', webp: 'webp' }
const CONTENT_TYPE_OF: Record<string, string> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
}
const NAME = /^[0-9a-f]{64}\.(png|jpg|gif|webp)$/

export function creativeName(bytes: Buffer, type: ImageType): string {
  return `${hashOf(bytes)}.${EXTENSION_OF[type]}`
}

export function createCreatives({ db, dir, store }: CreativesOptions): Creatives {
  const cache = creativeCache(dir)
  /** Fetches under way: concurrent requests for an image share one. */
  const coming = new Map<string, Promise<Buffer | null>>()

  async function keep(tx: Db, name: string, bytes: Buffer): Promise<void> {
    if (store) await store.put(name, bytes)
    await insertCreative(tx, name, store ? null : bytes)
  }

  async function fetch(name: string): Promise<Buffer | null> {
    const row = await selectCreative(db, name)
    if (!row) return null
    if (!row.bytes && !store)
      throw new Error(`the image ${name} is in an object store, but CREATIVES_URL is not set`)
    const bytes = row.bytes ?? (await store!.get(name))
    if (!bytes || !isNamed(name, bytes))
      throw new Error(`the image ${name} is missing or damaged where it is kept`)
    await cache.write(name, bytes)
    return bytes
  }

  function fetchOnce(name: string): Promise<Buffer | null> {
    let fetched = coming.get(name)
    if (!fetched) {
      fetched = fetch(name).finally(() => coming.delete(name))
      coming.set(name, fetched)
    }
    return fetched
  }

  return {
    async put(tx, bytes, type) {
      const name = creativeName(bytes, type)
      await keep(tx, name, bytes)
      await cache.write(name, bytes)
      return name
    },
    async read(name) {
      const extension = NAME.exec(name)?.[1]
      if (!extension) return null
      const bytes = (await cache.read(name)) ?? (await fetchOnce(name))
      return bytes && { bytes, contentType: CONTENT_TYPE_OF[extension]! }
    },
    async remove(tx, name) {
      await deleteCreative(tx, name)
      await store?.remove(name)
      await cache.remove(name)
    },
    list: (after, limit) => selectNames(db, after, limit),
    async takeOver() {
      let taken = 0
      for (const name of await selectUnkept(db)) {
        const bytes = NAME.test(name) ? await cache.read(name) : null
        if (!bytes) continue
        await keep(db, name, bytes)
        taken++
      }
      return taken
    },
  }
}
