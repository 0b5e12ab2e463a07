// The object store, as a folder and as a bucket: both give the same guarantees.

import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBucket, type TestBucket } from '../../../test/support/bucket.ts'
import { readConfig } from '../config.ts'
import { normalStoreUrl } from './address.ts'
import { openStore, s3AccessOf } from './open.ts'
import type { ObjectStore } from './store.ts'

let folder: string
let bucket: TestBucket
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'marquee-store-'))
  bucket = await startBucket('files')
})
afterAll(async () => {
  await bucket.close()
  await rm(folder, { recursive: true, force: true })
})

const stores: [string, () => ObjectStore][] = [
  ['a folder', () => openStore(join(folder, 'kept'), s3AccessOf(readConfig({})))],
  ['a bucket', () => openStore('s3://files/some/prefix', s3AccessOf(readConfig(bucket.settings)))],
]

describe.each(stores)('%s', (_, open) => {
  it('returns a stored object completely', async () => {
    const store = open()
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7) % 256))
    expect(await store.put('day=2026-11-15/hour=13/a-1.parquet', bytes)).toBe(true)
    expect((await store.get('day=2026-11-15/hour=13/a-1.parquet'))!.equals(bytes)).toBe(true)
    expect(await store.has('day=2026-11-15/hour=13/a-1.parquet')).toBe(true)
  })

  it('does not touch what exists', async () => {
    const store = open()
    expect(await store.put('once', Buffer.from('first'))).toBe(true)
    expect(await store.put('once', Buffer.from('second'))).toBe(false)
    expect(String(await store.get('once'))).toBe('first')
  })

  it('lets one of many writers succeed that put the same key at once', async () => {
    const store = open()
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) => store.put('race/key', Buffer.from(`writer ${i}`))),
    )
    expect(outcomes.filter(done => done)).toHaveLength(1)
    expect(String(await store.get('race/key'))).toBe(`writer ${outcomes.indexOf(true)}`)
    expect(await store.list('race/')).toEqual(['race/key'])
  })

  it('says that a missing object is missing', async () => {
    const store = open()
    expect(await store.get('nothing/here')).toBeNull()
    expect(await store.has('nothing/here')).toBe(false)
    expect(await store.list('nothing/')).toEqual([])
    await store.remove('nothing/here')
  })

  it('lists what is under a prefix, without removed objects', async () => {
    const store = open()
    for (const key of ['l/b', 'l/a/c', 'lx']) await store.put(key, Buffer.from(key))
    expect(await store.list('l/')).toEqual(['l/a/c', 'l/b'])
    expect(await store.list('')).toContain('lx')
    await store.remove('l/b')
    expect(await store.list('l/')).toEqual(['l/a/c'])
  })

  it('refuses keys that lead outside', async () => {
    for (const key of ['../x', 'a/../x', '/x', 'a//b', '.hidden', 'a b'])
      await expect(open().put(key, Buffer.from('x'))).rejects.toThrow('not a valid object key')
  })
})

it('nothing unfinished is left in a folder', async () => {
  expect(await readdir(join(folder, 'kept', '.unfinished'))).toEqual([])
})

it('a list that comes in pages is complete', async () => {
  const keys = Array.from({ length: 25 }, (_, i) => `many/k/${String(i).padStart(2, '0')}&`)
  const pages = createServer((request, answer) => {
    const after = new URL(request.url!, 'http://x').searchParams.get('start-after') ?? ''
    const page = keys.filter(key => key > after).slice(0, 10)
    const contents = page.map(key => `<Contents><Key>${key.replaceAll('&', '&amp;')}</Key></Contents>`)
    answer.end(
      `<ListBucketResult>${contents.join('')}<IsTruncated>${page.length === 10}</IsTruncated></ListBucketResult>`,
    )
  })
  await once(pages.listen(0, '127.0.0.1'), 'listening')
  const { port } = pages.address() as AddressInfo
  const settings = { ...bucket.settings, AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}` }
  const store = openStore('s3://files/many', s3AccessOf(readConfig(settings)))
  expect(await store.list('k/')).toEqual(keys.map(key => key.slice('many/'.length)))
  pages.closeAllConnections()
  pages.close()
})

it('a bucket without keys is opened with the role of the container; half a key is refused', async () => {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ...rest } = bucket.settings
  const role = createServer((_, answer) => {
    const Expiration = new Date(Date.now() + 3_600_000)
    answer.end(
      JSON.stringify({
        AccessKeyId: AWS_ACCESS_KEY_ID,
        SecretAccessKey: AWS_SECRET_ACCESS_KEY,
        Token: 'token',
        Expiration,
      }),
    )
  })
  await once(role.listen(0, '127.0.0.1'), 'listening')
  const { port } = role.address() as AddressInfo
  process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = `http://127.0.0.1:${port}/role`
  try {
    const settings = { ...rest, EXPORT_URL: 's3://files/role' }
    expect(() => readConfig({ ...settings, AWS_ACCESS_KEY_ID })).toThrow('or with neither')
    const store = openStore('s3://files/role', s3AccessOf(readConfig(settings)))
    expect(await store.put('k', Buffer.from('a'))).toBe(true)
    expect(String(await store.get('k'))).toBe('a')
  } finally {
    delete process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI
    role.closeAllConnections()
    role.close()
  }
})

