import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openCreative, putCreative } from './store.ts'

let root: string
let dir: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'creative-store-'))
  dir = join(root, 'deep', 'creatives')
})
afterEach(() => rm(root, { recursive: true, force: true }))

const BYTES = Buffer.from('image bytes')
const HASH = createHash('sha256').update(BYTES).digest('hex')

test('what is put comes back byte for byte, with its length and content type', async () => {
  const kinds = [
    ['jpeg', 'jpg', 'image/jpeg'],
    ['png', 'png', 'image/png'],
    ['gif', 'gif', 'image/gif'],
    ['webp', 'webp', 'image/webp'],
  ] as const
  for (const [type, extension, contentType] of kinds) {
    const put = await putCreative(dir, BYTES, type)
    expect(put).toEqual({ hash: HASH, name: `${HASH}.${extension}` })
    const opened = await openCreative(dir, put.name)
    expect(opened).toMatchObject({ bytes: BYTES.length, contentType })
    expect(await buffer(opened!.stream)).toEqual(BYTES)
  }
})

test('the same image is kept once, and a kept file is not written again', async () => {
  const { name } = await putCreative(dir, BYTES, 'png')
  const before = await stat(join(dir, name))
  await putCreative(dir, BYTES, 'png')
  expect((await stat(join(dir, name))).ino).toBe(before.ino)
  expect(await readdir(dir)).toEqual([name])
})

test('the same image put many times at once ends as one whole file and no leftovers', async () => {
  const bytes = Buffer.alloc(300_000, 9)
  const puts = await Promise.all(Array.from({ length: 20 }, () => putCreative(dir, bytes, 'gif')))
  expect(new Set(puts.map(put => put.name)).size).toBe(1)
  expect(await readdir(dir)).toEqual([puts[0]!.name])
  expect(await readFile(join(dir, puts[0]!.name))).toEqual(bytes)
})

test('a file that went bad on disk is healed by the next put', async () => {
  const { name } = await putCreative(dir, BYTES, 'png')
  await writeFile(join(dir, name), 'image bytez')
  await putCreative(dir, BYTES, 'png')
  expect(await readFile(join(dir, name))).toEqual(BYTES)
})

test('a put that fails says so and leaves nothing behind', async () => {
  await mkdir(join(dir, `${HASH}.png`), { recursive: true })
  await expect(putCreative(dir, BYTES, 'png')).rejects.toThrow()
  expect(await readdir(dir)).toEqual([`${HASH}.png`])
})

test('a name that the store never gives opens nothing, whatever lies there', async () => {
  const { name } = await putCreative(dir, BYTES, 'png')
  await writeFile(join(root, 'deep', 'secret.png'), 'secret')
  await writeFile(join(dir, `${HASH}.svg`), '<svg/>')
  const names = [
    '',
    '.',
    '..',
    '../secret.png',
    `../creatives/${name}`,
    `./${name}`,
    `/${name}`,
    `${name}\n`,
    `${name}\0`,
    `${name}/`,
    name.toUpperCase(),
    HASH,
    `${HASH}.svg`,
    `${HASH}.jpeg`,
    `${HASH.slice(1)}.png`,
    `0${name}`,
    '%2e%2e%2fsecret.png',
  ]
  for (const wrong of names) expect(await openCreative(dir, wrong), wrong).toBeNull()
})

test('a file that is not there, a folder and a symbolic link open nothing', async () => {
  const missing = `${'0'.repeat(64)}.png`
  expect(await openCreative(dir, missing)).toBeNull()
  await mkdir(join(dir, `${'1'.repeat(64)}.png`), { recursive: true })
  expect(await openCreative(dir, `${'1'.repeat(64)}.png`)).toBeNull()
  await writeFile(join(root, 'secret'), 'secret')
  await symlink(join(root, 'secret'), join(dir, `${'2'.repeat(64)}.png`))
  expect(await openCreative(dir, `${'2'.repeat(64)}.png`)).toBeNull()
})
