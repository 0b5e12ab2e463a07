// A backup is complete: restored into an empty database it equals the original, and the service continues from there.

import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newAdvertiser, picture } from '../../../test/support/banners.ts'
import { createTestDatabase, replicaOf, type TestDatabase } from '../../../test/support/database.ts'
import { leaveOpen } from '../../../test/support/locks.ts'
import { runMarquee, spawnMarquee } from '../../../test/support/process.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { recordEvents } from '../../../test/support/stats.ts'
import { buildTenant, type Tenant } from '../../../test/support/tenant.ts'
import { foldAll } from '../../count/fold/fold.ts'
import { systemClock } from '../../kernel/time/clock.ts'
import { postmasterPid } from '../../platform/embedded-postgres/cluster.ts'
import { urlFor } from '../../platform/embedded-postgres/socket.ts'
import { createLog } from '../../platform/log.ts'
import { createService, type Service } from '../../service/app.ts'
import { backup, ourNames, type Places, restore } from './backup.ts'

let service: TestService
let tenant: Tenant
let image: string
let folder: string
const databases: TestDatabase[] = []
const services: Service[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'marquee-backup-'))
  service = await startTestService()
  tenant = await buildTenant(service, service.app)
  const advertiser = await newAdvertiser(service)
  const upload = await advertiser.call('POST', '/creative', await picture(300, 250), {
    'content-type': 'image/png',
  })
  image = upload.body.creativeURL
  await advertiser.reviewed((await advertiser.banner({ creativeURL: image })).bid)
  const { cuid, cid } = tenant.ids
  await service.call('PUT', `/campaign/${cid}?cuid=${cuid}`, { body: { totalSpend: 900 } })
  const prepaid = await service.newCustomer({ prepaid: true })
  const sale = {
    ...tenant.ids,
    kind: 'action' as const,
    adNumber: 1,
    atMs: Date.now(),
    valueMicros: 49_900_001,
  }
  const credit = { amount: 12.5, reference: 'paid', note: 'By bank' }
  await service.call('POST', `/customer/${prepaid.cuid}/credit`, { body: credit })
  await count(service, 100, 0)
  await recordEvents(service.db, [sale])
  await foldAll(service.db)
  await count(service, 20, 200)
  await backup(placesOf(service, 'good.backup'))
})
afterAll(async () => {
  for (const running of services) await running.stop()
  await service.close()
  for (const database of databases) await database.drop()
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

function placesOf({ config }: TestService, name: string) {
  const credentials = join(config.DATA_DIR, 'credentials.json')
  return { databaseUrl: config.DATABASE_URL!, path: join(folder, name), credentials }
}

async function emptyPlace(name: string) {
  const database = await createTestDatabase()
  databases.push(database)
  const client = await connected(database.url)
  await client.query('drop schema public cascade; create schema public')
  await client.end()
  const credentials = join(await mkdtemp(join(folder, 'data-')), 'credentials.json')
  return { databaseUrl: database.url, path: join(folder, name), credentials }
}

const restoreInto = (place: Places) => restore(place, work => work(place.databaseUrl))

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

function count({ db }: Service, impressions: number, from: number): Promise<void> {
  const { cuid, cid, fid, pid, bid } = tenant.ids
  return recordEvents(
    db,
    Array.from({ length: impressions }, (_, i) => ({
      ...{ kind: 'impression' as const, cuid, cid, fid, pid, bid, domain: 'a"\\\t.example' },
      ...{ adNumber: from + i, atMs: Date.now() - i * 3_600_000, spendMicros: 7 + i },
    })),
  )
}

/** A hash of the rows of each table, except for tables that every start and every heartbeat change. */
async function contentOf(url: string): Promise<Record<string, string>> {
  const client = await connected(url)
  const content: Record<string, string> = {}
  const { rows } = await client.query(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
       and relpersistence = 'p' and relname not in ('migration', 'catalog_change', 'event_numbering', 'node', 'duty',
         'witness', 'customer_usage', 'customer_usage_change')`,
  )
  for (const { name } of rows) {
    const table = await client.query(
      `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as hash from "${name}" t`,
    )
    content[name] = table.rows[0].hash
  }
  await client.end()
  return content
}

/** Sums and changes added up, because a restore counts anew. */
async function usageOf(url: string): Promise<unknown[]> {
  const client = await connected(url)
  const { rows } = await client.query(
    `select cuid, sum(campaigns), sum(personas), sum(banners) from (
       select * from customer_usage union all
       select cuid, campaigns, personas, banners from customer_usage_change
     ) noted group by cuid order by cuid`,
  )
  await client.end()
  return rows
}

/** The service that is backed up does some work of its own now and then, so this repeats until nothing changed. */
async function backupWhileNothingChanges() {
  for (;;) {
    const before = await contentOf(service.config.DATABASE_URL!)
    const taken = await backup(placesOf(service, 'whole.backup'))
    const after = await contentOf(service.config.DATABASE_URL!)
    if (isDeepStrictEqual(before, after)) return { before, taken }
    await rm(placesOf(service, 'whole.backup').path)
  }
}

it('a restore brings back every table, and the first credentials', async () => {
  const { before, taken } = await backupWhileNothingChanges()
  const place = await emptyPlace('whole.backup')
  expect(await restoreInto(place)).toEqual(taken)
  expect(await contentOf(place.databaseUrl)).toEqual(before)
  const usage = await usageOf(service.config.DATABASE_URL!)
  expect(usage.length).toBeGreaterThan(0)
  expect(await usageOf(place.databaseUrl)).toEqual(usage)
  expect(await readFile(place.credentials, 'utf8')).toBe(
    await readFile(placesOf(service, '').credentials, 'utf8'),
  )
  expect((await stat(place.path)).mode & 0o077).toBe(0)
})

it('a service on the restored data shows the same figures and images, and continues to count, edit and issue new ids', async () => {
  const place = await emptyPlace('good.backup')
  await restoreInto(place)
  const restored = await createService({
    config: { ...service.config, DATABASE_URL: place.databaseUrl, DATA_DIR: join(place.credentials, '..') },
    log: createLog('silent'),
    clock: systemClock,
  })
  services.push(restored)
  expect(restored.firstCredentials).toBeNull()
  const { cuid, cid } = tenant.ids
  const headers = { 'x-access-key': tenant.pair.key, 'x-access-token': tenant.pair.token }
  const call = (method: 'GET' | 'POST', url: string, payload?: object) =>
    restored.api.fastify.inject({ method, url, headers, ...(payload ? { payload } : {}) })
  const old = await service.call('GET', `/stats/${cid}/summary?cuid=${cuid}`, { as: tenant.pair })
  expect((await call('GET', `/stats/${cid}/summary?cuid=${cuid}`)).json()).toEqual(old.body)
  const shown = await restored.api.fastify.inject({ method: 'GET', url: image })
  expect(shown.statusCode).toBe(200)
  await count(restored, 10, 1000)
  const more = (await call('GET', `/stats/${cid}/summary?cuid=${cuid}`)).json()
  expect(more.imps).toBe(old.body.imps + 10)
  const highest = await restored.db.row<{ id: number }>('select max(bid) as id from banner')
  const start = Math.floor(Date.now() / 1000)
  const body = { name: 'New', start, end: start + 86_400, dailySpend: 1 }
  const created = await call('POST', `/campaign?cuid=${cuid}`, body)
  expect(created.statusCode).toBe(201)
  expect(created.json().cid).toBeGreaterThan(Math.max(tenant.ids.bid, highest!.id))
})

it('a damaged backup creates no database: the folder to restore into stays as it was', async () => {
  const path = join(folder, 'cut.backup')
  await writeFile(path, (await readFile(join(folder, 'good.backup'))).subarray(0, 1000))
  const DATA_DIR = join(folder, 'not yet')
  const { code, output } = await runMarquee(['restore', path], { DATA_DIR })
  expect([code, output]).toEqual([1, expect.stringContaining('not a backup of Marquee')])
  expect(existsSync(DATA_DIR)).toBe(false)
})

it('a backup that is truncated, damaged or not a backup is refused before anything is touched', async () => {
  const good = await readFile(join(folder, 'good.backup'))
  const damaged = Buffer.from(good)
  damaged[Math.floor(good.length / 2)]! ^= 0xff
  const wrong: [string, Buffer][] = [
    ['short.backup', good.subarray(0, good.length - 100)],
    ['damaged.backup', damaged],
    ['text.backup', Buffer.from('hello')],
    ['empty.backup', Buffer.alloc(0)],
    ['twice.backup', Buffer.concat([good, good])],
  ]
  for (const [name, bytes] of wrong) {
    await writeFile(join(folder, name), bytes)
    const place = await emptyPlace(name)
    await expect(restoreInto(place), name).rejects.toThrow(/not a backup of Marquee/)
    expect(await contentOf(place.databaseUrl)).toEqual({})
  }
  await expect(restoreInto(await emptyPlace('.'))).rejects.toThrow(/not a backup of Marquee/)
})

it('neither a database with content nor an existing file is overwritten', async () => {
  // The service may close an hour of the export meanwhile.
  const content = async () => ({ ...(await contentOf(service.config.DATABASE_URL!)), export_hour: null })
  const before = await content()
  await expect(restoreInto(placesOf(service, 'good.backup'))).rejects.toThrow('not empty')
  expect(await content()).toEqual(before)
  await expect(backup(placesOf(service, 'good.backup'))).rejects.toThrow('already exists')
  await expect(backup(placesOf(service, 'nowhere/new.backup'))).rejects.toThrow(
    /there is no folder .*nowhere:/,
  )
})

it('a backup shows one moment, whatever is written meanwhile', async () => {
  let writing = true
  const writer = (async () => {
    for (let n = 2000; writing; n += 5) await count(service, 5, n)
  })()
  await backup(placesOf(service, 'busy.backup'))
  writing = false
  await writer
  const place = await emptyPlace('busy.backup')
  await restoreInto(place)
  const client = await connected(place.databaseUrl)
  const { rows } = await client.query(
    `select (select count(*) from event where cid = $1)
       = (select coalesce((select sum(imps) from rollup where id = $1), 0)
         + (select count(*) from fresh where cid = $1 and kind = 'i')) as agree`,
    [tenant.ids.cid],
  )
  await client.end()
  expect(rows[0].agree).toBe(true)
})

it('the tables found in the text of the migrations are those that the migrations create', async () => {
  const { rows } = await (async () => {
    const database = await createTestDatabase()
    databases.push(database)
    const client = await connected(database.url)
    const found = await client.query(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace
         and relkind in ('r', 'p') and not relispartition and relname <> 'migration'`,
    )
    await client.end()
    return found
  })()
  const ours = await ourNames()
  expect(rows.map(row => row.name).filter(name => !ours.has(name))).toEqual([])
})

