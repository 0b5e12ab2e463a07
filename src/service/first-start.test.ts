// The first start creates keys and credentials; a later one adds what an older version lacked.

import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../test/support/service.ts'
import { listSources, siteByKey, sourceBook } from '../manage/sources/sources.ts'
import { completeCredentials } from './first-start.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

it('an installation from before server keys gets one for its site, once', async () => {
  const { DATA_DIR } = service.config
  const path = join(DATA_DIR, 'credentials.json')
  const kept = async () => JSON.parse(await readFile(path, 'utf8'))
  const { serverKey, ...earlier } = await kept()
  await service.db.run('update source set server_key_hash = null')
  await writeFile(path, JSON.stringify(earlier))

  await completeCredentials(service.db, DATA_DIR, service.clock)
  const after = await kept()
  expect(after).toEqual({ ...earlier, serverKey: expect.stringMatching(/^mqv\w{24}$/) })
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const book = sourceBook(await listSources(service.db), service.clock.nowMs())
  expect(siteByKey(book, after.serverKey)).toMatchObject({ isServer: true, site: { key: earlier.siteKey } })
  expect(siteByKey(book, earlier.siteKey)).toMatchObject({ isServer: false })
  expect(siteByKey(book, serverKey)).toBeNull()

  await completeCredentials(service.db, DATA_DIR, service.clock)
  expect(await kept()).toEqual(after)
})

it('the database contains only the hash of a server key', async () => {
  const { serverKey } = JSON.parse(await readFile(join(service.config.DATA_DIR, 'credentials.json'), 'utf8'))
  const row = await service.db.row<{ text: string }>(
    "select string_agg(source::text, ',') as text from source",
  )
  expect(row!.text).not.toContain(serverKey)
  expect(service.logLines.join('')).not.toContain(serverKey)
})
