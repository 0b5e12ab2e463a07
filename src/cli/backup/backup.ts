// `backup` writes the whole database into one file, from one snapshot, while the service runs. `restore` puts it into
// an empty database, completely or not at all. Both use COPY over an ordinary connection, so they need no tools, and
// the file works with every supported version of PostgreSQL.

import { createHash, type Hash, randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { DatabaseClient } from '../../platform/database-client.ts'
import { migrate, migrationTexts } from '../../platform/migrate.ts'
import { WITHOUT_LIMITS } from '../../platform/session.ts'
import { type Frame, type FrameWriter, readFrames, writeFrames } from './frames.ts'
import {
  type BackupSequence,
  type BackupTable,
  copyIn,
  copyOut,
  dropLeftScratch,
  dropScratch,
  forgetCluster,
  hasData,
  isReadOnly,
  makeRoom,
  makeScratch,
  SCRATCH,
  selectMigrations,
  selectSequences,
  selectTables,
  setSequences,
  switchSums,
} from './queries.ts'

const FORMAT = 1

interface Header {
  format: number
  takenAt: string
  migrations: string[]
  tables: BackupTable[]
  sequences: BackupSequence[]
}

export interface Done {
  tables: number
  rows: number
  /** Tables beside Marquee's own, which are not in the backup. */
  leftOut?: string[]
}

/** `credentials`: the file of the first super pair, which the database knows only by its hash. */
export interface Places {
  databaseUrl: string
  path: string
  credentials: string
}

/**
 * `isVerified`: the backup is restored into a scratch schema and compared before the file gets its name. `signal` ends
 * it and leaves nothing behind.
 */
export async function backup(
  { databaseUrl, path, credentials }: Places,
  { isVerified = false, signal }: { isVerified?: boolean; signal?: AbortSignal } = {},
): Promise<Done> {
  const unfinished = `${path}.unfinished`
  await refuseExisting(path)
  await refuseNoFolder(dirname(path))
  if (isVerified) await withClient(databaseUrl, refuseReadOnly, signal)
  await rm(unfinished, { force: true })
  // The file holds secrets.
  const file = await open(unfinished, 'wx', 0o600)
  try {
    const done = await withClient(databaseUrl, client => writeAll(client, file, credentials), signal)
    if (isVerified) await mustRestore(databaseUrl, unfinished, signal)
    if (!(await isAt(file, unfinished))) throw new Error(`another backup is being written to ${path}`)
    await rename(unfinished, path)
    await syncFolder(dirname(path))
    return done
  } catch (error) {
    throw inWords(error, path)
  } finally {
    if (await isAt(file, unfinished)) await rm(unfinished, { force: true })
    await file.close()
  }
}

/** False if another file has taken its place. */
async function isAt(file: FileHandle, path: string): Promise<boolean> {
  const [own, there] = [await file.stat(), await stat(path).catch(absent)]
  return own.ino === there?.ino && own.dev === there.dev
}

function inWords(error: unknown, path: string): unknown {
  if ((error as NodeJS.ErrnoException | null)?.code !== 'ENOSPC') return error
  return new Error(`there is no space left for ${path}: free some, or name a file elsewhere`, {
    cause: error,
  })
}

async function refuseExisting(path: string): Promise<void> {
  const present = await open(path, 'r').catch(() => null)
  if (!present) return
  await present.close()
  throw new Error(`${path} already exists; name another file`)
}

async function refuseNoFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null)
  if (!found?.isDirectory()) throw new Error(`there is no folder ${folder}: create it, or name another file`)
}

/** Checked first, so that no hours are wasted. */
async function refuseReadOnly(client: pg.Client): Promise<void> {
  if (await isReadOnly(client))
    throw new Error(
      'the database is read-only: a replica, perhaps. It can be backed up, but only the primary can verify a backup: \
leave out --verify, or point DATABASE_URL at the primary',
    )
}

