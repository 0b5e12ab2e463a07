// Readiness and stopping: a process that delivers on a database that freezes, and one that is told to stop.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../test/support/banners.ts'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { type DatabaseLine, openDatabaseLine } from '../../test/support/database-line.ts'
import { freePort } from '../../test/support/ports.ts'
import { type ServiceProcess, startProcess } from '../../test/support/process.ts'
import { createReadiness } from './ready.ts'

let database: TestDatabase
let line: DatabaseLine
let folder: string

beforeAll(async () => {
  database = await createTestDatabase()
  line = await openDatabaseLine(database.url)
  folder = await mkdtemp(join(tmpdir(), 'marquee-ready-'))
})
afterAll(async () => {
  await line.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

interface Ready {
  status: number
  body: { parts?: Record<string, string>; errors?: { path: string; message: string }[] }
}

async function start(roles: string, drain: string): Promise<{ service: ServiceProcess; url: string }> {
  const port = await freePort()
  const service = await startProcess({
    PORT: String(port),
    HOST: '127.0.0.1',
    DATABASE_URL: line.url,
    DATA_DIR: folder,
    ROLES: roles,
    DRAIN: drain,
  })
  const url = `http://127.0.0.1:${port}`
  await until(async () => ((await ready(url)).status === 200 ? true : null), 90_000)
  return { service, url }
}

async function ready(url: string): Promise<Ready> {
  const answer = await fetch(`${url}/readyz`)
  return { status: answer.status, body: (await answer.json()) as Ready['body'] }
}

test('delivery stays ready while the database is briefly away, but not beyond its shares, and still stops cleanly', async () => {
  const { service, url } = await start('api,delivery,worker', '0s')
  expect((await ready(url)).body.parts).toMatchObject({
    process: 'runs as api, delivery, worker',
    database: 'answers',
    delivery: expect.stringContaining('sells from its shares'),
  })
  line.freeze()
  const first = await ready(url)
  expect([first.status, first.body.parts?.database]).toEqual([200, 'does not answer'])
  const red = await until(async () => {
    const now = await ready(url)
    return now.status === 503 ? now : null
  })
  expect(red.body.errors).toContainEqual(
    expect.objectContaining({
      path: 'delivery',
      message: 'promises no ads: the database has not renewed its shares for 10 s',
    }),
  )
  line.thaw()
  await until(async () => ((await ready(url)).status === 200 ? true : null), 90_000)
  line.freeze()
  service.child.kill('SIGTERM')
  // Nobody thaws it before the process has ended. Statements may take half a minute; a stop that waited for them would
  // be ended by force, with another exit code.
  expect(await service.exited).toBe(0)
  expect(service.output()).toContain('"msg":"stopped"')
  line.thaw()
})

test('a process names only the addresses that it serves; when told to stop, it first reports that and continues to answer', async () => {
  const { service, url } = await start('delivery', '3s')
  expect(service.output()).toMatch(/running, as delivery\.\n\n {2}Ads +http:\S+\n {2}Data /)
  service.child.kill('SIGTERM')
  const red = await until(async () => {
    const now = await ready(url)
    return now.status === 503 ? now : null
  })
  expect(red.body.errors).toMatchObject([{ path: 'process', code: 'not_ready', message: 'is stopping' }])
  expect((await fetch(`${url}/tag.js`)).status).toBe(200)
  expect((await fetch(`${url}/ad`, { method: 'POST', body: '{"source":"nobody"}' })).status).toBe(404)
  expect(await service.exited).toBe(0)
})

test('a process whose campaigns mostly wait for their shares is not ready, and says how many', async () => {
  const count = { campaigns: 60_000, waiting: 57_611, unanswered: 0 }
  const refill = { mayPromise: () => true, waiting: () => count, node: { nodeId: 7 } }
  const readiness = createReadiness({
    ...{ roles: ['delivery'], place: null, isStopping: () => false },
    db: { row: async () => null } as never,
    rewindCheck: { isTrusted: () => true } as never,
    delivery: { running: () => ({ refill }) as never, countingMs: () => 0 },
  })
  const delivery = async () => (await readiness()).find(part => part.name === 'delivery')
  expect(await delivery()).toEqual({
    name: 'delivery',
    isReady: false,
    says: 'waits for its shares of 57611 of 60000 campaigns',
  })
  count.waiting = 600
  expect(await delivery()).toMatchObject({ isReady: true })
  Object.assign(count, { campaigns: 3, waiting: 1 })
  expect(await delivery()).toMatchObject({ isReady: true })
})
