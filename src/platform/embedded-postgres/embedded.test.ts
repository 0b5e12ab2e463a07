// The embedded PostgreSQL in ordinary use: which user runs it, where its files are, and what it refuses.

import { spawnSync } from 'node:child_process'
import { chmod, chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  embeddedServers,
  firstWords,
  isRoot,
  killHard,
  NOBODY,
  query,
  socketFolder,
  until,
  ways,
} from '../../../test/support/embedded.ts'
import { processInfo } from '../process-info.ts'

const here = embeddedServers()

it('data survives a restart, and text sorts by code point', async () => {
  const first = await here.start()
  await query(first, "CREATE TABLE t AS SELECT unnest(ARRAY['b', 'a', 'B', 'ä']) AS word")
  await first.stop()
  await first.exited
  const second = await here.start()
  const rows = await query<{ word: string }>(second, 'SELECT word FROM t ORDER BY word')
  expect(rows.map(row => row.word)).toEqual(['B', 'a', 'b', 'ä'])
  expect(await query(second, "SELECT upper('ä') AS upper")).toEqual([{ upper: 'Ä' }])
})

it('commits are durable, times are UTC, many can read very many tables, and nobody else can connect', async () => {
  await here.beginWithMade()
  const server = await here.start()
  const rows = await query<{ name: string; setting: string }>(
    server,
    `SELECT name, setting FROM pg_settings WHERE name IN
      ('fsync', 'synchronous_commit', 'full_page_writes', 'TimeZone', 'listen_addresses', 'server_encoding',
       'max_locks_per_transaction')`,
  )
  expect(Object.fromEntries(rows.map(row => [row.name, row.setting]))).toEqual({
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    TimeZone: 'UTC',
    listen_addresses: '',
    server_encoding: 'UTF8',
    max_locks_per_transaction: '256',
  })
  for (const name of ['postgres', 'run']) {
    expect((await stat(join(here.dataDir, name))).mode & 0o777).toBe(0o700)
  }
})

it('the programs of the system run it too, and stay with the major version that it has', async () => {
  const server = await here.start({ programs: 'system' })
  const major = Number.parseInt(server.version, 10)
  expect(major).toBeGreaterThanOrEqual(15)
  await query(server, "CREATE TABLE t AS SELECT unnest(ARRAY['b', 'a', 'B', 'ä']) AS word")
  await server.stop()
  const again = await here.start({ programs: 'system' })
  const rows = await query<{ word: string }>(again, 'SELECT word FROM t ORDER BY word')
  expect(rows.map(row => row.word)).toEqual(['B', 'a', 'b', 'ä'])
  expect(await query(again, "SELECT upper('ä') AS upper")).toEqual([{ upper: 'Ä' }])
  await again.stop()
  await writeFile(join(here.dataDir, 'postgres', 'PG_VERSION'), '99\n')
  await expect(here.start({ programs: 'system' })).rejects.toThrow(
    new RegExp(`is of PostgreSQL 99, but /usr/lib/postgresql has only .*${major}.*Install .*postgresql-99`),
  )
})

it('an uneventful run of the server leaves no line in the log, even if a statement fails', async () => {
  const server = await here.start()
  await expect(query(server, 'SELECT 1 / 0')).rejects.toThrow(/division by zero/)
  await server.stop()
  await (await here.start()).stop()
  expect(here.logged).toEqual([])
})

it.each(ways)('the server works when run "%s"', async runAs => {
  const server = await here.start({ only: { runAs } })
  await query(server, 'CREATE TABLE t AS SELECT 1 AS a')
  await server.stop()
  expect(await query(await here.start({ only: { runAs } }), 'SELECT a FROM t')).toEqual([{ a: 1 }])
})