async function writeAll(client: pg.Client, file: FileHandle, credentials: string): Promise<Done> {
  await client.query('begin isolation level repeatable read read only')
  const migrations = await selectMigrations(client)
  if (!migrations) throw new Error('this database is still empty')
  const ours = await ourNames()
  const { tables, others } = await selectTables(client, ours)
  const sequences = await selectSequences(client, ours)
  const takenAt = new Date().toISOString()
  const frames = writeFrames(file)
  await frames.write('H', { format: FORMAT, takenAt, migrations, tables, sequences } satisfies Header)
  const pair = await readFile(credentials).catch(() => null)
  if (pair) await frames.write('F', pair)
  let rows = 0
  for (const table of tables) rows += await writeTable(client, frames, table)
  await frames.write('E', { rows })
  await frames.end()
  await client.query('commit')
  return { tables: tables.length, rows, ...(others.length > 0 ? { leftOut: others } : {}) }
}

async function writeTable(client: pg.Client, frames: FrameWriter, table: BackupTable): Promise<number> {
  await frames.write('T', { name: table.name })
  const stream = client.query(copyTo(copyOut(table)))
  for await (const chunk of stream) await frames.write('D', chunk as Buffer)
  return stream.rowCount
}

/** `inDatabase` provides the database to work on, and may create it for that. */
export async function restore(
  { path, credentials }: Omit<Places, 'databaseUrl'>,
  inDatabase: (work: (url: string) => Promise<Done>) => Promise<Done>,
): Promise<Done> {
  // The file is read to its end before anything is touched or created, so a damaged one is refused as a whole.
  const { header, pair } = await lookAt(path)
  await refuseOtherPair(credentials, pair)
  return inDatabase(async databaseUrl => {
    await withClient(databaseUrl, client => refuseFilled(client, header))
    const placed = await placeCredentials(credentials, pair)
    try {
      await migrate(databaseUrl, header.migrations)
      return await withClient(databaseUrl, client => readAll(client, path, header, placed.keep))
    } finally {
      await placed.end()
    }
  })
}

/**
 * True if the file already contains this pair, false if there is none to compare; throws if it contains another one.
 */
async function refuseOtherPair(path: string, pair: Buffer | null): Promise<boolean> {
  const present = await readFile(path).catch(absent)
  const isThere = present !== null && pair !== null && present.equals(pair)
  if (pair !== null && present !== null && !isThere)
    throw new Error(`${path} belongs to another deployment: move it away, or restore into a new DATA_DIR`)
  return isThere
}

/**
 * The file of the first super pair is part of the restore: it is written before anything is restored, gets its name
 * right before the commit, and is removed if the commit fails.
 */
async function placeCredentials(path: string, pair: Buffer | null) {
  const unfinished = `${path}.unfinished`
  let isKept = false
  const mustWrite = pair !== null && !(await refuseOtherPair(path, pair))
  if (mustWrite) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(unfinished, pair, { mode: 0o600 })
  }
  return {
    async keep(commit: () => Promise<void>): Promise<void> {
      if (mustWrite) await rename(unfinished, path)
      try {
        await commit()
        isKept = true
      } finally {
        if (mustWrite && !isKept) await rm(path, { force: true })
      }
    },
    async end(): Promise<void> {
      if (mustWrite) await rm(unfinished, { force: true })
    },
  }
}

/** Restores a file next to the data, into its own schema, and compares each table with what was written. */
async function mustRestore(databaseUrl: string, path: string, signal?: AbortSignal): Promise<void> {
  const schema = `${SCRATCH}${randomBytes(6).toString('hex')}`
  const scratchUrl = `${databaseUrl}${databaseUrl.includes('?') ? '&' : '?'}options=${encodeURIComponent(`-c search_path=${schema}`)}`
  const { header } = await lookAt(path)
  await withClient(databaseUrl, async owner => {
    await dropLeftScratch(owner)
    await makeScratch(owner, schema)
    try {
      signal?.throwIfAborted()
      await migrate(scratchUrl, header.migrations)
      const written = await hashesIn(path)
      const compare = (client: pg.Client) => async () => {
        for (const table of header.tables)
          if ((await hashOf(client, table)) !== written.get(table.name))
            throw new Error(`the backup does not restore: ${table.name} comes back different`)
      }
      await withClient(scratchUrl, client => readAll(client, path, header, compare(client)), signal)
    } finally {
      await dropScratch(owner, schema)
    }
  })
}

