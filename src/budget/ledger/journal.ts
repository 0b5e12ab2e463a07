// The journal: reservations and their ends on disk, so that the open ones are known after a crash. Records gather in
// memory for some milliseconds and are written in batches; only ads with a cap wait for that. Written records survive a
// SIGKILL. Losing records is safe: an ad that the next start does not know is billed only if the money is still there,
// so no budget is exceeded. Segments are deleted when every reservation in them is over; nothing is ever rewritten.

import { type FileHandle, mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { AdFacts, LedgerLog } from './ad.ts'
import {
  budgetRecord,
  headerRecord,
  RECORD_BYTES,
  type RecordKind,
  type Replayed,
  startReplay,
  writeRecord,
} from './records.ts'

const SEGMENT_NAME = /^ledger-([0-9]{12})\.journal$/
const CHUNK_BYTES = 1024 * RECORD_BYTES
const GATHER_MS = 20
/** The same while a caller waits for them: a write costs as much as a few dozen records. */
const KEPT_MS = 2

export interface JournalOptions {
  dir: string
  nowMs: number
  segmentBytes: number
  /** Records beyond this are dropped and counted: the disk is too slow. */
  maxPendingBytes: number
  onError(error: unknown): void
}

export interface Journal {
  log: LedgerLog
  /** What earlier processes left. */
  recovered: Replayed
  /** Resolves when no record is pending: all were handed to the operating system, or dropped. */
  flush(): Promise<void>
  /** The same for what was logged so far, even if more is logged meanwhile. */
  kept(): Promise<void>
  /** Deletes segments in which nothing matters any more. Must be called from time to time. */
  sweep(nowMs: number): Promise<void>
  close(): Promise<void>
  status(): { pendingBytes: number; writtenRecords: number; droppedRecords: number; segments: number }
}

interface Segment {
  path: string
  untilMs: number
}

interface Chunk {
  bytes: Buffer
  length: number
  untilMs: number
}

export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { dir, segmentBytes, maxPendingBytes, onError } = options
  await mkdir(dir, { recursive: true })
  const replay = startReplay(options.nowMs)
  const segments: Segment[] = []
  let generation = 0
  for (const name of (await readdir(dir)).sort()) {
    const match = SEGMENT_NAME.exec(name)
    if (!match) continue
    generation = Number(match[1])
    const path = join(dir, name)
    segments.push({ path, untilMs: await inChunks(replay.segment(await readFile(path))) })
  }

  let chunks: Chunk[] = []
  /** A written chunk that can be filled again. */
  let spare: Chunk | null = null
  let pendingBytes = 0
  let droppedRecords = 0
  let writtenRecords = 0
  let writing: Promise<void> | null = null
  let waiting: (() => void)[] = []
  let hurry = (_withinMs: number) => {}
  let isFlushing = false
  let file: FileHandle | null = null
  let fileBytes = 0
  let isClosed = false

  /** Always a new file: nothing is appended after a torn record. The folder may be gone, for example with its disk. */
  async function openSegment(): Promise<FileHandle> {
    generation++
    await mkdir(dir, { recursive: true })
    const path = join(dir, `ledger-${String(generation).padStart(12, '0')}.journal`)
    const opened = await open(path, 'ax')
    segments.push({ path, untilMs: 0 })
    file = opened
    const header = Buffer.alloc(RECORD_BYTES)
    writeRecord(header, 0, 'header', headerRecord(), 0)
    await writeWhole(opened, header, RECORD_BYTES)
    fileBytes = RECORD_BYTES
    return opened
  }

  async function closeSegment(): Promise<void> {
    const closing = file
    file = null
    await closing?.close().catch(onError)
  }

  async function writeChunk(chunk: Chunk): Promise<void> {
    try {
      if (file && fileBytes >= segmentBytes) await closeSegment()
      const to = file ?? (await openSegment())
      const segment = segments.at(-1)!
      segment.untilMs = Math.max(segment.untilMs, chunk.untilMs)
      await writeWhole(to, chunk.bytes, chunk.length)
      fileBytes += chunk.length
      writtenRecords += chunk.length / RECORD_BYTES
    } catch (error) {
      droppedRecords += chunk.length / RECORD_BYTES
      await closeSegment()
      onError(error)
    }
  }

  async function writeAll(): Promise<void> {
    while (chunks.length > 0) {
      if (!isFlushing) await gathered()
      const batch = chunks
      const answered = waiting
      chunks = []
      waiting = []
      for (const chunk of batch) {
        await writeChunk(chunk)
        pendingBytes -= chunk.length
        spare = chunk
      }
      for (const resolve of answered) resolve()
    }
    writing = null
    // Callers that came while their records were being written.
    for (const resolve of waiting.splice(0)) resolve()
  }

  function append(kind: RecordKind, ad: AdFacts, grantedMicros: number): void {
    if (isClosed || pendingBytes + RECORD_BYTES > maxPendingBytes) {
      droppedRecords++
      return
    }
    let chunk = chunks.at(-1)
    if (!chunk || chunk.length === CHUNK_BYTES) {
      chunk = { bytes: spare?.bytes ?? Buffer.allocUnsafe(CHUNK_BYTES), length: 0, untilMs: 0 }
      spare = null
      chunks.push(chunk)
    }
    writeRecord(chunk.bytes, chunk.length, kind, ad, grantedMicros)
    chunk.length += RECORD_BYTES
    chunk.untilMs = Math.max(chunk.untilMs, ad.reservedUntilMs)
    pendingBytes += RECORD_BYTES
    writing ??= writeAll()
  }

  /** How long records wait for others: many records, one write. A flush does not wait. */
  function gathered(): Promise<void> {
    return new Promise(resolve => {
      let timer = setTimeout(resolve, waiting.length > 0 ? KEPT_MS : GATHER_MS)
      hurry = withinMs => {
        clearTimeout(timer)
        timer = setTimeout(resolve, withinMs)
      }
    })
  }

  async function flush(): Promise<void> {
    isFlushing = true
    hurry(0)
    while (writing) await writing
    isFlushing = false
  }

  function kept(): Promise<void> {
    if (!writing) return Promise.resolve()
    if (waiting.length === 0) hurry(KEPT_MS)
    return new Promise(resolve => waiting.push(resolve))
  }

  return {
    recovered: replay.result(),
    log: {
      reserved: (ad, grantedMicros) => append('reserved', ad, grantedMicros),
      ended: (ad, how) => append(how, ad, 0),
      // It matters as long as an ad that was reserved before it; later reservations contain the budget themselves.
      budget: account =>
        append('budget', budgetRecord(account, account.latestUntilMs), account.grantedMicros),
    },
    flush,
    kept,
    async sweep(nowMs) {
      const current = file ? segments.at(-1) : undefined
      for (const segment of segments.filter(one => one !== current && one.untilMs <= nowMs)) {
        segments.splice(segments.indexOf(segment), 1)
        await rm(segment.path, { force: true }).catch(onError)
      }
    },
    async close() {
      isClosed = true
      await flush()
      await closeSegment()
    },
    status: () => ({ pendingBytes, writtenRecords, droppedRecords, segments: segments.length }),
  }
}

/** Requests are answered between the chunks. */
async function inChunks<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    await setImmediate()
  }
}

async function writeWhole(file: FileHandle, bytes: Buffer, length: number): Promise<void> {
  let done = 0
  while (done < length) done += (await file.write(bytes, done, length - done)).bytesWritten
}
