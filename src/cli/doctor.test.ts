// `marquee doctor`, run as an operator runs it, on a healthy service and on a broken one.

import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBucket } from '../../test/support/bucket.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { startBouncer } from '../../test/support/pgbouncer.ts'
import { freePort } from '../../test/support/ports.ts'
import { runMarquee } from '../../test/support/process.ts'
import { startRedis, type TestRedis } from '../../test/support/redis.ts'
import { readConfig, SETTINGS } from '../platform/config.ts'
import { openDatabase } from '../platform/database.ts'
import { migrate } from '../platform/migrate.ts'
import { clockFinding } from './doctor/database.ts'
import type { Finding } from './doctor/finding.ts'
import { nodeFindings, portFindings, roomFinding } from './doctor/machine.ts'

const MIGRATIONS = new URL('../../migrations/', import.meta.url)

let database: TestDatabase
let redis: TestRedis
let dir: string
const smtp = new SMTPServer({ authOptional: true, disabledCommands: ['STARTTLS'] })
let smtpPort: number
let taken: Server
beforeAll(async () => {
  database = await createTestDatabase()
  redis = await startRedis()
  dir = await mkdtemp(join(tmpdir(), 'marquee-doctor-'))
  smtpPort = await freePort()
  await new Promise<void>(resolve => smtp.listen(smtpPort, '127.0.0.1', resolve))
  taken = createServer(socket => socket.destroy()).listen(await freePort(), '127.0.0.1')
})
afterAll(async () => {
  taken.close()
  await new Promise<void>(resolve => smtp.close(() => resolve()))
  await redis.stop()
  await database.drop()
  await rm(dir, { recursive: true, force: true })
})

async function healthy(name: string): Promise<Record<string, string>> {
  const dataDir = join(dir, name)
  await mkdir(dataDir, { mode: 0o700 })
  await writeFile(join(dataDir, 'credentials.json'), '{}', { mode: 0o600 })
  return {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    CAPS_URL: redis.url,
    CREATIVES_URL: join(dataDir, 'images'),
    EXPORT_URL: join(dataDir, 'export'),
    SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
  }
}

/** All findings except the one about the Node version that the tests happen to run on. */
async function examine(env: Record<string, string>) {
  const { code, output } = await runMarquee(['doctor', '--json'], env)
  const { findings } = JSON.parse(output) as { findings: Finding[] }
  const found = findings.filter(({ check }) => check !== 'node')
  return {
    code,
    found,
    wrong: Object.fromEntries(found.filter(of => of.severity !== 'ok').map(of => [of.check, of])),
  }
}

/** The test server may lose writes, for speed, and the test machine's disk may be small. */
const ofProject = (check: string) => !/^disk$|room|durability/.test(check)

