// A database is a sandbox, or not, forever from its first start. In a sandbox, statements get the time from the table
// `sandbox.clock`, through functions that the database's search path puts before PostgreSQL's own. A real database has
// none of this.

import { createHash } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { BadSetting, type Config } from '../platform/config.ts'
import { DatabaseClient } from '../platform/database-client.ts'
import {
  createSandbox,
  hasTables,
  keepSecret,
  replaceKeywords,
  type StoredClock,
  selectClock,
  separateIds,
} from './queries.ts'
import { createRandom, type Random } from './random.ts'
import { emptyDatabase, putBackKept } from './reset-queries.ts'
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts'

export interface OpenedSandbox {
  clock: VirtualClock
  random: Random
  seed: string
  startMs: number
  /** Must be called when the tables exist, and before the files of DATA_DIR are read. */
  prepare(dataDir: string): Promise<void>
}

const REAL =
  'SANDBOX is true, but this database belongs to a real deployment: a sandbox needs an empty database of its own'
const NOT_REAL =
  'this database belongs to a sandbox: set SANDBOX=true to start it as one; a real deployment needs a database of its own'

/** Must be called before migrations. Null: a real deployment. */
export async function openSandbox(
  databaseUrl: string,
  config: Pick<Config, 'SANDBOX' | 'SANDBOX_START' | 'SANDBOX_SEED'>,
  machineMs: number,
): Promise<OpenedSandbox | null> {
  const stored = await withClient(databaseUrl, async client => {
    const found = await selectClock(client)
    if (!config.SANDBOX && found) throw new BadSetting(NOT_REAL)
    if (!config.SANDBOX || found) return found
    if (await hasTables(client)) throw new BadSetting(REAL)
    const startMs = config.SANDBOX_START ?? machineMs - (machineMs % 1000)
    const first: StoredClock = { startMs, nowMs: startMs, seed: config.SANDBOX_SEED, resets: 0 }
    await createSandbox(client, first)
    return first
  })
  if (!stored) return null
  return {
    clock: createVirtualClock(stored.nowMs),
    random: createRandom(stored.seed),
    seed: stored.seed,
    startMs: stored.startMs,
    async prepare(dataDir) {
      await removeFormerFiles(dataDir, stored.resets)
      await withClient(databaseUrl, async client => {
        await replaceKeywords(client)
        await separateIds(client)
        await keepSecret(client, 'user', createHash('sha256').update(`user ${stored.seed}`).digest())
        await putBackKept(client)
      })
    },
  }
}

/** The sandbox's clock at this moment; null: a real deployment. */
export async function sandboxClockOf(databaseUrl: string): Promise<VirtualClock | null> {
  const stored = await withClient(databaseUrl, selectClock)
  return stored && createVirtualClock(stored.nowMs)
}

/**
 * Resets the sandbox to its first start, except for the keys. No part of the service may be running. The next start
 * creates the tables again, and completes the reset even if this process ends before.
 */
export function emptySandbox(databaseUrl: string): Promise<void> {
  return withClient(databaseUrl, emptyDatabase)
}

async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new DatabaseClient({ connectionString, application_name: 'marquee sandbox' })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

// Removes files in DATA_DIR that are older than the sandbox's last reset: journals of promised ads, and emails. A
// process does this at its next start, so it does not matter which process did the reset.

const FORMER = /^(ledger(-\d+)?|outbox)$/
/** Contains the number of resets at the time when the files were made. */
const MARK = 'sandbox-resets'

async function removeFormerFiles(dataDir: string, resets: number): Promise<void> {
  const path = join(dataDir, MARK)
  const known = await readFile(path, 'utf8').catch(() => '0')
  if (Number(known) === resets) return
  for (const name of await readdir(dataDir))
    if (FORMER.test(name)) await rm(join(dataDir, name), { recursive: true, force: true })
  await writeFile(path, `${resets}\n`)
}