it('tables of others in the same database are left out and named, and the backup restores', async () => {
  await service.db.run('create table if not exists of_others (id serial primary key, campaign bigint)')
  try {
    const taken = await backup(placesOf(service, 'others.backup'), { isVerified: true })
    expect(taken.leftOut).toEqual(['of_others'])
    const place = await emptyPlace('others.backup')
    const { leftOut: _leftOut, ...done } = taken
    expect(await restoreInto(place)).toEqual(done)
  } finally {
    await service.db.run('drop table of_others')
  }
})

it('a backup that would not restore gets no name, and leaves nothing behind', async () => {
  await service.db.run('alter table place add column of_others text')
  try {
    await expect(backup(placesOf(service, 'bad.backup'), { isVerified: true })).rejects.toThrow('of_others')
    expect((await readdir(folder)).filter(name => name.startsWith('bad.backup'))).toEqual([])
    const schemas = await service.db.rows(`select from pg_namespace where nspname like 'marquee_verify%'`)
    expect(schemas).toEqual([])
  } finally {
    await service.db.run('alter table place drop column of_others')
  }
})

it('of two backups to one file the later one is made, and the earlier one fails and says so', async () => {
  const places = placesOf(service, 'both.backup')
  const unfinished = `${places.path}.unfinished`
  const lock = await leaveOpen(service.db, tx => tx.run('lock table place in access exclusive mode'))
  const begun = async () => (await stat(unfinished)).ino
  const waiting = (count: number) =>
    expect
      .poll(() =>
        service.db.rows(
          `select from pg_stat_activity where application_name = 'marquee backup' and wait_event_type = 'Lock'
             and datname = current_database()`,
        ),
      )
      .toHaveLength(count)
  const earlier = backup(places).catch((error: Error) => error.message)
  await waiting(1)
  const first = await begun()
  const later = backup(places, { isVerified: true })
  await waiting(2)
  expect(await begun()).not.toBe(first)
  await lock.commit()
  expect(await earlier).toContain('another backup is being written to')
  expect((await later).rows).toBeGreaterThan(0)
  await restoreInto(await emptyPlace('both.backup'))
})