describe('marquee doctor', () => {
  it('finds nothing wrong on a healthy service, and says what it checked', async () => {
    const env = await healthy('whole')
    const { found, wrong } = await examine(env)
    expect(Object.keys(wrong).filter(ofProject)).toEqual([])
    const looked = found.map(({ check }) => check)
    for (const check of [
      'DATA_DIR',
      'credentials.json',
      'disk',
      'database version',
      'database rights',
      'pooler',
      'clock',
    ])
      expect(looked).toContain(check)
    for (const check of [
      'database room',
      'figures',
      'connections',
      'deployment',
      'caps',
      'CREATIVES_URL',
      'EXPORT_URL',
      'images',
      'mail',
      'port',
    ])
      expect(looked).toContain(check)
    const { output } = await runMarquee(['doctor'], env)
    expect(output).toMatch(/^ok +database version +PostgreSQL 1\d/m)
    expect(output).toMatch(
      /^ok +figures +Events take [\d.]+ MB, figures [\d.]+ MB \([\d.]+ MB of it packed\)/m,
    )
    expect(output).toContain('these settings may open 40.')
    const { output: ofDelivery } = await runMarquee(['doctor'], { ...env, ROLES: 'delivery' })
    expect(ofDelivery).toContain('these settings may open 23.')
    const { DATABASE_URL: _, ...embedded } = env
    expect((await examine(embedded)).code).toBe(nodeFindings()[0]!.severity === 'ok' ? 0 : 1)
  })

  it('says whether the tables are those of this version, and reads no others', async () => {
    const old = await createEmptyDatabase()
    const db = openDatabase({ url: old.url, maxConnections: 1, onError: () => {} })
    try {
      const env = { ...(await healthy('versions')), DATABASE_URL: old.url }
      const names = (await readdir(MIGRATIONS)).filter(name => name.endsWith('.sql')).sort()
      await migrate(old.url, names.slice(0, names.indexOf('0100-erasure.sql')))
      const older = await examine(env)
      expect(Object.keys(older.wrong).filter(ofProject)).toEqual(['tables'])
      expect(older.wrong.tables).toMatchObject({
        severity: 'warning',
        says: expect.stringContaining('from an older version'),
        advice: expect.stringContaining('marquee migrate'),
      })
      await migrate(old.url)
      expect((await examine(env)).found).toContainEqual(
        expect.objectContaining({ check: 'tables', severity: 'ok' }),
      )
      await db.run("insert into migration (name, expands) values ('9998-more.sql', true)")
      expect((await examine(env)).wrong.tables).toBeUndefined()
      await db.run("insert into migration (name) values ('9999-less.sql')")
      expect((await examine(env)).wrong.tables).toMatchObject({
        severity: 'error',
        says: 'The database is newer than this version of Marquee (it has 9999-less.sql).',
        advice: 'Run the version that made it, or a later one.',
      })
    } finally {
      await db.close()
      await old.drop()
    }
  })

  it('repeats no secret of a wrong setting, nor does a service that cannot start', async () => {
    const secret = Object.entries(SETTINGS).filter(([, setting]) => !('isPlain' in setting))
    const wrong = Object.fromEntries(secret.map(([name]) => [name, 'ftp://key:hushhush@host/two words']))
    expect(Object.keys(wrong)).toEqual(
      expect.arrayContaining(['DATABASE_URL', 'EXPORT_URL', 'CREATIVES_URL', 'METRICS_TOKEN', 'SMTP_URL']),
    )
    // Any text is a valid path, so these two are not refused.
    const { DATA_DIR: _, GEOIP_DB: __, ...env } = wrong
    for (const args of [['doctor'], ['doctor', '--json'], ['serve']]) {
      const { output } = await runMarquee(args, env)
      for (const name of ['EXPORT_URL', 'METRICS_TOKEN']) expect(output).toContain(name)
      expect(output).not.toContain('hush')
    }
  })

  it('names everything that is broken, with what to do, and exits with 2', async () => {
    const env = await healthy('broken')
    const closed = await freePort()
    await chmod(join(env.DATA_DIR!, 'credentials.json'), 0o644)
    await chmod(env.DATA_DIR!, 0o755)
    const { port } = taken.address() as { port: number }
    const { code, wrong } = await examine({
      ...env,
      DATABASE_URL: `postgres://nobody:hushhush@127.0.0.1:${closed}/none`,
      CAPS_URL: `redis://127.0.0.1:${closed}`,
      CREATIVES_URL: join(env.DATA_DIR!, 'credentials.json', 'images'),
      SMTP_URL: `smtp://127.0.0.1:${closed}`,
      GEOIP_DB: join(env.DATA_DIR!, 'none.mmdb'),
      PORT: String(port),
      PUBLIC_URL: 'http://ads.example',
    })
    expect(code).toBe(2)
    const errors = Object.values(wrong).filter(({ severity }) => severity === 'error')
    expect(errors.map(({ check }) => check).sort()).toEqual(
      ['CREATIVES_URL', 'GEOIP_DB', 'caps', 'credentials.json', 'database', 'mail', 'port'].sort(),
    )
    expect(wrong.DATA_DIR).toMatchObject({
      severity: 'warning',
      advice: expect.stringContaining('chmod 0700'),
    })
    expect(wrong.PUBLIC_URL!.severity).toBe('warning')
    expect(wrong.database!.says).toContain('ECONNREFUSED')
    for (const { says, advice } of Object.values(wrong)) {
      expect(advice).toMatch(/^[A-Z]/)
      expect(says + advice).not.toContain('hushhush')
    }
  })

  it('sees a pooler in transaction mode, a bucket that can be written and one that is not there', async () => {
    const bouncer = await startBouncer(database.url)
    const bucket = await startBucket('images')
    try {
      const { code, found, wrong } = await examine({
        ...(await healthy('pooled')),
        ...bucket.settings,
        DATABASE_URL: bouncer.url,
        CREATIVES_URL: 's3://images/ads',
        EXPORT_URL: 's3://nowhere/events',
      })
      expect(code).toBe(2)
      expect(Object.keys(wrong).filter(ofProject).sort()).toEqual(['EXPORT_URL', 'pooler'])
      expect(wrong.pooler).toMatchObject({
        severity: 'error',
        advice: expect.stringContaining('pool_mode = session'),
      })
      expect(wrong.EXPORT_URL).toMatchObject({ severity: 'error', advice: expect.stringMatching(/^[A-Z]/) })
      expect(wrong.EXPORT_URL!.says).toContain('NoSuchBucket')
      const images = found.find(({ check }) => check === 'CREATIVES_URL')
      expect(images).toMatchObject({ severity: 'ok', says: expect.stringContaining('s3://images/ads') })
    } finally {
      await bucket.close()
      await bouncer.close()
    }
  })

  it('names everything that accepts a connection and never answers', async () => {
    const silent = createServer(() => {})
    await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    const sockets = new Set<Socket>()
    silent.on('connection', socket => sockets.add(socket))
    try {
      const { code, wrong } = await examine({
        ...(await healthy('silent')),
        DATABASE_URL: `postgres://ann:hushhush@127.0.0.1:${port}/marquee`,
        CAPS_URL: `redis://:hushhush@127.0.0.1:${port}`,
        SMTP_URL: `smtp://ann:hushhush@127.0.0.1:${port}`,
        EXPORT_URL: 's3://events',
        AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
        AWS_ACCESS_KEY_ID: 'key',
        AWS_SECRET_ACCESS_KEY: 'hushhush',
        PORT: String(port),
      })
      expect(code).toBe(2)
      expect(Object.keys(wrong).sort()).toEqual(['EXPORT_URL', 'caps', 'database', 'mail', 'port'])
      expect(wrong.database!.says).toContain('did not answer within')
      expect(JSON.stringify(wrong)).not.toContain('hushhush')
    } finally {
      for (const socket of sockets) socket.destroy()
      silent.close()
    }
  })

  it('names every setting that cannot be read, and exits with 2', async () => {
    const { code, wrong } = await examine({
      PORT: 'many',
      TIMEZONE: 'Mars/Olympus',
      DATA_DIR: dir,
    })
    expect(code).toBe(2)
    expect(Object.keys(wrong).sort()).toEqual(['PORT', 'TIMEZONE'])
  })

  it('says who could not sign in because browsers keep no passkeys for the public URL', async () => {
    const env = await healthy('passkeys')
    const db = openDatabase({ url: database.url, maxConnections: 1, onError: () => {} })
    const { app_id } = (await db.row<{ app_id: number }>(
      `insert into app (name, created_at) values ('keyed', now()) returning app_id`,
    ))!
    await db.run(
      `insert into passkey (app_id, person, credential_id, public_key, counter, transports, name, created_at)
       select $1, 'ann@bikes.example', decode(n::text, 'escape'), '', 0, '{}', 'Phone', now()
       from generate_series(1, 2) as n`,
      [app_id],
    )
    const passkeys = async (PUBLIC_URL: string, more: object = {}) =>
      (await examine({ ...env, PUBLIC_URL, ...more })).found.find(({ check }) => check === 'passkeys')
    const lost = await passkeys('https://10.1.2.3')
    expect(lost).toMatchObject({ severity: 'error', says: expect.stringContaining('1 person has one, but') })
    expect(await passkeys('https://ads.example', { REQUIRE_PASSKEY: 'staff' })).toMatchObject({
      severity: 'ok',
      says: '1 person has one for ads.example; REQUIRE_PASSKEY demands one of staff.',
    })
    await db.run('delete from passkey')
    expect(await passkeys('https://10.1.2.3')).toMatchObject({ severity: 'ok' })
    await db.close()
    const unfit = await examine({ ...env, PUBLIC_URL: 'https://10.1.2.3', REQUIRE_PASSKEY: 'all' })
    expect(unfit.code).toBe(2)
    expect(unfit.wrong.REQUIRE_PASSKEY).toMatchObject({ severity: 'error' })
  })

  it('checks how a database is set up: rights, durability, the time zone of the deployment', async () => {
    const db = openDatabase({ url: database.url, maxConnections: 1, onError: () => {} })
    const name = (await db.row<{ name: string }>('select current_database() as name'))!.name
    const role = `doctor_${process.pid}`
    await db.run(
      `insert into deployment (name, value, updated_at) values ('timezone', 'Europe/Berlin', now())`,
    )
    await db.run(`create role ${role} login`)
    await db.run(`grant select on deployment to ${role}`)
    await db.run(`alter database ${name} set synchronous_commit = off`)
    try {
      const url = database.url.replace(/\/\/[^/]*@/, `//${role}@`)
      const { code, wrong } = await examine({ ...(await healthy('weak')), DATABASE_URL: url })
      expect(code).toBe(2)
      expect(
        Object.keys(wrong)
          .filter(check => !/^disk$|room/.test(check))
          .sort(),
      ).toEqual(['TIMEZONE', 'database rights', 'durability'].sort())
      expect(wrong.TIMEZONE!.advice).toContain('TIMEZONE=Europe/Berlin')

      // The role may now create tables, but may not read one table.
      await db.run(`grant create on database ${name} to ${role}`)
      await db.run(`grant create on schema public to ${role}`)
      await db.run(`grant select on customer, campaign, persona to ${role}`)
      const later = (await examine({ ...(await healthy('closed')), DATABASE_URL: url })).wrong
      expect(Object.keys(later)).toEqual(expect.arrayContaining(['TIMEZONE', 'database rights']))
      await db.run(`grant select on banner to ${role}`)
      const last = (await examine({ ...(await healthy('open')), DATABASE_URL: url })).wrong
      expect(Object.keys(last)).not.toContain('database rights')
    } finally {
      await db.run(`drop owned by ${role}`)
      await db.run(`drop role ${role}`)
      await db.close()
    }
  })
})

