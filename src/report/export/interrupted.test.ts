// An export that is killed at a random moment, and one whose disk is full, each in a process of its own. In the end,
// every row is in the files once, as read by another engine. The seed is printed, and SEED replays it.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { duckdb } from '../../../test/support/duckdb.ts'
import { spawnMarquee } from '../../../test/support/process.ts'
import { createLeaves } from '../../count/ingest/leaves.ts'
import { dayOf, ensurePartitions } from '../../count/ingest/partitions.ts'
import { HOUR_MS } from '../../kernel/time/units.ts'
import { type Database, openDatabase } from '../../platform/database.ts'
import type { Manifest } from './manifest.ts'
import { ensureNumbering } from './numbering.ts'
import { closeHour } from './queries.ts'

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const ROWS = 60_000
const HOURS = 2
const MAIN = join(import.meta.dirname, '../../../dist/src/main.js')

let database: TestDatabase
let db: Database
let folder: string
let state = SEED >>> 0

beforeAll(async () => {
  console.log(`interrupted export: SEED=${SEED}`)
  folder = await mkdtemp(join(tmpdir(), 'marquee-interrupted-'))
  database = await createTestDatabase()
  db = openDatabase({ url: database.url, maxConnections: 4, onError: () => {} })
  await ensureNumbering(db)
  await ensurePartitions(db, [dayOf(Date.now())])
  const [leaf] = await createLeaves()(db, [{ cuid: 1, cid: 2, fid: 3, pid: 4, bid: 5 }])
  for (let hour = 1; hour <= HOURS; hour++) {
    await db.run(
      `insert into event (ad, at, cid, leaf, source_id, place_hash, user_hi, user_lo, spend_micros, budget_day, country,
         kind, device, os)
       select (left(first_ad((now() at time zone 'UTC')::date)::text, 8) || left(md5($1 || ' ' || n), 24))::uuid, now(), 2, $2,
         1, 0, 0, 0, n, 20261115, 0, 'i', '?', '?' from generate_series(1, $3::integer) n`,
      [String(hour), leaf, ROWS],
    )
    // A transaction of another test may delay the closing of an hour.
    while ((await closeHour(db, new Date(Date.now() + hour * HOUR_MS))) === null) await sleep(50)
  }
})
afterAll(async () => {
  await db.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * below)
}

const env = (place: string) => ({
  DATABASE_URL: database.url,
  DATA_DIR: join(folder, 'data'),
  EXPORT_URL: place,
})

async function everyRowOnce(place: string): Promise<void> {
  const wanted = await db.row<{ n: number; spend: number }>(
    'select count(*) as n, sum(spend_micros) as spend from event',
  )
  const [found] = await duckdb<Record<string, string>>(
    `select count(*) as n, count(distinct ad) as ads, sum(spend_micros) as spend from '${place}/**/*.parquet'`,
  )
  expect([found!.n, found!.ads, found!.spend].map(Number)).toEqual([wanted!.n, wanted!.n, wanted!.spend])
  const keys = (await readdir(place, { recursive: true })).filter(key => !key.startsWith('.'))
  const manifests = await Promise.all(
    keys.filter(key => key.endsWith('_manifest.json')).map(key => readFile(join(place, key), 'utf8')),
  )
  const named = manifests.flatMap(text => (JSON.parse(text) as Manifest).files.map(file => file.name))
  const files = keys.filter(key => key.endsWith('.parquet')).map(key => key.split('/').at(-1))
  expect(files.sort()).toEqual(named.sort())
}

/** Whether a process is reading the rows of an hour. */
async function isReading(): Promise<boolean> {
  const row = await db.row(
    "select 1 from pg_stat_activity where datname = current_database() and query like 'fetch % from written'",
  )
  return row !== null
}

it('a process killed in the middle of an export, again and again, leaves every row once', async () => {
  const place = join(folder, 'killed')
  for (let round = 0; round < 4; round++) {
    const exporting = spawnMarquee(['export'], env(place))
    while (exporting.child.exitCode === null && !(await isReading())) await sleep(2)
    await sleep(random(250))
    exporting.child.kill('SIGKILL')
    await exporting.exited
  }
  // The server notices only at its next answer that the reader is gone.
  await expect.poll(isReading).toBe(false)
  expect(await spawnMarquee(['export'], env(place)).exited).toBe(0)
  await everyRowOnce(place)
})

/** A shell whose processes cannot write a file larger than 64 kB. */
const LIMITED = 'trap "" XFSZ; ulimit -f 64; exec "$@"'

function mounts(place: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400k', 'tmpfs', place], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

it('on a full disk an export fails and says so; once there is space, every row is exported once', async () => {
  const place = join(folder, 'full')
  await mkdir(place)
  // If the user may not mount a small disk, a limit on the file size makes the write fail halfway.
  const isMounted = mounts(place)
  try {
    const child = spawn(
      'bash',
      ['-c', isMounted ? 'exec "$@"' : LIMITED, 'bash', process.execPath, MAIN, 'export'],
      {
        env: { PATH: process.env.PATH ?? '', HOME: '/tmp', ...env(place) },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    let output = ''
    child.stdout.on('data', chunk => (output += chunk))
    child.stderr.on('data', chunk => (output += chunk))
    const [code] = await once(child, 'exit')
    expect(code, output).not.toBe(0)
    expect(output).toMatch(/the disk is full|the largest size that this process may write/)
    const left = (await readdir(place, { recursive: true })).filter(key => !key.startsWith('.'))
    expect(left.filter(key => key.endsWith('_manifest.json')).length).toBeLessThan(HOURS)
    if (isMounted) execFileSync('mount', ['-o', 'remount,size=64m', place])
    expect(await spawnMarquee(['export'], env(place)).exited).toBe(0)
    await everyRowOnce(place)
    expect(existsSync(join(place, '.unfinished')) ? await readdir(join(place, '.unfinished')) : []).toEqual(
      [],
    )
  } finally {
    if (isMounted) execFileSync('umount', [place])
  }
})