it.runIf(isRoot).each(['data', 'x'.repeat(100)])(
  'no other process of the user that runs the server can reach it, not even by a socket in the temp folder (%#)',
  async name => {
    here.dataDir = join(here.base, name)
    await mkdir(here.dataDir, { mode: 0o755 })
    // The second start finds a cluster that already belongs to that user.
    for (let n = 0; n < 2; n++) {
      const server = await here.start({ only: { runAs: 'user' } })
      expect(await query(server, 'SELECT 1 AS a')).toEqual([{ a: 1 }])
      for (const path of [
        join(here.dataDir, 'postgres', 'PG_VERSION'),
        join(socketFolder(server.url), '.s.PGSQL.5432'),
      ]) {
        await stat(path)
        expect(spawnSync('test', ['-e', path], { uid: NOBODY, gid: NOBODY }).status).toBe(1)
      }
      await server.stop()
    }
  },
)

it.runIf(isRoot)('as root, a cluster in a folder closed to all others works', async () => {
  await chmod(here.base, 0o700)
  expect(await query(await here.start(), 'SELECT 1 AS a')).toEqual([{ a: 1 }])
})

it.runIf(isRoot)('a cluster made in a namespace can continue without namespaces for good', async () => {
  const first = await here.start({ only: { runAs: 'namespace' } })
  await query(first, 'CREATE TABLE t AS SELECT 1 AS a')
  await first.stop()
  const second = await here.start({ only: { runAs: 'user' } })
  expect(await query(second, 'SELECT a FROM t')).toEqual([{ a: 1 }])
  await second.stop()
  expect(await query(await here.start(), 'SELECT a FROM t')).toEqual([{ a: 1 }])
  expect((await stat(join(here.dataDir, 'postgres'))).uid).toBe(NOBODY)
})

const nobodyCanReadUs =
  isRoot &&
  spawnSync(process.execPath, ['-e', ''], { uid: NOBODY, gid: NOBODY, cwd: process.cwd() }).status === 0

it.runIf(nobodyCanReadUs)('an ordinary user runs it, and root can continue with their cluster', async () => {
  await mkdir(here.dataDir, { mode: 0o700 })
  await chown(here.dataDir, NOBODY, NOBODY)
  const parent = here.spawnParent({ insert: false }, NOBODY)
  const { pid, url } = await firstWords(parent)
  await query({ url }, 'CREATE TABLE t AS SELECT 1 AS a')
  await killHard(parent)
  await until(async () => (await processInfo(pid)) === null)
  expect(await query(await here.start(), 'SELECT a FROM t')).toEqual([{ a: 1 }])
})

it('a folder that is not a cluster is refused and left alone', async () => {
  await mkdir(join(here.dataDir, 'postgres'), { recursive: true })
  await writeFile(join(here.dataDir, 'postgres', 'letter.txt'), 'dear')
  await expect(here.start()).rejects.toThrow(/neither empty nor a PostgreSQL cluster/)
  expect(await readFile(join(here.dataDir, 'postgres', 'letter.txt'), 'utf8')).toBe('dear')
})

it('a data directory too long for a socket, with odd characters, works and leaves nothing in the temp folder', async () => {
  here.dataDir = join(here.base, 'a \'b\', "c" %20 ä', 'x'.repeat(100))
  const server = await here.start()
  const folder = socketFolder(server.url)
  expect(folder.startsWith(here.dataDir)).toBe(false)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  expect(await query(server, 'SELECT 1 AS a')).toEqual([{ a: 1 }])
  await server.stop()
  await expect(stat(folder)).rejects.toThrow(/ENOENT/)
})

it.runIf(isRoot)('a broken configuration does not give the cluster to another user', async () => {
  await here.beginWithMade()
  await (await here.start()).stop()
  const path = join(here.dataDir, 'postgres', 'postgresql.conf')
  const text = await readFile(path, 'utf8')
  await writeFile(path, `${text}\nnonsense\n`)
  await expect(here.start()).rejects.toThrow(/syntax error[\s\S]*DATABASE_URL/)
  expect((await stat(join(here.dataDir, 'postgres'))).uid).toBe(0)
  await writeFile(path, text)
  await here.start()
})

it("a start that fails shows the server's own message, and the next start works", async () => {
  await here.beginWithMade()
  await expect(here.start({ settings: { shared_buffers: 'plenty' } })).rejects.toThrow(
    /ended at its start \(exit code 1\)[\s\S]*invalid value for parameter "shared_buffers"/,
  )
  expect(await query(await here.start(), 'SELECT 1 AS a')).toEqual([{ a: 1 }])
})
