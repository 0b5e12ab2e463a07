import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from './embedded.ts'
import { processInfo } from './process-info.ts'

const isRoot = process.getuid?.() === 0
const NOBODY = 65_534
/** The ways of running that a user of our kind has. */
const ways = isRoot ? (['namespace', 'user'] as const) : (['direct'] as const)

let base: string
let dataDir: string
const running: EmbeddedPostgres[] = []
const children: ChildProcess[] = []
const logged: string[] = []

/** A data directory whose database is made: where the making is not the point, a test begins with a copy of it. */
let made: string
beforeAll(async () => {
  made = await realpath(await mkdtemp(join(tmpdir(), 'marquee-pg-made-')))
  await (await startEmbeddedPostgres({ dataDir: made, log: () => {} })).stop()
})
afterAll(() => rm(made, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))

async function beginWithMade(): Promise<void> {
  await cp(join(made, 'postgres'), join(dataDir, 'postgres'), { recursive: true })
}

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'marquee-pg-test-')))
  dataDir = join(base, 'data')
  logged.length = 0
  if (isRoot) await chmod(base, 0o755)
})

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop()
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await rm(base, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

async function start(more: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, log: line => logged.push(line), ...more })
  running.push(server)
  return server
}

async function query<Row extends pg.QueryResultRow>(server: { url: string }, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

/** A Marquee of its own process, which says its server's pid and url, then every row it has committed. */
const PARENT = `
const { runnerImport } = await import('vite')
const { default: pg } = await import('pg')
const options = JSON.parse(process.argv[1])
const { module } = await runnerImport('./src/platform/postgres/embedded.ts', { configFile: false, cacheDir: options.dataDir + '/.vite' })
try {
  const server = await module.startEmbeddedPostgres({ log: () => {}, ...options })
  console.log(JSON.stringify({ pid: server.pid, url: server.url }))
  const client = new pg.Client({ connectionString: server.url })
  client.on('error', () => {})
  await client.connect()
  await client.query('CREATE TABLE IF NOT EXISTS kept (n int)')
  for (let n = 1; options.insert; n++) {
    await client.query('INSERT INTO kept VALUES ($1)', [n])
    console.log(n)
  }
} catch (error) {
  console.log(JSON.stringify({ error: error.message }))
}
await new Promise(() => setInterval(() => {}, 1000))
`

interface Parent {
  process: ChildProcess
  lines: Interface
}

function spawnParent(options: object, uid?: number): Parent {
  const args = ['--input-type=module', '-e', PARENT, JSON.stringify({ dataDir, ...options })]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid === undefined ? {} : { uid, gid: uid, env: { PATH: process.env.PATH } }),
  })
  children.push(child)
  return { process: child, lines: createInterface({ input: child.stdout! }) }
}

async function firstWords(parent: Parent): Promise<{ pid: number; url: string; error?: string }> {
  const [line] = (await once(parent.lines, 'line')) as [string]
  return JSON.parse(line)
}

async function killHard(parent: Parent): Promise<void> {
  const gone = once(parent.process, 'exit')
  parent.process.kill('SIGKILL')
  await gone
}

async function until(what: () => Promise<boolean>): Promise<void> {
  while (!(await what())) await sleep(10)
}

it('data survives a restart, and text sorts by code point', async () => {
  const first = await start()
  await query(first, "CREATE TABLE t AS SELECT unnest(ARRAY['b', 'a', 'B', 'ä']) AS word")
  await first.stop()
  await first.exited
  const second = await start()
  const rows = await query<{ word: string }>(second, 'SELECT word FROM t ORDER BY word')
  expect(rows.map(row => row.word)).toEqual(['B', 'a', 'b', 'ä'])
  expect(await query(second, "SELECT upper('ä') AS upper")).toEqual([{ upper: 'Ä' }])
})

it('commits are durable, times are UTC, many can read very many tables, and nobody else can connect', async () => {
  await beginWithMade()
  const server = await start()
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
    expect((await stat(join(dataDir, name))).mode & 0o777).toBe(0o700)
  }
})

it('an uneventful run of the server leaves no line in the log, even if a statement fails', async () => {
  const server = await start()
  await expect(query(server, 'SELECT 1 / 0')).rejects.toThrow(/division by zero/)
  await server.stop()
  await (await start()).stop()
  expect(logged).toEqual([])
})

it.each(ways)('the server works when run "%s"', async runAs => {
  const server = await start({ only: { runAs } })
  await query(server, 'CREATE TABLE t AS SELECT 1 AS a')
  await server.stop()
  expect(await query(await start({ only: { runAs } }), 'SELECT a FROM t')).toEqual([{ a: 1 }])
})

