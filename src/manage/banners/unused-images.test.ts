// How much a customer may upload, and what happens to images that nothing uses.

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Advertiser, newAdvertiser, picture } from '../../../test/support/banners.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { createCreatives } from './creative/store.ts'
import { readSource } from './source.ts'
import { sweepUnusedImages } from './unused-images.ts'

const KEEP_MS = 86_400_000
let service: TestService
let ann: Advertiser
beforeAll(async () => {
  service = await startTestService({ UPLOAD_QUOTA: '1' })
  ann = await newAdvertiser(service)
})
afterAll(() => service.close())

/** An image that nobody has sent before. */
let images = 0
async function image(bytes = 0): Promise<Buffer> {
  const png = await picture(300, 250)
  // Zeros after the end are harmless; a different number of them makes a different image.
  return Buffer.concat([png, Buffer.alloc(Math.max(bytes - png.length, 0) + ++images)])
}

const upload = (who: Advertiser, bytes: Buffer) =>
  who.call('POST', '/creative', bytes, { 'content-type': 'image/png' })
const sweep = () =>
  sweepUnusedImages({
    db: service.db,
    clock: service.clock,
    files: createCreatives({ db: service.db, dir: `${service.config.DATA_DIR}/creatives`, store: null }),
    keepMs: KEEP_MS,
  })
const isThere = async (path: string) => (await service.call('GET', path, { as: null })).status === 200

it('uploads of a customer have a quota, even when they come at once; the same image counts once', async () => {
  const large = await image(400_000)
  expect((await upload(ann, large)).status).toBe(201)
  expect((await upload(ann, large)).status).toBe(201)
  const more = await Promise.all(Array.from({ length: 4 }, async () => upload(ann, await image(299_000))))
  expect(more.map(answer => answer.status).sort()).toEqual([201, 201, 409, 409])
  const refused = more.find(answer => answer.status === 409)!
  expect(refused.body).toMatchObject({ code: 'quota_exceeded', message: expect.stringContaining('1 MB') })
  const bob = await newAdvertiser(service)
  expect((await upload(bob, await image(299_000))).status).toBe(201)
})

it('an upload refused for the quota is not kept', async () => {
  const bytes = await image(900_000)
  expect((await upload(ann, bytes)).status).toBe(409)
  const name = createHash('sha256').update(bytes).digest('hex')
  expect(await isThere(`/creative/${name}.png`)).toBe(false)
})

it('an unused image is removed after a while; one that a banner uses stays, even if the banner is deleted', async () => {
  const cid = await newAdvertiser(service)
  const paths: string[] = []
  for (let n = 0; n < 3; n++) paths.push((await upload(cid, await image())).body.creativeURL)
  const [unused, used, deleted] = paths as [string, string, string]
  await cid.banner({ creativeURL: used })
  const { bid } = await cid.banner({ creativeURL: deleted })
  await cid.call('DELETE', `${cid.path}/${bid}`)
  await sweep()
  expect(await isThere(unused)).toBe(true)
  service.clock.advance(KEEP_MS + 1000)
  await sweep()
  expect([await isThere(unused), await isThere(used), await isThere(deleted)]).toEqual([false, true, true])
  const gone = await cid.call('POST', cid.path, { creativeURL: unused })
  expect(gone.status).toBe(400)
})

it('an image that was uploaded again meanwhile stays', async () => {
  const dan = await newAdvertiser(service)
  const bytes = await image()
  const path = (await upload(dan, bytes)).body.creativeURL
  await sweep()
  service.clock.advance(KEEP_MS + 1000)
  await upload(dan, bytes)
  await sweep()
  expect(await isThere(path)).toBe(true)
  expect((await dan.banner({ creativeURL: path })).bid).toBeGreaterThan(0)
})

it('no customer waits for a transaction of another one that uses or stores the same image', async () => {
  const [eve, fay] = [await newAdvertiser(service), await newAdvertiser(service)]
  const bytes = await image()
  const path = (await upload(eve, bytes)).body.creativeURL
  await service.db.transaction(async tx => {
    await readSource(tx, eve.cuid, path, 'http://localhost:8080')
    await tx.run('select pg_advisory_xact_lock_shared(hashtextextended($1, 7731012))', [path.slice(10)])
    expect((await upload(fay, bytes)).status).toBe(201)
    const { bid } = await fay.banner({ creativeURL: path })
    expect((await fay.reviewed(bid)).status).toBe('approved')
  })
})

it('an image that is in use at this moment is not removed', async () => {
  const gil = await newAdvertiser(service)
  const path = (await upload(gil, await image())).body.creativeURL
  await sweep()
  service.clock.advance(KEEP_MS + 1000)
  await service.db.transaction(async tx => {
    await readSource(tx, gil.cuid, path, 'http://localhost:8080')
    await sweep()
  })
  expect(await isThere(path)).toBe(true)
  await sweep()
  expect(await isThere(path)).toBe(false)
})

it('removing unused images makes room in the quota', async () => {
  await sweep()
  service.clock.advance(KEEP_MS + 1000)
  await sweep()
  expect((await upload(ann, await image(900_000))).status).toBe(201)
})
