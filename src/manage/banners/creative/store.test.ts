// Where images are stored, in the database and in a bucket: a stored image comes back complete or not at all.

import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startBucket, type TestBucket } from '../../../../test/support/bucket.ts'
import { openTestDatabase } from '../../../../test/support/database.ts'
import { readConfig } from '../../../platform/config.ts'
import type { Database } from '../../../platform/database.ts'
import { openStore, s3AccessOf } from '../../../platform/store/open.ts'
import { type Creatives, createCreatives } from './store.ts'

let db: Database
let bucket: TestBucket
let root: string
let dir: string
beforeAll(async () => {
  db = await openTestDatabase({ maxConnections: 8 })
  bucket = await startBucket('images')
})
afterAll(async () => {
  await db.close()
  await bucket.close()
})
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'creative-store-'))
  dir = join(root, 'deep', 'creatives')
  await db.run('truncate creative, creative_upload')
})
afterEach(() => rm(root, { recursive: true, force: true }))

const BYTES = Buffer.from('image bytes')
const HASH = createHash('sha256').update(BYTES).digest('hex')
const PNG = `${HASH}.png`

/** A process with its own disk. */
const inDatabase = (at = dir) => createCreatives({ db, dir: at, store: null })
const inBucket = (at = dir) =>
  createCreatives({
    db,
    dir: at,
    store: openStore('s3://images/ads', s3AccessOf(readConfig(bucket.settings))),
  })

const places: [string, (at?: string) => Creatives][] = [
  ['the database', inDatabase],
  ['a bucket', inBucket],
]

describe.each(places)('in %s', (_, open) => {
  test('a stored image comes back byte for byte, with its content type', async () => {
    const kinds = [
      ['jpeg', 'jpg', 'image/jpeg'],
      ['png', 'png', 'image/png'],
      ['gif', 'gif', 'image/gif'],
      ['webp', 'webp', 'image/webp'],
    ] as const
    for (const [type, extension, contentType] of kinds) {
      const put = await open().put(db, BYTES, type)
      expect(put).toBe(`${HASH}.${extension}`)
      expect(await open().read(put)).toEqual({ bytes: BYTES, contentType })
    }
  })

  test('another process with an empty disk has it at once, and keeps a copy', async () => {
    await open().put(db, BYTES, 'png')
    const elsewhere = join(root, 'other machine')
    expect((await open(elsewhere).read(PNG))!.bytes).toEqual(BYTES)
    expect(await readdir(elsewhere)).toEqual([PNG])
  })

  test('many who request it at once all get it completely', async () => {
    const bytes = Buffer.alloc(300_000, 9)
    const name = await open().put(db, bytes, 'gif')
    const elsewhere = open(join(root, 'elsewhere'))
    const read = await Promise.all(Array.from({ length: 20 }, () => elsewhere.read(name)))
    for (const one of read) expect(one!.bytes.equals(bytes)).toBe(true)
  })

  test('the same image stored many times at once is kept once', async () => {
    const puts = await Promise.all(Array.from({ length: 8 }, () => open().put(db, BYTES, 'png')))
    expect(new Set(puts).size).toBe(1)
    expect(await db.rows('select name from creative')).toEqual([{ name: PNG }])
    expect(await readdir(dir)).toEqual([PNG])
  })

  test('a removed image is gone', async () => {
    await open().put(db, BYTES, 'png')
    await open().remove(db, PNG)
    expect(await open().read(PNG)).toBeNull()
    expect(await db.rows('select name from creative')).toEqual([])
  })
})

test('a copy that was damaged on disk is fetched again', async () => {
  await inDatabase().put(db, BYTES, 'png')
  await writeFile(join(dir, PNG), 'image bytez')
  expect((await inDatabase().read(PNG))!.bytes).toEqual(BYTES)
  expect(await readFile(join(dir, PNG))).toEqual(BYTES)
})