it('a bucket that refuses conditions is written to without them, and existing objects stay', async () => {
  const objects = new Map<string, string>()
  const old = createServer(async (request, answer) => {
    const bytes = (await request.toArray()).join('')
    if (request.headers['if-none-match']) return answer.writeHead(501).end('<Code>NotImplemented</Code>')
    const { pathname } = new URL(request.url!, 'http://old')
    if (request.method === 'PUT') objects.set(pathname, bytes)
    answer.writeHead(objects.has(pathname) ? 200 : 404).end()
  })
  await once(old.listen(0, '127.0.0.1'), 'listening')
  const { port } = old.address() as AddressInfo
  const settings = { ...bucket.settings, AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}` }
  const store = openStore('s3://files/old', s3AccessOf(readConfig(settings)))
  try {
    expect([await store.put('k', Buffer.from('a')), await store.put('k', Buffer.from('b'))]).toEqual([
      true,
      false,
    ])
    expect([...objects]).toEqual([['/files/old/k', 'a']])
  } finally {
    old.closeAllConnections()
    old.close()
  }
})

it('an undeletable entry among the unfinished files of a folder does not stop writing', async () => {
  const strange = join(folder, 'strange', '.unfinished', 'lost+found')
  await mkdir(strange, { recursive: true })
  await utimes(strange, 1, 1)
  const store = openStore(join(folder, 'strange'), s3AccessOf(readConfig({})))
  expect(await store.put('k', Buffer.from('a'))).toBe(true)
})

it('a folder that cannot be written and a bucket that is away or forbidden are reported', async () => {
  await writeFile(join(folder, 'file'), '')
  const inFile = openStore(join(folder, 'file', 'below'), s3AccessOf(readConfig({})))
  await expect(inFile.put('x', Buffer.from('x'))).rejects.toThrow()
  const away = openStore(
    's3://files',
    s3AccessOf(readConfig({ ...bucket.settings, AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1' })),
  )
  await expect(away.put('x', Buffer.from('x'))).rejects.toThrow('s3://files does not answer')
  const unknown = openStore('s3://no-such-bucket', s3AccessOf(readConfig(bucket.settings)))
  await expect(unknown.put('x', Buffer.from('x'))).rejects.toThrow(/answered 404|NoSuchBucket/)
  const wrong = openStore(
    's3://files',
    s3AccessOf(readConfig({ ...bucket.settings, AWS_ACCESS_KEY_ID: 'wrong' })),
  )
  await expect(wrong.put('x', Buffer.from('x'))).rejects.toThrow('answered 403')
})

it('an address has one spelling, and a wrong one is refused', () => {
  expect(normalStoreUrl('s3://bucket/a//b/')).toBe('s3://bucket/a/b')
  expect(normalStoreUrl('s3://bucket')).toBe('s3://bucket')
  expect(normalStoreUrl('file:///srv/x')).toBe('/srv/x')
  expect(normalStoreUrl('/srv/../srv/x/')).toBe('/srv/x')
  for (const bad of ['s3://', 's3://B', 's3://bucket/../x', 'https://x.example/', 'gs://bucket'])
    expect(normalStoreUrl(bad), bad).toBeNull()
})

it('a bucket that takes a call and never answers is given up on, even if garbage is collected meanwhile', async () => {
  setFlagsFromString('--expose-gc')
  const tidy = runInNewContext('gc') as () => void
  const silent = createServer(() => {})
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  const access = {
    ...s3AccessOf(readConfig(bucket.settings)),
    endpoint: `http://127.0.0.1:${port}`,
  }
  const tidying = setInterval(tidy, 20)
  try {
    await expect(openStore('s3://files/p', access, 300).get('a')).rejects.toThrow('does not answer')
  } finally {
    clearInterval(tidying)
    silent.closeAllConnections()
    silent.close()
  }
})