/** A hash of the rows of each table in a file. */
async function hashesIn(path: string): Promise<Map<string, string>> {
  const hashes = new Map<string, string>()
  let current: { name: string; hash: Hash } | null = null
  const close = () => current && hashes.set(current.name, current.hash.digest('hex'))
  for await (const { kind, content } of readFrames(path)) {
    if (kind === 'D') current!.hash.update(content)
    if (kind !== 'T') continue
    close()
    current = { name: (JSON.parse(String(content)) as { name: string }).name, hash: createHash('sha256') }
  }
  close()
  return hashes
}

async function hashOf(client: pg.Client, table: BackupTable): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of client.query(copyTo(copyOut(table)))) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

async function lookAt(path: string): Promise<{ header: Header; pair: Buffer | null }> {
  let header: Header | null = null
  let pair: Buffer | null = null
  for await (const { kind, content } of readFrames(path)) {
    if (kind === 'H') header = JSON.parse(String(content)) as Header
    if (kind === 'F') pair = Buffer.from(content)
  }
  if (!header) throw new Error(`${path} is not a backup of Marquee`)
  if (header.format !== FORMAT)
    throw new Error(`${path} was made by a newer version of Marquee: restore it with that one`)
  return { header, pair }
}

async function refuseFilled(client: pg.Client, { migrations }: Header): Promise<void> {
  const applied = await selectMigrations(client)
  if (!applied) return
  const isNewer = applied.some(name => !migrations.includes(name))
  if (isNewer || (await hasData(client)))
    throw new Error('the database is not empty: restore into a new DATA_DIR or a new database')
}

async function readAll(
  client: pg.Client,
  path: string,
  header: Header,
  /** Runs the commit, and whatever must succeed or fail with it. */
  keep: (commit: () => Promise<void>) => Promise<void> = commit => commit(),
): Promise<Done> {
  await client.query('begin')
  await makeRoom(client, header.tables)
  await switchSums(client, 'off')
  const frames = readFrames(path)
  let rows = 0
  let next = await frames.next()
  while (!next.done) {
    const { kind, content } = next.value as Frame
    if (kind === 'E') {
      const wanted = (JSON.parse(String(content)) as { rows: number }).rows
      if (wanted !== rows) throw new Error(`${path} should have ${wanted} rows, but has ${rows}`)
    }
    if (kind !== 'T') {
      next = await frames.next()
      continue
    }
    const { name } = JSON.parse(String(content)) as { name: string }
    const table = header.tables.find(one => one.name === name)!
    const stream = client.query(copyFrom(copyIn(table)))
    await pipeline(Readable.from(dataOf()), stream)
    rows += stream.rowCount
  }
  await switchSums(client, 'on')
  await setSequences(client, header.sequences)
  await keep(async () => {
    await forgetCluster(client)
    await client.query('commit')
  })
  return { tables: header.tables.length, rows }

  /** The rows of one table; afterwards `next` is the frame that follows them. */
  async function* dataOf(): AsyncGenerator<Buffer> {
    for (next = await frames.next(); !next.done && next.value.kind === 'D'; next = await frames.next())
      yield Buffer.from(next.value.content)
  }
}

async function withClient<T>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  signal?.throwIfAborted()
  const client = new DatabaseClient({ connectionString: databaseUrl, application_name: 'marquee backup' })
  client.on('error', () => {})
  await client.connect()
  await client.query(WITHOUT_LIMITS)
  // The query that it is waiting for then fails.
  const stop = () => void client.end().catch(() => {})
  signal?.addEventListener('abort', stop)
  try {
    return await work(client)
  } finally {
    signal?.removeEventListener('abort', stop)
    await client.end().catch(() => {})
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

// Which tables and sequences are Marquee's: those that the text of the migrations creates. A test compares them with a
// migrated database, so that a migration that creates one in another way is noticed.

const MADE = /create (?:unlogged )?(?:table|sequence) (?:if not exists )?([a-z_]+)/g
const RENAMED = /\balter table (\w+) rename to (\w+)/gi

export async function ourNames(): Promise<Set<string>> {
  const names = new Set<string>()
  for (const text of (await migrationTexts()).values()) {
    for (const [, name] of text.matchAll(MADE)) names.add(name!)
    for (const [, , name] of text.matchAll(RENAMED)) names.add(name!)
  }
  return names
}