it.runIf(isRoot).each(['data', 'x'.repeat(100)])(
  'no other process of the user that runs the server can reach it, not even by a socket in the temp folder (%#)',
  async name => {
    dataDir = join(base, name)
    await mkdir(dataDir, { mode: 0o755 })
    // The second start finds a cluster that belongs to that user.
    for (let n = 0; n < 2; n++) {
      const server = await start({ only: { runAs: 'user' } })
      expect(await query(server, 'SELECT 1 AS a')).toEqual([{ a: 1 }])
      for (const path of [
        join(dataDir, 'postgres', 'PG_VERSION'),
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
  await chmod(base, 0o700)
  expect(await query(await start(), 'SELECT 1 AS a')).toEqual([{ a: 1 }])
})

it.runIf(isRoot)('a cluster made in a namespace can continue without namespaces, and stay so', async () => {
  const first = await start({ only: { runAs: 'namespace' } })
  await query(first, 'CREATE TABLE t AS SELECT 1 AS a')
  await first.stop()
  const second = await start({ only: { runAs: 'user' } })
  expect(await query(second, 'SELECT a FROM t')).toEqual([{ a: 1 }])
  await second.stop()
  expect(await query(await start(), 'SELECT a FROM t')).toEqual([{ a: 1 }])
  expect((await stat(join(dataDir, 'postgres'))).uid).toBe(NOBODY)
})

const nobodyCanReadUs =
  isRoot &&
  spawnSync(process.execPath, ['-e', ''], { uid: NOBODY, gid: NOBODY, cwd: process.cwd() }).status === 0

it.runIf(nobodyCanReadUs)('an ordinary user runs it, and root can continue with their cluster', async () => {
  await mkdir(dataDir, { mode: 0o700 })
  await chown(dataDir, NOBODY, NOBODY)
  const parent = spawnParent({ insert: false }, NOBODY)
  const { pid, url } = await firstWords(parent)
  await query({ url }, 'CREATE TABLE t AS SELECT 1 AS a')
  await killHard(parent)
  await until(async () => (await processInfo(pid)) === null)
  expect(await query(await start(), 'SELECT a FROM t')).toEqual([{ a: 1 }])
})

const guardians = ['kernel', 'watcher'] as const
const deaths = ways.flatMap(runAs => guardians.map(guardian => ({ runAs, guardian })))

it.each(deaths)(
  'SIGKILL of the parent ends the server and loses no acknowledged row ($runAs, $guardian)',
  async only => {
    await beginWithMade()
    const parent = spawnParent({ insert: true, only })
    const { pid } = await firstWords(parent)
    let acknowledged = 0
    parent.lines.on('line', line => {
      acknowledged = Number(line)
    })
    await until(async () => acknowledged >= 100)
    await killHard(parent)
    await until(async () => (await processInfo(pid)) === null)
    await until(async () => parent.process.stdout!.readableEnded)
    const [row] = await query<{ count: number }>(
      await start({ only }),
      'SELECT count(*)::int AS count FROM kept',
    )
    // One more may have been committed whose acknowledgement was not heard.
    expect([acknowledged, acknowledged + 1]).toContain(row?.count)
  },
)

it('a server killed together with its parent recovers with every acknowledged row', async () => {
  await beginWithMade()
  const parent = spawnParent({ insert: true })
  const { pid } = await firstWords(parent)
  let acknowledged = 0
  parent.lines.on('line', line => {
    // It may also say that the server is gone before it goes itself.
    if (/^\d+$/.test(line)) acknowledged = Number(line)
  })
  await until(async () => acknowledged >= 100)
  process.kill(pid, 'SIGKILL')
  await killHard(parent)
  await until(async () => parent.process.stdout!.readableEnded)
  const [row] = await query<{ count: number }>(await start(), 'SELECT count(*)::int AS count FROM kept')
  expect([acknowledged, acknowledged + 1]).toContain(row?.count)
})

it.each(ways)('a server that outlived its parent is stopped before the next one starts (%s)', async runAs => {
  await beginWithMade()
  const parent = spawnParent({ only: { runAs, guardian: 'none' } })
  const { pid, url } = await firstWords(parent)
  await query({ url }, 'CREATE TABLE t AS SELECT 1 AS a')
  await killHard(parent)
  expect(await processInfo(pid)).not.toBeNull()
  const next = await start()
  expect(await processInfo(pid)).toBeNull()
  expect(next.pid).not.toBe(pid)
  expect(await query(next, 'SELECT a FROM t')).toEqual([{ a: 1 }])
})

it('a second Marquee on the same data directory is refused and does not disturb the first', async () => {
  await beginWithMade()
  const first = await start()
  await query(first, 'CREATE TABLE t AS SELECT 1 AS a')
  const { error } = await firstWords(spawnParent({}))
  expect(error).toContain(`is in use by another Marquee (process ${process.pid})`)
  await expect(start()).rejects.toThrow(/in use by another Marquee/)
  expect(await query(first, 'SELECT a FROM t')).toEqual([{ a: 1 }])
})

it('a second Marquee is refused while the first is still creating its database', async () => {
  const parent = spawnParent({})
  await until(async () => (await readdir(dataDir).catch(() => [])).some(name => name.includes('unfinished')))
  await expect(start()).rejects.toThrow(/in use by another Marquee/)
  expect((await firstWords(parent)).error).toBeUndefined()
})

it.each(['dead', 'foreign', 'zombie', 'empty'])(
  'a stale postmaster.pid does not prevent a start (%s pid)',
  async kind => {
    await beginWithMade()
    const first = await start()
    const path = join(dataDir, 'postgres', 'postmaster.pid')
    const [, ...rest] = (await readFile(path, 'utf8')).split('\n')
    await query(first, 'CREATE TABLE t AS SELECT 1 AS a')
    await first.stop()
    const pid = await pidOfKind(kind)
    await writeFile(path, pid === null ? '' : [pid, ...rest].join('\n'), { mode: 0o600 })
    expect(await query(await start(), 'SELECT a FROM t')).toEqual([{ a: 1 }])
    if (kind === 'foreign') expect(await processInfo(pid!)).not.toBeNull()
  },
)

async function pidOfKind(kind: string): Promise<number | null> {
  if (kind === 'empty') return null
  if (kind === 'dead') return spawnSync('true').pid
  // The shell starts a child, then becomes a program that never collects it.
  const script = 'sleep 0 & echo $!; exec sleep 600'
  const child = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  children.push(child)
  const [output] = (await once(child.stdout, 'data')) as [Buffer]
  if (kind === 'foreign') return child.pid ?? null
  const pid = Number(output.toString())
  await until(async () => (await processInfo(pid)) === null)
  return pid
}

it('a database whose creation was interrupted is created again', async () => {
  const parent = spawnParent({})
  await until(async () => (await readdir(dataDir).catch(() => [])).some(name => name.includes('unfinished')))
  await killHard(parent)
  expect(await readdir(dataDir)).not.toContain('postgres')
  expect(await query(await start(), 'SELECT 1 AS a')).toEqual([{ a: 1 }])
  expect((await readdir(dataDir)).filter(name => name.includes('unfinished'))).toEqual([])
})

it('a folder that is not a cluster is refused and left alone', async () => {
  await mkdir(join(dataDir, 'postgres'), { recursive: true })
  await writeFile(join(dataDir, 'postgres', 'letter.txt'), 'dear')
  await expect(start()).rejects.toThrow(/neither empty nor a PostgreSQL cluster/)
  expect(await readFile(join(dataDir, 'postgres', 'letter.txt'), 'utf8')).toBe('dear')
})

it('a data directory too long for a socket, with odd characters, works and leaves nothing in the temp folder', async () => {
  dataDir = join(base, 'a \'b\', "c" %20 ä', 'x'.repeat(100))
  const server = await start()
  const folder = socketFolder(server.url)
  expect(folder.startsWith(dataDir)).toBe(false)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  expect(await query(server, 'SELECT 1 AS a')).toEqual([{ a: 1 }])
  await server.stop()
  await expect(stat(folder)).rejects.toThrow(/ENOENT/)
})

it('a socket folder in the temp folder is removed by the next start after a kill', async () => {
  dataDir = join(base, 'x'.repeat(100))
  await beginWithMade()
  const parent = spawnParent({})
  const { url } = await firstWords(parent)
  await killHard(parent)
  const next = await start()
  await expect(stat(socketFolder(url))).rejects.toThrow(/ENOENT/)
  expect(await query(next, 'SELECT 1 AS a')).toEqual([{ a: 1 }])
})

function socketFolder(url: string): string {
  return new URL(url.replace('@/', '@socket/')).searchParams.get('host') ?? ''
}

it.runIf(isRoot)('a broken configuration does not give the cluster to another user', async () => {
  await beginWithMade()
  await (await start()).stop()
  const path = join(dataDir, 'postgres', 'postgresql.conf')
  const text = await readFile(path, 'utf8')
  await writeFile(path, `${text}\nnonsense\n`)
  await expect(start()).rejects.toThrow(/syntax error[\s\S]*DATABASE_URL/)
  expect((await stat(join(dataDir, 'postgres'))).uid).toBe(0)
  await writeFile(path, text)
  await start()
})

it("a start that fails shows the server's own message, and the next start works", async () => {
  await beginWithMade()
  await expect(start({ settings: { shared_buffers: 'plenty' } })).rejects.toThrow(
    /ended at its start \(exit code 1\)[\s\S]*invalid value for parameter "shared_buffers"/,
  )
  expect(await query(await start(), 'SELECT 1 AS a')).toEqual([{ a: 1 }])
})

it('a server that dies while running is noticed', async () => {
  await beginWithMade()
  const server = await start()
  process.kill(server.pid, 'SIGKILL')
  await server.exited
  await server.stop()
  expect(await query(await start(), 'SELECT 1 AS a')).toEqual([{ a: 1 }])
})