it('a stopped backup leaves nothing behind; the next one removes what a killed one left', async () => {
  const places = placesOf(service, 'stopped.backup')
  const left = async () => ({
    files: (await readdir(folder)).filter(name => name.startsWith('stopped.backup')).length,
    schemas: (await service.db.rows(`select from pg_namespace where nspname like 'marquee_verify%'`)).length,
  })
  const ended = async (signal: NodeJS.Signals) => {
    const env = { DATABASE_URL: places.databaseUrl, DATA_DIR: service.config.DATA_DIR }
    const command = spawnMarquee(['backup', '--verify', places.path], env)
    await expect.poll(async () => (await left()).schemas).toBe(1)
    command.child.kill(signal)
    return command.exited
  }
  expect(await ended('SIGTERM')).toBe(143)
  expect(await left()).toEqual({ files: 0, schemas: 0 })
  expect(await ended('SIGKILL')).toBe(null)
  expect(await left()).toEqual({ files: 1, schemas: 1 })
  await backup(places, { isVerified: true })
  expect(await left()).toEqual({ files: 1, schemas: 0 })
})

it('a restore that is refused does not disturb the one under way', async () => {
  const place = await emptyPlace('good.backup')
  const underWay = restore(place, async work => {
    const done = work(place.databaseUrl)
    await expect.poll(() => existsSync(`${place.credentials}.unfinished`), { interval: 1 }).toBe(true)
    await expect(restore(place, () => Promise.reject(new Error('in use')))).rejects.toThrow('in use')
    return done
  })
  expect((await underWay).rows).toBeGreaterThan(0)
  expect(existsSync(place.credentials)).toBe(true)
})

