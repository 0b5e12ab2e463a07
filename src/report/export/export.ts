// Writes closed hours of events to a store as Parquet. An hour is written completely, once, and never changed. After a
// crash or failure the hour is written again, with the same files. File names contain a hash of the content, so two
// processes that write at once write the same files, and only the manifest makes them valid.

import { iabCodes } from '../../manage/reference/iab.ts'
import type { Database } from '../../platform/database.ts'
import { LOCKS } from '../../platform/locks.ts'
import type { ObjectStore } from '../../platform/store/store.ts'
import { CATEGORY, COLUMNS } from './columns.ts'
import {
  addRow,
  FORMAT,
  folderOf,
  type Manifest,
  type ManifestFile,
  manifestKey,
  noSums,
  readManifest,
  writeManifest,
} from './manifest.ts'
import { type ParquetFile, parquetFile, type Value } from './parquet/file.ts'
import { type ClosedHour, closeHour, readHour, selectHours } from './queries.ts'

export interface ExportParts {
  db: Database
  store: ObjectStore
  currency: string
  /** Aborts between two chunks of rows. */
  signal?: AbortSignal | undefined
}

/** A file is kept in memory until it is written: about 20 MB. */
const MAX_FILE_ROWS = 500_000

const CATEGORIES = iabCodes()

/** The manifest of the hour, whether written now or before; null while another process writes it. */
export async function exportHour(
  parts: ExportParts,
  hour: ClosedHour,
  maxFileRows = MAX_FILE_ROWS,
): Promise<Manifest | null> {
  const { store } = parts
  const key = manifestKey(hour)
  const present = await store.get(key)
  if (present) return finished(store, hour, readManifest(present))
  const manifest = await writeFiles(parts, hour, maxFileRows)
  if (!manifest) return null
  const isOurs = await store.put(key, writeManifest(manifest))
  return finished(store, hour, isOurs ? manifest : readManifest((await store.get(key))!))
}

async function writeFiles(
  { db, store, currency, signal }: ExportParts,
  hour: ClosedHour,
  maxFileRows: number,
): Promise<Manifest | null> {
  const sums = noSums()
  const files: ManifestFile[] = []
  let rows: Value[][] = []
  let file: ParquetFile | null = null
  let fileRows = 0

  async function endFile(): Promise<void> {
    const { bytes, sha256 } = await file!.finish()
    await closeFile()
    const name = `events-${String(files.length).padStart(4, '0')}-${sha256.slice(0, 16)}.parquet`
    await store.put(folderOf(hour) + name, bytes)
    files.push({ name, rows: fileRows, bytes: bytes.length, sha256 })
    fileRows = 0
  }

  async function closeFile(): Promise<void> {
    await file?.close()
    file = null
  }

  try {
    for await (const chunk of readHour(db.pool, hour, LOCKS.export)) {
      if (!chunk) return null
      signal?.throwIfAborted()
      for (rows = chunk; rows.length > 0; ) {
        const taken = rows.slice(0, maxFileRows - fileRows)
        rows = rows.slice(taken.length)
        for (const row of taken) {
          row[CATEGORY] = CATEGORIES[(row[CATEGORY] as number) - 1] ?? null
          addRow(sums, row)
        }
        file ??= newFile(hour)
        await file.append(taken)
        fileRows += taken.length
        if (fileRows === maxFileRows) await endFile()
      }
    }
    if (fileRows > 0) await endFile()
  } finally {
    await closeFile()
  }
  return {
    format: FORMAT,
    hour: hour.hour.toISOString(),
    closedAt: hour.closedAt.toISOString(),
    currency,
    rows: files.reduce((total, { rows: count }) => total + count, 0),
    sums,
    files,
  }
}

function newFile(hour: ClosedHour): ParquetFile {
  return parquetFile(COLUMNS, { 'marquee.format': String(FORMAT), 'marquee.hour': hour.hour.toISOString() })
}

/** Deletes files of an earlier attempt that the manifest does not name: they will never be valid. */
async function finished(store: ObjectStore, hour: ClosedHour, manifest: Manifest): Promise<Manifest> {
  const folder = folderOf(hour)
  const named = new Set([manifestKey(hour), ...manifest.files.map(({ name }) => folder + name)])
  for (const key of await store.list(folder)) if (!named.has(key)) await store.remove(key)
  return manifest
}

/** Closes hours, then writes every closed hour of the period that the store does not have yet. */
export async function* exportPeriod(
  parts: ExportParts,
  now: Date,
  from: Date,
  to: Date,
): AsyncGenerator<Manifest> {
  await closeHour(parts.db, now)
  for (const hour of await selectHours(parts.db, from, to)) {
    const manifest = await exportHour(parts, hour)
    if (!manifest) throw new Error('another process is exporting just now; try again in a moment')
    yield manifest
  }
}