test('a disk that cannot be written costs only speed', async () => {
  await mkdir(join(root, 'deep'))
  await writeFile(dir, 'a file where the folder should be')
  await inDatabase().put(db, BYTES, 'png')
  expect((await inDatabase().read(PNG))!.bytes).toEqual(BYTES)
})

test('an image damaged where it is kept is never shown', async () => {
  await inDatabase().put(db, BYTES, 'png')
  await db.run("update creative set bytes = 'image bytez'")
  await expect(inDatabase(join(root, 'empty')).read(PNG)).rejects.toThrow('missing or damaged')
})

test('without CREATIVES_URL, images in the bucket are reported as being there', async () => {
  await inBucket().put(db, BYTES, 'png')
  await expect(inDatabase(join(root, 'empty')).read(PNG)).rejects.toThrow('CREATIVES_URL is not set')
})

test('images in the database stay readable when a bucket takes over', async () => {
  await inDatabase().put(db, BYTES, 'png')
  expect((await inBucket(join(root, 'empty')).read(PNG))!.bytes).toEqual(BYTES)
})

describe('the files of an earlier version', () => {
  const other = Buffer.from('of nobody')
  const nobodys = `${createHash('sha256').update(other).digest('hex')}.gif`

  beforeEach(async () => {
    await mkdir(dir, { recursive: true })
    await db.run(
      `insert into app (app_id, name, created_at) overriding system value values (1, 'a', now()) on conflict do nothing`,
    )
    await db.run(
      `insert into customer (app_id, company, email, email_key, created_at, updated_at)
       values (1, 'c', 'c@c.example', 'c@c.example', now(), now()) on conflict do nothing`,
    )
    await db.run(
      'insert into creative_upload (cuid, name, created_at) select cuid, $1, now() from customer',
      [PNG],
    )
    await writeFile(join(dir, PNG), BYTES)
    await writeFile(join(dir, nobodys), other)
  })

  test.each(places)('are imported into %s, once, and only those that somebody uses', async (_, open) => {
    expect(await open().takeOver()).toBe(1)
    expect(await open().takeOver()).toBe(0)
    const elsewhere = open(join(root, 'other machine'))
    expect((await elsewhere.read(PNG))!.bytes).toEqual(BYTES)
    expect(await elsewhere.read(nobodys)).toBeNull()
  })

  test('are left alone if their content does not match their name', async () => {
    await writeFile(join(dir, PNG), 'cut sh')
    expect(await inDatabase().takeOver()).toBe(0)
    expect(await inDatabase().read(PNG)).toBeNull()
  })
})

test('a name that the store never gives opens nothing, whatever file has it', async () => {
  const files = inDatabase()
  const name = await files.put(db, BYTES, 'png')
  await writeFile(join(root, 'deep', 'secret.png'), 'secret')
  await writeFile(join(dir, `${HASH}.svg`), '<svg/>')
  const names = ['', '.', '..', '../secret.png', `../creatives/${name}`, `./${name}`, `/${name}`, `${name}\n`]
  names.push(`${name}\0`, `${name}/`, name.toUpperCase(), HASH, `${HASH}.svg`, `${HASH}.jpeg`)
  names.push(`${HASH.slice(1)}.png`, `0${name}`, '%2e%2e%2fsecret.png')
  for (const wrong of names) expect(await files.read(wrong), wrong).toBeNull()
})

test('a missing file, a folder and a symbolic link open nothing', async () => {
  const files = inDatabase()
  expect(await files.read(`${'0'.repeat(64)}.png`)).toBeNull()
  await mkdir(join(dir, `${'1'.repeat(64)}.png`), { recursive: true })
  expect(await files.read(`${'1'.repeat(64)}.png`)).toBeNull()
  await writeFile(join(root, 'secret'), 'secret')
  await symlink(join(root, 'secret'), join(dir, `${'2'.repeat(64)}.png`))
  expect(await files.read(`${'2'.repeat(64)}.png`)).toBeNull()
})