it('a restore is all or nothing: without its credentials there is no database either', async () => {
  const place = await emptyPlace('good.backup')
  await mkdir(place.credentials)
  await expect(restoreInto(place)).rejects.toThrow()
  expect(await contentOf(place.databaseUrl)).toEqual({})
  await rm(place.credentials, { recursive: true })
  await writeFile(place.credentials, '{"superkey":"of another"}')
  await expect(restoreInto(place)).rejects.toThrow('another deployment')
  expect(await contentOf(place.databaseUrl)).toEqual({})
  await rm(place.credentials)
  await restoreInto(place)
  expect(existsSync(place.credentials)).toBe(true)
})

it('a replica can be backed up; verifying a backup there is refused before it begins', async () => {
  const places = placesOf(service, 'replica.backup')
  const there = { ...places, databaseUrl: replicaOf(places.databaseUrl) }
  await expect(backup(there, { isVerified: true })).rejects.toThrow('only the primary can verify a backup')
  expect(existsSync(places.path)).toBe(false)
  expect((await backup(there)).rows).toBeGreaterThan(0)
  expect(existsSync(places.path)).toBe(true)
})

it('each command works in one step, on the embedded database of a fresh folder', async () => {
  const dataDir = join(folder, 'fresh')
  const restored = await runMarquee(['restore', join(folder, 'good.backup'), '--json'], { DATA_DIR: dataDir })
  expect(restored.output).toContain('"restored": true')
  const again = join(folder, 'again.backup')
  const taken = await runMarquee(['backup', again, '--json'], { DATA_DIR: dataDir })
  expect(JSON.parse(taken.output).rows).toBe(JSON.parse(restored.output).rows)
  expect(await readdir(dataDir)).toContain('credentials.json')
  const refused = await runMarquee(['restore', join(folder, 'no.such')], { DATA_DIR: dataDir })
  expect(refused).toMatchObject({
    code: 1,
    output: expect.stringContaining('is neither an id nor a backup file'),
  })
})

it('if the server ends while a command uses it, the command reports that and not the broken connection', async () => {
  const dataDir = join(folder, 'short-lived')
  const command = spawnMarquee(['restore', join(folder, 'good.backup')], { DATA_DIR: dataDir })
  const hasTables = async () => {
    const client = new pg.Client({ connectionString: urlFor(join(dataDir, 'run'), 'marquee') })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return (await client.query("select to_regclass('campaign') is not null as yes")).rows[0].yes
    } catch {
      return false
    } finally {
      await client.end().catch(() => undefined)
    }
  }
  await expect.poll(hasTables, { timeout: 60_000, interval: 10 }).toBe(true)
  process.kill((await postmasterPid(join(dataDir, 'postgres')))!, 'SIGKILL')
  expect(await command.exited).toBe(1)
  expect(command.output()).toBe('marquee: the embedded database has ended unexpectedly\n')
})
