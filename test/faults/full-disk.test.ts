// The whole service with its embedded database on a disk that becomes full: it refuses what it cannot store, ends with
// the reason when the database can no longer work, and has lost nothing once there is room again.

import { spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { urlFor } from '../../src/platform/embedded-postgres/socket.ts'
import { freePort } from '../support/ports.ts'
import { runMarquee, type ServiceProcess, spawnMarquee, whenRunning } from '../support/process.ts'

const as = process.getuid?.() === 0 ? [] : ['sudo']
/** A new installation takes 45 MB. */
const SIZE = '100m'

let disk: string
let url: string
let service: ServiceProcess
beforeAll(async () => {
  disk = await diskOf(SIZE)
  url = `http://127.0.0.1:${await freePort()}`
  service = await whenRunning(start())
})
afterAll(async () => {
  service?.child.kill('SIGKILL')
  await service?.exited
  await remove(disk)
})

async function diskOf(size: string): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'marquee-disk-'))
  const owner = `uid=${process.getuid?.()},gid=${process.getgid?.()}`
  await run('mount', '-t', 'tmpfs', '-o', `size=${size},mode=0700,${owner}`, 'none', path)
  return path
}

async function remove(path: string): Promise<void> {
  await run('umount', '-l', path)
  await rm(path, { recursive: true })
}

async function run(...command: string[]): Promise<void> {
  const [program, ...args] = [...as, ...command] as [string, ...string[]]
  const code = await new Promise(resolve => spawn(program, args, { stdio: 'inherit' }).once('exit', resolve))
  expect([command[0], code]).toEqual([command[0], 0])
}

function start(): ServiceProcess {
  const { port, hostname } = new URL(url)
  return spawnMarquee(['serve'], { DATA_DIR: join(disk, 'data'), PORT: port, HOST: hostname })
}

async function call(method: 'GET' | 'POST', path: string, body?: object) {
  const { superkey, supertoken } = JSON.parse(readFileSync(join(disk, 'data/credentials.json'), 'utf8'))
  const headers = {
    'x-access-superkey': superkey,
    'x-access-supertoken': supertoken,
    'content-type': 'application/json',
  }
  const answer = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
  // biome-ignore lint/suspicious/noExplicitAny: answers of several kinds
  return { status: answer.status, body: (await answer.json()) as any }
}

it('a first start on a disk that is too small says so in one line, and leaves nothing behind', async () => {
  const small = await diskOf('20m')
  try {
    const DATA_DIR = join(small, 'data')
    const { code, output } = await runMarquee(['serve'], { DATA_DIR, HOST: '127.0.0.1', PORT: '0' })
    expect([code, output]).toEqual([
      1,
      `marquee: the embedded PostgreSQL cannot create a database in ${join(DATA_DIR, 'postgres')}: \
the disk of DATA_DIR is full: free space, then start again\n`,
    ])
    expect(readdirSync(DATA_DIR)).toEqual([])
  } finally {
    await remove(small)
  }
})

const stored: string[] = []
async function create(n: number): Promise<{ status: number; message?: string }> {
  const email = `c${n}@bikes.example`
  const { status, body } = await call('POST', '/customer', { company: 'x'.repeat(80), email })
  if (status === 201) stored.push(email)
  return { status, message: body.message }
}

/** Fills the disk to the last byte. */
function fill(): void {
  const file = openSync(join(disk, 'fill'), 'a')
  try {
    for (let bytes = 2 ** 20; bytes >= 1; ) {
      try {
        writeSync(file, Buffer.alloc(bytes))
      } catch {
        bytes /= 2
      }
    }
  } finally {
    closeSync(file)
  }
}

async function sql(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlFor(join(disk, 'data/run'), 'marquee') })
  await client.connect()
  await client.query(statement)
  await client.end()
}

/** But for what is said of the versions that this machine runs. */
const troubles = (output: string) =>
  output
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line))
    .filter(line => line.level >= 40 && !/security fixes|with its fixes/.test(line.msg))

it('without room for more rows, changes get 503 and a reason, reads continue, and the log has a few lines', async () => {
  expect((await create(0)).status).toBe(201)
  await sql('create role viewer login')
  fill()
  const refusals: { status: number; message?: string }[] = []
  for (let n = 1; refusals.length < 30; n++) {
    const answer = await create(n)
    if (answer.status !== 201) refusals.push(answer)
  }
  for (const refusal of refusals)
    expect(refusal).toEqual({ status: 503, message: 'the database has no room for more right now' })
  expect((await call('GET', '/customer')).status).toBe(200)
  const lines = troubles(service.output())
  expect(lines.filter(line => line.msg === 'bug' || line.err)).toEqual([])
  expect(lines.length).toBeLessThan(10)
  expect(lines.map(line => line.reason)).toContain('the disk of the database is full')
})

it('the doctor says which disk is full, even if it may not look where the database is', async () => {
  const { port, hostname } = new URL(url)
  const settings = { DATA_DIR: join(disk, 'data'), PORT: port, HOST: hostname }
  const { output } = await runMarquee(['doctor'], settings)
  expect(output).toMatch(/^ERROR +disk +The disk of DATA_DIR is full.*\n +Free up space/m)
  expect(output).toMatch(/^ERROR +database room +.* 0\.0 GB free/m)
  expect(output).not.toContain('owner of the folder')
  const DATABASE_URL = urlFor(join(disk, 'data/run'), 'marquee').replace(/\/\/\w+@/, '//viewer@')
  expect((await runMarquee(['doctor'], { ...settings, DATABASE_URL })).output).toMatch(
    /^ERROR +database room +.* Its disk is full\.\n +Free up space/m,
  )
})

it('a start that finds no room is a failure, after which another start may succeed, and no bad setting', async () => {
  const DATA_DIR = join(disk, 'other')
  const { code, output } = await runMarquee(['serve'], { DATA_DIR, HOST: '127.0.0.1', PORT: '0' })
  expect([code, output]).toEqual([
    1,
    `marquee: the disk of DATA_DIR is full: free space, then start again (DATA_DIR is "${DATA_DIR}")\n`,
  ])
})

it('without room for its journal, database and service end: the last line says why and what to do', async () => {
  const client = new pg.Client({ connectionString: urlFor(join(disk, 'data/run'), 'marquee') })
  client.on('error', () => {})
  await client.connect()
  // Each query begins another file of the journal.
  await client.query('select pg_switch_wal(), txid_current()').catch(() => {})
  await client.query('create table more as select 1').catch(() => {})
  await client.end().catch(() => {})
  expect(await service.exited).toBe(1)
  const fatal = troubles(service.output()).filter(line => line.level === 60)
  expect(fatal).toHaveLength(1)
  expect(fatal[0].err).toBeUndefined()
  expect(fatal[0].msg).toMatch(
    /^the embedded database has ended: could not .*No space left on device \(the disk of DATA_DIR is full: free space, then start again\)$/,
  )
})

it('it does not start again without room, for the same reason', async () => {
  service = start()
  expect(await service.exited).toBe(1)
  expect(service.output()).toMatch(/No space left on device/)
  expect(service.output()).toContain('the disk of DATA_DIR is full: free space, then start again')
})

it('once there is room, it starts and has everything that it acknowledged', async () => {
  rmSync(join(disk, 'fill'))
  service = await whenRunning(start())
  const { body } = await call('GET', '/customer')
  expect(body.map((one: { email: string }) => one.email).sort()).toEqual(stored.sort())
  expect((await create(1_000_000)).status).toBe(201)
  service.child.kill('SIGTERM')
  expect(await service.exited).toBe(0)
  expect(troubles(service.output())).toEqual([])
})