it('a Marquee that runs is found at its own address, not only at 127.0.0.1', async () => {
  // Linux has all of 127.0.0.0/8; macOS has only 127.0.0.1.
  const HOST = process.platform === 'linux' ? '127.0.0.2' : '::1'
  const running = createHttpServer((_, answer) => answer.end('{"version":"0.9.9"}'))
  await new Promise<void>(resolve => running.listen(0, HOST, resolve))
  const { port } = running.address() as AddressInfo
  try {
    const config = readConfig({ HOST, PORT: String(port) })
    expect(await portFindings(config)).toMatchObject([
      { severity: 'ok', says: expect.stringContaining('0.9.9') },
    ])
  } finally {
    running.close()
  }
})

it.each([
  [20, 'ok'],
  [-5_000, 'warning'],
  [90_000, 'error'],
])('clocks that are %d ms apart: %s', (apartMs, severity) => {
  expect(clockFinding(apartMs).severity).toBe(severity)
})

it.each([
  [50e9, 'ok'],
  [1e9, 'warning'],
  [1e8, 'error'],
])('a disk with %d bytes left: %s', (free, severity) => {
  expect(roomFinding('disk', '/data', free).severity).toBe(severity)
})

it.each([
  ['24.1.0', 'ok'],
  ['20.19.2', 'warning'],
  ['20.18.0', 'error'],
  ['18.20.0', 'error'],
])('Node %s: %s', (version, severity) => {
  expect(nodeFindings(version)[0]!.severity).toBe(severity)
})
